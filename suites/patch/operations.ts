import { constantFrom, nat, record } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { sequenceOfOperations } from './model.ts';
import { add, isAcceptedCorrected, isRefused, remove, replace, type Operation } from './words.ts';

export const operationsCases = {
  'patch.operations.failing-list-changes-nothing': property(
    record({
      length: constantFrom(2, 3, 4, 5),
      place: nat({ max: 4 }),
      failing: constantFrom('add on an existing member', 'replace of a missing target'),
    }),
    async (context, { length, place, failing }) => {
      const { given, profile } = context;
      const [first, second] = profile.scalars;
      const owner = await given.objectWithEntries(2, { body: { [first]: given.unique() } });
      const sound = Array.from({ length: length - 1 }, (_empty, index) => soundOperation(context, index));
      const broken: Operation = failing.startsWith('add')
        ? add(pointer(first), given.unique())
        : replace(pointer(second), given.unique());
      await isRefused(context, owner, [...sound.slice(0, place), broken, ...sound.slice(place)]);
      await isAcceptedCorrected(context, owner, sound, [
        'patch.content-type.selects-operations',
        'patch.add.appends-without-marker',
      ]);
    },
    {
      always: [
        { length: 2, place: 0, failing: 'add on an existing member' },
        { length: 3, place: 1, failing: 'replace of a missing target' },
        { length: 5, place: 4, failing: 'add on an existing member' },
      ],
      share: 0.25,
    },
  ),

  'patch.operations.match-model': sequenceOfOperations,

  'patch.operations.order-and-status': scenario(async (context) => {
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
      const reply = await service.operations(await editable(context), operations);
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
    let thing = await editable(context);
    for (const [what, operations] of Object.entries(failing)) {
      const reply = await service.operations(thing, operations);
      if (reply.status < 300) thing = await editable(context);
      notes.observe(`status of ${what}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
  }),
} satisfies SomeCasesOf<'patch'>;

/** Operations that cannot fail on an object whose first scalar has a value and whose second has none; they do not touch the second. */
function soundOperation({ given, profile }: CaseContext, index: number): Operation {
  return index % 2 === 0
    ? replace(pointer(profile.scalars[0]), given.unique())
    : add(pointer(profile.port.member), given.entry(given.unique(), {}, profile.port));
}
