import type { RuleId } from '../../../contract/rule.ts';
import { pointer } from '../../json.ts';
import { has, portOf, scalarOf, type On, type Probe } from '../probe.ts';
import { unknownMember } from '../roles.ts';
import { currentThing } from './writes.ts';

type Operations = (on: On) => unknown;

/** A list that the documents refuse, which then changes nothing. */
const refused = (situation: string, rule: RuleId, operations: Operations, more: Partial<Probe> = {}): Probe => ({
  ...open(situation, 'operations-patch-failure-status', operations, more),
  says: { rule },
  keeps: rule,
});

/** A list about which the documents do not say enough; where it is refused it changes nothing. */
const open = (situation: string, silence: string, operations: Operations, more: Partial<Probe> = {}): Probe => ({
  command: 'operations PATCH',
  situation,
  answer: 'edit',
  touches: 'object',
  needs: has.operations,
  silence,
  keeps: 'patch.operations.failing-list-changes-nothing',
  request: (on) => on.requests.operations(currentThing(on), operations(on)),
  ...more,
});

const set = (on: On, path: string): object => ({ op: 'replace', path, value: on.fresh() });
const replaceScalar = (on: On): object => ({
  op: on.subject.state.scalars[scalarOf(on)] === undefined ? 'add' : 'replace',
  path: pointer(scalarOf(on)),
  value: on.fresh(),
});
const entry = (on: On): object => on.party.context.given.entry(on.fresh(), {}, portOf(on));
const ofEntries = { needs: has.entryOperations };
const ofObject = { needs: (party: On['party']): boolean => has.operations(party) && has.object(party) };

/** A position among the entries that is the id of none. */
function freePosition({ ids }: On): number | undefined {
  const [first = []] = ids;
  return [...first.keys()].find((position) => !first.includes(String(position)));
}

/** About the first entry, by its id. */
const atEntry =
  (make: (id: string, on: On) => object): Probe['request'] =>
  (on) => {
    const [id] = on.ids[0] ?? [];
    return id === undefined ? undefined : on.requests.operations(currentThing(on), [make(id, on)]);
  };

const atPosition =
  (make: (path: string, on: On) => object): Probe['request'] =>
  (on) => {
    const position = freePosition(on);
    return position === undefined
      ? undefined
      : on.requests.operations(currentThing(on), [make(pointer(portOf(on).member, position), on)]);
  };

