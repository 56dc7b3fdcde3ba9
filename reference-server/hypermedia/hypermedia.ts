import { entriesPerPage } from '../../contract/limits.ts';
import { pageNumberTemplate } from '../../contract/names.ts';
import type { Link } from '../../contract/wire.ts';
import type { SchemaView, SoftType } from '../configuration.ts';
import type { AppliedFilter } from '../paging/filter.ts';
import type { Service, SpaceCall } from '../service.ts';
import { nestedSections, type Section, type Slice } from '../soft-type/array-port.ts';
import { storedStates } from '../soft-type/current-state.ts';
import type { StoredObject } from '../store/store.ts';
import { editHref, instanceHref, locationOf, maturityHref, pageHref, type MaturityAction } from './hrefs.ts';

/**
 * Links of a read response: what the user may do with the instance now, and the pages of each array that is longer than
 * what a first read includes.
 * Source: core, What the service does (hypermedia conventions); Server side paging 2
 */
function linksOf(
  service: Service,
  call: SpaceCall,
  object: StoredObject,
  view: SchemaView,
  slices: readonly Slice[],
  filter?: AppliedFilter,
): Link[] {
  const { behaviours } = service;
  const softType = behaviours.softTypeOf(service, call.space, object.softType);
  const operations = behaviours
    .operationLinks(service, object, softType, view)
    .filter((link: Link) => behaviours.mayUse(service, call.user, call.space, link.method));
  const pages = slices.flatMap((slice) => behaviours.pageLinksOf(service, object, view, slice, filter));
  return [...operations, ...pages];
}

/** Every operation on the instance in its present state, whoever asks. */
function operationLinks(service: Service, object: StoredObject, softType: SoftType, view: SchemaView): Link[] {
  const instance = service.behaviours.instanceHref(service, object, softType, view);
  const edit = editHref(object, softType);
  return [
    { rel: 'self', href: instance, method: 'GET' },
    { rel: 'edit', href: edit, method: 'PATCH' },
    { rel: 'replace', href: edit, method: 'PUT' },
    { rel: 'delete', href: service.behaviours.locationOf(object.spaceId, object.oid), method: 'DELETE' },
    ...service.behaviours.maturityLinks(object, softType),
  ];
}

/** promote and demote of each level that has a further state in that direction. Source: core, States and transitions */
function maturityLinks(object: StoredObject, softType: SoftType): Link[] {
  const process = softType.maturity;
  if (process === undefined) return [];
  const current = storedStates(object);
  return [...process.levels].flatMap(([level, states]) => {
    const at = states.indexOf(current[level]?.state ?? '');
    if (at < 0) return [];
    const links: Link[] = [];
    if (at < states.length - 1) links.push(maturityLink('promote', object, process.id, level));
    if (at > 0) links.push(maturityLink('demote', object, process.id, level));
    return links;
  });
}

function maturityLink(rel: MaturityAction, object: StoredObject, processId: string, levelId: string): Link {
  return { rel, href: maturityHref(rel, object, processId, levelId), method: 'PUT' };
}

/** Page links of an array and of the arrays inside the entries it delivers. */
function pageLinksOf(
  service: Service,
  object: StoredObject,
  view: SchemaView,
  slice: Slice,
  filter?: AppliedFilter,
): Link[] {
  const { behaviours } = service;
  const { section, entries, total } = slice;
  const own = behaviours.isPaged(total) ? [behaviours.pageLink(service, object, view, section, total, filter)] : [];
  const nested = entries.flatMap((entry) => nestedSections(section, entry)).map((inner) => nestedSlice(service, inner));
  return [...own, ...nested.flatMap((inner) => behaviours.pageLinksOf(service, object, view, inner))];
}

function nestedSlice(service: Service, section: Section): Slice {
  const { from, to } = service.behaviours.nestedReadRange();
  const items = section.items ?? [];
  return { section, entries: items.slice(from, to), total: items.length };
}

/** Whether an array of `total` entries has a page link. Source: core, Server side paging 2 */
function isPaged(total: number): boolean {
  return total > entriesPerPage;
}

/** The link to the pages of one array; the filter stays in it. Source: core, Server side paging 2 to 5 */
function pageLink(
  service: Service,
  object: StoredObject,
  view: SchemaView,
  section: Section,
  total: number,
  filter?: AppliedFilter,
): Link {
  return {
    rel: 'page',
    href: service.behaviours.pageHref(object, view, section, pageNumberTemplate, filter),
    method: 'GET',
    sectionPath: section.path,
    pages: service.behaviours.pagesOf(total),
    totalNumber: total,
  };
}

export const hypermediaBehaviours = {
  linksOf,
  operationLinks,
  maturityLinks,
  pageLinksOf,
  isPaged,
  pageLink,
  pageHref,
  instanceHref,
  locationOf,
};
