import { isSuccess } from '../../judge/exchange.ts';
import { constantFrom, nat, record } from 'fast-check';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import type { Entry } from '../../contract/judge-read.ts';
import { pointer } from '../../judge/json.ts';
import type { Owner } from '../../judge/things.ts';
import { historyCase } from '../../judge/model/history-case.ts';
import type { EditCommand, Emphasis } from '../../judge/model/command.ts';
import { rules } from '../../judge/rule.ts';
import { makeEditable } from '../../judge/service/writes.ts';
import { expectDeepLeftByFailing } from './checks/deep-members.ts';
import {
  expectEmptyTakenInAnyOrder,
  expectOrdersMixed,
  orderedText,
  expectValueRequired,
  expectValueRequiredOfEveryKind,
} from './checks/member-operations.ts';
import {
  type Operation,
  add,
  applyOperations,
  entriesNow,
  entryPath,
  expectRefusals,
  remove,
  replace,
  runControl,
  without,
} from './checks/operation-steps.ts';

/** Single operations on arrays that stand at the end of a page, right ones and wrong ones mixed. */
const emphasis: Emphasis = {
  kinds: {
    append: 3,
    'remove entry': 4,
    'remove mandatory': 2,
    'replace text': 6,
    'replace value': 3,
    'remove text': 1,
    'add text': 1,
    'add scalar': 2,
    'replace scalar': 1,
    'remove scalar': 2,
    'add object': 1,
    'replace object': 1,
    'remove object': 1,
    'replace inside object': 1,
    'replace in unknown entry': 1,
    merge: 1,
    put: 2,
    batch: 3,
  },
  objects: 2,
  entries: [0, 1, 9, 10, 11, 11, 12, 12, 20, 21, 21, 21],
  second: [0, 0, 1, 10, 11],
  ages: [0],
  versions: { current: 1 },
  length: 13,
};

/** What makes an operation fail, of those whose refusal is decided. */
const failures = [
  'add on an existing member',
  'replace of a missing target',
  'an unknown op',
  'no path',
  'a remove with a value',
  'a replace by an array',
  'an add without a value',
  'an add to the whole document',
  'an add before an entry',
  'a replace of an entry',
] as const;

const replaceOrders = [
  ['op', 'path', 'value'],
  ['op', 'value', 'path'],
  ['path', 'op', 'value'],
  ['path', 'value', 'op'],
  ['value', 'op', 'path'],
  ['value', 'path', 'op'],
] as const;

