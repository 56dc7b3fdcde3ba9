import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { at } from '../service.ts';
import { doesThough, tellsThough } from '../variant-parts.ts';

const secret = 'in this object alone';

export const refusalsMistakes: Mistakes = {
  'refused.put-of-a-reader-done': {
    source: 'core: Authentication 6',
    breaks: 'A PUT that is forbidden changes nothing.',
    variant: doesThough({ status: 403, method: 'PUT', path: '{inputSchemaId}' }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      await rita.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused.promote-without-a-token-done': {
    source: 'core: Authentication 6',
    breaks: 'A promote without a token changes nothing.',
    variant: doesThough({ status: 401, method: 'PUT', path: '/promote/' }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document');
      await nobody.move(made, 1);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused.read-without-token-tells': {
    source: 'core: Authentication 6',
    breaks: 'Who shows no token is not told what an object holds, in the refusal neither.',
    variant: tellsThough({ status: 401, method: 'GET', path: '{objectId}' }),
    async shows({ edda, nobody }) {
      const made = await edda.make('Document', { note: secret });
      return (await nobody.get(made.path)).text.includes(secret);
    },
  },
  'refused.missing-elsewhere-tells': {
    source: 'core: Errors',
    breaks: 'An object is in its space: who asks in another one is not told what it holds.',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      try {
        return await right(areas, call, reading);
      } catch (error) {
        const other = await reading.object('main', call.params['objectId'] ?? '');
        if (!(error instanceof Refusal) || other === undefined) throw error;
        throw new Refusal(404, `${error.message} It is ${JSON.stringify(other.content)} of another space.`);
      }
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { note: secret });
      return (await otto.get(`/api/space/depot/softtype/${made.oid}`)).text.includes(secret);
    },
  },
  'refused.put-that-does-not-fit-counts': {
    source: 'core: Versioning 2',
    breaks: 'A PUT that is refused for its content is no edit.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isMeant = route.method === 'PUT' && route.path.includes('{inputSchemaId}');
        if (!isMeant || !(error instanceof Refusal) || error.status !== 422) throw error;
        const { spaceId = '', objectId = '' } = call.params;
        await areas.store.change(async (writing) => {
          const object = await writing.object(spaceId, objectId);
          if (object) await areas.versioning.storeEdit(writing, object, object.version + 1, object.content);
        });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.replace(made, 1, { title: 5 });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused.merge-that-does-not-fit-done-in-part': {
    source: 'core: Versioning 2',
    breaks: 'A merge that is refused for one of its members stores none of the others.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isMeant = route.method === 'PATCH' && route.path.includes('{inputSchemaId}');
        if (!isMeant || !(error instanceof Refusal) || error.status !== 422) throw error;
        const { spaceId = '', objectId = '' } = call.params;
        const sent: object = JSON.parse(String(call.body));
        await areas.store.change(async (writing) => {
          const object = await writing.object(spaceId, objectId);
          if (object === undefined) return;
          const known = Object.entries(sent).filter(
            ([name, value]) => typeof value === 'string' && Object.hasOwn(object.content, name),
          );
          const content = { ...object.content, ...Object.fromEntries(known) };
          await areas.versioning.storeEdit(writing, object, object.version, content);
        });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      await edda.merge(made, 1, { title: 'after', unheardOf: 'x' });
      return at(await edda.read(made), '/data/title') !== 'before';
    },
  },
  'refused.change-of-a-profile-done': {
    source: 'core: Authentication 6 and 7',
    breaks: 'A change of collection data that is forbidden changes nothing.',
    variant: doesThough({ status: 403, method: 'PUT', path: '/collection/user/profile', by: 'cora' }),
    async shows({ edda, cora }) {
      const path = '/api/collection/user/profile';
      await edda.put(path, undefined, { displayName: 'somebody else' });
      return (await cora.get(path)).text.includes('somebody else');
    },
  },
};
