import { entriesPerPage } from '../../contract/limits.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { entriesOf as readEntries, entriesOfPage } from '../answer.ts';
import { withQuery } from '../filters.ts';
import type { Port } from '../given.ts';
import type { Entry } from '../target.ts';
import type { Shape } from './shape.ts';
import { entriesOf, type ObjectState } from './state.ts';
import type { Subject } from './subject.ts';

/** One object as every read route shows it. */
export interface View {
  /** Short and long route, in this order; the long one alone where the short one applies another schema. */
  readonly instances: readonly Reply[];
  /** By port, every page that the model has entries for. */
  readonly pages: readonly (readonly Reply[])[];
  /** Instance read and pages with the fixed filter, of the first port. */
  readonly filtered: { readonly instance: Reply; readonly pages: readonly Reply[] } | undefined;
}

/** Reads all routes at once. */
export async function viewOf(context: CaseContext, shape: Shape, { thing, state }: Subject): Promise<View> {
  const { service } = context;
  const instances = hasShortRoute(thing.type)
    ? [service.read(thing), service.readLong(thing)]
    : [service.readLong(thing)];
  const pages = shape.ports.map((port, index) =>
    Promise.all(numbersOf(entriesOf(state, index).length).map((page) => service.page(thing, page, { port }))),
  );
  const filtered = shape.filter === undefined ? undefined : filteredOf(context, shape.filter.id, thing, state);
  const [shown, paged] = [Promise.all(instances), Promise.all(pages)];
  return { instances: await shown, pages: await paged, filtered: await filtered };
}

async function filteredOf(
  { service }: CaseContext,
  id: string,
  thing: Subject['thing'],
  state: ObjectState,
): Promise<View['filtered']> {
  const request = hasShortRoute(thing.type) ? service.requests.read(thing) : service.requests.readLong(thing);
  const instance = service.get(withQuery(request.url, { softTypeFilterId: id }));
  const pages = numbersOf(admittedIn(state)).map((page) =>
    service.get(withQuery(service.requests.page(thing, page).url, { softTypeFilter: id })),
  );
  const [shown, paged] = [instance, Promise.all(pages)];
  return { instance: await shown, pages: await paged };
}

/** Entry ids by port and position, in the order of the first read and the pages behind it. */
export async function idsNow(
  context: CaseContext,
  shape: Shape,
  subject: Subject,
): Promise<readonly (readonly string[])[]> {
  const { service } = context;
  const first = await firstRead(service, subject.thing);
  return Promise.all(
    shape.ports.map(async (port, index) => {
      const further = numbersOf(entriesOf(subject.state, index).length).slice(1);
      const pages = await Promise.all(further.map((page) => service.page(subject.thing, page, { port })));
      return joined(first, pages, port).map(({ entryId }) => entryId);
    }),
  );
}

/** Read by the short route, or by the long one where the short one applies another schema. */
export function firstRead(service: CaseContext['service'], thing: Subject['thing']): Promise<Reply> {
  return hasShortRoute(thing.type) ? service.read(thing) : service.readLong(thing);
}

/** The array as the first read and the pages behind page 0 show it together. */
export function joined(first: Reply, further: readonly Reply[], port: Port): readonly Entry[] {
  return [...readEntries(first, port), ...further.flatMap(entriesOfPage)];
}

export function admittedIn(state: ObjectState): number {
  return entriesOf(state, 0).filter(({ admitted }) => admitted).length;
}

/** Numbers of the pages of so many entries; none where there is nothing to page. */
function numbersOf(count: number): readonly number[] {
  return Array.from({ length: Math.ceil(count / entriesPerPage) }, (_page, number) => number);
}

function hasShortRoute({ shortRouteSchemaId, outputSchemaId }: Subject['thing']['type']): boolean {
  return shortRouteSchemaId === undefined || shortRouteSchemaId === outputSchemaId;
}
