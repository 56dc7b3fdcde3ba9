import { replacing, together, type Fault } from '../faults/fault.ts';
import { isArrayMember } from '../soft-type/array-port.ts';
import type { Json } from './json.ts';

/** Members without value are null; empty arrays, of entries or of plain values, are left out. */
export const nullsAndNoEmptyArrays: Fault = together(
  replacing('dataOf', (right) => (service, space, object, view, slices) => {
    const data = right(service, space, object, view, slices);
    const { $version, $oid, $softType, ...members } = data;
    return { ...nullsFor([...view.names.keys()], members), ...filled(members), $version, $oid, $softType };
  }),
  replacing('entryOut', (right) => (service, space, member, entry) => {
    const { $entryId, ...members } = right(service, space, member, entry);
    const names =
      member.kind === 'entries'
        ? [...member.members].filter(([, inner]) => !isArrayMember(inner)).map(([name]) => name)
        : ['id'];
    return { ...nullsFor(names, members), ...filled(members), $entryId };
  }),
);

function nullsFor(names: readonly string[], members: Json): Json {
  return Object.fromEntries(names.filter((name) => members[name] === undefined).map((name) => [name, null]));
}

function filled(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );
}

/** Links that are none to pages have the members of those that are, as null. */
export const nullsInLinks: Fault = replacing(
  'linksOf',
  (right) =>
    (...args) =>
      right(...args).map((link) => ({ ...paging, ...link })),
);

/** Typed as any value, since the wire type of a link knows only members that have one. */
const paging: Json = { sectionPath: null, pages: null, totalNumber: null };
