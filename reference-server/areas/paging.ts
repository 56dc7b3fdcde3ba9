import { Area } from '../area.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { routes } from '../../contract/routes.ts';
import type { Page } from '../../contract/wire.ts';
import type { SchemaView, SoftType } from '../configuration.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundObject, type Route, readingRoute } from '../http/route.ts';
import type { OrdinalRange, Reading, StoredEntry, StoredObject } from '../ports/store.ts';
import { type AppliedFilter, type Entries, sectionAt } from './entries.ts';
import type { Objects, OutputView } from './objects.ts';
import type { Section } from './soft-type.ts';

/** Beyond any array, and ten times it is still an exact integer. */
const lastPageNumber = 900_000_000_000_000;

/** An array port or nested array as a view shows it. */
interface OutputArray extends OutputView {
  readonly section: Section;
}

interface Needs {
  readonly entries: Entries;
  readonly objects: Objects;
}

/** Pages of array ports. */
export class Paging extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      readingRoute({
        method: 'GET',
        path: routes.page,
        access: 'space',
        effect: 'read',
        needs: { object: true, place: (call, reading, object) => this.arrayOf(call, reading, object), filter: true },
        handle: (call, reading) => this.readPage(call, reading),
      }),
    ];
  }

  private async arrayOf(call: SpaceCall, reading: Reading, object: StoredObject): Promise<OutputArray> {
    const { softType, view } = this.needs.objects.viewOfRead(call, object);
    const section = await this.locateSection(reading, object, view, softType, call.params.arrayPortId ?? '');
    return { softType, view, section };
  }

  async readPage(call: SpaceCall & FoundObject<OutputArray>, reading: Reading): Promise<Answer> {
    const { object, place } = call;
    const { softType, view, section } = place;
    const filter = this.needs.entries.filterOf(call, softType, 'softTypeFilter');
    const page = this.pageNumberOf(call);
    const body = await this.assemblePage(call, reading, object, view, section, page, filter);
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body };
  }

  /**
   * The page response. Source: core, Page response
   * @throws {Refusal} 404 for a page beyond the end; page 0 of an empty array is there
   */
  async assemblePage(
    call: SpaceCall,
    reading: Reading,
    object: StoredObject,
    view: SchemaView,
    section: Section,
    page: number,
    filter?: AppliedFilter,
  ): Promise<Page> {
    const entries = await this.needs.entries.entriesOf(reading, object, section, this.pageRange(page), filter);
    if (entries.length === 0 && page > 0) throw new Refusal(404, `Array ${section.path} ends before page ${page}.`);
    return {
      href: this.needs.entries.pageHref(object, view, section, page, filter),
      data: entries.map((entry: StoredEntry) => this.needs.entries.entryOut(call.space, section.member, entry)),
      version: object.version,
    };
  }

  /** The array that a page route names. @throws {Refusal} 404. Source: core, Endpoint table, page route */
  async locateSection(
    reading: Reading,
    object: StoredObject,
    view: SchemaView,
    softType: SoftType,
    path: string,
  ): Promise<Section> {
    const section = await sectionAt(reading, object, view, softType, path);
    if (section === undefined)
      throw new Refusal(404, `Output schema ${view.id} has no array '${path}' in this object.`);
    return section;
  }

  /** Page number of the route. @throws {Refusal} 400 for anything but a natural number without sign or leading zero */
  pageNumberOf(call: SpaceCall): number {
    const text = call.params.pageNumber ?? '';
    if (!/^(?:0|[1-9][0-9]*)$/.test(text)) {
      throw new Refusal(400, `Expected a page number, which is 0 or a positive integer, found '${text}'.`, {
        pointer: 'pageNumber',
      });
    }
    return Math.min(Number(text), lastPageNumber);
  }

  /** Ordinals of a page; the first page is 0. Source: core, Server side paging 2 to 4 */
  pageRange(page: number): OrdinalRange {
    return { from: page * entriesPerPage, to: (page + 1) * entriesPerPage };
  }

  /** Number of pages of an array of `total` entries, page 0 included. Source: core, Server side paging 2 */
  pagesOf(total: number): number {
    return Math.ceil(total / entriesPerPage);
  }
}
