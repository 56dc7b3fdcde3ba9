import { headerNames } from '../../../contract/names.ts';
import { routes } from '../../../contract/routes.ts';
import { firstStates, statesMember } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content, StoredObject } from '../../../reference-server/ports/store.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { replaces, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { at, type Client, movePath, operationsPath, versionHeader } from '../service.ts';
import { isRefusal } from '../variant-parts.ts';

export const refusedWritesMistakes: Mistakes = {
  'refused-move.promote-counts': {
    source: 'core: Versioning 2',
    breaks: 'A promote that is refused in the last state makes no version.',
    variant: behindRefused(422, routes.promote, ({ version, content }) => ({ version: version + 1, content })),
    shows: async ({ edda }) => at(await readTop(edda), '/version') !== 3,
  },
  'refused-move.demote-counts': {
    source: 'core: Versioning 2',
    breaks: 'A demote that is refused in the first state makes no version.',
    variant: behindRefused(422, '/demote/', ({ version, content }) => ({ version: version + 1, content })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1, 'demote');
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused-move.demote-of-nothing-is-stale': {
    source: 'core: Errors 404',
    breaks: 'A demote of an object that is not there is told so, and not that its version is another.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        if (!route.path.includes('/demote/') || !isRefusal(error, 404)) throw error;
        throw new Refusal(409, 'The object has another version.');
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.move({ ...made, oid: 'ffffffff' }, 1, 'demote')).status === 409;
    },
  },
  'refused-move.unknown-level-counts': {
    source: 'core: Versioning 2',
    breaks: 'A promote on a level that is not there makes no version.',
    variant: behindRefused(404, routes.promote, ({ version, content }) => ({ version: version + 1, content })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.send('PUT', movePath(made, 'promote', 'nowhere'), { headers: versionHeader(1) });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused-move.starts-over': {
    source: 'core: States and transitions',
    breaks: 'A promote that is refused in the last state leaves the object in it.',
    variant: behindRefused(422, routes.promote, ({ version, content, spaceId, softType }, areas) => {
      const definition = areas.configuration.spaces.get(spaceId)?.template.softTypes.get(softType);
      const states = definition && firstStates(definition, () => areas.editing.newOid());
      return { version, content: { ...content, [statesMember]: states?.[statesMember] } };
    }),
    shows: async ({ edda }) => at(await readTop(edda), '/data/engineering/state') === 'draft',
  },
  'refused-write.unknown-schema-counts': {
    source: 'core: Versioning 2',
    breaks: 'An edit by an input schema that is not there makes no version.',
    variant: behindRefused(404, routes.merge, ({ version, content }) => ({ version: version + 1, content })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const path = `/api/space/main/softtype/Document/nowhere/${made.oid}`;
      await edda.send('PATCH', path, { headers: versionHeader(1), body: { note: 'n' } });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused-write.other-type-counts': {
    source: 'core: Versioning 2',
    breaks: 'Operations that are refused for the type of their body make no version.',
    variant: behindRefused(415, routes.operations, ({ version, content }) => ({ version: version + 1, content })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { ...versionHeader(1), 'content-type': 'text/plain' };
      await edda.send('PATCH', operationsPath(made), { headers, body: '[]' });
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused-write.stale-delete-counts': {
    source: 'core: Versioning 2',
    breaks: 'A DELETE that is refused for its version makes none.',
    variant: behindRefused(409, routes.instanceShort, ({ version, content }) => ({ version: version + 1, content })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.delete(made.path, versionHeader(7));
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'refused-write.stale-delete-deletes': {
    source: 'core: Versioning 2',
    breaks: 'An object whose DELETE is refused for its version is still there.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const { [versionName]: _stale, ...headers } = call.headers;
        const isMeant = isRefusal(error, 409) && call.method === 'DELETE' && route.path === routes.instanceShort;
        if (isMeant) await right(areas, route, { ...call, headers });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.delete(made.path, versionHeader(7));
      return (await edda.get(made.path)).status === 404;
    },
  },
};

const versionName = headerNames.version.toLowerCase();

/** A Document that was promoted once more than it can be. */
async function readTop(client: Client): Promise<unknown> {
  const made = await client.make('Document');
  for (const version of [1, 2, 3]) await client.move(made, version);
  return client.read(made);
}

/** Refuses as it should, and stores something of the object nevertheless. */
function behindRefused(
  status: number,
  path: string,
  store: (object: StoredObject, areas: Areas) => { readonly version: number; readonly content: Content },
): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    try {
      return await right(areas, route, call);
    } catch (error) {
      if (!route.path.includes(path) || !isRefusal(error, status)) throw error;
      const { spaceId = '', objectId = '' } = call.params;
      await areas.store.change(async (writing) => {
        const object = await writing.object(spaceId, objectId);
        if (object === undefined) return;
        const { version, content } = store(object, areas);
        await areas.versioning.storeEdit(writing, object, version, content);
      });
      throw error;
    }
  });
}
