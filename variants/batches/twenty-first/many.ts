import { isDeepStrictEqual } from 'node:util';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { Reading } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath, versionHeader } from '../service.ts';

const create = { method: 'POST', href: '/api/space/main/softtype/Document/documentInput' };

export const batchMistakes: Batch = {
  'batch.body-beyond-latin': {
    source: 'core: Batch operation',
    breaks: 'The payload of an operation is what was sent, in whatever script.',
    kind: 'value',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      const body = prepared.call.body?.toString().replaceAll(/[^\u0000-\u00ff]/g, '?');
      return { ...prepared, call: { ...prepared.call, body: body === undefined ? undefined : Buffer.from(body) } };
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([{ ...create, body: { title: 'Größe 漢字' } }]);
      const { json: read } = await edda.get(String(at(json, '/0/body/href')));
      return at(read, '/data/title') !== 'Größe 漢字';
    },
  },

  'batch.same-read-twice': {
    source: 'core: Batch rules 3',
    breaks: 'There is a result for each operation, also for one that was there before.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const isNew = (result: unknown, index: number) =>
        results.findIndex((other) => isDeepStrictEqual(other, result)) === index;
      return right(areas, areas.batch.batchStatus(results) === 200 ? results.filter(isNew) : results);
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 'twice' });
      const { json } = await edda.batch(many(2, () => ({ method: 'GET', href })));
      return listAt(json, '').length !== 2;
    },
  },

  'batch.status-after-a-read': {
    source: 'core: Batch rules 3',
    breaks: 'Each result has the status of its own operation, behind a read as before it.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const read = results.findIndex(({ statusCode }) => statusCode === 200);
      const isAfter = (index: number) => read >= 0 && index > read;
      return right(
        areas,
        results.map((result, index) =>
          isAfter(index) && result.statusCode < 400 ? { ...result, statusCode: 200 } : result,
        ),
      );
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 'read' });
      const { json } = await edda.batch([
        { method: 'GET', href },
        { ...create, body: { title: 'made' } },
      ]);
      return at(json, '/1/statusCode') !== 201;
    },
  },

  'batch.status-of-a-single-failure': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'A batch that fails is answered with 500, also when it has one operation only.',
    kind: 'value',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const [first, ...others] = results;
      return first !== undefined && first.statusCode >= 400 && others.length === 0
        ? first.statusCode
        : right(areas, results);
    }),
    async shows({ edda }) {
      return (await edda.batch([{ method: 'GET', href: '/api/space/main/softtype/nothing' }])).status !== 500;
    },
  },

  'batch.read-of-what-was-undone': {
    source: 'core: Batch rules 1',
    breaks: 'What a batch that failed had written is never read, also when one of its operations read it.',
    kind: 'copy',
    variant: together(
      replaces('memory', 'forgetReads', () => undefined),
      replaces('memory', 'rememberedRead', (right, areas, call, reading, ...args) => {
        const plain: Reading = { ...reading };
        Reflect.deleteProperty(plain, 'insertObject');
        return right(areas, call, plain, ...args);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'undone' });
      await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'undone' } },
        { method: 'GET', href: made.path },
        { method: 'GET', href: '/api/space/main/softtype/nothing' },
      ]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },

  'batch.version-as-a-text': {
    source: 'core: Batch result',
    breaks: 'The version in a result is an integer, unlike the header that it stands for.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, ...args) => {
      const body = right(areas, ...args);
      return isContent(body) && 'version' in body ? { ...body, version: String(body['version']) } : body;
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([{ ...create, body: { title: 'typed' } }]);
      return at(json, '/0/body/version') !== 1;
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.ids-like-numbers': {
    source: 'core: Multi-create item',
    breaks: 'A reference leads to the item that has its temporary id, letter by letter.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id === $id || Number(item.$id) === Number($id)),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        { $id: '01', $softType: 'Part', data: { name: 'first' } },
        { $id: '1', $softType: 'Part', data: { name: 'second' } },
        {
          $softType: 'Document',
          data: { title: 'refers', describes: [{ id: 'to', value: { instanceRef: '1', softTypeId: 'Part' } }] },
        },
      ]);
      const [, second, document] = listAt(json, '').map((item) => String(at(item, '/href')));
      const read = await edda.get(document ?? '');
      return !second?.endsWith(String(at(read.json, '/data/describes/0/value/$oid')));
    },
  },

  'multi-create.limit-in-a-batch': {
    source: 'core: Limits',
    breaks: 'A multi-create takes 50 instances at most, also as an operation of a batch.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const boundless = within(areas, { multiCreate: { withinLimit: (items) => items } });
      return right(call.isSibling === undefined ? areas : boundless, call, writing);
    }),
    async shows({ edda }) {
      const body = many(51, (number) => ({ $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }])).status === 200;
    },
  },
};

export const maturityMistakes: Batch = {
  'maturity.version-told-by-a-demote': {
    source: 'core: Endpoint table, PUT demote',
    breaks: 'A demote tells the new version, as a promote does.',
    kind: 'place',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demoted' });
      await edda.move(made, 1);
      const answer = await edda.put(movePath(made, 'demote'), 2);
      return answer.headers.get(headerNames.version) !== '3';
    },
  },

  'maturity.second-move': {
    source: 'core: States and transitions',
    breaks: 'A current-state field has all its members, after any number of moves.',
    kind: 'moment',
    variant: breaks('maturity', 'contentInState', (right) => {
      const moved = new Set<unknown>();
      return (areas, content, level, state) => {
        const next = right(areas, content, level, state);
        const field = at(next, `/${statesMember}/${level}`);
        const oid = at(field, '/$oid');
        if (!isContent(field) || !moved.has(oid)) {
          moved.add(oid);
          return next;
        }
        const { $softType: _lost, ...rest } = field;
        return { ...next, [statesMember]: { ...Object(next[statesMember]), [level]: rest } };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'moved' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return at(await edda.read(made), '/data/engineering/$softType') === undefined;
    },
  },
};
