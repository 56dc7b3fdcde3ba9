import { entriesPerPage } from '../../contract/limits.ts';
import { routes } from '../../contract/routes.ts';
import type { Page } from '../../contract/wire.ts';
import type { SchemaView, SoftType } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Route } from '../route.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Section } from '../soft-type/array-port.ts';
import type { OrdinalRange, Reading, StoredEntry, StoredObject } from '../store/store.ts';
import { entriesOf, firstSlice, totalOf } from './entries.ts';
import { filterOf, type AppliedFilter } from './filter.ts';
import { sectionAt } from './section.ts';

/** Beyond any array, and ten times it is still an exact integer. */
const lastPageNumber = 900_000_000_000_000;

async function readPage(service: Service, call: SpaceCall, reading: Reading): Promise<Answer> {
  const { behaviours } = service;
  const object = await behaviours.locateObject(service, call, reading);
  const softType = behaviours.softTypeOf(service, call.space, object.softType);
  const view = behaviours.outputViewOf(service, softType, call.params.outputSchemaId);
  const section = await behaviours.locateSection(
    service,
    reading,
    object,
    view,
    softType,
    call.params.arrayPortId ?? '',
  );
  behaviours.informationFilterOf(service, call);
  const filter = behaviours.filterOf(service, call, softType, 'softTypeFilter');
  const page = behaviours.pageNumberOf(call);
  const body = await behaviours.assemblePage(service, call, reading, object, view, section, page, filter);
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body };
}

/**
 * The page response. Source: core, Page response
 * @throws {Refusal} 404 for a page beyond the end; page 0 of an empty array is there
 */
async function assemblePage(
  service: Service,
  call: SpaceCall,
  reading: Reading,
  object: StoredObject,
  view: SchemaView,
  section: Section,
  page: number,
  filter?: AppliedFilter,
): Promise<Page> {
  const { behaviours } = service;
  const entries = await behaviours.entriesOf(service, reading, object, section, behaviours.pageRange(page), filter);
  if (entries.length === 0 && page > 0) throw new Refusal(404, `Array ${section.path} ends before page ${page}.`);
  return {
    href: behaviours.pageHref(object, view, section, page, filter),
    data: entries.map((entry: StoredEntry) => behaviours.entryOut(service, call.space, section.member, entry)),
    version: object.version,
  };
}

/** The array that a page route names. @throws {Refusal} 404. Source: core, Endpoint table, page route */
async function locateSection(
  _service: Service,
  reading: Reading,
  object: StoredObject,
  view: SchemaView,
  softType: SoftType,
  path: string,
): Promise<Section> {
  const section = await sectionAt(reading, object, view, softType, path);
  if (section === undefined) throw new Refusal(404, `Output schema ${view.id} has no array '${path}' in this object.`);
  return section;
}

/** Page number of the route. @throws {Refusal} 400 for anything but a natural number without sign or leading zero */
function pageNumberOf(call: SpaceCall): number {
  const text = call.params.pageNumber ?? '';
  if (!/^(?:0|[1-9][0-9]*)$/.test(text)) {
    throw new Refusal(400, `Expected a page number, which is 0 or a positive integer, found '${text}'.`, {
      pointer: 'pageNumber',
    });
  }
  return Math.min(Number(text), lastPageNumber);
}

/** Ordinals of a page; the first page is 0. Source: core, Server side paging 2 to 4 */
function pageRange(page: number): OrdinalRange {
  return { from: page * entriesPerPage, to: (page + 1) * entriesPerPage };
}

/** Ordinals that an instance read includes of each root array. Source: core, Server side paging 1 */
function firstReadRange(): OrdinalRange {
  return { from: 0, to: entriesPerPage };
}

/** Ordinals that any read includes of an array inside an entry. Source: core, Server side paging 1 */
function nestedReadRange(): OrdinalRange {
  return { from: 0, to: entriesPerPage };
}

/** Number of pages of an array of `total` entries, page 0 included. Source: core, Server side paging 2 */
function pagesOf(total: number): number {
  return Math.ceil(total / entriesPerPage);
}

export const pagingBehaviours = {
  readPage,
  assemblePage,
  locateSection,
  pageNumberOf,
  pageRange,
  firstReadRange,
  nestedReadRange,
  pagesOf,
  entriesOf,
  totalOf,
  firstSlice,
  filterOf,
};

export const pagingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: routes.page,
    access: 'space',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readPage(service, call, reading),
  },
];
