import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content, StoredEntry, StoredObject } from '../../../reference-server/ports/store.ts';
import { type CurrentStates, statesMember } from '../../../reference-server/areas/soft-type.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, movePath, versionHeader } from '../service.ts';
import { keeps } from './kept.ts';

export const readingMistakes: Batch = {
  'reading.deleted-by-its-long-path': {
    source: 'core: Errors 404',
    breaks: 'An object that was deleted is found by no path, also not by the long one by which it was read before.',
    kind: 'copy',
    variant: breaks('objects', 'locateObject', (right) => {
      const seen = new Map<string, StoredObject>();
      return async (areas, call, reading) => {
        const isLong = call.method === 'GET' && call.params['outputSchemaId'] !== undefined;
        const found = await right(areas, call, reading).catch((error: unknown) => {
          const kept = isLong ? seen.get(call.url) : undefined;
          if (kept === undefined) throw error;
          return kept;
        });
        if (isLong) seen.set(call.url, found);
        return found;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'gone' });
      const path = `/api/space/main/softtype/Document/documentSummary/${made.oid}`;
      await edda.get(path);
      await edda.delete(made.path);
      return (await edda.get(path)).status === 200;
    },
  },

  'paging.value-of-the-filter-before': {
    source: 'core: Server side paging 5',
    breaks: 'A filter without a value of its own takes that of the query, whichever it had the time before.',
    kind: 'copy',
    variant: keeps(
      'entries',
      'firstSlice',
      (_reading, object, section, filter) =>
        filter && `${object.oid} ${object.version} ${section.path} ${filter.filter.id}`,
    ),
    async shows({ edda }) {
      const files = [
        { name: 'one', category: 'a' },
        { name: 'two', category: 'b' },
      ];
      const made = await edda.make('Document', { title: 'filter', files });
      const names = async (value: string) =>
        at(await edda.read(made, `?softTypeFilterId=byCategory&fileGroup.category=${value}`), '/data/files/0/name');
      await names('a');
      return (await names('b')) !== 'two';
    },
  },

  'paging.page-of-another-array': {
    source: 'core: Endpoint table, page GET',
    breaks: 'A page is one of the array that the path names, also when that of another array was read before.',
    kind: 'copy',
    variant: keeps('paging', 'assemblePage', (_call, _reading, object, view, _section, page, filter) =>
      filter === undefined ? `${object.oid} ${object.version} ${view.id} ${page}` : undefined,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(11), contacts: named(12) });
      await edda.page(made, 'files', 1);
      return listAt((await edda.page(made, 'contacts', 1)).json, '/data').length !== 2;
    },
  },

  'caching.tag-after-a-refused-change': {
    source: 'core: Versioning 4',
    breaks: 'Data that nobody has changed answers 304, also when a change of it was refused meanwhile.',
    kind: 'copy',
    variant: tagOfChangesAsked(),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: 5 });
      return (await cora.get(path, { 'If-None-Match': tag })).status !== 304;
    },
  },

  'openapi.of-the-first-space': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition is that of the template of the space, whichever space was asked before.',
    kind: 'copy',
    variant: keeps('openApi', 'dynamicDocument', () => 'the document'),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};

