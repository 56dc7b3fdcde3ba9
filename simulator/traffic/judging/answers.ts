import { entriesPerPage } from '../../../contract/limits.ts';
import { byteAt } from '../content.ts';
import type { TrafficExchange } from '../engine.ts';
import type { Ground } from '../ground.ts';
import { isObject, jsonIn, lastSegment, objectIn } from '../journeys/words.ts';
import type { About, GeneratedBody } from '../step.ts';
import type { Complain } from './violations.ts';

/** What one answer alone shows, and the pages of one visit together. */
export class Answers {
  readonly #entries: ReadonlyMap<string, number>;
  readonly #ground: Ground;
  readonly #complain: Complain;
  /** Entries seen on the pages of a visit, by journey and object. */
  readonly #visits = new Map<string, { readonly version: unknown; readonly seen: Map<string, number> }>();

  constructor(ground: Ground, complain: Complain) {
    this.#ground = ground;
    this.#complain = complain;
    this.#entries = new Map(ground.objects.map(({ oid, entries }) => [oid, entries]));
  }

  see(exchange: TrafficExchange): void {
    const { about } = exchange.step;
    if (about === undefined || exchange.error !== undefined) return;
    if (about.kind === 'refused') return this.#refused(exchange, about);
    if (exchange.result.status >= 400) return;
    if (about.kind === 'read') this.#read(exchange, about);
    else if (about.kind === 'page') this.#page(exchange, about);
    else if (about.kind === 'conditional') this.#conditional(exchange, about);
    else if (about.kind === 'batch') this.#batch(exchange, about);
    else if (about.kind === 'download') this.#download(exchange, about.content);
  }

  /** A visit is over: its pages are compared with nothing any more. */
  forget({ user, iteration }: Pick<TrafficExchange, 'user' | 'iteration'>): void {
    this.#visits.delete(`${user}/${iteration}`);
  }

