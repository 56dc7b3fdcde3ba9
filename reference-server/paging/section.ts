import type { SchemaView, SoftType } from '../configuration.ts';
import { nestedSections, rootSections, type Section } from '../soft-type/array-port.ts';
import type { Reading, StoredEntry, StoredObject } from '../store/store.ts';

/**
 * The array named by `path`: a root array by its name in the view, or `array/entryId/member`, to any depth.
 * Undefined where there is none. Loads the entry that holds a nested array, never a whole root array.
 */
export async function sectionAt(
  reading: Reading,
  object: StoredObject,
  view: SchemaView,
  softType: SoftType,
  path: string,
): Promise<Section | undefined> {
  const [root, entryId, ...inner] = path.split('/');
  const section = rootSections(softType, view).find((candidate) => candidate.path === root);
  if (section === undefined || entryId === undefined) return section;
  const entry = await storedEntry(reading, object, section, entryId);
  return entry === undefined ? undefined : nestedSection(section, entry, inner);
}

async function storedEntry(
  reading: Reading,
  object: StoredObject,
  section: Section,
  text: string,
): Promise<StoredEntry | undefined> {
  const entryId = Number(text);
  const isEntryId = Number.isSafeInteger(entryId) && String(entryId) === text;
  return isEntryId ? reading.entry(object.oid, section.port, entryId) : undefined;
}

function nestedSection(
  parent: Section,
  entry: StoredEntry,
  [member, entryId, ...inner]: readonly string[],
): Section | undefined {
  const section = nestedSections(parent, entry).find((candidate) => candidate.port === member);
  if (section === undefined || entryId === undefined) return section;
  const item = section.items?.find((candidate) => String(candidate.entryId) === entryId);
  return item === undefined ? undefined : nestedSection(section, item, inner);
}
