import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { type Content, detach } from '../../../reference-server/ports/store.ts';
import { instancesPerMultiCreate } from '../../../contract/limits.ts';
import { mediaTypes } from '../../../contract/names.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, operationsPath, versionHeader } from '../service.ts';

/** Parts for a multi-create. */
function parts(count: number): readonly object[] {
  return many(count, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: `n${number}` } }));
}

/** Many operations by one request, and many objects. */
export const manyMistakes: Batch = {
  'multi-create.less-than-fifty': {
    source: 'core: Multi-create rules 3',
    breaks: 'Fifty instances are as many as a request may have, and not one too many.',
    kind: 'value',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      if (items.length >= instancesPerMultiCreate) throw new Refusal(422, `Found ${items.length} items.`);
      return right(areas, items);
    }),
    async shows({ edda }) {
      return (await edda.multiCreate(parts(50))).status >= 400;
    },
  },

  'multi-create.ids-in-any-case': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item whose $id it holds, and not to one that is spelled alike in other letters.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'P', softTypeId: 'Part' } }];
      const answer = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'small' } },
        { $id: 'P', $softType: 'Part', data: { name: 'large' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
      ]);
      const hrefs = listAt(answer.json, '').map((item) => String(at(item, '/href')));
      const read = await edda.get(hrefs[2] ?? '');
      return !hrefs[1]?.endsWith(String(at(read.json, '/data/describes/0/value/$oid')));
    },
  },

  'batch.a-hundred-at-most': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit: about a hundred operations is what is advised.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > 100) throw new Refusal(413, `Found ${operations.length} operations.`);
      return operations;
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Part', { name: 'p' });
      return (await edda.batch(many(101, () => ({ method: 'GET', href: path })))).status !== 200;
    },
  },

  'batch.entries-outside-the-change-set': {
    source: 'core: Batch rules 1',
    breaks: 'When an operation fails all are rolled back, also what another one has added to an array.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const appended: (readonly [string, string, readonly Content[]])[] = [];
      const noting = {
        ...writing,
        appendEntries(oid: string, port: string, contents: readonly Content[]) {
          appended.push([oid, port, contents]);
          return writing.appendEntries(oid, port, contents);
        },
      };
      const keep = () =>
        areas.store.change(async (later) => {
          for (const [oid, port, contents] of appended)
            if ((await later.object(call.space.id, oid)) !== undefined) await later.appendEntries(oid, port, contents);
        });
      try {
        return await right(areas, call, noting, table);
      } catch (error) {
        if (error instanceof Undone && appended.length > 0) setImmediate(() => void detach(keep));
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { ...versionHeader(1), 'Content-Type': mediaTypes.operations },
          body: [{ op: 'add', path: '/files', value: { name: 'f' } }],
        },
        { method: 'GET', href: `${made.path}-none` },
      ]);
      for (let left = 10; left > 0; left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (listAt(await edda.read(made), '/data/files').length > 0) return true;
      }
      return false;
    },
  },

  'batch.version-of-the-request-for-all': {
    source: 'core: Errors, rule 2',
    breaks: 'An operation needs a version of its own, also when the batch request came with one.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const version = batch.headers['svc-uoiversion'];
      return { ...(version !== undefined && { 'svc-uoiversion': version }), ...right(areas, batch, operation) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      return (await edda.post('/api/space/main/batch', [edit], versionHeader(1))).status === 200;
    },
  },

  'batch.query-left-behind': {
    source: 'core: Batch operation, row href',
    breaks: 'The href is the whole URI of the request, its query included.',
    kind: 'place',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const { route, call } = right(areas, batch, table, value, index);
      const [url = ''] = call.url.split('?', 1);
      return { route, call: { ...call, url, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'photo'].map((category) => ({ name: category, category }));
      const { path } = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },

  'multi-create.fields-of-the-item-before': {
    source: 'core: Multi-create item, row data',
    breaks: 'The content of an instance is what its own item says, and nothing of the item before it.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const former = new Map<string, Content>();
      const filled = inputs.map((input, index) => {
        const id = items[index]?.softType.id ?? '';
        const content = { ...former.get(id), ...input.content };
        former.set(id, content);
        return { ...input, content };
      });
      return right(areas, call, writing, items, filled);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'a', $softType: 'Part', data: { name: 'a', note: 'of a' } },
        { $id: 'b', $softType: 'Part', data: { name: 'b' } },
      ]);
      const read = await edda.get(String(at(answer.json, '/1/href')));
      return at(read.json, '/data/note') !== undefined;
    },
  },
};
