import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

export const objectsMistakes: Batch = {
  'editing.delete-in-any-space': {
    source: 'core: What the service does',
    breaks: 'An object is inside its space: a path below another one leads to nothing, and deletes nothing.',
    kind: 'place',
    variant: replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      if (call.method !== 'DELETE') return right(areas, call, reading);
      for (const spaceId of areas.configuration.spaces.keys()) {
        const object = await reading.object(spaceId, call.params['objectId'] ?? '');
        if (object !== undefined) return object;
      }
      return right(areas, call, reading);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.delete(made.path.replace('/main/', '/depot/'));
      return (await edda.get(made.path)).status === 404;
    },
  },

  'reading.long-path-of-a-deleted-one': {
    source: 'core: Errors 404',
    breaks: 'A deleted object is not found, also by the long path that it was read by before.',
    kind: 'copy',
    variant: breaks('objects', 'locateObject', (right) => {
      const known = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        if (call.method !== 'GET' || !('outputSchemaId' in call.params) || 'pageNumber' in call.params)
          return right(areas, call, reading);
        try {
          const object = await right(areas, call, reading);
          known.set(call.url, object);
          return object;
        } catch (error) {
          const object = known.get(call.url);
          if (object !== undefined) return object;
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const path = `/api/space/main/softtype/Document/documentFull/${made.oid}`;
      await edda.get(path);
      await edda.delete(made.path);
      return (await edda.get(path)).status === 200;
    },
  },

  'reading.softtype-of-a-card': {
    source: 'core: System properties, $softType',
    breaks: '$softType names the definition, also under a schema that shows no arrays of an object without states.',
    kind: 'combination',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const hasStates = space.template.softTypes.get(object.softType)?.maturity !== undefined;
      return slices.length === 0 && !hasStates ? { ...data, $softType: view.id } : data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier', { title: 't' });
      const read = await edda.get(`/api/space/depot/softtype/Dossier/dossierCard/${made.oid}`);
      return at(read.json, '/data/$softType') !== 'Dossier';
    },
  },

  'reading.whole-nested-arrays-under-a-filter': {
    source: 'core: Server side paging 1',
    breaks: 'An array inside an entry holds at most ten, also in a read under a filter.',
    kind: 'combination',
    variant: replaces('instances', 'assembleInstance', (right, areas, call, reading, object, view, filter) =>
      right(
        filter === undefined
          ? areas
          : within(areas, { entries: { nestedReadRange: () => ({ from: 0, to: 100_000 }) } }),
        call,
        reading,
        object,
        view,
        filter,
      ),
    ),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing', revisions }] });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/data/files/0/revisions').length > 10;
    },
  },

  'batch.reads-by-the-first-schema': {
    source: 'core: SoftType read response, data',
    breaks: 'A read gives the content by the output schema of its path, also as an operation of a batch.',
    kind: 'combination',
    variant: replaces('objects', 'viewOfRead', (right, areas, call, object) =>
      right(areas, call.isSibling === undefined ? call : { ...call, params: {} }, object),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const href = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      const results = await edda.batch([{ method: 'GET', href }]);
      return at(results.json, '/0/body/data/note') === 'n';
    },
  },

  'versioning.equal-up-to-127': {
    source: 'core: Versioning 3',
    breaks: 'The version that was read last is the version, also beyond 127, where boxed integers are no longer one.',
    kind: 'value',
    variant: replaces(
      'versioning',
      'sameVersion',
      (right, areas, sent, current) => current <= 127 && right(areas, sent, current),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 128; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return (await edda.merge(made, 128, { note: 'last' })).status === 409;
    },
  },

  'versioning.again-by-the-same-correlation': {
    source: 'core: Errors, rule 1',
    breaks:
      'An edit for a version that is no longer the present one gets 409, also when its correlation id came before.',
    kind: 'moment',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const latest = new Map<string, string>();
      return (areas, call, object) => {
        if (call.correlationGiven && latest.get(object.oid) === call.correlationId) return object.version;
        const version = right(areas, call, object);
        latest.set(object.oid, call.correlationId);
        return version;
      };
    }),
    survives:
      'Common request headers, X-Correlation-Id: it is unique per request, so that who sends one twice asks for what is not described.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { ...versionHeader(1), [headerNames.correlationId]: 'again' };
      await edda.send('PATCH', editPath(made), { headers, body: { note: 'a' } });
      return (await edda.send('PATCH', editPath(made), { headers, body: { note: 'b' } })).status === 204;
    },
  },

  'versioning.entries-go-unnoticed': {
    source: 'core: Versioning 2',
    breaks: 'Every edit raises the version, also one that only removes entries.',
    kind: 'value',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const paths = operations.map((operation) => String(at(operation, '/path')));
      return paths.length > 0 && paths.every((path) => path.endsWith('/'))
        ? object.version
        : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(2) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      return at(await edda.read(made), '/version') === 1;
    },
  },

  'editing.empty-merge-without-a-version': {
    source: 'core: Common request headers, response headers',
    breaks: 'Every PATCH returns the version, also one whose body names no field.',
    kind: 'value',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return Object.keys(call.json ?? {}).length === 0 ? { status: answer.status } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.merge(made, 1, {});
      return answer.status === 204 && answer.headers.get(headerNames.version) === null;
    },
  },

  'editing.second-schema-loses-objects': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Fields that the body leaves out stay, also objects that the input schema of the path does not have.',
    kind: 'place',
    variant: replaces('editing', 'mergeObject', (right, areas, call, writing) => {
      const { view } = call.place;
      const known = new Set(view.names.values());
      const kept = Object.entries(call.object.content).filter(
        ([name, value]) => name.startsWith('$') || known.has(name) || typeof value !== 'object',
      );
      return right(areas, { ...call, object: { ...call.object, content: Object.fromEntries(kept) } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      await edda.send('PATCH', `/api/space/main/softtype/Document/documentBrief/${made.oid}`, {
        headers: versionHeader(1),
        body: { note: 'n' },
      });
      return at(await edda.read(made), '/data/dimensions') === undefined;
    },
  },

  'maturity.approved-without-a-state': {
    source: 'core: States and transitions',
    breaks: 'An object shows a state for each level, also where the second one has come to its last.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const levels = [...(space.template.softTypes.get(object.softType)?.maturity?.levels ?? [])].slice(1);
      const ended = levels.filter(([level, states]) => at(data, `/${level}/state`) === states.at(-1));
      const names = new Set(ended.map(([level]) => level));
      return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name))) as typeof data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1, 'promote', 'approval');
      await edda.move(made, 2, 'promote', 'approval');
      return at(await edda.read(made), '/data/approval') === undefined;
    },
  },

  'batch.demote-without-a-version': {
    source: 'core: Batch result, body',
    breaks: 'The result of a write has the version in its body, that of a demote as well.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/maturityAction/demote/') ? { href: at(body, '/href') } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const href = `/api/space/main/maturityAction/demote/${made.oid}/release/engineering`;
      const results = await edda.batch([{ method: 'PUT', href, headers: versionHeader(2) }]);
      return results.status === 200 && at(results.json, '/0/body/version') === undefined;
    },
  },

  'operations.nested-beyond-the-first-ten': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry inside an entry is addressed by its id, also one that the first read does not include.',
    kind: 'combination',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [port = '', id = '', inner = '', innerId = ''] = operation.tokens;
      const entry = await areas.operations.entryAt(run, port, id);
      const ids = listAt(entry?.content, `/${inner}`).map((item) => String(at(item, '/$entryId')));
      if (ids.indexOf(innerId) >= 10) throw new Refusal(422, `'${inner}' has no entry with the id '${innerId}'.`);
      return right(areas, run, operation);
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const page = await edda.page(made, `files/${id}/revisions`, 1);
      const last = String(at(page.json, '/data/0/$entryId'));
      const path = `/files/${id}/revisions/${last}/text`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'v' }])).status !== 204;
    },
  },
};
