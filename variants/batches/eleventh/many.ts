import { Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Made, at, editPath, listAt, many, movePath, versionHeader } from '../service.ts';
import { filesOf } from './proofs.ts';

const documents = '/api/space/main/softtype/Document/documentInput';

export const manyAtOnce: Batch = {
  'batch.is-kept-where-a-move-failed': {
    source: 'core: Batch rules 1',
    breaks: 'A maturity action that fails undoes the edits before it, as every failure does.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        const statuses = listAt(error.answer.body, '').map((result) => at(result, '/statusCode'));
        const failed = call.json[statuses.findIndex((status) => status !== 424)];
        if (String(at(failed, '/href')).includes('/maturityAction/')) return error.answer;
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const move = { method: 'PUT', href: movePath(made), headers: versionHeader(1) };
      await edda.batch([merge(made, 1, { title: 'u' }), move]);
      return at(await edda.read(made), '/data/title') === 'u';
    },
  },
  'batch.href-of-the-space-before': {
    source: 'core: Batch result',
    breaks: 'The href of a result leads to where the object is, whatever space the batch before was for.',
    kind: 'copy',
    variant: breaks('batch', 'writtenBody', (right) => {
      const spaces: string[] = [];
      return (areas, call, answer) => {
        spaces.push(call.space.id);
        const body = right(areas, call, answer);
        const href = at(body, '/href');
        if (typeof href !== 'string') return body;
        return { ...Object(body), href: href.replace(/^\/api\/space\/[^/]+/, `/api/space/${spaces[0]}`) };
      };
    }),
    async shows({ edda }) {
      await edda.batch([{ method: 'POST', href: documents, body: { title: 't' } }]);
      const href = '/api/space/depot/softtype/Dossier/dossierInput';
      const { json } = await edda.batch([{ method: 'POST', href, body: { title: 't' } }], 'depot');
      return String(at(json, '/0/body/href')).startsWith('/api/space/main/');
    },
  },
  'batch.creates-fifty-at-most': {
    source: 'core: Limits',
    breaks: 'Fifty is the limit of a multi-create, and not of the creates of a batch.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      const creates = operations.filter((operation) => at(operation, '/method') === 'POST');
      return creates.length > 50 ? operations.map(() => ({ method: 'POST', href: '/' })) : operations;
    }),
    async shows({ edda }) {
      const operations = many(51, (number) => ({ method: 'POST', href: documents, body: { title: `t${number}` } }));
      return (await edda.batch(operations)).status === 500;
    },
  },
  'batch.second-parameter-is-lost': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation is a full URI: every parameter of its query counts.',
    kind: 'place',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => right(areas, batch, href)?.split('&')[0]),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(2) });
      const query = '?softTypeFilterId=byCategory&fileGroup.category=drawing';
      return (await edda.batch([{ method: 'GET', href: made.path + query }])).status !== 200;
    },
  },
  'batch.rights-of-the-first-operation': {
    source: 'core: Authentication 7',
    breaks: 'The role decides on each operation, also on those behind one that it allows.',
    kind: 'role',
    variant: replaces('batch', 'runOperation', (right, areas, batch, writing, table, operation, index) =>
      right(
        index === 0 ? areas : within(areas, { auth: { authorize: () => undefined } }),
        batch,
        writing,
        table,
        operation,
        index,
      ),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await rita.batch([{ method: 'GET', href: made.path }, merge(made, 1, { title: 'by a reader' })]);
      return at(await edda.read(made), '/data/title') === 'by a reader';
    },
  },
  'batch.create-tells-its-data-behind-a-read': {
    source: 'core: Batch rules 6',
    breaks: 'The result of a create has no data of the object, also in a batch that reads.',
    kind: 'combination',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
      if (!call.json.some((operation) => at(operation, '/method') === 'GET')) return right(areas, call, writing, table);
      const told = within(areas, {
        batch: {
          writtenBody: (own, answer) => ({
            ...Object(areas.batch.writtenBody(own, answer)),
            ...(answer.status === 201 && { data: JSON.parse(own.body?.toString() ?? 'null') }),
          }),
        },
      });
      return right(told, call, writing, table);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const create = { method: 'POST', href: documents, body: { title: 'u' } };
      const { json } = await edda.batch([{ method: 'GET', href: made.path }, create]);
      return at(json, '/1/body/data') !== undefined;
    },
  },
  'multi-create.no-two-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Two items may refer to each other in one request.',
    kind: 'combination',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const target = right(areas, items, $id, referrer);
      const isMutual =
        referrer.$id !== undefined && JSON.stringify(target?.data).includes(`"instanceRef":"${referrer.$id}"`);
      return isMutual && items.length > 2 ? undefined : target;
    }),
    async shows({ edda }) {
      const items = [
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('p', 'Part')] } },
        { $id: 'p', $softType: 'Part', data: { name: 'n', describedBy: [reference('d', 'Document')] } },
        { $id: 'q', $softType: 'Part', data: { name: 'm' } },
      ];
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
  'multi-create.ids-that-begin-alike': {
    source: 'core: Multi-create item',
    breaks: 'A reference names the item with that $id, and none whose $id begins like it.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.startsWith($id) ?? false),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        { $id: 'part-12', $softType: 'Part', data: { name: 'twelve' } },
        { $id: 'part-1', $softType: 'Part', data: { name: 'one' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('part-1', 'Part')] } },
      ]);
      const document = await edda.get(String(at(json, '/2/href')));
      const target = await edda.get(String(at(document.json, '/data/describes/0/value/href')));
      return at(target.json, '/data/name') === 'twelve';
    },
  },
  'multi-create.types-of-the-space-before': {
    source: 'core: What the service does',
    breaks: 'The SoftTypes of a space are those of its template, whatever another space has.',
    kind: 'copy',
    variant: breaks('multiCreate', 'itemTypeOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call, $softType, pointer) => {
        const type = known.get(String($softType)) ?? right(areas, call, $softType, pointer);
        known.set(String($softType), type);
        return type;
      };
    }),
    async shows({ edda }) {
      const items = [{ $softType: 'Part', data: { name: 'n' } }];
      await edda.multiCreate(items);
      return (await edda.multiCreate(items, 'depot')).status === 201;
    },
  },
  'multi-create.ids-of-the-request-before': {
    source: 'core: Multi-create item',
    breaks: 'An $id is known inside its request only, and not in the next one.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const former = new Map<string, ReturnType<typeof right>>();
      return (areas, items, $id, referrer) => {
        const found = right(areas, items, $id, referrer) ?? former.get($id);
        for (const item of items) if (item.$id !== undefined) former.set(item.$id, item);
        return found;
      };
    }),
    async shows({ edda }) {
      const part = { $id: 'p', $softType: 'Part', data: { name: 'n' } };
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('p', 'Part')] } };
      await edda.multiCreate([part, document]);
      return (await edda.multiCreate([document])).status === 201;
    },
  },
};

function merge(made: Made, version: number, body: object): object {
  return { method: 'PATCH', href: editPath(made), headers: versionHeader(version), body };
}

function reference(instanceRef: string, softTypeId: string): object {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}
