import fc from 'fast-check';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { merge, read, types, type Sent } from './batch-sample.fixture.ts';

/** A step of a history, before it is known which objects there are and at which version they stand. */
export interface Step {
  readonly kind: keyof typeof writers;
  /** Which of the objects. */
  readonly object: number;
  readonly text: string;
}

interface Target {
  readonly oid: string;
  readonly version: number;
}

const promoted = (oid: string, action: string): string =>
  `/api/space/main/maturityAction/${action}/${oid}/release/engineering`;
const versioned = ({ version }: Target): Record<string, number> => ({ [headerNames.version]: version });
const operating = (target: Target, body: readonly object[]): Sent => ({
  method: 'PATCH',
  href: `${types}/Document/${target.oid}`,
  body,
  headers: { ...versioned(target), 'content-type': mediaTypes.operations },
});

/** What a step sends, by kind; each is accepted at the version given, whatever was done before. */
const writers = {
  merge: ({ oid, version }: Target, text: string): Sent =>
    merge(oid, version, { note: text, files: [{ name: text }, { $entryId: 1, name: 'one' }] }),
  append: (target: Target, text: string): Sent =>
    operating(target, [{ op: 'add', path: '/files', value: { name: text, revisions: [{ text }] } }]),
  empty: (target: Target): Sent =>
    operating(target, [
      { op: 'add', path: '/contacts', value: { name: 'n' } },
      { op: 'remove', path: '/contacts' },
    ]),
  put: (target: Target, text: string): Sent => ({
    method: 'PUT',
    href: `${types}/Document/documentInput/${target.oid}`,
    body: { title: text, contacts: [{ name: text }] },
    headers: versioned(target),
  }),
  create: (_target: Target, text: string): Sent => ({
    method: 'POST',
    href: `${types}/Part/partInput`,
    body: { name: text, usages: [{ name: text }] },
  }),
  multiCreate: (_target: Target, text: string): Sent => ({
    method: 'POST',
    href: '/space/main/softtype',
    body: [
      {
        $id: 'd',
        $softType: 'Document',
        data: { title: text, describes: [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
      },
      {
        $id: 'p',
        $softType: 'Part',
        data: { name: text, describedBy: [{ value: { instanceRef: 'd', softTypeId: 'Document' } }] },
      },
    ],
  }),
  lock: ({ oid }: Target): Sent => ({ method: 'POST', href: `/api/space/main/lock/${oid}` }),
  unlock: ({ oid }: Target): Sent => ({ method: 'DELETE', href: `/api/space/main/lock/${oid}` }),
  read: ({ oid }: Target): Sent => read(oid),
  page: ({ oid }: Target): Sent => ({ method: 'GET', href: `${types}/page/Document/documentFull/files/${oid}/0` }),
} as const;

const raising: ReadonlySet<Step['kind']> = new Set<Step['kind']>(['merge', 'append', 'empty', 'put']);

/** Requests that are refused whatever stands before them. */
const failures: readonly ((target: Target) => unknown)[] = [
  ({ oid, version }) => merge(oid, version - 1),
  ({ oid, version }) => merge(oid, version + 1),
  ({ oid, version }) => ({ ...merge(oid, version), headers: {} }),
  ({ oid, version }) => merge(oid, version, { files: [{ name: 'x' }], describes: [{ value: { $oid: 'nowhere' } }] }),
  ({ oid, version }) => merge(oid, version, { unknown: 1 }),
  (target) =>
    operating(target, [
      { op: 'add', path: '/files', value: { name: 'x' } },
      { op: 'remove', path: '/weight' },
    ]),
  () => read('nowhere'),
  ({ oid }) => ({ method: 'GET', href: `/api/space/depot/softtype/${oid}` }),
  () => ({ method: 'POST', href: `${types}/Document/documentInput`, body: {} }),
  () => ({
    method: 'POST',
    href: '/space/main/softtype',
    body: [
      { $softType: 'Part', data: { name: 'p' } },
      { $softType: 'Part', data: {} },
    ],
  }),
  ({ oid }) => ({ method: 'PUT', href: promoted(oid, 'promote') }),
  ({ oid, version }) => ({ method: 'PUT', href: promoted(oid, 'demote'), headers: versioned({ oid, version }) }),
  () => ({ method: 'POST', href: '/api/space/main/batch', body: [] }),
  () => ({ method: 'HEAD', href: types }),
  () => null,
];

const kinds = Object.keys(writers).filter((kind): kind is Step['kind'] => Object.hasOwn(writers, kind));
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  object: fc.nat({ max: 2 }),
  text: fc.string({ minLength: 1, maxLength: 5 }),
});
export const steps = fc.array(step, { maxLength: 12 });
export const failure = fc.record({ of: fc.constantFrom(...failures), object: fc.nat({ max: 2 }) });

/** The requests of a history over objects that stand at version 1, and a failing one at the given place, if any. */
export function requestsOf(
  history: readonly Step[],
  oids: readonly string[],
  failing?: { readonly at: number; readonly of: (target: Target) => unknown; readonly object: number },
): readonly unknown[] {
  const versions = oids.map(() => 1);
  const target = (object: number): Target => ({ oid: oids[object] ?? '', version: versions[object] ?? 0 });
  const requests: unknown[] = [];
  for (const [index, { kind, object, text }] of history.entries()) {
    if (index === failing?.at) requests.push(failing.of(target(failing.object)));
    requests.push(writers[kind](target(object), text));
    if (raising.has(kind)) versions[object] = target(object).version + 1;
  }
  if (failing?.at === history.length) requests.push(failing.of(target(failing.object)));
  return requests;
}
