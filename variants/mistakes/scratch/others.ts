import { routes } from '../../../contract/routes.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Answer, Call } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { grant, passwordForm, profilePath } from '../proofs.ts';
import { at } from '../service.ts';
import { changes, during, isRefusal, leadsTo } from '../variant-parts.ts';

const second = 1000;

export const scratchOthers: Mistakes = {
  'merge.second-schema-wipes': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What a merge does not name stays, also what its input schema does not know.',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const { object, place } = call;
      const known = new Set(place.view.names.values());
      const kept = Object.entries(object.content).filter(([name]) => name.startsWith('$') || known.has(name));
      return right(areas, { ...call, object: { ...object, content: Object.fromEntries(kept) } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { label: 'l' });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: { 'Svc-UOIVersion': '1' }, body: { note: 'n' } });
      return at(await edda.read(made), '/data/displayLabel') === undefined;
    },
  },
  'maturity.refused-promote-counts': {
    source: 'core: Versioning 2',
    breaks: 'A promote that is refused makes no version.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const { spaceId = '', objectId = '' } = call.params;
        if (route.path === routes.promote && isRefusal(error, 422))
          await areas.store.change(async (writing) => {
            const object = await writing.object(spaceId, objectId);
            if (object) await areas.versioning.storeEdit(writing, object, object.version + 1, object.content);
          });
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (const version of [1, 2, 3]) await edda.move(made, version);
      return at(await edda.read(made), '/version') === 4;
    },
  },
  'maturity.demote-loses-definition': {
    source: 'core: States and transitions',
    breaks: 'A current state has its $softType, after a demote too.',
    variant: during('maturity', 'demoteObject', (step) =>
      changes('maturity', 'contentInState', (content) => {
        if (!step.isOn()) return content;
        const states = storedStates({ content } as never);
        const bare = Object.entries(states).map(([level, { $softType: _gone, ...state }]) => [level, state] as const);
        return { ...content, $states: Object.fromEntries(bare) };
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/engineering/$softType') === undefined;
    },
  },
  'caching.tag-by-second': {
    source: 'core: Versioning 4',
    breaks: 'Changed data has another ETag, twice within a second too.',
    variant: tagsBySecond(),
    async shows({ cora }) {
      for (let tries = 0; tries < 5; tries += 1) {
        await cora.put(profilePath, undefined, { displayName: 'a' });
        const first = await cora.get(profilePath);
        await cora.put(profilePath, undefined, { displayName: 'b' });
        const etag = first.headers.get('etag') ?? '';
        if ((await cora.get(profilePath, { 'if-none-match': etag })).status === 304) return true;
      }
      return false;
    },
  },
  'caching.not-modified-before-access': {
    source: 'core: Authentication 6',
    breaks: 'Who has no access is told so, whatever ETag he sends.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        if (!isRefusal(error, 403) || call.headers['if-none-match'] === undefined || route.method !== 'GET')
          throw error;
        const authorization = `Bearer ${areas.configuration.users.get('cora')?.pat}`;
        const answer = await right(areas, route, { ...call, headers: { ...call.headers, authorization } });
        if (answer.status === 304) return answer;
        throw error;
      }
    }),
    async shows({ cora, nora }) {
      const etag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      return (await nora.get('/api/collection/template', { 'if-none-match': etag })).status === 304;
    },
  },
  'access.right-remembered-across-spaces': {
    source: 'core: Authentication 7',
    breaks: 'What a user may do in a space is decided by his roles there.',
    variant: breaks('auth', 'mayUse', (right) => {
      const allowed = new Set<string>();
      return (areas, user, space, method) => {
        const key = `${user.name} ${method}`;
        if (right(areas, user, space, method)) allowed.add(key);
        return allowed.has(key) && areas.auth.rolesOf(user, space).length > 0;
      };
    }),
    async shows({ rita }) {
      await rita.make('Dossier');
      const answer = await rita.post('/api/space/main/softtype/Part/partInput', { name: 'n' });
      return answer.status === 201;
    },
  },
  'openapi.first-space-for-all': {
    source: 'core: What the service does',
    breaks: 'Dynamic definitions are those of the template of the space.',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let first: ReturnType<typeof right> | undefined;
      return (areas, space) => (first ??= right(areas, space));
    }),
    async shows({ edda }) {
      const path = (space: string) => `/space/${space}/SoftType/dynamic/softtype.openApi`;
      const main = await edda.get(path('main'));
      return (await edda.get(path('depot'))).text === main.text;
    },
  },
  'reading.lost-target': {
    source: 'core: Endpoint table, GET softtype',
    breaks: 'An object is read, also one that refers to an object which is gone.',
    variant: replaces('entries', 'firstSlice', async (right, areas, reading, object, section, filter) => {
      const slice = await right(areas, reading, object, section, filter);
      if (section.member.kind !== 'references') return slice;
      for (const entry of slice.entries)
        if ((await reading.object(object.spaceId, String(leadsTo(entry)))) === undefined)
          throw new TypeError('Cannot read properties of undefined.');
      return slice;
    }),
    async shows({ edda }) {
      const part = await edda.make('Part');
      const made = await edda.make('Document', { describes: [{ value: { $oid: part.oid } }] });
      const gone = await edda.delete(part.path);
      return gone.status === 204 && (await edda.get(made.path)).status === 500;
    },
  },
  'reading.second-node-stale': {
    source: 'core: Versioning 1',
    breaks: 'Whichever node answers, a read shows the object as it is.',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const counts = new Map<string, number>();
      const kept = new Map<string, { readonly at: number; readonly answer: Answer }>();
      return async (areas, call, reading, object, view, assemble) => {
        const count = (counts.get(object.oid) ?? 0) + 1;
        counts.set(object.oid, count);
        if (count % 2 === 1) return right(areas, call, reading, object, view, assemble);
        const key = [object.oid, view.id, areas.memory.rightsOf(call)].join();
        const known = kept.get(key);
        const now = performance.now();
        if (known !== undefined && now - known.at < second) return known.answer;
        const answer = await right(areas, call, reading, object, view, assemble);
        kept.set(key, { at: now, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.read(made);
      await edda.read(made);
      await edda.merge(made, 1, { note: 'x' });
      await edda.read(made);
      return at(await edda.read(made), '/version') === 1;
    },
  },
  'tokens.form-with-charset': {
    source: 'core: Authentication 3',
    breaks: 'The form is one with a parameter behind its media type too.',
    variant: changes('grants', 'grantFormOf', (form, _areas, call) =>
      call.headers['content-type']?.includes(';') ? new Map<string, string>() : form,
    ),
    async shows(service) {
      const type = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' };
      return (await grant(service, passwordForm('edda'), type)).status !== 200;
    },
  },
};

function tagsBySecond() {
  const changed = new Map<string, number>();
  return together(
    replaces('collection', 'putProfile', async (right, areas, call, writing) => {
      changed.set(areas.baseAddress?.() ?? '', Math.floor(areas.clock.now() / second));
      return right(areas, call, writing);
    }),
    replaces('caching', 'conditional', (right, areas, call: Call, answer: Answer): Answer => {
      if (!call.url.startsWith(profilePath)) return right(areas, call, answer);
      const at = changed.get(areas.baseAddress?.() ?? '') ?? 0;
      const etag = `"${call.headers['authorization']?.length}-${at}"`;
      if (call.headers['if-none-match'] === etag) return { status: 304, headers: { ETag: etag } };
      return { ...answer, headers: { ...answer.headers, ETag: etag } };
    }),
  );
}
