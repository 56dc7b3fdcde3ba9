import type { Page } from '../../../contract/wire.ts';
import { type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, versionHeader, type Client, type Made } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.version-after-a-failed-batch': {
    source: 'core: SoftType read response, version',
    breaks: 'A read tells the version that the object has, and no edit of a batch that failed counts.',
    kind: 'combination',
    variant: countingWhatWasUndone(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } };
      await edda.batch([edit, { ...edit, headers: versionHeader(9) }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'paging.pages-one-edit-behind': {
    source: 'core: Server side paging 4',
    breaks: 'Later pages hold what page 0 left out, also when an entry of page 0 was just removed.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Page>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        const known = kept.get(body.href);
        if (page > 0 && known?.version === object.version - 1) return { ...body, data: known.data };
        kept.set(body.href, body);
        return body;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      await edda.page(made, 'files', 1);
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },

  'filters.value-of-digits': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is the text of the query, also when it looks like a number.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, ...args) => {
      const applied = right(areas, ...args);
      if (applied === undefined || !/^\d+$/.test(applied.value)) return applied;
      return { ...applied, value: String(Number(applied.value)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: '007' }] });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=007');
      return listAt(read, '/data/files').length === 0;
    },
  },
};

/** Path of the first file in an operation. */
export async function firstFile(client: Client, made: Made): Promise<string> {
  return `/files/${String(at(await client.read(made), '/data/files/0/$entryId'))}`;
}

/** Edits are counted beside the store, where nothing is rolled back. */
function countingWhatWasUndone(): Variant {
  return (classes) => {
    const versions = new Map<string, number>();
    return together(
      replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
        versions.set(object.oid, version);
        return right(areas, writing, object, version, content);
      }),
      replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, view, filter) => ({
        ...(await right(areas, call, reading, object, view, filter)),
        version: versions.get(object.oid) ?? object.version,
      })),
    )(classes);
  };
}
