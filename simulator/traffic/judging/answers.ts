import { byteAt } from '../content.ts';
import type { TrafficExchange } from '../engine.ts';
import type { Ground } from '../ground.ts';
import { isAnsweredWell, isObject, objectIn } from '../journeys/words.ts';
import type { About, GeneratedBody } from '../step.ts';
import { BatchResults } from './batch-results.ts';
import { Pages } from './pages.ts';
import type { Complain } from './violations.ts';

const tooManyRequests = 429;

/** What one answer alone shows, and the pages of one visit together. */
export class Answers {
  readonly #pages: Pages;
  readonly #batches: BatchResults;
  readonly #first: string;
  readonly #complain: Complain;

  constructor(ground: Ground, complain: Complain) {
    this.#complain = complain;
    this.#pages = new Pages(ground, complain);
    this.#batches = new BatchResults(complain);
    this.#first = ground.softType.scalars[0] ?? '';
  }

  see(exchange: TrafficExchange): void {
    const { about } = exchange.step;
    if (about === undefined || exchange.error !== undefined) return;
    const { status } = exchange.result;
    if (about.kind === 'refused') return this.#refused(exchange, about);
    if (status === 404 && about.kind === 'read')
      return this.#complain(
        'reading.instance.short-route-served',
        `the object ${about.oid}, which was made before`,
        '404',
        exchange,
      );
    if (status === 404 && about.kind === 'download')
      return this.#complain('files.download.bytes-identical', 'the file that was uploaded before', '404', exchange);
    if (about.kind === 'conditional') return this.#conditional(exchange, about);
    if (!isAnsweredWell(status)) return;
    if (about.kind === 'read') this.#read(exchange, about);
    else if (about.kind === 'page') this.#pages.page(exchange, about);
    else if (about.kind === 'batch') this.#batches.see(exchange, about.operations);
    else if (about.kind === 'download') this.#download(exchange, about.content);
  }

  /** A visit is over: its pages are compared with nothing any more. */
  forget(visit: Pick<TrafficExchange, 'user' | 'iteration'>): void {
    this.#pages.forget(visit);
  }

  #refused(exchange: TrafficExchange, { rule, statuses }: Extract<About, { readonly kind: 'refused' }>): void {
    const { status } = exchange.result;
    // a service in trouble, or that lets nobody in for now, may say so before it looks at the token
    if (status >= 500 || status === tooManyRequests || statuses.includes(status)) return;
    this.#complain(
      rule,
      `${statuses.join(' or ')}, as nobody who sends that may read the object`,
      String(status),
      exchange,
    );
  }

  #read(exchange: TrafficExchange, about: Extract<About, { readonly kind: 'read' }>): void {
    const { oid, holds } = about;
    const { version, data, links } = objectIn(exchange.result);
    if (!isObject(data))
      return this.#complain('reading.body.data-is-object', 'data to be an object', typeof data, exchange);
    if (String(data['$oid']) !== oid)
      this.#complain('reading.system.oid-matches-route', `$oid ${oid}`, String(data['$oid']), exchange);
    if (data['$version'] !== version)
      this.#complain(
        'reading.system.version-matches-top-level',
        `$version ${String(version)}, as the version beside it`,
        String(data['$version']),
        exchange,
      );
    const found = data[this.#first];
    // an output schema may call it by another name
    if (holds !== undefined && typeof found === 'string' && found !== holds)
      this.#complain(
        'versioning.sequence.matches-model',
        `${this.#first} to be '${holds}', which its only writer wrote before`,
        found,
        exchange,
      );
    this.#pages.firstPage(exchange, about, data, Array.isArray(links) ? links.filter(isObject) : []);
  }

  #conditional(exchange: TrafficExchange, about: Extract<About, { readonly kind: 'conditional' }>): void {
    const { etag } = about;
    const { status, headers, body } = exchange.result;
    if (status !== 304) return;
    if ('other' in about)
      return this.#complain(
        'caching.other-value.status-200',
        `200 for ${etag}, which the data never had`,
        '304',
        exchange,
      );
    if (about.changed)
      this.#complain('caching.changed.status-200', `200 for ${etag}, as the data was changed since`, '304', exchange);
    if (body !== '')
      this.#complain('caching.match.no-payload', '304 without payload', `${body.length} characters`, exchange);
    const shown = headers['etag'];
    if (shown !== undefined && opaque(shown) !== opaque(etag))
      this.#complain('caching.other-value.status-200', `304 for ${etag} only`, `304 with ${shown}`, exchange);
  }

  #download(exchange: TrafficExchange, content: GeneratedBody): void {
    const { body } = exchange.result;
    if (body.length !== content.length)
      return this.#complain(
        'files.download.bytes-identical',
        `${content.length} bytes`,
        `${body.length} bytes`,
        exchange,
      );
    for (let index = 0; index < body.length; index += 1) {
      if (body.charCodeAt(index) === byteAt(content.seed, index)) continue;
      return this.#complain(
        'files.download.bytes-identical',
        `byte ${index} to be ${byteAt(content.seed, index)}`,
        String(body.charCodeAt(index)),
        exchange,
      );
    }
  }
}

/** Equal by weak comparison. Source: RFC 9110 section 8.8.3.2 */
function opaque(etag: string): string {
  return etag.replace(/^W\//, '');
}
