import { Area } from '../area.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { pageNumberTemplate } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { Filter, Members, SchemaView, SoftType, Space } from '../configuration.ts';
import type { SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import type { Content, EntryCondition, OrdinalRange, Reading, StoredEntry, StoredObject } from '../ports/store.ts';
import { type Objects, fill } from './objects.ts';
import {
  type ArrayMember,
  type Section,
  type Slice,
  isArrayMember,
  nestedItems,
  nestedSections,
  rootSections,
} from './soft-type.ts';

/** Name of the filter parameter on the instance GET and on the page GET. */
type FilterParameter = 'softTypeFilterId' | 'softTypeFilter';

/** A configured filter with the value it has for this request. */
export interface AppliedFilter {
  readonly filter: Filter;
  readonly value: string;
}

/** An entry as every read shows it, at any depth. */
type EntryOut = { readonly $entryId: number | string } & Content;

interface Needs {
  readonly objects: Objects;
}

/** Entries of array ports as they are read: a range at a time, filtered. */
export class Entries extends Area<Needs> {
  /** Path of a page with the filter as its query. @param page a number, or the template a client fills in */
  pageHref(
    object: StoredObject,
    view: SchemaView,
    section: Section,
    page: number | string,
    filter?: AppliedFilter,
  ): string {
    const place = {
      spaceId: object.spaceId,
      softTypeId: object.softType,
      outputSchemaId: view.id,
      arrayPortId: section.path,
      objectId: object.oid,
    };
    return fill(routes.page, place).replace(pageNumberTemplate, String(page)) + filterQuery(section, filter);
  }

  /** Entries of a section in order; with a filter the range counts admitted entries only. */
  async entriesOf(
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
  async totalOf(reading: Reading, object: StoredObject, section: Section, filter?: AppliedFilter): Promise<number> {
    if (section.items !== undefined) return section.items.length;
    return reading.countEntries(object.oid, section.port, conditionOn(section, filter));
  }

  /** What an instance read includes of one root array. */
  async firstSlice(reading: Reading, object: StoredObject, section: Section, filter?: AppliedFilter): Promise<Slice> {
    const range = this.firstReadRange();
    const entries = await this.entriesOf(reading, object, section, range, filter);
    // An array that does not fill the range is complete: counting it would cost a query for nothing.
    const complete = entries.length < range.to - range.from;
    const total = complete ? entries.length : await this.totalOf(reading, object, section, filter);
    return { section, entries, total };
  }

  /**
   * The filter that the request asks for. Source: core, Server side paging 5
   * @throws {Refusal} 400 for an unknown one, or when its blank value is not given
   */
  filterOf(call: SpaceCall, softType: SoftType, parameter: FilterParameter): AppliedFilter | undefined {
    const id = call.query.get(parameter);
    if (id === null) return undefined;
    const filter = call.space.template.filters.get(id);
    if (filter?.softType !== softType.id) {
      throw new Refusal(400, `Expected a filter of ${softType.id} in ${parameter}, found '${id}'.`, {
        pointer: parameter,
      });
    }
    return { filter, value: filter.equals ?? suppliedValue(call, filter) };
  }

  /**
   * One entry of an array, whose own arrays hold what `nestedReadRange` admits.
   * Source: core, System properties ($entryId); Server side paging 1
   */
  entryOut(space: Space, member: ArrayMember, entry: StoredEntry): EntryOut {
    const own =
      member.kind === 'references'
        ? this.referenceOut(space, entry.content)
        : this.membersOut(space, member.members, entry.content);
    return { $entryId: entry.entryId, ...own };
  }

  private membersOut(space: Space, members: Members, content: Content): Content {
    const out: Record<string, unknown> = {};
    for (const [name, member] of members) {
      const value = isArrayMember(member) ? this.nestedOut(space, member, nestedItems(content, name)) : content[name];
      if (value !== undefined) out[name] = value;
    }
    return out;
  }

  private nestedOut(space: Space, member: ArrayMember, items: readonly StoredEntry[]): readonly EntryOut[] {
    const { from, to } = this.nestedReadRange();
    return items.slice(from, to).map((item) => this.entryOut(space, member, item));
  }

  /** A stored reference, `{ id?, value: { $oid } }`, with the URI of its target beside the identifier. */
  private referenceOut(space: Space, content: Content): Content {
    const target = content.value;
    if (typeof target !== 'object' || target === null || !('$oid' in target)) return content;
    return { ...content, value: { ...target, href: this.needs.objects.locationOf(space.id, String(target.$oid)) } };
  }

  /** Ordinals that an instance read includes of each root array. Source: core, Server side paging 1 */
  firstReadRange(): OrdinalRange {
    return { from: 0, to: entriesPerPage };
  }

  /** Ordinals that any read includes of an array inside an entry. Source: core, Server side paging 1 */
  nestedReadRange(): OrdinalRange {
    return { from: 0, to: entriesPerPage };
  }
}

function suppliedValue(call: SpaceCall, filter: Filter): string {
  const name = valueParameter(filter);
  const value = call.query.get(name);
  if (value === null) {
    throw new Refusal(400, `Filter ${filter.id} has no value of its own; give one as query parameter ${name}.`, {
      pointer: name,
    });
  }
  return value;
}

function valueParameter(filter: Filter): string {
  return `${filter.groupId}.${filter.criteriaPort}`;
}

/** What the filter admits of a section; undefined where it does not touch that array. */
function conditionOn(section: Section, applied: AppliedFilter | undefined): EntryCondition | undefined {
  if (applied === undefined || !touches(applied, section)) return undefined;
  return { member: applied.filter.member, value: applied.value };
}

/** The query that makes a page GET of the section apply the same filter, with its question mark; empty without one. */
function filterQuery(section: Section, applied: AppliedFilter | undefined): string {
  if (applied === undefined || !touches(applied, section)) return '';
  const query = new URLSearchParams({ softTypeFilter: applied.filter.id });
  if (applied.filter.equals === undefined) query.set(valueParameter(applied.filter), applied.value);
  return `?${query}`;
}

function touches(applied: AppliedFilter, section: Section): boolean {
  return section.items === undefined && section.port === applied.filter.port;
}

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
