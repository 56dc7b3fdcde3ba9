import { replacing, together, type Fault } from '../faults/fault.ts';
import { isArrayMember, type Section } from '../soft-type/array-port.ts';
import type { StoredObject } from '../store/store.ts';
import { isObject, mapped, type Json } from './json.ts';

const idForm = /^e-(\d+)-(\d+)$/;

/**
 * Entry ids are texts, `e-<version>-<number>`, and name an entry at that version only: as every write states the version that was
 * read, a client never needs them for longer. They are mapped at the border; behind it they stay numbers.
 */
export const textualEntryIds: Fault = together(
  replacing('assembleInstance', (right) => async (service, call, reading, object, ...rest) => {
    const instance = await right(service, call, reading, object, ...rest);
    return { ...instance, data: { ...instance.data, ...renamedIn(instance.data, object) } };
  }),
  replacing('assemblePage', (right) => async (service, call, reading, object, ...rest) => {
    const page = await right(service, call, reading, object, ...rest);
    return { ...page, data: page.data.map((entry) => ({ ...entry, ...renamedIn(entry, object) })) };
  }),
  replacing('targetOf', (right) => (service, run, operation) => {
    const tokens = operation.tokens.map((token, index) => (index === 0 ? token : numberOf(token, run.object)));
    return right(service, run, { ...operation, tokens });
  }),
  replacing('locateSection', (right) => (service, reading, object, view, softType, path) => {
    const segments = path.split('/').map((segment, index) => (index === 0 ? segment : numberOf(segment, object)));
    return right(service, reading, object, view, softType, segments.join('/'));
  }),
  replacing(
    'pageHref',
    (right) =>
      (object, view, section, ...rest) =>
        right(object, view, renamed(section, object), ...rest),
  ),
  replacing('pageLink', (right) => (service, object, view, section, ...rest) => {
    const link = right(service, object, view, section, ...rest);
    return { ...link, sectionPath: renamed(section, object).path };
  }),
);

function renamedIn(value: Json, object: StoredObject): Json {
  const renaming = mapped(value, (inner) =>
    typeof inner['$entryId'] === 'number' ? { ...inner, $entryId: textOf(inner['$entryId'], object) } : inner,
  );
  return isObject(renaming) ? renaming : {};
}

/** The section with the ids in its path as clients know them. */
function renamed(section: Section, object: StoredObject): Section {
  if (!isArrayMember(section.member) || section.items === undefined) return section;
  const path = section.path.replaceAll(/(?<=\/)\d+(?=\/)/g, (id) => textOf(Number(id), object));
  return { ...section, path };
}

function textOf(entryId: number, { version }: StoredObject): string {
  return `e-${version}-${entryId}`;
}

/** The number behind a text that is an id at this version; a number by itself is the id of nothing. */
function numberOf(token: string, { version }: StoredObject): string {
  const [, statedVersion, entryId] = idForm.exec(token) ?? [];
  if (entryId !== undefined && statedVersion === String(version)) return entryId;
  return idForm.test(token) || /^\d+$/.test(token) ? `no id: ${token}` : token;
}
