import type { StoredObject } from '../../../reference-server/ports/store.ts';
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
};

export const writingMistakes: Batch = {
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
