import { Area } from '../area.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { pageNumberTemplate } from '../../contract/names.ts';
import type { Link } from '../../contract/wire.ts';
import type { SchemaView, SoftType } from '../configuration.ts';
import type { SpaceCall } from '../http/call.ts';
import type { StoredObject } from '../ports/store.ts';
import type { Auth } from './auth.ts';
import type { AppliedFilter, Entries } from './entries.ts';
import { type MaturityAction, type Objects, editHref, maturityHref } from './objects.ts';
import type { Paging } from './paging.ts';
import { type Section, type Slice, nestedSections, storedStates } from './soft-type.ts';

interface Needs {
  readonly auth: Auth;
  readonly entries: Entries;
  readonly objects: Objects;
  readonly paging: Paging;
}

/** Links of a read response. */
export class Hypermedia extends Area<Needs> {
  /**
   * Links of a read response: what the user may do with the instance now, and the pages of each array that is longer than
   * what a first read includes.
   * Source: core, What the service does (hypermedia conventions); Server side paging 2
   */
  linksOf(
    call: SpaceCall,
    object: StoredObject,
    view: SchemaView,
    slices: readonly Slice[],
    filter?: AppliedFilter,
  ): Link[] {
    const softType = this.needs.objects.softTypeOf(call.space, object.softType);
    const operations = this.operationLinks(object, softType, view).filter((link: Link) =>
      this.needs.auth.mayUse(call.user, call.space, link.method),
    );
    const pages = slices.flatMap((slice) => this.pageLinksOf(object, view, slice, filter));
    return [...operations, ...pages];
  }

  /** Every operation on the instance in its present state, whoever asks. */
  operationLinks(object: StoredObject, softType: SoftType, view: SchemaView): Link[] {
    const instance = this.needs.objects.instanceHref(object, softType, view);
    const edit = editHref(object, softType);
    return [
      { rel: 'self', href: instance, method: 'GET' },
      { rel: 'edit', href: edit, method: 'PATCH' },
      { rel: 'replace', href: edit, method: 'PUT' },
      { rel: 'delete', href: this.needs.objects.locationOf(object.spaceId, object.oid), method: 'DELETE' },
      ...maturityLinks(object, softType),
    ];
  }

  /** Page links of an array and of the arrays inside the entries it delivers. */
  pageLinksOf(object: StoredObject, view: SchemaView, slice: Slice, filter?: AppliedFilter): Link[] {
    const { section, entries, total } = slice;
    const own = this.isPaged(total) ? [this.pageLink(object, view, section, total, filter)] : [];
    const nested = entries.flatMap((entry) => nestedSections(section, entry)).map((inner) => this.nestedSlice(inner));
    return [...own, ...nested.flatMap((inner) => this.pageLinksOf(object, view, inner))];
  }

  private nestedSlice(section: Section): Slice {
    const { from, to } = this.needs.entries.nestedReadRange();
    const items = section.items ?? [];
    return { section, entries: items.slice(from, to), total: items.length };
  }

  /** Whether an array of `total` entries has a page link. Source: core, Server side paging 2 */
  isPaged(total: number): boolean {
    return total > entriesPerPage;
  }

  /** The link to the pages of one array; the filter stays in it. Source: core, Server side paging 2 to 5 */
  pageLink(object: StoredObject, view: SchemaView, section: Section, total: number, filter?: AppliedFilter): Link {
    return {
      rel: 'page',
      href: this.needs.entries.pageHref(object, view, section, pageNumberTemplate, filter),
      method: 'GET',
      sectionPath: section.path,
      pages: this.needs.paging.pagesOf(total),
      totalNumber: total,
    };
  }
}

/** promote and demote of each level that has a further state in that direction. Source: core, States and transitions */
function maturityLinks(object: StoredObject, softType: SoftType): Link[] {
  const process = softType.maturity;
  if (process === undefined) return [];
  const current = storedStates(object);
  return [...process.levels].flatMap(([level, states]) => {
    const at = states.indexOf(current[level]?.state ?? '');
    const links: Link[] = [];
    if (at < states.length - 1) links.push(maturityLink('promote', object, process.id, level));
    if (at > 0) links.push(maturityLink('demote', object, process.id, level));
    return links;
  });
}

function maturityLink(rel: MaturityAction, object: StoredObject, processId: string, levelId: string): Link {
  return { rel, href: maturityHref(rel, object, processId, levelId), method: 'PUT' };
}
