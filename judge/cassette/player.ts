import type { RuleId } from '../../contract/rule.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import type { Journal } from '../../simulator/extension/journal.ts';
import type { Site } from '../../simulator/extension/site.ts';
import type { Step } from '../../simulator/extension/step.ts';
import type { Received } from '../client/receive.ts';
import { partAround } from '../client/client.ts';
import type { WireRequest } from '../client/wire.ts';
import { partHere } from '../case/part.ts';
import type { Secrets } from '../redact/redact.ts';
import type { Machine, TimeKeeper } from '../time/keeper.ts';
import { bytesOf } from './content.ts';
import { contentIn } from './file.ts';
import { errorOf, NotOnCassette } from './failure.ts';
import type { AsideLine, AskLine, CallLine, Line, StageLine, TimerLine } from './lines.ts';
import type { PlayedTime } from './played-time.ts';
import { credentialOf, questionOf } from './question.ts';
import { addTo, playedSecret } from './recorder.ts';
import { TapedControlledTime, TapedMachine, TapedRealTime } from './taped-time.ts';
import type { PlayedAsk, StageMessage, Tape } from './tape.ts';

/** A request that was recorded, and whether it was asked again. */
interface Asked {
  readonly line: AskLine;
  isAsked: boolean;
}

/** Where calls arrive, and the part that stands there. */
interface Place {
  readonly site: Site;
  readonly journal: Journal;
  readonly part: string;
}

/** What was recorded under one key, in its order. */
class Queues<T> {
  readonly #byKey = new Map<string, T[]>();

  add(key: string, value: T): void {
    addTo(this.#byKey, key, value);
  }

  next(key: string): T | undefined {
    return this.#byKey.get(key)?.shift();
  }

  /** The same; the last one as often as it is asked for. */
  nextOrLast(key: string): T | undefined {
    const queue = this.#byKey.get(key);
    return queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0];
  }
}

/** Answers what the cases ask as it was answered when the run was recorded, at the time when it was. */
export class Player implements Tape {
  readonly chance: Tape['chance'] = { secret: playedSecret };
  readonly #missing = new Map<string, string>();
  readonly #time: Pick<PlayedTime, 'now' | 'at'>;
  readonly #lines: readonly Line[];
  readonly #asks = new Map<string, Queues<Asked>>();
  readonly #inOrder = new Map<string, Asked[]>();
  readonly #unread = new Map<string, AskLine[]>();
  readonly #answered: AskLine[] = [];
  readonly #asides = new Queues<AsideLine>();
  readonly #readings = new Queues<number>();
  readonly #timers = new Queues<TimerLine>();
  readonly #ports = new Map<string, number>();
  readonly #ends = new Map<string, number>();
  readonly #begins = new Map<string, number>();
  readonly #heldBackMs = new Map<RuleId, number>();
  readonly #places = new Map<string, Place>();
  readonly #stages = new Map<string, (message: StageMessage) => void>();
  #secrets: Secrets | undefined;

  constructor(lines: readonly Line[], time: Pick<PlayedTime, 'now' | 'at'>) {
    this.#lines = lines;
    this.#time = time;
    for (const line of lines) this.#sort(line);
  }

  know(secrets: Secrets): void {
    this.#secrets = secrets;
  }