  #refused(exchange: TrafficExchange, { statuses }: Extract<About, { readonly kind: 'refused' }>): void {
    const rule = exchange.step.as === null ? 'auth.missing-token.answers-401' : 'auth.jwt.tampered-refused';
    if (!statuses.includes(exchange.result.status)) this.#complain(rule, `${statuses.join(' or ')} without a valid token`, String(exchange.result.status), exchange);
  }

  #read(exchange: TrafficExchange, { oid, holds }: Extract<About, { readonly kind: 'read' }>): void {
    const { version, data, links } = objectIn(exchange.result);
    if (!isObject(data)) return this.#complain('reading.body.data-is-object', 'data to be an object', typeof data, exchange);
    if (data['$oid'] !== oid) this.#complain('reading.system.oid-matches-route', `$oid ${oid}`, String(data['$oid']), exchange);
    if (data['$version'] !== version) this.#complain('reading.system.version-matches-top-level', `$version ${String(version)}, as the version beside it`, String(data['$version']), exchange);
    const [first = ''] = this.#ground.softType.scalars;
    if (holds !== undefined && data[first] !== holds) this.#complain('versioning.sequence.matches-model', `${first} to be '${holds}', which its only writer wrote before`, String(data[first]), exchange);
    this.#firstPage(exchange, oid, data, Array.isArray(links) ? links.filter(isObject) : []);
  }

  /** Nobody adds to the arrays of the objects that were there before the load, so their sizes are known. */
  #firstPage(exchange: TrafficExchange, oid: string, data: Readonly<Record<string, unknown>>, links: readonly Readonly<Record<string, unknown>>[]): void {
    const [total, port] = [this.#entries.get(oid), this.#ground.softType.arrayPort];
    if (total === undefined || port === undefined) return;
    const shown = data[port.member];
    const count = Array.isArray(shown) ? shown.length : 0;
    const expected = Math.min(total, entriesPerPage);
    if (count !== expected) this.#complain(count > entriesPerPage ? 'paging.instance-read.at-most-ten' : 'paging.instance-read.short-array-complete', `${expected} of ${total} entries`, String(count), exchange);
    const link = links.find(({ rel, sectionPath }) => rel === 'page' && lastSegment(String(sectionPath)) === port.member);
    if (total <= entriesPerPage) return;
    const pages = Math.ceil(total / entriesPerPage);
    if (link === undefined) return this.#complain('paging.link.present-above-ten', `a page link for ${total} entries`, 'none', exchange);
    if (link['pages'] !== pages) this.#complain('paging.link.pages-count', `${pages} pages of ${total} entries`, String(link['pages']), exchange);
    if (link['totalNumber'] !== total) this.#complain('paging.link.total-number', `totalNumber ${total}`, String(link['totalNumber']), exchange);
  }

  #page(exchange: TrafficExchange, { oid, page }: Extract<About, { readonly kind: 'page' }>): void {
    const { data, version } = objectIn(exchange.result);
    const total = this.#entries.get(oid);
    if (!Array.isArray(data) || total === undefined) return;
    const expected = Math.max(0, Math.min(entriesPerPage, total - page * entriesPerPage));
    if (data.length !== expected) this.#complain('paging.pages.cover-array-once', `${expected} entries on page ${page} of ${total}`, String(data.length), exchange);
    const key = `${exchange.user}/${exchange.iteration}`;
    const visit = this.#visits.get(key) ?? { version, seen: new Map<string, number>() };
    this.#visits.set(key, visit);
    for (const entry of data) {
      const id = isObject(entry) ? String(entry['$entryId']) : '';
      const before = visit.seen.get(id);
      if (before !== undefined && before !== page) this.#complain('paging.pages.cover-array-once', `entry ${id} on one page only`, `it is on pages ${before} and ${page}`, exchange);
      visit.seen.set(id, page);
    }
  }

  #conditional(exchange: TrafficExchange, { etag, changed }: Extract<About, { readonly kind: 'conditional' }>): void {
    const { status, headers, body } = exchange.result;
    if (changed && status === 304) this.#complain('caching.changed.status-200', `200 for ${etag}, as the data was changed since`, '304', exchange);
    if (status === 304 && body !== '') this.#complain('caching.match.no-payload', '304 without payload', `${body.length} characters`, exchange);
    if (status === 304 && headers['etag'] !== undefined && opaque(headers['etag']) !== opaque(etag)) this.#complain('caching.other-value.status-200', `304 for ${etag} only`, `304 with ${headers['etag']}`, exchange);
  }

  #batch(exchange: TrafficExchange, { operations }: Extract<About, { readonly kind: 'batch' }>): void {
    const results = jsonIn(exchange.result);
    if (!Array.isArray(results) || results.length !== operations.length)
      return this.#complain('batch.result.one-per-operation', `${operations.length} results`, Array.isArray(results) ? String(results.length) : typeof results, exchange);
    for (const [index, { oid }] of operations.entries()) {
      const result: unknown = results[index];
      const body = isObject(result) ? result['body'] : undefined;
      const href = isObject(body) ? body['href'] : undefined;
      if (oid !== undefined && typeof href === 'string' && !href.includes(oid)) this.#complain('batch.result.keeps-order', `result ${index} to be about ${oid}`, href, exchange);
    }
  }

  #download(exchange: TrafficExchange, content: GeneratedBody): void {
    const { body } = exchange.result;
    if (body.length !== content.length) return this.#complain('files.download.bytes-identical', `${content.length} bytes`, `${body.length} bytes`, exchange);
    for (let index = 0; index < body.length; index += 1) {
      if (body.charCodeAt(index) === byteAt(content.seed, index)) continue;
      return this.#complain('files.download.bytes-identical', `byte ${index} to be ${byteAt(content.seed, index)}`, String(body.charCodeAt(index)), exchange);
    }
  }
}

/** Equal by weak comparison. Source: RFC 9110 section 8.8.3.2 */
function opaque(etag: string): string {
  return etag.replace(/^W\//, '');
}
