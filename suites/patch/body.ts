import { constantFrom } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { add, isAccepted, isAcceptedCorrected, isRefused, remove, replace, type Operation } from './words.ts';

const replaceOrders = [
  ['op', 'path', 'value'],
  ['op', 'value', 'path'],
  ['path', 'op', 'value'],
  ['path', 'value', 'op'],
  ['value', 'op', 'path'],
  ['value', 'path', 'op'],
] as const;

export const bodyCases = {
  'patch.body.array-required': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const thing = await editable(context);
    const operation = replace(pointer(profile.scalars[0]), given.unique());
    await isRefused(context, thing, operation);
    await isAcceptedCorrected(context, thing, [operation]);
    const empty = await service.operations(await editable(context), []);
    notes.observe('an empty list', empty.status, empty);
  }),

  'patch.body.member-order-free': property(
    constantFrom<readonly string[]>(...replaceOrders, ['op', 'path'], ['path', 'op']),
    async (context, order) => {
      const { given, expect, profile } = context;
      const [member] = profile.scalars;
      const operation: Operation =
        order.length === 3 ? replace(pointer(member), given.unique()) : remove(pointer(member));
      const text = `[{${order.map((name) => `${JSON.stringify(name)}:${JSON.stringify(operation[name])}`).join(',')}}]`;
      const thing = await editable(context);
      const after = await isAccepted(context, thing, text);
      const seen = expect(
        after.members[member],
        `${member} after members in the order ${order.join(', ')}`,
        after.reply,
      );
      if (order.length === 3) seen.toEqual(operation['value']);
      else seen.notToEqual(thing.body[member]);
    },
    { always: [...replaceOrders, ['op', 'path'], ['path', 'op']], share: 0.05 },
  ),

  'patch.body.unknown-op-refused': scenario(async (context) => {
    const { given, profile } = context;
    const [first, second] = profile.scalars;
    const thing = await given.object({ [first]: 'held' });
    const lists: Operation[] = [
      { op: 'move', from: pointer(first), path: pointer(second) },
      { op: 'copy', from: pointer(first), path: pointer(second) },
      { op: 'test', path: pointer(first), value: 'held' },
      { op: 'ADD', path: pointer(second), value: given.unique() },
      { op: '', path: pointer(second), value: given.unique() },
      { op: null, path: pointer(second), value: given.unique() },
    ];
    await isRefused(context, thing, ...lists.map((operation) => [operation]));
    await isAcceptedCorrected(context, thing, [replace(pointer(first), given.unique())]);
  }),

  'patch.body.required-members': scenario(async (context) => {
    const { given, profile } = context;
    const [first, second] = profile.scalars;
    const thing = await editable(context);
    const complete: Operation[] = [
      { op: 'add', path: pointer(second), value: given.unique() },
      { op: 'replace', path: pointer(first), value: given.unique() },
      { op: 'remove', path: pointer(first) },
    ];
    const incomplete = complete.flatMap((operation) => [[without(operation, 'op')], [without(operation, 'path')]]);
    await isRefused(context, thing, ...incomplete);
    await isAcceptedCorrected(context, thing, complete.slice(0, 2));
  }),

  'patch.body.value-required': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const [first, second] = profile.scalars;
    const thing = await editable(context);
    await isRefused(context, thing, [{ op: 'add', path: pointer(second) }], [{ op: 'replace', path: pointer(first) }]);
    await isAcceptedCorrected(context, thing, [
      add(pointer(second), given.unique()),
      replace(pointer(first), given.unique()),
    ]);
    for (const value of ['', null])
      for (const operation of [add(pointer(second), value), replace(pointer(first), value)]) {
        const reply = await service.operations(await editable(context), [operation]);
        notes.observe(
          `${String(operation['op'])} with ${value === null ? 'null' : 'an empty text'} as value`,
          reply.status,
          reply,
        );
      }
  }),
} satisfies SomeCasesOf<'patch'>;

function without(operation: Operation, member: string): Operation {
  return Object.fromEntries(Object.entries(operation).filter(([name]) => name !== member));
}