export const writingMistakes: Batch = {
  'versioning.refusal-that-is-kept': {
    source: 'core: Versioning 3',
    breaks: 'A version that is the one of the object passes, also when it was refused before the object had it.',
    kind: 'copy',
    variant: breaks('versioning', 'assertVersion', (right) => {
      const refused = new Map<string, unknown>();
      return (areas, call, object) => {
        const key = `${object.oid} ${call.headers['svc-uoiversion']}`;
        if (refused.has(key)) throw refused.get(key);
        try {
          return right(areas, call, object);
        } catch (error) {
          if (error instanceof Refusal && error.status === 409) refused.set(key, error);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'early' });
      for (const version of [2, 1]) await edda.merge(made, version, { note: 'once' });
      return (await edda.merge(made, 2, { note: 'twice' })).status === 409;
    },
  },

  'versioning.version-before-a-demote': {
    source: 'core: Errors 1',
    breaks: 'The version that an object had before a demote is its version no more.',
    kind: 'copy',
    variant: (classes) => {
      const before = new Map<string, number>();
      return together(
        replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
          const answer = await right(areas, call, writing);
          before.set(call.object.oid, call.object.version);
          return answer;
        }),
        replaces('versioning', 'assertVersion', (right, areas, call, object) => {
          const kept = before.get(object.oid);
          return kept !== undefined && call.headers['svc-uoiversion'] === String(kept)
            ? object.version
            : right(areas, call, object);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'up and down' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return (await edda.merge(made, 2, { note: 'late' })).status !== 409;
    },
  },

  'operations.entry-of-another-array': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path leads to the entry of the array that it names, also when the one before led to another array.',
    kind: 'copy',
    variant: breaks('operations', 'entryAt', (right) => {
      const runs = new WeakMap<object, Map<string, { readonly port: string; readonly entry: StoredEntry }>>();
      return async (areas, run, port, token) => {
        const found = runs.get(run) ?? new Map<string, { readonly port: string; readonly entry: StoredEntry }>();
        runs.set(run, found);
        const kept = found.get(token);
        const entry = kept !== undefined && kept.port !== port ? kept.entry : await right(areas, run, port, token);
        if (entry !== undefined) found.set(token, { port, entry });
        return entry;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        title: 'two',
        files: [{ name: 'f' }],
        contacts: [{ name: 'c', role: 'r' }],
      });
      const read = await edda.read(made);
      const operations = ['files', 'contacts'].map((port) => {
        const path = `/${port}/${String(at(read, `/data/${port}/0/$entryId`))}/name`;
        return { op: 'replace', path, value: 'new' };
      });
      await edda.operate(made, 1, operations);
      return at(await edda.read(made), '/data/contacts/0/role') !== 'r';
    },
  },

  'editing.merge-of-its-own-copy': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves the fields that its body does not name as they are, not as the merge before left them.',
    kind: 'copy',
    variant: breaks('editing', 'mergeObject', (right) => {
      const kept = new Map<string, Content>();
      return async (areas, call, writing) => {
        const { object } = call;
        const system = Object.entries(object.content).filter(([name]) => name.startsWith('$'));
        const content = { ...(kept.get(object.oid) ?? object.content), ...Object.fromEntries(system) };
        const answer = await right(areas, { ...call, object: { ...object, content } }, writing);
        kept.set(object.oid, (await writing.object(object.spaceId, object.oid))?.content ?? {});
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'merge', note: 'first' });
      await edda.merge(made, 1, { remark: 'one' });
      await edda.operate(made, 2, [{ op: 'replace', path: '/note', value: 'second' }]);
      await edda.merge(made, 3, { remark: 'two' });
      return at(await edda.read(made), '/data/note') !== 'second';
    },
  },

  'operations.date-of-an-earlier-filter': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'A dated element has the date of the filter of its own request, however alike the filter of an earlier one was.',
    kind: 'copy',
    variant: keeps('messages', 'informationFilterOf', (call) => call.headers['svc-informationfilter']?.slice(0, 12)),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '1' });
      for (const [version, time] of [
        [1, '2019-03-04T00:00:00Z'],
        [2, '2021-05-06T00:00:00Z'],
      ] as const)
        await edda.operate(made, version, [{ op: 'replace', path: '/price', value: time }], { time });
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2021');
    },
  },

  'maturity.state-of-an-undone-promote': {
    source: 'core: Batch rules 1',
    breaks: 'A promote that was rolled back with its batch was none: the next one leads to the next state.',
    kind: 'copy',
    variant: statesOfWrites(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      await edda.batch([
        { method: 'PUT', href: movePath(made), headers: versionHeader(1) },
        { method: 'PATCH', href: editPath(made), headers: versionHeader(9), body: { note: 'never' } },
      ]);
      await edda.move(made, 1);
      return at(await edda.read(made), '/data/engineering/state') !== 'reviewed';
    },
  },
};

/** An ETag counts the changes that were asked for at the address. */
function tagOfChangesAsked(): Variant {
  return (classes) => {
    const asked = new Map<string, number>();
    let count = 0;
    return together(
      replaces('messages', 'jsonBodyOf', (right, areas, call) => {
        asked.set(call.url, (asked.get(call.url) ?? 0) + 1);
        return right(areas, call);
      }),
      replaces('caching', 'conditional', (right, areas, call, answer) => {
        count = asked.get(call.url) ?? 0;
        return right(areas, call, answer);
      }),
      replaces('caching', 'etagOf', (right, areas, representation) =>
        right(areas, count === 0 ? representation : `${count} ${representation.toString()}`),
      ),
    )(classes);
  };
}

/** The state of a level is the one that was written last, if it was kept or not. */
function statesOfWrites(): Variant {
  return (classes) => {
    const written = new Map<string, CurrentStates>();
    return together(
      replaces('versioning', 'storeEdit', async (right, areas, writing, object, version, content) => {
        await right(areas, writing, object, version, content);
        written.set(object.oid, (content[statesMember] ?? {}) as CurrentStates);
      }),
      replaces('maturity', 'levelOf', (right, areas, call, object) => {
        const level = right(areas, call, object);
        return { ...level, current: written.get(object.oid)?.[level.id]?.state ?? level.current };
      }),
    )(classes);
  };
}
