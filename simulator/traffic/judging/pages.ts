import { entriesPerPage } from '../../../contract/limits.ts';
import type { TrafficExchange } from '../engine.ts';
import type { Ground, GroundType } from '../ground.ts';
import { isObject, lastSegment, objectIn } from '../journeys/words.ts';
import type { About } from '../step.ts';
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
  firstPage(exchange: TrafficExchange, { oid, texts }: AboutRead, data: Json, links: readonly Json[]): void {
    const [total, port] = [texts?.length ?? this.#entries.get(oid), this.#port];
    if (total === undefined || port === undefined) return;
    const shown: unknown = data[port.member];
    const entries: readonly unknown[] = Array.isArray(shown) ? shown : [];
    const expected = Math.min(total, entriesPerPage);
    if (entries.length !== expected)
      return this.#complain(entries.length > entriesPerPage ? 'paging.instance-read.at-most-ten' : 'paging.instance-read.short-array-complete', `${expected} of ${total} entries`, String(entries.length), exchange);
    if (texts !== undefined) this.#texts(exchange, entries, texts.slice(0, entriesPerPage));
    if (total > entriesPerPage) this.#link(exchange, links.find(({ rel, sectionPath }) => rel === 'page' && lastSegment(String(sectionPath)) === port.member), total);
  }

  page(exchange: TrafficExchange, { oid, page, texts }: AboutPage): void {
    const { data } = objectIn(exchange.result);
    const total = texts?.length ?? this.#entries.get(oid);
    if (!Array.isArray(data) || total === undefined) return;
    const from = page * entriesPerPage;
    const expected = Math.max(0, Math.min(entriesPerPage, total - from));
    if (data.length !== expected) return this.#complain('paging.pages.cover-array-once', `${expected} entries on page ${page} of ${total}`, String(data.length), exchange);
    if (texts === undefined) this.#once(exchange, page, data);
    else this.#texts(exchange, data, texts.slice(from, from + entriesPerPage));
  }

  #link(exchange: TrafficExchange, link: Json | undefined, total: number): void {
    const pages = Math.ceil(total / entriesPerPage);
    if (link === undefined) return this.#complain('paging.link.present-above-ten', `a page link for ${total} entries`, 'none', exchange);
    if (link['pages'] !== pages) this.#complain('paging.link.pages-count', `${pages} pages of ${total} entries`, String(link['pages']), exchange);
    if (link['totalNumber'] !== total) this.#complain('paging.link.total-number', `totalNumber ${total}`, String(link['totalNumber']), exchange);
  }

  #once(exchange: TrafficExchange, page: number, entries: readonly unknown[]): void {
    const key = `${exchange.user}/${exchange.iteration}`;
    const seen = this.#visits.get(key) ?? new Map<string, number>();
    this.#visits.set(key, seen);
    for (const entry of entries) {
      const id = isObject(entry) ? entry['$entryId'] : undefined;
      if (id === undefined) continue;
      const before = seen.get(String(id));
      if (before !== undefined && before !== page) this.#complain('paging.pages.cover-array-once', `entry ${String(id)} on one page only`, `it is on pages ${before} and ${page}`, exchange);
      seen.set(String(id), page);
    }
  }

  /** Entries whose text goes by another name in the output tell nothing. */
  #texts(exchange: TrafficExchange, entries: readonly unknown[], texts: readonly string[]): void {
    const name = this.#port?.text ?? '';
    for (const [index, expected] of texts.entries()) {
      const entry = entries[index];
      const found = isObject(entry) ? entry[name] : undefined;
      if (typeof found === 'string' && found !== expected)
        return this.#complain('versioning.sequence.matches-model', `entry ${index} of what is shown to hold '${expected}', which the only writer of the object wrote`, `'${found}'`, exchange);
    }
  }
}