  begin(rule: RuleId): Promise<boolean> {
    const at = this.#begins.get(rule);
    if (at === undefined) return Promise.resolve(false);
    this.#heldBackMs.set(rule, Math.max(0, at - this.#time.now));
    return new Promise((resolve) => void this.#time.at(at, () => resolve(true)));
  }

  /** How long the rule waits here until its case begins, in ms. */
  heldBackMs(rule: RuleId): number {
    return this.#heldBackMs.get(rule) ?? 0;
  }

  end(part: string): Promise<void> {
    const at = this.#ends.get(part);
    return at === undefined ? Promise.resolve() : this.#until(at);
  }

  missingFor(rule: RuleId): string | undefined {
    for (const [part, what] of this.#missing) if (part.startsWith(`${rule}#`)) return what;
    return undefined;
  }

  ask(part: string, request: WireRequest): PlayedAsk {
    const credential = this.#secrets === undefined ? undefined : credentialOf(request, this.#secrets);
    const what = `${request.method} ${request.url}`;
    const asks = this.#asksOf(part);
    const question = questionOf(request, credential);
    // which case asks first for what all of them share, such as another token, is chance
    const asked = part === partAround ? asks.nextOrLast(question) : asks.next(question);
    if (asked === undefined) {
      const error = this.#miss(part, what);
      return { sentAt: this.#time.now, answer: () => Promise.reject(error) };
    }
    asked.isAsked = true;
    return { sentAt: asked.line.sentAt ?? asked.line.at, answer: (signal) => this.#answer(asked, part, what, signal) };
  }

  async aside<T>(part: string, what: string): Promise<T> {
    const line = this.#asides.next(`${part} ${what}`);
    if (line === undefined) throw this.#miss(part, what);
    await this.#until(line.endedAt);
    if (line.failure !== undefined) throw errorOf(line.failure);
    // it is what the same step learnt
    return line.value as T;
  }

  made(): void {}

  /** A case that was changed since may read more often: what then depends on it is asked for in vain, or as well found out anew. */
  reading(part: string, what: string, read: () => number): number {
    return this.#readings.next(`${part} ${what}`) ?? read();
  }

  /** What came first then comes first again: a limit that was reached is over when it was then, any other one no sooner than something came. */
  timer(part: string, ms: number, fire: () => void): () => void {
    const { at = 0, fired } = this.#timers.next(`${part} ${ms}`) ?? {};
    const due = this.#time.now + Math.max(1, ms);
    return this.#time.at(fired === true ? at : Math.max(due, at), fire);
  }

  machine(): Machine {
    return new TapedMachine(this.#lines.flatMap((line) => (line.kind === 'lost' ? [line.stalls] : [])));
  }

  time(of: 'service' | 'host'): TimeKeeper {
    const lines = this.#lines.filter((line) => line.kind === 'time' && line.of === of);
    const moved = lines.flatMap((line) => (line.kind === 'time' && line.asked === undefined ? [line] : []));
    if (moved.length === 0) {
      const asked = lines.flatMap((line) => (line.kind === 'time' && line.asked !== undefined ? [line.asked] : []));
      return new TapedRealTime(
        this.machine(),
        asked.map(({ from, to }) => ({ from, to: to ?? Infinity })),
      );
    }
    const time = new TapedControlledTime();
    for (const { at, set, goesOn = false, wake } of moved)
      this.#time.at(at, () => {
        if (set !== undefined) time.set(set, goesOn);
        if (wake !== undefined) time.wake(wake);
      });
    return time;
  }

  portOf(door: string): number {
    const port = this.#ports.get(door);
    if (port === undefined) this.#miss(partHere().name, 'a listener');
    return port ?? 0;
  }

  listens(): void {}

  mounted(door: string, site: Site, journal: Journal): void {
    this.#places.set(`${door} ${site.base}`, { site, journal, part: partHere().name });
  }

  staged(door: string, take: (message: StageMessage) => void): void {
    this.#stages.set(door, take);
  }

  stageMessage(): void {}

  #sort(line: Line): void {
    if (line.kind === 'ask') {
      if (line.content !== undefined) this.#answered.push(line);
      addTo(this.#unread, line.part, line);
    }
    if (line.kind === 'aside') this.#asides.add(`${line.part} ${line.what}`, line);
    if (line.kind === 'reading') this.#readings.add(`${line.part} ${line.what}`, line.value);
    if (line.kind === 'timer') this.#timers.add(`${line.part} ${line.ms}`, line);
    if (line.kind === 'door') this.#ports.set(line.door, line.port);
    if (line.kind === 'end') this.#ends.set(line.part, line.at);
    if (line.kind === 'rule') this.#begins.set(line.rule, line.at);
    if (line.kind === 'call') this.#time.at(line.at, () => this.#arrive(line));
    if (line.kind === 'stage') this.#time.at(line.at, () => this.#stage(line));
  }

  #asksOf(part: string): Queues<Asked> {
    const known = this.#asks.get(part);
    if (known !== undefined) return known;
    const queues = new Queues<Asked>();
    const inOrder = (this.#unread.get(part) ?? []).map((line): Asked => ({ line, isAsked: false }));
    for (const asked of inOrder) {
      const { body, credential, ...request } = asked.line;
      queues.add(questionOf({ ...request, ...(body !== undefined && { body: bytesOf(body) }) }, credential), asked);
    }
    this.#asks.set(part, queues);
    this.#inOrder.set(part, inOrder);
    return queues;
  }

  /** Whether something that had ended before this was asked was not asked now: then it need not have been answered as it was. */
  #isOutOfOrder(part: string, { line }: Asked): boolean {
    if (part === partAround) return false;
    const inOrder = this.#inOrder.get(part) ?? [];
    while (inOrder[0]?.isAsked === true) inOrder.shift();
    for (const { isAsked, line: other } of inOrder) {
      if (other.at >= line.at) return false;
      if (!isAsked && other.endedAt !== undefined && other.endedAt < line.at) return true;
    }
    return false;
  }

  async #answer(asked: Asked, part: string, what: string, signal: AbortSignal | undefined): Promise<Received> {
    const { line } = asked;
    // a case may be a little ahead of how it ran then
    if (this.#isOutOfOrder(part, asked)) await this.#until(line.at, signal);
    if (this.#isOutOfOrder(part, asked)) throw this.#miss(part, `${what} in this order`);
    await this.#until(line.endedAt, signal);
    if (line.failure !== undefined) throw errorOf(line.failure);
    return { status: line.status ?? 0, headers: line.answered ?? [], bytes: bytesOf(contentIn(this.#answered, line)) };
  }

  /** Until it ended when it was recorded; what never did does not end. @throws the reason of the signal */
  #until(endedAt: number | undefined, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (endedAt !== undefined)
      this.#time.at(endedAt, () => {
        // a case may ask a thousand times under one signal, and each listener is held against all before it
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
    return promise;
  }

  #miss(part: string, what: string): NotOnCassette {
    if (!this.#missing.has(part)) this.#missing.set(part, what);
    return new NotOnCassette(`not on the cassette: ${what}`);
  }

  /** As a listener takes it; what the site decides is sent to nobody. */
  #arrive(line: CallLine): void {
    const place = this.#places.get(`${line.door} ${line.base}`);
    if (place === undefined) return;
    const { site, journal, part } = place;
    const { number, arrivedAt, arrivedWall, method, target, headers } = line;
    const arrival = { number, arrivedAt, arrivedWall, method, target, headers };
    const entry = site.entryOf(arrival, bytesOf(line.body), line.cutShort);
    journal.add(entry);
    const { end } = line;
    if (line.unheard !== true)
      decide(site, entry, () => {
        // what the service did next was its answer to what it was answered then
        if (end !== undefined && entry.status !== end.status)
          this.#miss(part, `${entry.status} in answer to ${method} ${target}`);
      });
    if (end === undefined) return;
    this.#time.at(end.at, () => {
      if (end.status !== undefined) entry.status = end.status;
      entry.endedAt = end.endedAt;
      entry.ending = end.ending;
      journal.finish(entry);
    });
  }

  #stage({ door, method, target, headers, body, arrivedAt }: StageLine): void {
    this.#stages.get(door)?.({ method, target, headers, bytes: bytesOf(body), arrivedAt });
  }
}

/** Decides about a call as a listener does. @param onDecided told when the status is known */
function decide(site: Site, entry: Entry, onDecided: () => void): void {
  const decided = site.stepFor(entry);
  const take = ({ status, never }: Step): void => {
    if (status !== undefined && never !== true) entry.status = status;
    onDecided();
  };
  if (decided instanceof Promise) decided.then(take, () => undefined);
  else take(decided);
}
