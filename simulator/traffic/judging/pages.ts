import { entriesPerPage } from '../../../contract/limits.ts';
import type { TrafficExchange } from '../engine.ts';
import type { Ground, GroundType } from '../ground.ts';
import { isObject, lastSegment, objectIn } from '../results.ts';
import type { About, EntryContent } from '../step.ts';
import type { Complain } from './violations.ts';

type Json = Readonly<Record<string, unknown>>;
type AboutRead = Extract<About, { readonly kind: 'read' }>;
type AboutPage = Extract<About, { readonly kind: 'page' }>;

/** Page arithmetic: of objects to whose arrays nobody adds, and of those whose only writer knows what is in them. */
export class Pages {
  readonly #entries: ReadonlyMap<string, number>;
  readonly #port: GroundType['arrayPort'];
  readonly #complain: Complain;
  /** Pages on which entries were seen, by visit. */
  readonly #visits = new Map<string, Map<string, number>>();

  constructor(ground: Ground, complain: Complain) {
    this.#port = ground.softType.arrayPort;
    this.#complain = complain;
    this.#entries = new Map(ground.objects.map(({ oid, entries }) => [oid, entries]));
  }

  forget({ user, iteration }: Pick<TrafficExchange, 'user' | 'iteration'>): void {
    this.#visits.delete(`${user}/${iteration}`);
  }

  /** The entries that a read of the object holds, and its link to the pages. */
  firstPage(exchange: TrafficExchange, { oid, entries: written }: AboutRead, data: Json, links: readonly Json[]): void {
    const [total, port] = [written?.length ?? this.#entries.get(oid), this.#port];
    if (total === undefined || port === undefined) return;
    const shown: unknown = data[port.member];
    const entries: readonly unknown[] = Array.isArray(shown) ? shown : [];
    const expected = Math.min(total, entriesPerPage);
    if (entries.length !== expected)
      return this.#complain(
        entries.length > entriesPerPage
          ? 'paging.instance-read.at-most-ten'
          : 'paging.instance-read.short-array-complete',
        `${expected} of ${total} entries`,
        String(entries.length),
        exchange,
      );
    if (written !== undefined) this.#contents(exchange, entries, written.slice(0, entriesPerPage));
    if (total > entriesPerPage)
      this.#link(
        exchange,
        links.find(({ rel, sectionPath }) => rel === 'page' && lastSegment(String(sectionPath)) === port.member),
        total,
      );
  }

  page(exchange: TrafficExchange, { oid, page, entries: written }: AboutPage): void {
    const { data } = objectIn(exchange.result);
    const total = written?.length ?? this.#entries.get(oid);
    if (!Array.isArray(data) || total === undefined) return;
    const from = page * entriesPerPage;
    const expected = Math.max(0, Math.min(entriesPerPage, total - from));
    if (data.length !== expected)
      return this.#complain(
        'paging.pages.cover-array-once',
        `${expected} entries on page ${page} of ${total}`,
        String(data.length),
        exchange,
      );
    if (written === undefined) this.#once(exchange, page, data);
    else this.#contents(exchange, data, written.slice(from, from + entriesPerPage));
  }

  #link(exchange: TrafficExchange, link: Json | undefined, total: number): void {
    const pages = Math.ceil(total / entriesPerPage);
    if (link === undefined)
      return this.#complain('paging.link.present-above-ten', `a page link for ${total} entries`, 'none', exchange);
    if (link['pages'] !== pages)
      this.#complain('paging.link.pages-count', `${pages} pages of ${total} entries`, String(link['pages']), exchange);
    if (link['totalNumber'] !== total)
      this.#complain('paging.link.total-number', `totalNumber ${total}`, String(link['totalNumber']), exchange);
  }

  #once(exchange: TrafficExchange, page: number, entries: readonly unknown[]): void {
    const key = `${exchange.user}/${exchange.iteration}`;
    const seen = this.#visits.get(key) ?? new Map<string, number>();
    this.#visits.set(key, seen);
    for (const entry of entries) {
      const id = isObject(entry) ? entry['$entryId'] : undefined;
      if (id === undefined) continue;
      const before = seen.get(String(id));
      if (before !== undefined && before !== page)
        this.#complain(
          'paging.pages.cover-array-once',
          `entry ${String(id)} on one page only`,
          `it is on pages ${before} and ${page}`,
          exchange,
        );
      seen.set(String(id), page);
    }
  }

  #contents(exchange: TrafficExchange, shown: readonly unknown[], written: readonly EntryContent[]): void {
    for (const [index, content] of written.entries()) {
      const differing = findDifference(shown[index], content);
      if (differing === undefined) continue;
      const [name, found] = differing;
      return this.#complain(
        'versioning.sequence.matches-model',
        `${name} of entry ${index} to be '${String(content[name])}', which the only writer of the object wrote`,
        `'${found}'`,
        exchange,
      );
    }
  }
}

/** A text that is shown otherwise than it was written, and its member; one that goes by another name in the output tells nothing. */
function findDifference(entry: unknown, content: EntryContent): readonly [name: string, found: string] | undefined {
  if (!isObject(entry)) return undefined;
  for (const [name, value] of Object.entries(content)) {
    const found = entry[name];
    if (typeof value === 'string' && typeof found === 'string' && found !== value) return [name, found];
  }
  return undefined;
}
