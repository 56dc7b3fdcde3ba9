import {
  entriesIn,
  judgeRead,
  type Answer,
  type Known,
  type KnownArray,
  type Read,
} from '../../../contract/judge-read.ts';
import type { IdentityName } from '../../../contract/profile.ts';
import { byteAt } from '../content.ts';
import type { EngineSetup, TrafficExchange } from '../engine.ts';
import type { Ground, GroundType } from '../ground.ts';
import {
  isAcceptedStatus,
  isAnsweredWell,
  isObject,
  isRefusal,
  jsonIn,
  lastSegment,
  objectIn,
  versionIn,
} from '../results.ts';
import type { About, BatchPart, GeneratedBody } from '../step.ts';
import { identityOf } from '../wire.ts';
import type { Complain } from './violations.ts';

/** What one answer alone shows, and the pages of one visit together. */
export class Answers {
  readonly #batches: BatchResults;
  readonly #softType: GroundType;
  /** How many entries the objects have to whose arrays nobody adds. */
  readonly #entries: ReadonlyMap<string, number>;
  /** Entry id -> page on which it was seen, by visit. */
  readonly #visits = new Map<string, Map<string, number>>();
  readonly #strangers: Strangers;
  readonly #complain: Complain;

  /** @param authorizationOf who has which token now; nobody gets another one unless given */
  constructor(ground: Ground, complain: Complain, authorizationOf: EngineSetup['authorizationOf'] = () => '') {
    this.#complain = complain;
    this.#strangers = new Strangers(authorizationOf);
    this.#batches = new BatchResults(complain);
    this.#softType = ground.softType;
    this.#entries = new Map(ground.objects.map(({ oid, entries }) => [oid, entries]));
  }

  see(exchange: TrafficExchange): void {
    const { about } = exchange.step;
    if (about === undefined || exchange.error !== undefined) return;
    const { status } = exchange.result;
    if (about.kind === 'refused') return this.#judgeRefusal(exchange, about);
    // a move may find no state to go to
    if (status === 404 && (about.kind === 'read' || (about.kind === 'edit' && about.marker !== undefined)))
      return this.#complain(
        'reading.instance.short-route-served',
        `the object ${about.oid}, which was made before`,
        '404',
        exchange,
      );
    if (about.kind === 'download' && status === 404 && !isAcceptedStatus(exchange.step, status))
      return this.#complain('files.download.bytes-identical', 'the file that was uploaded before', '404', exchange);
    if (about.kind === 'conditional') return this.#judgeConditional(exchange, about);
    if (!isAnsweredWell(status)) return;
    if (exchange.step.op === 'edit' && versionIn(exchange.result) === undefined)
      return this.#complain('headers.uoi-version.on-merge', 'the new version in the answer', 'none', exchange);
    if (about.kind === 'read') this.#judgeRead(exchange, about);
    else if (about.kind === 'page') this.#judgePage(exchange, about);
    else if (about.kind === 'batch') this.#batches.see(exchange, about.operations);
    else if (about.kind === 'download') this.#judgeDownload(exchange, about.content);
  }

  /** A visit is over: its pages are compared with nothing any more. */
  forget(visit: Pick<TrafficExchange, 'user' | 'iteration'>): void {
    this.#visits.delete(keyOf(visit));
  }

  #judgeRefusal(exchange: TrafficExchange, { rule, statuses }: Extract<About, { readonly kind: 'refused' }>): void {
    const { status } = exchange.result;
    const expected = statuses === undefined ? 'a refusal' : `a refusal by ${statuses.join(' or ')}`;
    if (statuses?.includes(401) === false && typeof exchange.step.as === 'string') {
      const wrong = this.#strangers.see(exchange);
      if (wrong !== undefined) this.#complain(rule, expected, '401', wrong);
      if (status === 401) return;
    }
    if (!isRefusal(status, statuses)) this.#complain(rule, expected, String(status), exchange);
  }

  #judgeRead(
    exchange: TrafficExchange,
    { oid, holds, beside, entries }: Extract<About, { readonly kind: 'read' }>,
  ): void {
    const [first = '', second = ''] = this.#softType.scalars;
    const texts = { ...(holds !== undefined && { [first]: holds }), ...(beside !== undefined && { [second]: beside }) };
    this.#hold(
      exchange,
      { instance: answerOf(exchange) },
      {
        oid,
        texts,
        envelope: true,
        arrays: this.#arrayOf(oid, entries),
      },
    );
  }

  #judgePage(exchange: TrafficExchange, { oid, page, entries }: Extract<About, { readonly kind: 'page' }>): void {
    const { arrayPort: { member } = { member: '' } } = this.#softType;
    const key = keyOf(exchange);
    const seenOn = this.#visits.get(key) ?? new Map<string, number>();
    this.#visits.set(key, seenOn);
    const answer = answerOf(exchange);
    const arrays = this.#arrayOf(oid, entries).map((array) => ({ ...array, seenOn }));
    this.#hold(exchange, { pages: [{ member, number: page, answer }] }, { arrays });
    for (const { entryId } of entriesIn(objectIn(exchange.result)['data'])) seenOn.set(entryId, page);
  }

  #arrayOf(oid: string, entries: KnownArray['entries']): readonly KnownArray[] {
    const { arrayPort: port } = this.#softType;
    const count = entries?.length ?? this.#entries.get(oid);
    return port === undefined || count === undefined ? [] : [{ port, count, ...(entries && { entries }) }];
  }

  #hold(exchange: TrafficExchange, read: Read<Answer>, known: Known): void {
    for (const { rule, what, expected, actual, holds } of judgeRead(read, { ...known, mayLack: true }))
      if (!holds) this.#complain(rule, `${what} to be ${toText(expected)}`, toText(actual), exchange);
  }

  #judgeConditional(exchange: TrafficExchange, about: Extract<About, { readonly kind: 'conditional' }>): void {
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

  #judgeDownload(exchange: TrafficExchange, content: GeneratedBody): void {
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

