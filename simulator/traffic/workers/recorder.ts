import { headerNames } from '../../../contract/names.ts';
import { refusedIn } from '../credentials.ts';
import { isAccepted } from '../drive.ts';
import type { TrafficExchange, TrafficObserver } from '../engine.ts';
import type { Ground } from '../ground.ts';
import { isObject, jsonIn, objectIn, oidIn, saidIn } from '../results.ts';
import type { BatchPart, Result } from '../step.ts';
import type { OutcomeOf, ShareNews } from './messages.ts';

/** Numbers of a request in `Told`. */
export const numbersOfRequest = 4;

type News = Pick<ShareNews, 'outcomes' | 'requests' | 'lateness' | 'journeys' | 'shared' | 'made'>;

/** Gathers what a worker sees until it is told. Counts nothing by itself: each latency goes into the one histogram of all workers. */
export class ShareRecorder implements TrafficObserver {
  readonly #places = new Map<string, number>();
  readonly #toOthers: number;
  #outcomes: OutcomeOf[] = [];
  #requests: number[] = [];
  #lateness: number[] = [];
  #shared: TrafficExchange[] = [];
  #made: string[] = [];
  #journeys = new Map<string, { begun: number; whole: number }>();

  /** @param toOthers from the clock of this thread to that of the one that is told, in ms */
  constructor(toOthers: number) {
    this.#toOthers = toOthers;
  }

  exchange(exchange: TrafficExchange): void {
    if (exchange.cutOff === true) return;
    const { dueAt, sentAt, endedAt } = exchange;
    const shift = this.#toOthers;
    this.#requests.push(this.#placeOf(exchange), dueAt + shift, sentAt + shift, endedAt + shift);
  }

  check(): void {
    // no request; the judge of the worker hears of it
  }

  journeyEnded(journey: string, whole: boolean): void {
    const counts = this.#journeys.get(journey) ?? { begun: 0, whole: 0 };
    this.#journeys.set(journey, { begun: counts.begun + 1, whole: counts.whole + (whole ? 1 : 0) });
  }

  late(ms: number): void {
    this.#lateness.push(ms);
  }

  share(exchange: TrafficExchange): void {
    const [dueAt, sentAt, endedAt] = [exchange.dueAt, exchange.sentAt, exchange.endedAt].map(
      (at) => at + this.#toOthers,
    ) as [number, number, number];
    this.#shared.push({ ...exchange, dueAt, sentAt, endedAt });
  }

  /** Of everything that is shared, what counts when nothing is judged. */
  shareEvent(exchange: TrafficExchange): void {
    if (exchange.step.about?.kind === 'trigger') this.share(exchange);
  }

  make(oids: readonly string[]): void {
    this.#made.push(...oids);
  }

  /** Everything since the last time. */
  news(): News {
    const journeys = [...this.#journeys].map(([journey, counts]) => ({ journey, ...counts }));
    const news = {
      outcomes: this.#outcomes,
      requests: Float64Array.from(this.#requests),
      lateness: Float64Array.from(this.#lateness),
      journeys,
      shared: this.#shared,
      made: this.#made,
    };
    [this.#outcomes, this.#requests, this.#lateness, this.#shared, this.#made] = [[], [], [], [], []];
    this.#journeys = new Map();
    return news;
  }

  #placeOf(exchange: TrafficExchange): number {
    const { journey, step, result, error } = exchange;
    const accepted = isAccepted(exchange);
    const refused = refusedIn(exchange);
    const key = `${journey}/${step.op}/${error ?? result.status}/${accepted}/${refused ?? ''}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(key, place);
    const { status } = result;
    this.#outcomes.push({
      journey,
      op: step.op,
      status,
      accepted,
      ...(error !== undefined && { error }),
      ...(!accepted && { first: { method: step.method, path: step.path, says: saidIn(result) ?? '' } }),
      ...(refused && { refused }),
    });
    return place;
  }
}

/** Headers that tell what a write came to. */
const toldHeaders = ['location', headerNames.version.toLowerCase()];

/**
 * What of an exchange has to be looked at together with those of other workers: what it did to an object, or that it triggered an event.
 * Its answer is cut down to that, as everything is copied from thread to thread. Undefined where it concerns one journey alone.
 */
export function sharedOf(
  exchange: TrafficExchange,
  ground: Ground,
  isJudged: (oid: string) => boolean,
): TrafficExchange | undefined {
  const { result } = exchange;
  const { about } = exchange.step;
  if (about === undefined) return undefined;
  if (about.kind === 'trigger') return withBody(exchange, '');
  if (about.kind === 'edit') return isJudged(about.oid) ? withBody(exchange, '') : undefined;
  if (about.kind === 'create') return isJudged(oidIn(result) ?? '') ? withBody(exchange, '') : undefined;
  if (about.kind === 'read')
    return result.status === 200 && isJudged(about.oid)
      ? withBody(exchange, versionAndText(result, ground))
      : undefined;
  if (about.kind === 'batch')
    return about.operations.some(isWrite) ? withBody(exchange, versionsOf(result)) : undefined;
  return undefined;
}

function isWrite({ oid, version }: BatchPart): boolean {
  return oid !== undefined && version !== undefined;
}

function withBody(exchange: TrafficExchange, body: string): TrafficExchange {
  const { status, headers } = exchange.result;
  const told = toldHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  return { ...exchange, result: { status, headers: Object.fromEntries(told), body } };
}

function versionAndText(result: Result, { softType }: Ground): string {
  const [first = ''] = softType.scalars;
  const { version, data } = objectIn(result);
  return JSON.stringify({ version, data: { [first]: isObject(data) ? data[first] : undefined } });
}

function versionsOf(result: Result): string {
  const results = jsonIn(result);
  if (!Array.isArray(results)) return '';
  return JSON.stringify(
    results.map((one: unknown) =>
      isObject(one)
        ? {
            statusCode: one['statusCode'],
            body: { version: isObject(one['body']) ? one['body']['version'] : undefined },
          }
        : null,
    ),
  );
}
