import type { ArrivalKind } from './arrival.ts';
import type { HostCalledType } from './records.ts';

/** What a host acknowledges first and works on afterwards. Source: extensions, Calls to extensions */
const worked: readonly HostCalledType[] = ['ExternalEvent', 'ExternalTask', 'Email'];

/** A call of a run that is worked on after its acknowledgement. */
export interface Queued {
  readonly number: number;
  readonly type: HostCalledType;
  /** Id of the record, where it is known. */
  readonly record: string | undefined;
}

/** What came of a call: nothing, something and no end, its end, or something that the suite or the end of its case was in the way of. */
export type Course = 'nothing' | 'begun' | 'ended' | 'disturbed';

/** How long a case waits in all for a host that is behind, in ms: in time that is moved less than it may last, in real time as long as a run has for it. */
const mostBehindMs = { moved: 50_000, real: 400_000 };

/** How much sooner than its answer is read a call may be taken, in ms. */
const onTheWayMs = 250;

/** What a case has left of its patience with a host that is behind. */
export class Patience {
  #leftMs: number;

  constructor(time: keyof typeof mostBehindMs) {
    this.#leftMs = mostBehindMs[time];
  }

  /** That long, or what is left of it; 0 where that is too little to see whether the host goes on. */
  take(ms: number): number {
    if (this.#leftMs < ms / 4) return 0;
    const taken = Math.min(ms, this.#leftMs);
    this.#leftMs -= taken;
    return taken;
  }
}

/** The calls of a run in their order: a host that works off a queue comes to each when it is through with those before. */
export class Queue {
  readonly #byId = new Map<string, Queued>();
  readonly #byToken = new Map<string, Queued>();
  /** Because of which the host sent requests, oldest first, and when the first came, in ms of the clock of the host. */
  readonly #heard: Queued[] = [];
  readonly #cameAt = new Map<Queued, number>();
  /** The last requests of all, of two calls: when they came, in ms of the clock of the host. */
  #latest: readonly { readonly queued: Queued; readonly at: number }[] = [];
  /** Ids of records because of whose calls the host did more than ask for keys, which it keeps. */
  readonly #workedOn = new Set<string>();
  /** Whose end was reported, and what was sent because of which was refused, withheld or came too late. */
  readonly #ended = new Set<Queued>();
  readonly #disturbed = new Set<Queued>();
  /** The same of calls of every type, by their tokens, and because of which objects were read. */
  readonly #disturbedTokens = new Set<string>();
  readonly #readingTokens = new Set<string>();
  /** Calls as they were made and sent, the latest at the end. */
  readonly #calls = new Set<Queued>();
  /** When they were sent first and answered last; monotonic, in ms. */
  readonly #sentAt = new Map<Queued, number>();
  readonly #takenAt = new Map<Queued, number>();

  /** Takes note of a call, by the id of its envelope and its token. @returns undefined where it is not worked on afterwards */
  made(id: string, token: string, type: HostCalledType, record?: string): Queued | undefined {
    if (!worked.includes(type)) return undefined;
    const queued = this.#byId.get(id) ?? { number: this.#byId.size + 1, type, record };
    this.#byId.set(id, queued);
    this.#byToken.set(token, queued);
    this.#isLatest(queued);
    return queued;
  }

  /** Takes note of when a call goes out. Returns what takes note of its answer. */
  sent(token: string): () => void {
    const queued = this.#byToken.get(token);
    if (queued === undefined) return () => undefined;
    this.#isLatest(queued);
    noteFirst(this.#sentAt, queued, performance.now());
    return () => void this.#takenAt.set(queued, performance.now());
  }

  /** The one of these that was made or sent last. */
  latestOf(calls: ReadonlySet<Queued>): Queued | undefined {
    return [...this.#calls].findLast((queued) => calls.has(queued));
  }

  #isLatest(queued: Queued): void {
    this.#calls.delete(queued);
    this.#calls.add(queued);
  }

  /** Takes note of a request of the host, also because of a call whose case has ended. @param at in ms of the clock of the host */
  hear(token: string | undefined, at: number, kind?: ArrivalKind): void {
    if (kind === 'object' && token !== undefined) this.#readingTokens.add(token);
    const queued = this.#byToken.get(token ?? '');
    if (queued === undefined) return;
    this.#heard.push(queued);
    this.#latest = [{ queued, at }, ...this.#latest.filter((other) => other.queued !== queued)].slice(0, 2);
    if (queued.record !== undefined && kind !== 'acquire') this.#workedOn.add(queued.record);
    noteFirst(this.#cameAt, queued, at);
    if (kind === 'status') this.#ended.add(queued);
  }

  /** Takes note that what the host sent because of a call had no success, or no answer at once. */
  disturb(token: string | undefined): void {
    const queued = this.#byToken.get(token ?? '');
    if (queued !== undefined) this.#disturbed.add(queued);
    if (token !== undefined) this.#disturbedTokens.add(token);
  }

  isDisturbed(token: string): boolean {
    return this.#disturbedTokens.has(token);
  }

  hasRead(token: string): boolean {
    return this.#readingTokens.has(token);
  }

  courseOf(token: string): Course {
    const queued = this.#byToken.get(token);
    if (queued === undefined || this.#ended.has(queued)) return 'ended';
    if (this.#disturbed.has(queued)) return 'disturbed';
    return this.#cameAt.has(queued) ? 'begun' : 'nothing';
  }

  /** When the host came to that call, in ms of its clock; undefined where it has not, or had before so many requests were heard. */
  cameAt(queued: Queued, since: number): number | undefined {
    return this.#heard.indexOf(queued) < since ? undefined : this.#cameAt.get(queued);
  }

  /** Whether the host did something because of a call of that record. */
  hasWorkedOn(record: string): boolean {
    return this.#workedOn.has(record);
  }

  /** How many requests were heard so far. */
  get heard(): number {
    return this.#heard.length;
  }

  /** Whether the host sent requests because of other calls since so many were heard, and has come neither to that one nor to later ones: of all, or of those of the same type. */
  isBehind(own: Queued, since: number): boolean {
    const isBusy = (heard: readonly Queued[], later: readonly Queued[]): boolean =>
      later.length > 0 && heard.every((other) => other !== own && !this.#isLater(other, own));
    const isAlike = ({ type }: Queued): boolean => type === own.type;
    const later = this.#heard.slice(since);
    return isBusy(this.#heard, later) || isBusy(this.#heard.filter(isAlike), later.filter(isAlike));
  }

  /** Whether the host sent a request because of another call since then, in ms of its clock, and is not done with that one: it may take them in any order. */
  isElsewhere(own: Queued, since: number): boolean {
    const isOpen = own.type === 'ExternalTask' ? !this.#ended.has(own) : !this.#cameAt.has(own);
    return isOpen && this.#latest.some(({ queued, at }) => queued !== own && at >= since);
  }

  /** What is under way at the same time a host takes in any order. */
  #isLater(other: Queued, own: Queued): boolean {
    const [sentAt, takenAt] = [this.#sentAt.get(other), this.#takenAt.get(own)];
    if (sentAt === undefined || takenAt === undefined) return other.number > own.number;
    return sentAt > takenAt + onTheWayMs;
  }
}

function noteFirst(times: Map<Queued, number>, queued: Queued, at: number): void {
  if (!times.has(queued)) times.set(queued, at);
}
