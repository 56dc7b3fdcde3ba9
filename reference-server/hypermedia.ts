import { pageNumberTemplate } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import type { Link } from '../contract/wire.ts';
import type { SchemaView, SoftType } from './configuration.ts';
import { filterQuery, type AppliedFilter } from './paging/filter.ts';
import type { Service, SpaceCall } from './service.ts';
import { nestedSections, type Section, type Slice } from './soft-type/array-port.ts';
import { storedStates } from './soft-type/current-state.ts';
import type { StoredObject } from './store/store.ts';

/**
 * Links of a read response: what the user may do with the instance now, and the pages of each array longer than a first read.
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
    const links: Link[] = [];
    if (at < states.length - 1) links.push(maturityLink('promote', object, process.id, level));
    if (at > 0) links.push(maturityLink('demote', object, process.id, level));
    return links;
  });
}

function maturityLink(rel: 'promote' | 'demote', object: StoredObject, processId: string, levelId: string): Link {
  const promote = fill(routes.promote, { spaceId: object.spaceId, objectId: object.oid, processId, levelId });
  return { rel, href: promote.replace('/maturityAction/promote/', `/maturityAction/${rel}/`), method: 'PUT' };
}

/** Page links of an array and of the arrays inside the entries it delivers. */
function pageLinksOf(service: Service, object: StoredObject, view: SchemaView, slice: Slice, filter?: AppliedFilter): Link[] {
  const nested = slice.entries.flatMap((entry) => nestedSections(slice.section, entry).map(wholeSlice));
  const own = service.behaviours.isPaged(service, slice.total) ? [service.behaviours.pageLink(service, object, view, slice.section, slice.total, filter)] : [];
  return [...own, ...nested.flatMap((inner) => service.behaviours.pageLinksOf(service, object, view, inner))];
}

function wholeSlice(section: Section): Slice {
  const entries = section.items ?? [];
  return { section, entries, total: entries.length };
}

/** Whether an array of `total` entries has a page link. Source: core, Server side paging 2 */
function isPaged(service: Service, total: number): boolean {
  const { from, to } = service.behaviours.firstReadRange();
  return total > to - from;
}

/** The link to the pages of one array; its href keeps the filter so that it works as given. Source: core, Server side paging 2, 3 and 5 */
function pageLink(service: Service, object: StoredObject, view: SchemaView, section: Section, total: number, filter?: AppliedFilter): Link {
  return {
    rel: 'page',
    href: service.behaviours.pageHref(object, view, section, pageNumberTemplate, filter),
    method: 'GET',
    sectionPath: section.path,
    pages: service.behaviours.pagesOf(total),
    totalNumber: total,
  };
}

/** Path of a page with the filter as its query. @param page a number, or the template a client fills in */
function pageHref(object: StoredObject, view: SchemaView, section: Section, page: number | string, filter?: AppliedFilter): string {
  const place = { spaceId: object.spaceId, softTypeId: object.softType, outputSchemaId: view.id, arrayPortId: section.path, objectId: object.oid };
  return fill(routes.page, place).replace(pageNumberTemplate, String(page)) + filterQuery(section, filter);
}

/** Path of an instance under a view: the short one for the default view. */
function instanceHref(service: Service, object: StoredObject, softType: SoftType, view: SchemaView): string {
  if (view === service.behaviours.outputViewOf(service, softType, undefined)) return service.behaviours.locationOf(object.spaceId, object.oid);
  return fill(routes.instanceLong, { spaceId: object.spaceId, definitionId: softType.id, outputSchemaId: view.id, objectId: object.oid });
}

/** Path by which an object is found. Source: core, Common request headers (Location) */
function locationOf(spaceId: string, oid: string): string {
  return fill(routes.instanceShort, { spaceId, objectId: oid });
}

function editHref(object: StoredObject, softType: SoftType): string {
  const [inputSchemaId = ''] = softType.inputs.keys();
  return fill(routes.merge, { spaceId: object.spaceId, definitionId: softType.id, inputSchemaId, objectId: object.oid });
}

/** Fills the names of a path template that are given; the others stay. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
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