export const operationRules = rules('patch', {
  'patch.body.array-required': {
    source: 'core: Operations-based PATCH rules 2; Endpoint table, PATCH (operations)',
    statement: 'The body of an operations PATCH is an array; a lone operation object is refused.',
    fault: 'wraps a lone operation into an array',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const thing = await makeEditable(context);
      const operation = replace(pointer(profile.textMember), given.unique());
      await expectRefusals(context, thing, operation);
      await runControl(context, thing, [operation]);
      const empty = await service.operations(await makeEditable(context), []);
      notes.observe('an empty list', empty.status, empty);
    }),
  },
  'patch.body.member-order-free': {
    source: 'core: Operations-based PATCH rules 2',
    statement:
      'The order of `op`, `path` and `value` inside an operation makes no difference, whatever the value is, one that programs take for none included, and in whichever order those of another operation of the list stand.',
    fault: 'requires op to be the first member',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: property(
      constantFrom<readonly string[]>(...replaceOrders, ['op', 'path'], ['path', 'op']),
      async (context, order) => {
        const { given, expect, profile } = context;
        const member = profile.textMember;
        const operation: Operation =
          order.length === 3 ? replace(pointer(member), given.unique()) : remove(pointer(member));
        const thing = await makeEditable(context);
        const after = await applyOperations(context, thing, `[${orderedText(operation, order)}]`);
        const seen = expect(
          after.members[member],
          `${member} after members in the order ${order.join(', ')}`,
          after.reply,
        );
        if (order.length === 3) seen.toEqual(operation['value']);
        else seen.notToEqual(thing.body[member]);
        if (order !== replaceOrders[0]) return;
        await expectEmptyTakenInAnyOrder(context, replaceOrders);
        await expectOrdersMixed(context, replaceOrders);
      },
      { always: [...replaceOrders, ['op', 'path'], ['path', 'op']], share: 0.05 },
    ),
  },
  'patch.body.unknown-op-refused': {
    source: 'core: Patch operation, op',
    statement: '`op` is one of `add`, `replace`, `remove`; any other value is refused.',
    fault: 'silently skips operations with an unknown op',
    needs: ['soft-type', 'scalar-members', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, profile } = context;
      const [first, second] = profile.scalars;
      const held = given.unique('held');
      const thing = await given.object({ [first]: held });
      const lists: Operation[] = [
        { op: 'move', from: pointer(first), path: pointer(second) },
        { op: 'copy', from: pointer(first), path: pointer(second) },
        { op: 'test', path: pointer(first), value: held },
        { op: 'ADD', path: pointer(second), value: given.unique() },
        { op: '', path: pointer(second), value: given.unique() },
        { op: null, path: pointer(second), value: given.unique() },
      ];
      const alone = lists.map((operation) => [operation]);
      const behind = lists.map((operation) => [replace(pointer(first), given.unique()), operation]);
      await expectRefusals(context, thing, ...alone, ...behind);
      await runControl(context, thing, [replace(pointer(first), given.unique())]);
    }),
  },
  'patch.body.required-members': {
    source: 'core: Patch operation, op and path',
    statement: 'An operation without `op` or without `path` is refused.',
    fault: 'a missing op is taken as replace',
    needs: ['soft-type', 'scalar-members', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, profile } = context;
      const [first, second] = profile.scalars;
      const thing = await makeEditable(context);
      const complete: Operation[] = [
        await giving(context, second),
        replace(pointer(first), given.unique()),
        remove(pointer(first)),
      ];
      const incomplete = complete.flatMap((operation) => [[without(operation, 'op')], [without(operation, 'path')]]);
      await expectRefusals(context, thing, ...incomplete);
      await runControl(context, thing, complete.slice(0, 2));
    }),
  },
  'patch.body.value-required': {
    source: 'core: Patch operation, value',
    statement:
      '`add` and `replace` without a `value` member are refused, whatever kind of member or array of the object or of an entry they are for.',
    fault: 'replace without value clears the member',
    needs: ['soft-type', 'scalar-members', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const [first, second] = profile.scalars;
      const thing = await makeEditable(context);
      await expectRefusals(
        context,
        thing,
        [{ op: 'add', path: pointer(second) }],
        [{ op: 'replace', path: pointer(first) }],
      );
      await expectValueRequiredInArray(context);
      await expectValueRequiredOfEveryKind(context);
      await runControl(context, thing, [await giving(context, second), replace(pointer(first), given.unique())]);
      for (const value of ['', null])
        for (const operation of [add(pointer(second), value), replace(pointer(first), value)]) {
          const reply = await service.operations(await makeEditable(context), [operation]);
          notes.observe(
            `${String(operation['op'])} with ${value === null ? 'null' : 'an empty text'} as value`,
            reply.status,
            reply,
          );
        }
    }),
  },
  'patch.operations.failing-list-changes-nothing': {
    source: 'core: Operations-based PATCH rules 5 (the request fails) and 7',
    statement: 'When one operation of a list fails, the request fails and none of its operations has an effect.',
    fault: 'operations before the failing one stay applied',
    needs: ['soft-type', 'scalar-members', 'array-port', 'operations'],
    after: [
      'patch.add.existing-member-refused',
      'patch.replace.missing-member-refused',
      'patch.path.entry-member-addressed',
      'patch.remove.entry-with-trailing-slash',
      'patch.body.value-required',
      'patch.path.empty-refused',
      'patch.index.insert-refused',
      'patch.replace.object-refused',
    ],
    test: property(
      record({
        length: constantFrom(2, 3, 4, 5, 12),
        place: nat({ max: 11 }),
        failing: constantFrom(...failures).map((one) => [one]),
      }),
      async (context, { length, place, failing }) => {
        const { given, profile } = context;
        const [first, second] = profile.scalars;
        const owner = await given.objectWithEntries(2, { body: { [first]: given.unique() } });
        const entries = await entriesNow(context, owner);
        const sound = soundOperations(context, owner, entries).slice(0, length - 1);
        const entry = given.entry(given.unique(), {}, profile.port);
        const pathOfFirst = pointer(profile.port.member, given.present(entries[0], 'an entry').entryId);
        const breaks: Readonly<Record<(typeof failures)[number], Operation>> = {
          'add on an existing member': add(pointer(first), given.unique()),
          'replace of a missing target': replace(
            pointer(profile.port.member, given.unique('no-entry'), profile.port.text),
            given.unique(),
          ),
          'an unknown op': { op: 'move', from: pointer(first), path: pointer(second) },
          'no path': without(replace(pointer(first), given.unique()), 'path'),
          'a remove with a value': { ...remove(pointer(first)), value: given.unique() },
          'a replace by an array': replace(pointer(profile.port.member), []),
          'an add without a value': without(add(pointer(second), given.unique()), 'value'),
          'an add to the whole document': add('', { [second]: given.unique() }),
          'an add before an entry': add(pathOfFirst, entry),
          'a replace of an entry': replace(pathOfFirst, entry),
        };
        const lists = failing.map((one) => [...sound.slice(0, place), breaks[one], ...sound.slice(place)]);
        await expectRefusals(context, owner, ...lists);
        // how long a list may be is not said
        await runControl(context, owner, sound.slice(0, 4), [
          'patch.content-type.selects-operations',
          'patch.add.appends-without-marker',
          'patch.path.entry-member-addressed',
          'patch.remove.entry-with-trailing-slash',
        ]);
        if (length === 5) await expectNothingJoined(context);
        if (length === 5)
          await expectDeepLeftByFailing(context, { op: 'move', from: pointer(first), path: pointer(second) });
      },
      {
        always: [
          { length: 2, place: 0, failing: ['add on an existing member'] },
          { length: 5, place: 4, failing: ['add on an existing member'] },
          { length: 12, place: 11, failing: ['add on an existing member'] },
          { length: 3, place: 1, failing: ['replace of a missing target'] },
          { length: 3, place: 2, failing: [...failures] },
        ],
        share: 0.15,
      },
    ),
  },
  'patch.operations.match-model': {
    source: 'core: Operations-based PATCH rules 5 to 9',
    statement:
      'Any run of single-operation requests leaves the object as the rules for add, replace and remove predict.',
    fault: 'after a removal the next append reuses the slot of the removed entry',
    needs: ['soft-type', 'text-member', 'array-port', 'operations'],
    after: [
      'patch.index.entry-id-wins',
      'patch.add.lands-last',
      'patch.add.new-entry-gets-id',
      'patch.add.missing-member-added',
      'patch.add.existing-member-refused',
      'patch.replace.missing-member-refused',
      'patch.remove.member-gone',
      'patch.remove.optional-keeps-parent',
      'patch.remove.entry-with-trailing-slash',
    ],
    repeats: ['reading', 'paging', 'patch', 'batch', 'maturity', 'versioning'],
    test: historyCase(emphasis, {
      share: 0.6,
      ofOtherType: 2,
      always: [
        {
          // two arrays of which each entry may have the id of one in the other
          starts: [{ entries: 3, second: 3, age: 0, filled: true }],
          commands: [
            single('remove mandatory'),
            single('remove entry'),
            single('append'),
            single('append'),
            single('replace text', 1),
          ],
        },
        {
          starts: [{ entries: 1, second: 0, age: 0, filled: true }],
          // twice: what was added before must not be known any more once it is removed
          commands: [0, 1].flatMap(() => [
            single('remove scalar'),
            single('add scalar'),
            single('remove text'),
            single('add text'),
          ]),
        },
        { starts: [{ entries: 1, second: 0, age: 0, filled: true }], commands: [single('append'), single('put')] },
        // what an edit before the PUT has left behind must not come back with one behind it
        {
          starts: [{ entries: 1, second: 0, age: 0, filled: true }],
          commands: [single('merge'), single('put'), single('merge')],
        },
      ],
    }),
  },
  'patch.operations.order-and-status': {
    level: 'observe',
    source: 'core: Endpoint table, PATCH (operations); Errors rule 3',
    statement:
      'Not described: the success status of an operations PATCH, the status of its failures, and whether later operations of a list see the result of earlier ones.',
    needs: ['soft-type', 'scalar-members', 'operations'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const [first, second] = profile.scalars;
      const lists: Record<string, readonly Operation[]> = {
        'a replace': [replace(pointer(first), given.unique())],
        'add then replace of one member': [
          add(pointer(second), given.unique()),
          replace(pointer(second), given.unique()),
        ],
        'remove then add of one member': [remove(pointer(first)), add(pointer(first), given.unique())],
      };
      for (const [what, operations] of Object.entries(lists)) {
        const edited = await makeEditable(context);
        const reply = await service.operations(edited, operations);
        const { members } = await service.snapshot(edited);
        notes.observe(
          `${what} leaves the last value`,
          Object.values(members).includes(operations.at(-1)?.['value']),
          reply,
        );
        if (what === 'a replace')
          notes.bound('operationsPatchSuccess', 'success status of an operations PATCH', reply.status, reply);
        else notes.observe(`status of ${what}`, reply.status, reply);
      }
      const failing: Record<string, unknown> = {
        'add on an existing member': [add(pointer(first), given.unique())],
        'replace of a missing target': [replace(pointer(second), given.unique())],
        'an unknown op': [{ op: 'test', path: pointer(first), value: 'x' }],
        'the empty path': [replace('', given.unique())],
        'a list that is no list': replace(pointer(first), given.unique()),
        'no JSON': '[{',
      };
      let thing = await makeEditable(context);
      for (const [what, operations] of Object.entries(failing)) {
        const reply = await service.operations(thing, operations);
        if (isSuccess(reply.status)) thing = await makeEditable(context);
        notes.observe(`status of ${what}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
    }),
  },
});

/** The same of an append, and of a member of an entry. */
async function expectValueRequiredInArray(context: CaseContext): Promise<void> {
  const { given, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(1);
  const [entry] = await entriesNow(context, owner);
  const { entryId } = given.present(entry, 'an entry');
  const { member, text, nested } = owner.port;
  const { scalarList, secondArrayPort } = profile.primary;
  // an entry without any member may be one that the model takes
  const arrays = [
    pointer(member),
    pointer(member, '-'),
    ...(nested === undefined ? [] : [pointer(member, entryId, nested.member)]),
    ...[secondArrayPort?.member, scalarList].flatMap((name) => (name === undefined ? [] : [pointer(name)])),
  ];
  await expectValueRequired(context, owner, 'add', arrays);
  await expectValueRequired(context, owner, 'replace', [pointer(member, entryId, text)]);
}

function single(kind: EditCommand['kind'], at = 0): EditCommand {
  return { kind, object: 0, at, choice: 0, version: 'current' };
}

/** Operations that cannot fail on an object with two entries whose first scalar has a value and whose second has none; they do not touch the second. */
function soundOperations(
  { given, profile }: CaseContext,
  { port }: Owner,
  entries: readonly Entry[],
): readonly Operation[] {
  const [edited, removed] = entries.map(({ entryId }) => entryId);
  const append = () => add(pointer(port.member), given.entry(given.unique(), {}, port));
  return [
    replace(pointer(port.member, given.present(edited, 'an entry'), port.text), given.unique()),
    replace(pointer(profile.textMember), given.unique()),
    append(),
    remove(entryPath(port, given.present(removed, 'a second entry'))),
    ...Array.from({ length: 7 }, append),
  ];
}

/** A list that failed has no effect later on either: the next one that is accepted leaves what it does not name as it was. */
async function expectNothingJoined(context: CaseContext): Promise<void> {
  const { given, expect, profile } = context;
  const [first, second] = profile.scalars;
  const kept = given.unique('kept');
  const thing = await given.object({ [first]: kept, [second]: given.unique() });
  await expectRefusals(context, thing, [replace(pointer(first), given.unique()), add(pointer(first), given.unique())]);
  const after = await applyOperations(context, thing, [replace(pointer(second), given.unique())]);
  expect(after.members[first], `${first} after a list on ${second} behind one that failed`, after.reply).toEqual(kept);
}

/** Gives a member that nobody wrote a text, whether or not it counts as one that has a value. */
async function giving(context: CaseContext, member: string): Promise<Operation> {
  const { given, service } = context;
  const tried = add(pointer(member), given.unique());
  const { status } = await service.operations(await makeEditable(context), [tried]);
  return (isSuccess(status) ? add : replace)(pointer(member), given.unique());
}
