import { pageNumberTemplate } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { SchemaView, SoftType } from '../configuration.ts';
import { filterQuery, type AppliedFilter } from '../paging/filter.ts';
import type { Service } from '../service.ts';
import type { Section } from '../soft-type/array-port.ts';
import type { StoredObject } from '../store/store.ts';

/** Path of a page with the filter as its query. @param page a number, or the template a client fills in */
export function pageHref(
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

/** Path of an instance under a view: the short one for the default view. */
export function instanceHref(service: Service, object: StoredObject, softType: SoftType, view: SchemaView): string {
  const { locationOf, outputViewOf } = service.behaviours;
  if (view === outputViewOf(service, softType, undefined)) return locationOf(object.spaceId, object.oid);
  return longHref(object, softType, view);
}

/** Path of an instance with definition and output schema. Source: core, Endpoint table, GET softtype, second form */
export function longHref(
  { spaceId, oid }: Pick<StoredObject, 'spaceId' | 'oid'>,
  softType: SoftType,
  view: SchemaView,
): string {
  return fill(routes.instanceLong, {
    spaceId,
    definitionId: softType.id,
    outputSchemaId: view.id,
    objectId: oid,
  });
}

/** Path by which an object is found. Source: core, Common request headers (Location) */
export function locationOf(spaceId: string, oid: string): string {
  return fill(routes.instanceShort, { spaceId, objectId: oid });
}

export type MaturityAction = 'promote' | 'demote';

/** Path template of a maturity action; demote has the segments of promote. Source: core, Endpoint table, PUT promote; ledger demote-segments */
export function maturityPath(action: MaturityAction): string {
  return routes.promote.replace('/promote/', `/${action}/`);
}

/** Path of a maturity action on one level of an object. */
export function maturityHref(action: MaturityAction, object: StoredObject, processId: string, levelId: string): string {
  return fill(maturityPath(action), { spaceId: object.spaceId, objectId: object.oid, processId, levelId });
}

/** Path of the merge PATCH and of PUT, with the first input schema of the definition. */
export function editHref(object: StoredObject, softType: SoftType): string {
  const [inputSchemaId = ''] = softType.inputs.keys();
  return fill(routes.merge, {
    spaceId: object.spaceId,
    definitionId: softType.id,
    inputSchemaId,
    objectId: object.oid,
  });
}

/** Fills the names of a path template that are given; the others stay. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
}
