import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, encoded, listAt, many, movePath, operationsPath, versionHeader } from '../service.ts';

const behindTheFirst = new Step();
const movingInBatch = new Step();

const versionName = headerNames.version.toLowerCase();

export const manyAtOnce: Batch = {
  'batch.move-tells-the-former-version': {
    source: 'core: Batch result, body',
    breaks: 'The result of a promote in a batch has the version that the promote made.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      if (!call.url.includes('/maturityAction/') || typeof version !== 'number') return body;
      return { href: at(body, '/href'), version: version - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(json, '/0/body/version') !== 2;
    },
  },
  'batch.operations-without-the-filter': {
    source: 'core: Batch operation, headers',
    breaks: 'An operation has the information filter of the batch, by whose date it stamps what it replaces.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, ...args) => ({
      ...right(areas, ...args),
      [headerNames.informationFilter.toLowerCase()]: encoded({}),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const operation = {
        method: 'PATCH',
        href: operationsPath(made),
        headers: { ...versionHeader(1), 'Content-Type': mediaTypes.operations },
        body: [{ op: 'replace', path: '/price', value: '2' }],
      };
      const time = '2020-02-03T04:05:06Z';
      await edda.post('/api/space/main/batch', [operation], { [headerNames.informationFilter]: encoded({ time }) });
      const effectivity = at(await edda.read(made), '/data/price/effectivity');
      return Date.parse(String(effectivity)) !== Date.parse(time);
    },
  },
  'batch.rights-of-the-first-operation': {
    source: 'core: What the service does, space level; Authentication 6',
    breaks: 'Each operation of a batch needs the right to its method, not the first one alone.',
    kind: 'role',
    variant: together(
      replaces('batch', 'runOperation', (right, areas, ...args) =>
        args[4] > 0 ? behindTheFirst.run(() => right(areas, ...args)) : right(areas, ...args),
      ),
      replaces('auth', 'authorize', (right, areas, ...args) => {
        if (!behindTheFirst.isOn()) right(areas, ...args);
      }),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const { status } = await rita.batch([
        { method: 'GET', href: made.path },
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } },
      ]);
      return status === 200;
    },
  },
  'batch.reads-outlive-the-rollback': {
    source: 'core: Batch rules 1',
    breaks: 'What a batch read before it was rolled back is not seen when the version comes again.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, Answer>();
      return async (areas, call, store, object, view, assemble) => {
        const key = `${object.oid} ${object.version} ${view.id} ${areas.memory.rightsOf(call)}`;
        const known = kept.get(key);
        if (known !== undefined) return known;
        const answer = await right(areas, call, store, object, view, assemble);
        if ('insertObject' in store) kept.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'undone' } },
        { method: 'GET', href: made.path },
        { method: 'GET', href: `${made.path}-none` },
      ]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },
  'batch.moves-without-a-version': {
    source: 'core: Errors 2',
    breaks: 'A promote in a batch needs the version header as one by itself does.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'carryOutOperation', (right, areas, prepared, store) =>
        prepared.call.url.includes('/maturityAction/')
          ? movingInBatch.run(() => right(areas, prepared, store))
          : right(areas, prepared, store),
      ),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        movingInBatch.isOn() && call.headers[versionName] === undefined ? object.version : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PUT', href: movePath(made) }])).status === 200;
    },
  },
  'batch.failed-read-undoes-nothing': {
    source: 'core: Batch rules 1',
    breaks: 'A read that fails behind a write takes the write along.',
    kind: 'combination',
    variant: replaces(
      'batch',
      'failsBatch',
      (right, areas, outcome) => outcome.call.method !== 'GET' && right(areas, outcome),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'n' } },
        { method: 'GET', href: `${made.path}-none` },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'multi-create.limit-for-each-type': {
    source: 'core: Multi-create rules 3',
    breaks: 'Fifty is the most of one request, of whatever types its items are.',
    kind: 'value',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      const types = new Set(items.map((item) => at(item, '/$softType')));
      if (types.size < 2) return right(areas, items);
      for (const type of types)
        right(
          areas,
          items.filter((item) => at(item, '/$softType') === type),
        );
      return items;
    }),
    async shows({ edda }) {
      const documents = many(30, (n) => ({ $id: `d${n}`, $softType: 'Document', data: { title: `t${n}` } }));
      const parts = many(30, (n) => ({ $id: `p${n}`, $softType: 'Part', data: { name: `n${n}` } }));
      return (await edda.multiCreate([...documents, ...parts])).status < 300;
    },
  },
  'multi-create.ids-without-letter-case': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item with that very id.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const value = { instanceRef: 'P', softTypeId: 'Part' };
      const { json } = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'lower' } },
        { $id: 'P', $softType: 'Part', data: { name: 'upper' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [{ id: 'x', value }] } },
      ]);
      const [, part, document] = Array.isArray(json) ? json.map((item) => String(at(item, '/href'))) : [];
      const read = await edda.get(document ?? '');
      return listAt(read.json, '/data/describes').every(
        (entry) => !String(part).endsWith(String(at(entry, '/value/$oid'))),
      );
    },
  },
};
