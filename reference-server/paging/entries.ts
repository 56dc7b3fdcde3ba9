import type { Service } from '../service.ts';
import type { Section, Slice } from '../soft-type/array-port.ts';
import type { OrdinalRange, Reading, StoredEntry, StoredObject } from '../store/store.ts';
import { conditionOn, type AppliedFilter } from './filter.ts';

/** Entries of a section in order; with a filter the range counts admitted entries only. */
export async function entriesOf(
  _service: Service,
  reading: Reading,
  object: StoredObject,
  section: Section,
  range: OrdinalRange,
  filter?: AppliedFilter,
): Promise<readonly StoredEntry[]> {
  if (section.items !== undefined) return section.items.slice(range.from, range.to);
  return reading.entries(object.oid, section.port, range, conditionOn(section, filter));
}

/** Entries of the whole section, or those that the filter admits. */
export async function totalOf(
  _service: Service,
  reading: Reading,
  object: StoredObject,
  section: Section,
  filter?: AppliedFilter,
): Promise<number> {
  if (section.items !== undefined) return section.items.length;
  return reading.countEntries(object.oid, section.port, conditionOn(section, filter));
}

/** What an instance read includes of one root array. */
export async function firstSlice(
  service: Service,
  reading: Reading,
  object: StoredObject,
  section: Section,
  filter?: AppliedFilter,
): Promise<Slice> {
  const { behaviours } = service;
  const range = behaviours.firstReadRange();
  const entries = await behaviours.entriesOf(service, reading, object, section, range, filter);
  // An array that does not fill the range is complete: counting it would cost a query for nothing.
  const complete = entries.length < range.to - range.from;
  const total = complete ? entries.length : await behaviours.totalOf(service, reading, object, section, filter);
  return { section, entries, total };
}
