import { isContent } from '../../../reference-server/areas/content.ts';
import { within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath } from '../service.ts';
import { namesOn } from './proofs.ts';

const part = (name: string) => ({ $id: name, $softType: 'Part', data: { name } });
const href = '/space/main/softtype';
const reference = (instanceRef: string) => ({ id: instanceRef, value: { instanceRef, softTypeId: 'Part' } });

export const manyAtOnce: Batch = {
  'many.role-is-judged-by-the-first-operation': {
    source: 'core: Authentication 7',
    breaks: 'The role has to allow every operation of a batch, not the first one alone.',
    kind: 'role',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
      let isFirst = true;
      const lax = within(areas, {
        auth: {
          authorize: (...args) => {
            if (isFirst) areas.auth.authorize(...args);
            isFirst = false;
          },
        },
      });
      return right(lax, call, writing, table);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = {
        method: 'PATCH',
        href: editPath(made),
        headers: { 'Svc-UOIVersion': '1' },
        body: { note: 'by a reader' },
      };
      await rita.batch([{ method: 'GET', href: made.path }, edit]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'many.operation-takes-the-version-of-the-batch': {
    source: 'core: Errors 2',
    breaks: 'An edit in a batch that names no version is refused, whatever header the batch request itself has.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => ({
      ...('svc-uoiversion' in batch.headers && { 'svc-uoiversion': batch.headers['svc-uoiversion'] }),
      ...right(areas, batch, operation),
    })),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      const answer = await edda.post('/api/space/main/batch', [edit], { 'Svc-UOIVersion': '1' });
      return at(answer.json, '/0/statusCode') !== 412;
    },
  },
  'many.promote-result-lacks-href': {
    source: 'core: Batch result',
    breaks: 'The result of a promote names its object as that of any other write.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/maturityAction/') && isContent(body) ? { version: body['version'] } : body;
    }),
    survives: 'href takes the place of Location, which a 201 alone has: that a promote names its object is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const promote = { method: 'PUT', href: movePath(made), headers: { 'Svc-UOIVersion': '1' } };
      return typeof at((await edda.batch([promote])).json, '/0/body/href') !== 'string';
    },
  },
  'many.put-in-batch-merges': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT in a batch takes away the arrays and members that its payload leaves out.',
    kind: 'combination',
    variant: replaces('editing', 'putObject', (right, areas, call, writing) =>
      right(
        call.isSibling === undefined
          ? areas
          : within(areas, { editing: { arraysAfterPut: (_softType, given) => given } }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: [{ name: 'c' }] });
      const put = {
        method: 'PUT',
        href: editPath(made),
        headers: { 'Svc-UOIVersion': '1' },
        body: { title: 't' },
      };
      await edda.batch([put]);
      return listAt(await edda.read(made), '/data/contacts').length > 0;
    },
  },
  'many.read-in-batch-loses-its-query': {
    source: 'core: Batch operation',
    breaks: 'The href of an operation is the whole URI of its request, query included.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = [{ name: 'f', category: 'drawing' }, { name: 'g' }];
      const made = await edda.make('Document', { title: 't', files });
      const { json } = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(json, '/0/body/data/files').length !== 1;
    },
  },
  'many.batch-ends-at-a-hundred': {
    source: 'core: Limits',
    breaks: 'About 100 operations are a guideline: those behind the hundredth are carried out too.',
    kind: 'value',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) =>
      right(areas, { ...call, json: call.json.slice(0, 100) }, writing, table),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const { json } = await edda.batch(many(101, () => ({ method: 'GET', href: made.path })));
      return listAt(json, '').length !== 101;
    },
  },
  'many.multi-create-in-batch-refers-backwards-only': {
    source: 'core: Batch rules 4',
    breaks: 'In a batch, too, an item of a multi-create may refer to one that stands behind it.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
      right(
        call.isSibling === undefined
          ? areas
          : within(areas, {
              multiCreate: {
                findItem: (items, $id, referrer) =>
                  areas.multiCreate.findItem(items.slice(0, items.indexOf(referrer) + 1), $id, referrer),
              },
            }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('p')] } };
      const answer = await edda.batch([{ method: 'POST', href, body: [document, part('p')] }]);
      return answer.status !== 200;
    },
  },
  'many.multi-create-in-batch-has-no-limit': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create has at most 50 items also as an operation of a batch.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) =>
      right(
        call.isSibling === undefined ? areas : within(areas, { multiCreate: { withinLimit: (items) => items } }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const body = many(51, (number) => part(`p${number}`));
      return (await edda.batch([{ method: 'POST', href, body }])).status === 200;
    },
  },
  'many.ids-that-differ-in-case-are-one': {
    source: 'core: Multi-create item',
    breaks: 'A reference leads to the item whose temporary id it holds, letter by letter.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes: [reference('P')] } };
      const { json } = await edda.multiCreate([part('p'), part('P'), document]);
      const read = await edda.get(String(at(json, '/2/href')));
      const target = String(at(read.json, '/data/describes/0/value/$oid'));
      return !String(at(json, '/1/href')).endsWith(target);
    },
  },
  'many.multi-create-stores-ten-entries': {
    source: 'core: Multi-create item',
    breaks: 'The content of an item is stored whole, arrays beyond ten entries included.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const cut = inputs.map(({ content, arrays }) => ({
        content,
        arrays: new Map([...arrays].map(([port, entries]) => [port, entries.slice(0, 10)] as const)),
      }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const data = { title: 't', contacts: many(11, (number) => ({ name: `c${number}` })) };
      const { json } = await edda.multiCreate([{ $id: 'd', $softType: 'Document', data }]);
      const oid = String(at(json, '/0/href')).split('/').at(-1) ?? '';
      const page = await edda.page({ definition: 'Document', oid, path: '' }, 'contacts', 1);
      return namesOn(page.json) !== 'c11';
    },
  },
  'many.failed-multi-create-undoes-itself-alone': {
    source: 'core: Batch rules 1',
    breaks: 'A batch in which a multi-create fails is undone as a whole.',
    kind: 'combination',
    variant: replaces(
      'batch',
      'failsBatch',
      (right, areas, outcome) => right(areas, outcome) && outcome.call.url.split('?')[0] !== href,
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = {
        method: 'PATCH',
        href: editPath(made),
        headers: { 'Svc-UOIVersion': '1' },
        body: { note: 'n' },
      };
      await edda.batch([edit, { method: 'POST', href, body: many(51, (number) => part(`q${number}`)) }]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
};
