import { unknownMember } from '../roles.ts';
import { has, portOf, scalarOf, type On, type Probe, unknownOid } from '../probe.ts';

type Row = Pick<Probe, 'situation' | 'request'> & Partial<Probe>;

const text = (on: On): Record<string, unknown> => ({ [scalarOf(on)]: on.fresh() });

/** The smallest body with these members. */
export const bodyWith = (on: On, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  on.party.context.given.body(more);

const creates = (rows: readonly Row[]): readonly Probe[] =>
  rows.map((row) => ({ command: 'create', answer: 'create', touches: 'makes', ...row }));

const merges = (rows: readonly Row[]): readonly Probe[] =>
  rows.map((row) => ({ command: 'merge PATCH', answer: 'edit', touches: 'object', needs: has.scalars, ...row }));

const create =
  (members: (on: On) => unknown): Probe['request'] =>
  (on) =>
    on.requests.create(members(on));

const merge =
  (members: (on: On) => unknown): Probe['request'] =>
  (on) =>
    on.requests.merge(currentThing(on), members(on));

/** The object at the version believed. */
export function currentThing({ subject: { thing, state } }: On): On['subject']['thing'] {
  return { ...thing, version: state.version };
}

export const createProbes: readonly Probe[] = creates([
  { situation: 'of nothing', silence: 'invalid-content-status', request: create(() => ({})) },
  { situation: 'of an array', silence: 'invalid-content-status', request: create((on) => [bodyWith(on)]) },
  { situation: 'of text that is no JSON', silence: 'malformed-json-status', request: create(() => '{"title": ') },
  {
    situation: 'with a member that no schema has',
    silence: 'unknown-member-status',
    request: create((on) => bodyWith(on, { [unknownMember]: 'x' })),
  },
  {
    situation: 'with an object in the place of a text',
    silence: 'invalid-content-status',
    needs: has.scalars,
    request: create((on) => bodyWith(on, { [scalarOf(on)]: { a: 1 } })),
  },
  {
    situation: 'with null in the place of a text',
    silence: 'empty-and-absent-members',
    needs: has.scalars,
    request: create((on) => bodyWith(on, { [scalarOf(on)]: null })),
  },
  {
    situation: 'with an empty text',
    silence: 'empty-and-absent-members',
    needs: has.scalars,
    request: create((on) => bodyWith(on, { [scalarOf(on)]: '' })),
  },
  {
    situation: 'with an object id of its own',
    silence: 'client-supplied-oid',
    request: create((on) => bodyWith(on, { $oid: unknownOid(on) })),
  },
  {
    situation: 'with an entry that has an id of its own',
    silence: 'client-supplied-entry-id',
    needs: has.port,
    request: create((on) =>
      bodyWith(on, { [portOf(on).member]: [on.party.context.given.entry(on.fresh(), { $entryId: 4711 }, portOf(on))] }),
    ),
  },
  {
    situation: 'as text/plain',
    silence: 'unsupported-content-type-status',
    request: (on) => ({ ...on.requests.create(bodyWith(on)), headers: { 'Content-Type': 'text/plain' } }),
  },
  {
    situation: 'with a charset in its media type',
    silence: 'content-type-parameters',
    request: (on) => ({
      ...on.requests.create(bodyWith(on)),
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    }),
  },
  {
    situation: 'with a version header',
    silence: 'version-header-on-other-responses',
    request: (on) => ({ ...on.requests.create(bodyWith(on)), version: 7 }),
  },
  {
    situation: 'without token',
    says: { rule: 'auth.missing-token.answers-401', statuses: [401] },
    request: (on) => ({ ...on.requests.create(bodyWith(on)), as: null }),
  },
  {
    situation: 'without information filter',
    says: { rule: 'headers.information-filter.required-on-writes' },
    silence: 'information-filter-missing-status',
    request: (on) => ({ ...on.requests.create(bodyWith(on)), filter: null }),
  },
  {
    situation: 'of an unknown SoftType',
    silence: 'unknown-softtype-status',
    request: (on) =>
      on.requests.create(bodyWith(on), {
        ...on.subject.thing,
        type: { ...on.subject.thing.type, definitionId: 'NoSuchSoftType' },
      }),
  },
  {
    situation: 'through an unknown input schema',
    silence: 'unknown-schema-in-route',
    request: (on) =>
      on.requests.create(bodyWith(on), {
        ...on.subject.thing,
        type: { ...on.subject.thing.type, inputSchemaId: 'noSuchSchema' },
      }),
  },
]);

const spelled = (situation: string, spelling: (version: number) => string): Row => ({
  situation,
  silence: 'version-header-spellings',
  request: (on) => ({ ...on.requests.merge(currentThing(on), text(on)), version: spelling(on.subject.state.version) }),
});

export const mergeProbes: readonly Probe[] = merges([
  { situation: 'of nothing', silence: 'no-op-version', request: merge(() => ({})) },
  {
    situation: 'of what is there already',
    silence: 'no-op-version',
    request: merge((on) => ({ [scalarOf(on)]: on.subject.state.scalars[scalarOf(on)] ?? null })),
  },
  { situation: 'of an array', silence: 'invalid-content-status', request: merge((on) => [text(on)]) },
  { situation: 'of text that is no JSON', silence: 'malformed-json-status', request: merge(() => '{"title": ') },
  { situation: 'with null', silence: 'merge-null', request: merge((on) => ({ [scalarOf(on)]: null })) },
  {
    situation: 'with an object in the place of a text',
    silence: 'invalid-content-status',
    request: merge((on) => ({ [scalarOf(on)]: { a: 1 } })),
  },
  {
    situation: 'with a member that no schema has',
    silence: 'unknown-member-status',
    request: merge((on) => ({ ...text(on), [unknownMember]: 'x' })),
  },
  {
    situation: 'with another object id',
    silence: 'system-members-on-write',
    request: merge((on) => ({ ...text(on), $oid: unknownOid(on) })),
  },
  {
    situation: 'with part of an object member',
    silence: 'merge-nested-objects',
    needs: (party) => has.object(party) && (party.shape.object?.scalars.length ?? 0) > 1,
    request: merge((on) => ({
      [on.party.shape.object?.member ?? '']: { [on.party.shape.object?.scalars[0] ?? '']: on.fresh() },
    })),
  },
  {
    situation: 'with an array of one entry',
    silence: 'merge-arrays',
    needs: has.port,
    request: merge((on) => ({ [portOf(on).member]: [on.party.context.given.entry(on.fresh(), {}, portOf(on))] })),
  },
  {
    situation: 'as merge-patch+json',
    silence: 'unsupported-content-type-status',
    request: (on) => ({
      ...on.requests.merge(currentThing(on), text(on)),
      headers: { 'Content-Type': 'application/merge-patch+json' },
    }),
  },
  {
    situation: 'as text/plain',
    silence: 'unsupported-content-type-status',
    request: (on) => ({ ...on.requests.merge(currentThing(on), text(on)), headers: { 'Content-Type': 'text/plain' } }),
  },
  {
    situation: 'without media type',
    silence: 'unsupported-content-type-status',
    request: (on) => ({ ...on.requests.merge(currentThing(on), text(on)), headers: { 'Content-Type': null } }),
  },
  {
    situation: 'by the route of operations',
    silence: 'content-type-and-route-disagree',
    needs: has.operations,
    request: (on) => ({
      ...on.requests.operations(currentThing(on), text(on)),
      headers: { 'Content-Type': 'application/json' },
    }),
  },
  {
    situation: 'of an object that is not there',
    touches: 'nothing',
    says: { rule: 'patch.target.unknown-object-404', statuses: [404] },
    request: (on) => on.requests.merge({ ...currentThing(on), oid: unknownOid(on) }, text(on)),
  },
  {
    situation: 'without token',
    says: { rule: 'auth.missing-token.answers-401', statuses: [401] },
    keeps: 'auth.missing-token.write-has-no-effect',
    request: (on) => ({ ...on.requests.merge(currentThing(on), text(on)), as: null }),
  },
  {
    situation: 'without information filter',
    says: { rule: 'headers.information-filter.required-on-writes' },
    keeps: 'headers.information-filter.required-on-writes',
    silence: 'information-filter-missing-status',
    request: (on) => ({ ...on.requests.merge(currentThing(on), text(on)), filter: null }),
  },
  ...['abc', '1.5', '*'].map((version) => ({
    situation: `with ${version} as version`,
    says: { rule: 'versioning.value.text-refused' as const },
    keeps: 'versioning.value.text-refused' as const,
    silence: 'invalid-version-header-status',
    request: (on: On) => ({ ...on.requests.merge(currentThing(on), text(on)), version }),
  })),
  spelled('with a plus sign at the version', (version) => `+${version}`),
  spelled('with a zero in front of the version', (version) => `0${version}`),
  spelled('with .0 behind the version', (version) => `${version}.0`),
  spelled('with the version in quotes', (version) => `"${version}"`),
  {
    situation: 'of an unknown SoftType',
    silence: 'unknown-schema-in-route',
    request: (on) =>
      on.requests.merge(
        { ...currentThing(on), type: { ...on.subject.thing.type, definitionId: 'NoSuchSoftType' } },
        text(on),
      ),
  },
]);
