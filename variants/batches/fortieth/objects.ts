import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

/** How long a second click is taken for the first one. */
const doubleClickMs = 2000;

/** Writers of one object at a time, and what they find when they read it again. */
export const objectsMistakes: Batch = {
  'editing.second-click': {
    source: 'core: What the service does',
    breaks: 'Two creates make two objects, also where the second one says the same as the first.',
    kind: 'moment',
    variant: breaks('editing', 'createObject', (right) => {
      const clicks = new Map<string, { readonly at: number; readonly answer: ReturnType<typeof right> }>();
      return (areas, call, writing) => {
        const now = areas.clock.now();
        const key = [call.user.name, call.url, call.body?.toString()].join(' ');
        const former = clicks.get(key);
        if (former !== undefined && now - former.at < doubleClickMs) return former.answer;
        const answer = right(areas, call, writing);
        clicks.set(key, { at: now, answer });
        return answer;
      };
    }),
    async shows({ edda }) {
      const first = await edda.make('Requirement', { text: 'twice' });
      const second = await edda.make('Requirement', { text: 'twice' });
      return first.oid === second.oid;
    },
  },

  'openapi.what-the-process-reaches': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition covers all SoftTypes, also one that no object in a maturity process refers to.',
    kind: 'combination',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const all = [...space.template.softTypes];
      const targetsOf = (id: string): readonly string[] =>
        [...(space.template.softTypes.get(id)?.members.values() ?? [])].flatMap((member) =>
          member.kind === 'references' ? [member.to] : [],
        );
      const reached = new Set(all.filter(([, { maturity }]) => maturity !== undefined).map(([id]) => id));
      for (const id of reached) for (const target of targetsOf(id)) reached.add(target);
      if (reached.size === 0) return right(areas, space);
      const softTypes = new Map(all.filter(([id]) => reached.has(id)));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { json } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !Object.keys(Object(at(json, '/paths'))).some((path) => path.includes('/Requirement/'));
    },
  },

  'reading.type-with-its-template': {
    source: 'core: System properties, $softType',
    breaks: 'The system property is the identifier of the definition, in every space.',
    kind: 'place',
    variant: replaces('instances', 'systemMembers', (right, areas, object) => {
      const [first] = areas.configuration.spaces.keys();
      const members = right(areas, object);
      if (object.spaceId === first) return members;
      const template = areas.configuration.spaces.get(object.spaceId)?.template.id ?? '';
      return { ...members, $softType: `${template}.${object.softType}` };
    }),
    async shows({ edda }) {
      const made = await edda.make('Dossier', { title: 't' });
      return at(await edda.read(made), '/data/$softType') !== 'Dossier';
    },
  },

  'operations.the-same-once-more': {
    source: 'core: Patch operation, op',
    breaks: 'Each add of a list appends, also one that says the same as another of the list.',
    kind: 'value',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) => {
      const kept = new Map(operations.map((operation) => [JSON.stringify(operation), operation]));
      return right(areas, run, [...kept.values()]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const add = { op: 'add', path: '/files', value: { name: 'same' } };
      await edda.operate(made, 1, [add, add]);
      return listAt(await edda.read(made), '/data/files').length === 1;
    },
  },

  'operations.references-by-position': {
    source: 'core: Patch operation, path',
    breaks: 'An entry of an array is addressed by its id, also a reference.',
    kind: 'place',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      if (run.softType.members.get(port)?.kind !== 'references') return right(areas, run, port, token);
      const position = Number(token) - 1;
      const [entry] = await run.writing.entries(run.object.oid, port, { from: position, to: position + 1 });
      return entry;
    }),
    async shows({ edda }) {
      const parts = [];
      for (const name of ['a', 'b', 'c']) parts.push(await edda.make('Part', { name }));
      const describes = parts.map(({ oid }) => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 't', describes });
      const ids = listAt(await edda.read(made), '/data/describes').map((entry) => String(at(entry, '/$entryId')));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${ids[0]}/` }]);
      await edda.operate(made, 2, [{ op: 'remove', path: `/describes/${ids[1]}/` }]);
      const left = listAt(await edda.read(made), '/data/describes').map((entry) => String(at(entry, '/$entryId')));
      return left.join() !== ids[2];
    },
  },

  'versions.holder-of-the-lock': {
    source: 'core: Errors, rule 1',
    breaks: 'A stale version is refused, also from whoever holds the lock.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) =>
      object.content['$lockedBy'] !== undefined && object.content['$lockedBy'] === at(call, '/user/name')
        ? object.version
        : right(areas, call, object),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'once' });
      await edda.post(`/api/space/main/lock/${made.oid}`);
      return (await edda.merge(made, 1, { note: 'stale' })).status < 300;
    },
  },

  'operations.whole-document-in-a-batch': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The empty path is not supported, in a batch neither.',
    kind: 'combination',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const isWhole = operation.op !== 'remove' && operation.path === '';
      if (!isWhole || run.call.isSibling === undefined) return right(areas, run, operation, place);
      run.root = areas.editing.mergePatch(run.root, Object(operation.value)) as typeof run.root;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: `/api/space/main/softtype/Document/${made.oid}`,
          headers: { 'Svc-UOIVersion': '1', 'Content-Type': 'application/json-patch+json' },
          body: [{ op: 'replace', path: '', value: { title: 'whole' } }],
        },
      ]);
      return answer.status === 200;
    },
  },

  'operations.ids-move-up': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An id names its entry, also behind the removal of an earlier entry in the same list.',
    kind: 'moment',
    variant: (classes) => {
      const removed = new WeakMap<object, number[]>();
      return together(
        replaces('operations', 'removeTarget', async (right, areas, run, target) => {
          await right(areas, run, target);
          const entryId = target.kind === 'entry' ? target.row.entry?.entryId : undefined;
          if (entryId !== undefined) removed.set(run, [...(removed.get(run) ?? []), entryId]);
        }),
        replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
          const before = (removed.get(run) ?? []).filter((id) => id < Number(token)).length;
          if (before === 0) return right(areas, run, port, token);
          return (await right(areas, run, port, String(Number(token) + before))) ?? right(areas, run, port, token);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
      const ids = listAt(await edda.read(made), '/data/files').map((entry) => String(at(entry, '/$entryId')));
      await edda.operate(made, 1, [
        { op: 'remove', path: `/files/${ids[0]}/` },
        { op: 'replace', path: `/files/${ids[1]}/name`, value: 'changed' },
      ]);
      return at(await edda.read(made), '/data/files/0/name') !== 'changed';
    },
  },

  'reading.inner-version-of-an-undone-batch': {
    source: 'core: Versioning 1',
    breaks: 'The two versions of a read agree, also behind a batch that was rolled back.',
    kind: 'moment',
    variant: (classes) => {
      const touched = new Map<string, number>();
      return together(
        replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
          try {
            return await right(areas, call, writing, table);
          } catch (error) {
            for (const operation of call.json) {
              if (at(operation, '/method') !== 'PATCH') continue;
              const oid = String(at(operation, '/href')).split('/').at(-1) ?? '';
              const object = await writing.object(call.space.id, oid);
              if (object !== undefined) touched.set(oid, object.version);
              areas.memory.forgetReads(call.space.id, oid);
            }
            throw error;
          }
        }),
        replaces('instances', 'systemMembers', (right, areas, object) =>
          touched.get(object.oid) === object.version
            ? { ...right(areas, object), $version: object.version + 1 }
            : right(areas, { ...object, version: Math.max(object.version, touched.get(object.oid) ?? 0) }),
        ),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { 'Svc-UOIVersion': '1' };
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      await edda.batch([
        { method: 'PATCH', href, headers: { ...headers, 'Svc-UOIVersion': '9' }, body: { note: 'n' } },
        { method: 'PATCH', href, headers, body: { note: 'n' } },
      ]);
      const read = await edda.read(made);
      return at(read, '/version') !== at(read, '/data/$version');
    },
  },
};