export const operationProbes: readonly Probe[] = [
  refused('that are no list', 'patch.body.array-required', (on) => replaceScalar(on)),
  refused('with an unknown op', 'patch.body.unknown-op-refused', (on) => [{ ...replaceScalar(on), op: 'move' }]),
  refused('without op', 'patch.body.required-members', (on) => [{ path: pointer(scalarOf(on)), value: on.fresh() }]),
  refused('without path', 'patch.body.required-members', (on) => [{ op: 'replace', value: on.fresh() }]),
  refused('without value', 'patch.body.value-required', (on) => [{ op: 'replace', path: pointer(scalarOf(on)) }]),
  refused('with a value to remove', 'patch.remove.with-value-refused', (on) => [
    { op: 'remove', path: pointer(scalarOf(on)), value: on.fresh() },
  ]),
  refused('with null to remove', 'patch.remove.with-null-value-refused', (on) => [
    { op: 'remove', path: pointer(scalarOf(on)), value: null },
  ]),
  refused('with an empty path', 'patch.path.empty-refused', (on) => [set(on, '')]),
  refused('with data in front of the path', 'patch.path.data-prefix-refused', (on) => [
    set(on, pointer('data', scalarOf(on))),
  ]),
  refused(
    'that replace by an object',
    'patch.replace.object-refused',
    (on) => [
      {
        op: 'replace',
        path: pointer(on.party.shape.object?.member ?? ''),
        value: {
          ...on.party.shape.object?.body,
          ...Object.fromEntries((on.party.shape.object?.scalars ?? []).map((name) => [name, on.fresh()])),
        },
      },
    ],
    ofObject,
  ),
  refused(
    'that replace by an array',
    'patch.replace.array-refused',
    (on) => [{ op: 'replace', path: pointer(portOf(on).member), value: [entry(on)] }],
    ofEntries,
  ),
  refused(
    'of which the last cannot be carried out',
    'patch.operations.failing-list-changes-nothing',
    (on) => [replaceScalar(on), set(on, pointer(portOf(on).member, 'no-entry', portOf(on).text))],
    ofEntries,
  ),
  refused(
    'of which the first cannot be carried out',
    'patch.operations.failing-list-changes-nothing',
    (on) => [set(on, pointer(portOf(on).member, 'no-entry', portOf(on).text)), replaceScalar(on)],
    ofEntries,
  ),
  {
    ...refused('through a position', 'patch.index.position-refused', () => [], ofEntries),
    request: atPosition((path, on) => set(on, path + pointer(portOf(on).text))),
  },
  {
    ...refused('that insert at a position', 'patch.index.insert-refused', () => [], ofEntries),
    request: atPosition((path, on) => ({ op: 'add', path, value: entry(on) })),
  },
  {
    ...refused('that insert at an entry', 'patch.index.insert-refused', () => [], ofEntries),
    request: atEntry((id, on) => ({ op: 'add', path: pointer(portOf(on).member, id), value: entry(on) })),
  },
  {
    ...open('as plain JSON', 'content-type-and-route-disagree', (on) => [replaceScalar(on)]),
    request: (on) => ({
      ...on.requests.operations(currentThing(on), [replaceScalar(on)]),
      headers: { 'Content-Type': 'application/json' },
    }),
  },
  {
    ...open('by the route of merges', 'content-type-and-route-disagree', (on) => [replaceScalar(on)]),
    request: (on) => ({
      ...on.requests.merge(currentThing(on), [replaceScalar(on)]),
      headers: { 'Content-Type': 'application/json-patch+json' },
    }),
  },
  open('that are none', 'operations-empty-list', () => []),
  open('that are no JSON', 'malformed-json-status', () => '[{'),
  open('with a member more', 'operation-extra-members', (on) => [{ ...replaceScalar(on), note: 'x' }]),
  open('that add null', 'operation-null-value', (on) => [{ ...replaceScalar(on), value: null }]),
  open('without a slash in front', 'pointer-oddities', (on) => [{ ...replaceScalar(on), path: scalarOf(on) }]),
  open('with a slash alone', 'pointer-oddities', (on) => [set(on, '/')]),
  open('that add what no schema has', 'pointer-unknown-member', (on) => [
    { op: 'add', path: pointer(unknownMember), value: on.fresh() },
  ]),
  open('that replace the object id', 'pointer-unknown-member', (on) => [set(on, '/$oid')]),
  open('of which one builds on the other', 'operations-in-sequence', (on) => [
    { op: 'remove', path: pointer(scalarOf(on)) },
    { op: 'add', path: pointer(scalarOf(on)), value: on.fresh() },
  ]),
  open(
    'that remove what is not there',
    'remove-missing-target',
    (on) => [{ op: 'remove', path: pointer(scalarOf(on)) }],
    {
      isBare: true,
      request: (on) =>
        on.subject.state.scalars[scalarOf(on)] === undefined
          ? on.requests.operations(currentThing(on), [{ op: 'remove', path: pointer(scalarOf(on)) }])
          : undefined,
    },
  ),
  open(
    'that remove an entry that is not there',
    'remove-missing-target',
    (on) => [{ op: 'remove', path: `${pointer(portOf(on).member, 'no-entry')}/` }],
    ofEntries,
  ),
  open(
    'that remove a whole array',
    'remove-whole-array',
    (on) => [{ op: 'remove', path: pointer(portOf(on).member) }],
    ofEntries,
  ),
  open(
    'that add an array to an array',
    'add-array-onto-array',
    (on) => [{ op: 'add', path: pointer(portOf(on).member), value: [entry(on)] }],
    ofEntries,
  ),
  open(
    'that add behind a slash at the array',
    'add-trailing-slash-on-array',
    (on) => [{ op: 'add', path: `${pointer(portOf(on).member)}/`, value: entry(on) }],
    ofEntries,
  ),
  open(
    'that add an entry with an id of its own',
    'client-supplied-entry-id',
    (on) => [{ op: 'add', path: pointer(portOf(on).member), value: { ...entry(on), $entryId: 4711 } }],
    ofEntries,
  ),
  {
    ...open('that remove an entry without the slash', 'remove-entry-without-trailing-slash', () => [], ofEntries),
    request: atEntry((id, on) => ({ op: 'remove', path: pointer(portOf(on).member, id) })),
  },
  {
    ...open('that add inside an object that is not there', 'add-into-missing-parent', () => [], ofObject),
    isBare: true,
    request: (on) => {
      const { object } = on.party.shape;
      if (object === undefined || on.subject.state.inner !== undefined) return undefined;
      return on.requests.operations(currentThing(on), [
        { op: 'add', path: pointer(object.member, object.scalars[0] ?? ''), value: on.fresh() },
      ]);
    },
  },
];