function keyOf({ user, iteration }: Pick<TrafficExchange, 'user' | 'iteration'>): string {
  return `${user}/${iteration}`;
}

function answerOf({ result }: TrafficExchange): Answer {
  return { status: result.status, json: jsonIn(result) };
}

function toText(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'nothing');
}

/** Equal by weak comparison. Source: RFC 9110 section 8.8.3.2 */
function opaque(etag: string): string {
  return etag.replace(/^W\//, '');
}

/** The results of a batch that passed: as many as operations, each in the place of its own. */
export class BatchResults {
  readonly #complain: Complain;

  constructor(complain: Complain) {
    this.#complain = complain;
  }

  see(exchange: TrafficExchange, operations: readonly BatchPart[]): void {
    const results = jsonIn(exchange.result);
    if (!Array.isArray(results) || results.length !== operations.length)
      return this.#complain(
        'batch.result.one-per-operation',
        `${operations.length} results`,
        Array.isArray(results) ? String(results.length) : typeof results,
        exchange,
      );
    const bodies = results.map((result: unknown) =>
      isObject(result) && isObject(result['body']) ? result['body'] : {},
    );
    const shown = bodies.map((body, index) => oidOf(body, operations[index]?.oid, operations));
    for (const [index, operation] of operations.entries()) this.#result(exchange, index, operation, { bodies, shown });
  }

  /** Other members than a read response and the href of a create need not be there, so they tell nothing. */
  #result(
    exchange: TrafficExchange,
    index: number,
    { method, oid }: BatchPart,
    { bodies, shown }: { readonly bodies: readonly Body[]; readonly shown: readonly (string | undefined)[] },
  ): void {
    const found = shown[index];
    if (oid !== undefined && found !== undefined && found !== oid)
      return this.#complain(
        'batch.result.keeps-order',
        `result ${index} to be about ${oid}`,
        `it is about ${found}`,
        exchange,
      );
    if (method !== 'GET' || isObject(bodies[index]?.['data'])) return;
    const isElsewhere = bodies.some((other, at) => isObject(other['data']) && shown[at] === oid);
    if (isElsewhere)
      this.#complain(
        'batch.result.keeps-order',
        `the read response of ${String(oid)} as result ${index}`,
        'it is another one',
        exchange,
      );
    else
      this.#complain(
        'batch.get.returns-read-response',
        `the read response of ${String(oid)} as result ${index}`,
        'no data',
        exchange,
      );
  }
}

type Body = Readonly<Record<string, unknown>>;

/** The object that a result shows, by its data or else by an href that names one of the batch, wherever in it; undefined where neither tells. */
function oidOf({ data, href }: Body, own: string | undefined, operations: readonly BatchPart[]): string | undefined {
  if (isObject(data) && data['$oid'] !== undefined) return String(data['$oid']);
  const pieces = typeof href === 'string' ? href.split(/[/?#]/).map(lastSegment) : [];
  return [own, ...operations.map(({ oid }) => oid)].find((oid) => oid !== undefined && pieces.includes(oid));
}

/** What is known of the token that an identity has now. */
interface KnownToken {
  readonly token: string;
  /** What was sent before may have had the one before, in monotonic ms. */
  readonly since: number;
  /** It was answered by something that only the token of somebody who is known gets. */
  isAlive: boolean;
  /** A 401 after that: the token has ended, or the answer is wrong. */
  doubtful?: TrafficExchange;
}

/** Tells a 401 to a token that has ended, which is right, from one to somebody who is known and has no access. */
class Strangers {
  readonly #authorizationOf: EngineSetup['authorizationOf'];
  readonly #known = new Map<IdentityName, KnownToken>();

  constructor(authorizationOf: EngineSetup['authorizationOf']) {
    this.#authorizationOf = authorizationOf;
  }

  /** The exchange that is known now to have been answered by 401 to a good token: this one, or an earlier one. */
  see(exchange: TrafficExchange): TrafficExchange | undefined {
    const { step, result, sentAt, endedAt } = exchange;
    const name = identityOf(step);
    const known = name && this.#of(name, endedAt);
    if (known === undefined || sentAt < known.since) return undefined;
    const { isAlive, doubtful } = known;
    if (result.status === 401) {
      if (!isAlive) return exchange;
      known.doubtful ??= exchange;
      return undefined;
    }
    if (result.status < 500) known.isAlive = true;
    if (doubtful === undefined || sentAt < doubtful.endedAt || result.status >= 500) return undefined;
    delete known.doubtful;
    return doubtful;
  }

  #of(name: IdentityName, now: number): KnownToken {
    const token = this.#authorizationOf(name);
    const before = this.#known.get(name);
    if (before?.token === token) return before;
    const known: KnownToken = { token, since: before === undefined ? -Infinity : now, isAlive: false };
    this.#known.set(name, known);
    return known;
  }
}
