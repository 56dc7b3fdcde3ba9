import type { Answer } from '../../../reference-server/http/call.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, versionHeader } from '../service.ts';

const nowhere = { method: 'GET', href: '/api/space/main/softtype/none' };

const createPath = '/api/space/main/softtype/Document/documentInput';

export const manyMistakes: Batch = {
  'batch.version-header-of-the-one-before': {
    source: 'core: Batch operation, headers',
    breaks: 'An operation has the version header that it gives, and none where it gives none.',
    kind: 'copy',
    variant: breaks('batch', 'batchOperationFrom', (right) => {
      let last: Readonly<Record<string, string>> = {};
      return (areas, value, index) => {
        const operation = right(areas, value, index);
        const own = Object.entries(operation.headers).filter(([name]) => name.toLowerCase() === 'svc-uoiversion');
        if (own.length > 0 || index === 0) last = Object.fromEntries(own);
        return { ...operation, headers: { ...last, ...operation.headers } };
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      const batch = await edda.batch([
        { method: 'PATCH', href: editPath(one), headers: versionHeader(1), body: { note: 'n' } },
        { method: 'PATCH', href: editPath(other), body: { note: 'n' } },
      ]);
      return at(batch.json, '/1/statusCode') !== 412;
    },
  },

  'batch.equal-creates-are-one': {
    source: 'core: Batch rules 5',
    breaks: 'Each POST of a batch creates, also where two say the same.',
    kind: 'copy',
    variant: breaks('editing', 'createObject', (right) => {
      const made = new Map<string, Answer>();
      return async (areas, call, writing) => {
        const key = `${call.correlationId} ${call.url} ${JSON.stringify(call.json)}`;
        const answer = (call.isSibling && made.get(key)) ?? (await right(areas, call, writing));
        made.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: createPath, body: { title: 'same' } };
      const { json } = await edda.batch([create, create]);
      return at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },

  'batch.query-is-decoded-twice': {
    source: 'core: Batch operation, href',
    breaks: 'The href of an operation is that of the request, also where its query has an encoded character.',
    kind: 'value',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const [path = '', ...query] = right(areas, batch, href)?.split('?') ?? [];
      if (path === '') return right(areas, batch, href);
      return query.length === 0 ? path : `${path}?${decodeURIComponent(query.join('?'))}`;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'a&b' }] });
      const query = '?softTypeFilterId=byCategory&fileGroup.category=a%26b';
      const batch = await edda.batch([{ method: 'GET', href: made.path + query }]);
      return listAt(batch.json, '/0/body/data/files').length !== 1;
    },
  },

  'batch.second-read-of-one-object-is-short': {
    source: 'core: Batch rules 6',
    breaks: 'A GET of a batch brings the full read response, also the second one of the same object.',
    kind: 'copy',
    variant: breaks('batch', 'operationResult', (right) => {
      const seen = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const key = `${call.correlationId} ${call.url}`;
        if (call.method !== 'GET' || !isContent(result.body)) return result;
        const isFirst = !seen.has(key);
        seen.add(key);
        if (isFirst) return result;
        const { schema: _known, links: _linked, ...body } = result.body;
        return { ...result, body };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href: made.path };
      const batch = await edda.batch([read, read]);
      return at(batch.json, '/1/body/schema') === undefined;
    },
  },

  'batch.a-hundred-at-a-time': {
    source: 'core: Batch rules 1',
    breaks: 'Everything is rolled back when one operation fails, also when more than a hundred were done before.',
    kind: 'value',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone) || !Array.isArray(error.answer.body)) throw error;
        const failed = error.answer.body.findIndex((result) => at(result, '/statusCode') !== 424);
        if (failed < 100 || error.isOutdated) throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      const edits = many(100, (number) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(number),
        body: { title: 'after' },
      }));
      await edda.batch([...edits, nowhere]);
      return at(await edda.read(made), '/data/title') === 'after';
    },
  },

  'batch.a-lone-failure-speaks-for-itself': {
    source: 'core: Batch rules 3',
    breaks: 'A batch in which an operation failed is answered 500, also where it is the only one.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const [only, ...more] = results;
      const status = right(areas, results);
      return only !== undefined && more.length === 0 && status === 500 ? only.statusCode : status;
    }),
    async shows({ edda }) {
      return (await edda.batch([nowhere])).status !== 500;
    },
  },

  'batch.second-edit-tells-the-first-version': {
    source: 'core: Batch result, body',
    breaks:
      'The version in a result is the one that this operation made, also of an object edited before in the batch.',
    kind: 'copy',
    variant: breaks('batch', 'writtenBody', (right) => {
      const told = new Map<string, unknown>();
      return (areas, call, answer) => {
        const body = right(areas, call, answer);
        const key = `${call.correlationId} ${call.params['objectId'] ?? ''}`;
        if (!isContent(body) || call.params['objectId'] === undefined) return body;
        if (!told.has(key)) told.set(key, body['version']);
        return { ...body, version: told.get(key) };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edits = [1, 2].map((version) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(version),
        body: { note: `n${version}` },
      }));
      return at((await edda.batch(edits)).json, '/1/body/version') !== 3;
    },
  },

  'batch.multi-creates-share-their-names': {
    source: 'core: Multi-create item, $id',
    breaks: 'A $id names an item of its own request, also where another multi-create of the batch has the same.',
    kind: 'combination',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const names = new Map<string, string>();
      return async (areas, call, writing) => {
        const ids = (Array.isArray(call.json) ? call.json : []).map((item) => String(at(item, '/$id')));
        const taken = call.isSibling && ids.some((id) => names.has(`${call.correlationId} ${id}`));
        for (const id of ids) names.set(`${call.correlationId} ${id}`, id);
        const [first, ...rest] = Array.isArray(call.json) ? call.json : [];
        // the name that is taken is found twice
        return right(areas, taken ? { ...call, json: [first, first, ...rest] } : call, writing);
      };
    }),
    async shows({ edda }) {
      const create = {
        method: 'POST',
        href: '/space/main/softtype',
        body: [
          { $id: 'a', $softType: 'Part', data: { name: 'n' } },
          { $id: 'b', $softType: 'Part', data: { name: 'n' } },
        ],
      };
      return (await edda.batch([create, create])).status !== 200;
    },
  },

  'multi-create.references-count-as-instances': {
    source: 'core: Multi-create rules 3',
    breaks: 'Fifty instances may be created at once, however many references there are between them.',
    kind: 'combination',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const counted = JSON.stringify(items).split('"instanceRef"').length - 1 + items.length;
      right(areas, counted > 50 ? [...many(51, (number) => number)] : items);
      return right(areas, items);
    }),
    async shows({ edda }) {
      const parts = many(40, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: 'n' } }));
      const describes = parts.map(({ $id }) => ({ id: $id, value: { instanceRef: $id, softTypeId: 'Part' } }));
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      return (await edda.multiCreate([...parts, document])).status >= 400;
    },
  },

  'multi-create.of-two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may refer to each other, and each reference is kept.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const refersTo = (from: number, to: number) =>
        JSON.stringify([...(inputs[from]?.arrays ?? [])]).includes(items[to]?.oid ?? '?');
      const oneWay = inputs.map((input, index) => {
        const mutual = items.flatMap(({ oid }, other) =>
          other < index && refersTo(other, index) && refersTo(index, other) ? [oid] : [],
        );
        const arrays = [...input.arrays].map(
          ([port, entries]) =>
            [port, entries.filter(({ content }) => !mutual.includes(String(at(content, '/value/$oid'))))] as const,
        );
        return { ...input, arrays: new Map(arrays) };
      });
      return right(areas, call, writing, items, oneWay);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        {
          $id: 'd',
          $softType: 'Document',
          data: { title: 't', describes: [{ id: 'x', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
        },
        {
          $id: 'p',
          $softType: 'Part',
          data: { name: 'n', describedBy: [{ id: 'y', value: { instanceRef: 'd', softTypeId: 'Document' } }] },
        },
      ]);
      const part = await edda.get(String(at(made.json, '/1/href')));
      return listAt(part.json, '/data/describedBy').length !== 1;
    },
  },
};
