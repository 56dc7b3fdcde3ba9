import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Step, type Variant, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, many, operationsPath } from '../service.ts';

export const writingMistakes: Batch = {
  'create.same-content-of-another-user': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A create makes an object of its own, also where somebody else has just sent the same content.',
    kind: 'copy',
    variant: breaks('editing', 'createObject', (right) => {
      let last: { text: string; user: string; answer: Awaited<ReturnType<typeof right>> } | undefined;
      return async (areas, call, writing) => {
        const text = `${call.url} ${JSON.stringify(call.json)}`;
        if (last !== undefined && last.text === text && last.user !== call.user.name) return last.answer;
        const answer = await right(areas, call, writing);
        last = { text, user: call.user.name, answer };
        return answer;
      };
    }),
    async shows({ edda, emil }) {
      const one = await edda.make('Document', { title: 'same' });
      return (await emil.make('Document', { title: 'same' })).oid === one.oid;
    },
  },

  'operations.nothing-into-an-empty-object': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that does not exist is added, also as the first one of an object.',
    kind: 'value',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const holder = run.root[operation.tokens[0] ?? ''];
      const isEmpty = isContent(holder) && Object.keys(holder).length === 0;
      if (operation.op === 'add' && operation.tokens.length > 1 && isEmpty)
        throw new Refusal(422, 'There is nothing to add to.');
      return right(areas, run, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: 'w' } });
      await edda.operate(made, 1, [{ op: 'remove', path: '/dimensions/width' }]);
      const added = await edda.operate(made, 2, [{ op: 'add', path: '/dimensions/height', value: 'h' }]);
      return added.status >= 300;
    },
  },

  'operations.replace-makes-in-the-depth': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The target of a replace has to exist, also in an item of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isInItem = target.row.entry !== undefined && target.steps.length === 2;
      if (target.kind === 'member' && target.value === undefined && isInItem)
        return areas.operations.addValue(run, target, value, place);
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ author: 'a' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made);
      const id = String(at(read, '/data/files/0/$entryId'));
      const inner = String(at(read, '/data/files/0/revisions/0/$entryId'));
      const path = `/files/${id}/revisions/${inner}/text`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'made' }])).status < 300;
    },
  },

  'operations.remove-with-value-in-a-batch': {
    source: 'core: Patch operation, row value',
    breaks: 'A remove with a value is refused, also as an operation of a batch.',
    kind: 'combination',
    variant: withLenientRemoves(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const { status } = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { 'Svc-UOIVersion': '1', 'Content-Type': 'application/json-patch+json' },
          body: [{ op: 'remove', path: '/note', value: 'n' }],
        },
      ]);
      return status === 200;
    },
  },

  'multi-create.inner-object-of-the-item-before': {
    source: 'core: Multi-create item, row data',
    breaks: 'An instance holds its own data, also in an object that the item before it has as well.',
    kind: 'copy',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const mixed = inputs.map((input, index) => {
        const before = inputs[index - 1]?.content['dimensions'];
        const own = input.content['dimensions'];
        if (!isContent(before) || !isContent(own)) return input;
        return { ...input, content: { ...input.content, dimensions: { ...before, ...own } } };
      });
      return right(areas, call, writing, items, mixed);
    }),
    async shows({ edda }) {
      const part = (name: string, dimensions: object) => ({ $softType: 'Part', data: { name, dimensions } });
      const made = await edda.multiCreate([part('one', { width: 'w', height: 'h' }), part('two', { width: 'x' })]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return at(read.json, '/data/dimensions/height') === 'h';
    },
  },

  'multi-create.last-item-of-fifty-unknown': {
    source: 'core: Multi-create rules 2 and 3',
    breaks: 'An item may refer to any other one, also to the fiftieth.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
      right(areas, items.slice(0, 49), $id, referrer),
    ),
    async shows({ edda }) {
      const parts = many(49, (index) => ({ $id: `p${index}`, $softType: 'Part', data: { name: `n${index}` } }));
      const describes = [{ id: 'last', value: { instanceRef: 'p49', softTypeId: 'Part' } }];
      const document = { $id: 'd', $softType: 'Document', data: { title: 't', describes } };
      return (await edda.multiCreate([document, ...parts])).status >= 300;
    },
  },
};

/** A value in a remove is passed over in a batch. */
function withLenientRemoves(): Variant {
  return (classes) => {
    const operation = new Step();
    return together(
      replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) =>
        operation.run(() => right(areas, prepared, writing)),
      ),
      replaces('operations', 'operationOf', (right, areas, item, place) => {
        if (!operation.isOn() || !isContent(item) || item['op'] !== 'remove') return right(areas, item, place);
        return right(areas, { op: item['op'], path: item['path'] }, place);
      }),
    )(classes);
  };
}
