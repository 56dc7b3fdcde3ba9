import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { ArrayItem } from '../../../reference-server/areas/content.ts';
import { type Changes, breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, operationsPath } from '../service.ts';

/** One item for each object that is referred to. */
function once(items: readonly ArrayItem[]): readonly ArrayItem[] {
  const oid = ({ content }: ArrayItem): unknown => at(content, '/value/$oid');
  return items.filter(
    (item, index) => oid(item) === undefined || items.findIndex((other) => oid(other) === oid(item)) === index,
  );
}

/** Batches and multi-creates. */
export const manyMistakes: Batch = {
  'batch.route-by-href': {
    source: 'core: Batch operation, method',
    breaks: 'Each operation does what its method says, two of one href too.',
    kind: 'copy',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
      const found = new Map<string, ReturnType<NonNullable<NonNullable<Changes['batch']>['operationRouteOf']>>>();
      const operationRouteOf: NonNullable<Changes['batch']>['operationRouteOf'] = (routes, method, path) => {
        const route = found.get(path) ?? areas.batch.operationRouteOf(routes, method, path);
        found.set(path, route);
        return route;
      };
      return right(within(areas, { batch: { operationRouteOf } }), call, writing, table);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const href = editPath(made);
      await edda.batch([
        { method: 'PUT', href, headers: { [headerNames.version]: '1' }, body: { title: 'u', note: 'n' } },
        { method: 'PATCH', href, headers: { [headerNames.version]: '2' }, body: { title: 'v' } },
      ]);
      return at(await edda.read(made), '/data/note') === undefined;
    },
  },

  'batch.version-of-the-one-before': {
    source: 'core: Batch operation, headers',
    breaks: 'The version is given in the headers of the operation, and not in those of the one before it.',
    kind: 'copy',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const versions = new Map<string, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const version = headers['svc-uoiversion'] ?? versions.get(batch.correlationId);
        if (version === undefined) return headers;
        versions.set(batch.correlationId, version);
        return { ...headers, 'svc-uoiversion': version };
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 't' }), await edda.make('Document', { title: 't' })];
      const body = { title: 'u' };
      const answer = await edda.batch([
        { method: 'PATCH', href: editPath(one), headers: { [headerNames.version]: '1' }, body },
        { method: 'PATCH', href: editPath(other), body },
      ]);
      return answer.status === 200;
    },
  },

  'batch.type-with-a-parameter': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The media type makes it an operations PATCH, with a parameter behind it and in a batch too.',
    kind: 'combination',
    survives: 'What a parameter behind the media type does is not described: recorded.',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = right(areas, batch, operation);
      return headers['content-type']?.includes(';') ? { ...headers, 'content-type': mediaTypes.json } : headers;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.version]: '1', 'Content-Type': `${mediaTypes.operations}; charset=utf-8` };
      const body = [{ op: 'replace', path: '/title', value: 'u' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status === 500;
    },
  },

  'batch.status-of-the-only-one': {
    source: 'core: Errors, row 500',
    breaks: 'A batch of which an operation failed is answered 500, one of a single operation too.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const answer = right(areas, results);
      const [only, ...others] = results;
      return only === undefined || others.length > 0
        ? answer
        : { ...answer, status: Math.max(200, only.statusCode >= 400 ? only.statusCode : 200) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body: { title: 'u' } }])).status !== 500;
    },
  },

  'multi-create.one-reference-to-each': {
    source: 'core: Multi-create item, text below on references',
    breaks: 'A port holds the references that it is given, two to one item too.',
    kind: 'value',
    survives: 'Whether a port holds two references to one object, or one is enough, is not said: recorded.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const deduped = inputs.map(({ content, arrays }) => ({
        content,
        arrays: new Map([...arrays].map(([port, entries]) => [port, once(entries)] as const)),
      }));
      return right(areas, call, writing, items, deduped);
    }),
    async shows({ edda }) {
      const describes = ['a', 'b'].map((id) => ({ id, value: { instanceRef: 'p', softTypeId: 'Part' } }));
      const made = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/describes').length === 1;
    },
  },
};
