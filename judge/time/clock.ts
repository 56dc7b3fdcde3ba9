import { withoutValues } from '../case/conduct.ts';
import type { CaseRecord } from '../case/record.ts';
import { reading } from '../case/part.ts';
import { readTime, sleep, within } from './real-time.ts';
import type { Kept, Machine, Participant, TimeKeeper } from './keeper.ts';
import { type Due, earlyMs, type Moment, type Story, type Timed, timelineOf } from './timeline.ts';
import { type CallsClaim, MachineStalled, PreconditionFailed, TooLate, Violation } from '../violation.ts';

interface DueOptions {
  /** How late is still right before the granularity is added; max(250 ms, 5 % of the time since `from`) unless given. */
  readonly lateMs?: number;
  /** Time from which the due one is counted; `dueAt` itself unless given. */
  readonly from?: number;
  /** What a report counts from; `from` unless given. */
  readonly zero?: Moment;
  /** The case tells the schedule itself. */
  readonly isTold?: boolean;
  readonly mayEndMinute?: MayEndMinute;
  /** What is due; the arrival of a call unless given. */
  readonly of?: NoArrival | undefined;
  /** Calls that it is about, where some are known. */
  readonly among?: readonly Timed[] | undefined;
}

/** What is cut off a time that lies so far behind a whole second shows; what is missing to the next one is no more than may be late. */
const partOfASecondMs = 800;

/** What comes too early or too often has to do so twice: a minute of the service's own, by which it counts, may have ended in between. */
type MayEndMinute = true;

interface CallsOptions {
  readonly mayEndMinute?: MayEndMinute;
  /** What is counted; the arrivals of calls unless given. */
  readonly of?: NoArrival;
}

/** What else than the arrival of a call: the end of one, or what no call shows. */
type NoArrival = 'end' | 'something else';

/** How many there have to be; either end is open unless given. */
interface Count {
  readonly least?: number;
  readonly most?: number;
}

/** What went wrong so much before may still be to blame, in ms. */
const aroundMs = 2000;
/** Earlier by more than that is not the way of a call, in ms. */
const longestWayMs = 250;
/** So many times a call may meet a stall, or wait in a service that is slow, before it arrives: at its timer, at its store, where it is sent and taken. */
const steps = 4;

/** The shortest requestTimeout of a case, in ms: a call that lay so long before it was taken may have been given up. */
const shortestTimeoutMs = 1000;
/** An answer that leaves sooner was not held back, and what would not have come in so short a time was not kept from it, in ms. */
const promptMs = 250;

/** A service that takes so long for the simplest request has more to do than it can, in ms. */
const crowdedMs = 10_000;

/** So many answers to what is asked later come behind what was sent before, one after the other. */
const answersBehind = 8;

/** Between two looks, in ms. */
const lookAgainMs = 50;

/** So many times as long as wanted is looked where the machine takes the time. */
const mostLooks = 4;

/** So many times as long as a look took, the machine rests before the next: looks at megabytes would be the load that they are to outlast. */
const restShare = 4;

/** Until when something shows what it is to show, in ms of the clock. */
export interface Before<T> {
  readonly until: number;
  /** What it is done before, as `the token ends`. */
  readonly what: string;
  /** Results that are right at any time; none unless given. */
  readonly isRight?: (result: T) => boolean;
}

interface ClockOptions {
  readonly signal?: AbortSignal | undefined;
  /** What tells how much time this machine lost; none unless given. */
  readonly machine?: Pick<Machine, 'stalledMs'>;
  /** 0 unless given. */
  readonly granularityMs?: number;
  /** What a gap between attempts counts from, where the profile binds it. */
  readonly gapClock?: 'start' | 'end' | undefined;
}

type OutOfTime = 'early' | 'late' | 'by chance';

interface DueTerms extends Pick<DueOptions, 'among' | 'of'> {
  readonly from: number;
  readonly lateMs: number;
  readonly early?: OutOfTime;
}

/** A gap before an attempt; NaN where that did not come. */
interface TimedGap {
  readonly at: number;
  readonly dueAt: number;
  /** Time from which the gap counts. */
  readonly from: number;
  /** How late is right. */
  readonly lateMs: number;
}

/** Time as a case of the kind `schedule` lives in it: real, or that of a service whose clock the suite moves. */
export class Clock {
  /** How much later than due each call may come besides, because the service looks at its queue only so often, in ms. */
  readonly granularityMs: number;
  readonly #keeper: TimeKeeper;
  readonly #record: CaseRecord;
  readonly #signal: AbortSignal;
  readonly #machine: ClockOptions['machine'];
  readonly gapClock: ClockOptions['gapClock'];
  readonly #stories = new Map<object, Story>();
  #participant: Participant | undefined;
  /** When the case waited last. */
  #waited: { readonly from: number; readonly to: number } | undefined;

  constructor(
    keeper: TimeKeeper,
    record: CaseRecord,
    { signal, machine, granularityMs = 0, gapClock }: ClockOptions = {},
  ) {
    this.#keeper = keeper;
    this.#record = record;
    this.#signal = signal ?? new AbortController().signal;
    this.#machine = machine;
    this.gapClock = gapClock;
    this.granularityMs = granularityMs;
  }

  /** Whether the suite moves the clock of the service. */
  get controlled(): boolean {
    return this.#keeper.controlled;
  }

  /** In ms. */
  now(): number {
    return reading('clock', () => this.#keeper.now());
  }

  /** Called by `schedule`: the case takes part in time from here on. Returns what ends it. */
  async enter(): Promise<() => void> {
    const participant = await this.#keeper.join(this.#signal);
    this.#participant = participant;
    const enteredAt = this.now();
    if (this.#record.retries.length > 0) await this.#leaveWholeSecond(participant);
    return () => {
      this.#record.conduct?.passed(this.now() - enteredAt);
      participant.leave();
    };
  }

  /** A service that counts whole seconds led the attempt before to one, from which its gaps are right. */
  async #leaveWholeSecond(participant: Participant): Promise<void> {
    if (!this.controlled) return;
    try {
      await this.pass(partOfASecondMs);
    } catch (error) {
      participant.leave();
      throw error;
    }
    this.#waited = undefined;
  }

  /** Lets so much time pass. */
  async pass(ms: number): Promise<void> {
    const from = this.now();
    const passing = this.#schedule().until(new Promise<never>(() => undefined), ms);
    await this.#record.waits.on(`${Math.round(ms) / 1000} s to pass`, passing);
    this.#waited = { from, to: this.now() };
    this.#signal.throwIfAborted();
  }

  /** Lets time pass while that runs: for a request that is answered only after retries. */
  through<T>(run: () => Promise<T>): Promise<T> {
    return this.#schedule().through(run);
  }

  /** Begins such a request and goes on: time passes only where the case waits for something, for this at last. */
  beside<T>(run: () => Promise<T>): Promise<T> {
    return this.#schedule().beside(run);
  }

  /**
   * Does something at a moment, for what can be seen up to another one only. @throws {TooLate} it had not ended by then, because the suite
   * or the target held it back, so that it shows nothing
   */
  async at<T>(moment: number, act: () => Promise<T>, { until, what, isRight = () => false }: Before<T>): Promise<T> {
    if (moment > this.now()) await this.pass(moment - this.now());
    const begunAt = this.now();
    const result = await act();
    const endedAt = this.now();
    if (endedAt <= until || isRight(result)) return result;
    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    throw new TooLate(
      `the suite was to act before ${what}: it began ${seconds(begunAt - moment)} s late, and what it asked for was there ${seconds(endedAt - until)} s too late`,
    );
  }

  /** Waits for the promise, at most so long: undefined when that time passed first. A case that does not take part in time waits in real time, and where that was in vain because time stands still, in that of the service. */
  async until<T>(promise: Promise<T>, withinMs: number): Promise<T | undefined> {
    let isOver = false;
    const from = this.now();
    const done = promise.then((value) => {
      isOver = true;
      return value;
    });
    // whoever gives up waiting hears nothing more of it
    done.catch(() => undefined);
    for (let leftMs = withinMs; ;) {
      const heldBefore = this.#record.waits.heldBackMs;
      const value = await this.#record.waits.on('what is to come by then', this.#waitFor(done, leftMs));
      // while the target held a request of the case back, nothing that it sets off could come
      leftMs = reading('held back', () => this.#record.waits.heldBackMs - heldBefore);
      if (!isOver && leftMs > 0 && !this.#signal.aborted) continue;
      this.#waited = { from, to: this.now() };
      return value;
    }
  }

  /** The same in real time, for what may take longer than the case has: it is no time of the case. */
  async longer<T>(what: string, promise: Promise<T>, withinMs: number): Promise<T | undefined> {
    return this.#record.waits.heldBack(what, within(withinMs, promise));
  }

  /** The same for what may be on its way when that time is over: where the suite moves the clock, it stands still until something else that is asked for has been answered a few times. */
  async untilSent<T>(promise: Promise<T>, withinMs: number, ask: () => Promise<unknown>): Promise<T | undefined> {
    const value = await this.until(promise, withinMs);
    if (value !== undefined || !this.controlled) return value;
    return this.#keeper.still?.(async () => {
      for (let asked = 0; asked < answersBehind; asked += 1) {
        const came = await Promise.race([promise, ask().then(() => undefined)]);
        if (came !== undefined) return came;
      }
      return undefined;
    });
  }

  /**
   * Looks again and again, in real time, until it is as wanted: for what no answer and no call tells, as files in a directory. Returns what was seen
   * last; what fails after a wait in vain is a matter of lateness where the machine took most of it, else of the service.
   */
  async look<T>(withinMs: number, see: () => Promise<T>, isWanted: (seen: T) => boolean): Promise<T> {
    const from = readTime();
    let until = from + withinMs;
    for (;;) {
      const begunAt = readTime();
      const seen = await see();
      if (isWanted(seen) || withinMs === 0) return seen;
      if (begunAt >= until) {
        // what the machine took of that time is given back, to both sides
        until = from + withinMs + 2 * reading('stalled', () => this.#machine?.stalledMs(from, begunAt) ?? 0);
        if (begunAt >= until) return seen;
        if (begunAt >= from + mostLooks * withinMs) {
          this.#record.lookedInVain = true;
          return seen;
        }
      }
      const endedAt = readTime();
      await sleep(Math.max(lookAgainMs, Math.min(restShare * (endedAt - begunAt), until - endedAt)));
    }
  }

  /** Gaps from the end of each to the arrival of the next. */
  gaps(calls: readonly Timed[]): readonly number[] {
    return calls.slice(1).map(({ arrivedAt }, index) => arrivedAt - (calls[index]?.endedAt ?? Number.NaN));
  }

  /**
   * Asserts that there is one call more than gaps, each gap as long as stated: not 5 ms less, late by at most max(250 ms, 5 %) and the
   * granularity. Whether it counts from the start or the end of the attempt before is open unless the profile binds it.
   * Source: ledger retry-gap-clock
   */
  expectGaps(calls: readonly Timed[], gapsMs: readonly number[]): void {
    const story = storyOf(calls);
    this.#tellGaps(calls, gapsMs);
    const due = gapsMs.length + 1;
    this.#assertAnswersLeft(calls, due);
    const timed = gapsMs.map((gapMs, index) => this.#timedGap(calls, gapMs, index));
    // the last of a row that was late from the start may still be on their way
    if (calls.length < due) for (const { at, dueAt, lateMs } of timed) this.#assertLateOfItself(at, dueAt, lateMs);
    this.#check(
      calls.length === due,
      `${due} attempts`,
      `${calls.length}${story}`,
      calls.length < due ? 'late' : undefined,
      this.#countClaim(calls, due),
    );
    timed.forEach(({ at, dueAt, from, lateMs }, index) => {
      const name = `attempt ${index + 2}, ${(gapsMs[index] ?? 0) / 1000} s after the one before${story}`;
      this.#checkDue(name, at, dueAt, { from, lateMs, among: calls });
    });
  }

  /** Asserts that something happened when it was due, with the same tolerance. @param what as `the second attempt` */
  expectDue(what: string, at: number, dueAt: number, options: DueOptions = {}): void {
    const { from = dueAt, isTold = false, mayEndMinute = false } = options;
    const lateMs = (options.lateMs ?? lateMsAfter(dueAt - from)) + this.granularityMs;
    const { zero = { at: from, label: from === dueAt ? 'when it was due' : 'the time it counts from' } } = options;
    if (!isTold)
      this.tell({
        title: what,
        zero,
        due: [{ label: what, from: dueAt, until: dueAt + lateMs }],
        calls: [{ arrivedAt: at, label: what }],
      });
    const { of, among } = options;
    this.#checkDue(what, at, dueAt, { from, lateMs, of, among, early: mayEndMinute ? 'by chance' : 'early' });
  }

  /** Asserts that something came while it was waited for. @param what as `arrival of the event within 2 s` */
  expectCame(what: string, at: number | undefined, { of, among = [] }: Pick<DueOptions, 'of' | 'among'> = {}): void {
    this.#check(at !== undefined, what, 'none', 'late', claimOf(of, { is: 'missing', by: this.now(), among }));
  }

  /**
   * Asserts that there are so many calls by now and tells it, with the schedule that was asserted of them before. A count of what had to come by
   * then is asserted here and nowhere else: too few are lateness. @param what as `attempts 68 s after the sixth`
   */
  expectCalls(
    what: string,
    calls: readonly Timed[],
    count: number | Count,
    { mayEndMinute, of }: CallsOptions = {},
  ): void {
    const { least = 0, most = Infinity } = typeof count === 'number' ? { least: count, most: count } : count;
    if (typeof count === 'number') this.#tellSilence(what, calls, count);
    this.#assertAnswersLeft(calls, most);
    const { length } = calls;
    const tooMany = mayEndMinute === true ? 'by chance' : undefined;
    this.#check(
      length >= least && length <= most,
      `${what} to be ${countText(least, most)}`,
      `${length}`,
      length < least ? 'late' : tooMany,
      this.#countClaim(calls, least, of),
    );
  }

  /** Records a schedule and what came of it, without judging; of two about the same first call the later one stays. */
  tell(story: Story): void {
    const key = story.calls[0] ?? story;
    this.#stories.set(key, story);
    this.#record.timelines.set(key, timelineOf(story));
  }

  async #waitFor<T>(promise: Promise<T>, withinMs: number): Promise<T | undefined> {
    if (this.#participant !== undefined) return this.#participant.until(promise, withinMs);
    const came = promise.then(() => true);
    came.catch(() => undefined);
    if ((await within(withinMs, came)) === true || this.#keeper.standsStill !== true) return within(0, promise);
    const participant = await this.#keeper.join(this.#signal, { isGuest: true });
    return participant.until(promise, withinMs).finally(() => participant.leave());
  }

  #tellGaps(calls: readonly Timed[], gapsMs: readonly number[]): void {
    const [first] = calls;
    if (first !== undefined)
      this.tell({
        title: 'attempts',
        zero: { at: first.arrivedAt, label: 'the first attempt' },
        due: dueByGaps(first, calls, gapsMs, this),
        calls,
      });
  }

  /** Nothing is due from the end of the last call that is due until now. */
  #tellSilence(what: string, calls: readonly Timed[], count: number): void {
    const [first] = calls;
    const { at, label } =
      first === undefined ? { at: this.now(), label: 'now' } : { at: first.arrivedAt, label: 'the first call' };
    const told = first === undefined ? undefined : this.#stories.get(first);
    const last = calls.slice(0, count).at(-1);
    const due = told?.due ?? [
      { label: `${count} in all`, from: at, ...(last !== undefined && { until: last.arrivedAt }), calls: count },
    ];
    const silence: Due = {
      label: 'no further one',
      from: last?.endedAt ?? last?.arrivedAt ?? at,
      until: this.now(),
      calls: 0,
    };
    this.tell({ title: told?.title ?? what, zero: told?.zero ?? { at, label }, due: [...due, silence], calls });
  }

  #timedGap(calls: readonly Timed[], gapMs: number, index: number): TimedGap {
    const [before, after] = [calls[index], calls[index + 1]];
    const at = after?.arrivedAt ?? Number.NaN;
    if (before?.endedAt === undefined) {
      if (after !== undefined) throw new PreconditionFailed(`attempt ${index + 1} to have ended`);
      return { at, dueAt: Number.NaN, from: Number.NaN, lateMs: 0 };
    }
    const from = this.gapClock === 'end' ? before.endedAt : before.arrivedAt;
    const lateMs = (before.heardAt ?? before.endedAt) - from + lateMsAfter(gapMs) + this.granularityMs;
    return { at, dueAt: from + gapMs, from, lateMs };
  }

  #checkDue(
    what: string,
    at: number,
    dueAt: number,
    { from, lateMs, early = 'early', among = [], of }: DueTerms,
  ): void {
    const late = at - dueAt;
    const soonest = -earlyMs - this.#onTheWayMs(from, at, dueAt);
    // what it is counted from may have been noticed late
    if (late < soonest) this.#assertKeepsTime(-late - earlyMs, from, from);
    // where a minute may end in between, the less time is let pass the surer it is
    const by = early === 'by chance' ? at : at - late / 2;
    const tooEarly = claimOf(of, { is: 'extra', at, by, among });
    this.#check(late >= soonest, `${what}, not early`, `it ${Math.round(-late)} ms early`, early, tooEarly);
    this.#assertLateOfItself(at, dueAt, lateMs);
    const tolerance = `late by at most ${Math.round(lateMs)} ms`;
    const found = `it ${Math.round(late)} ms late`;
    const advice =
      this.granularityMs > 0
        ? ''
        : ' (one that looks at its queue now and then says so by delivery.granularitySeconds)';
    const tooLate = claimOf(of, { is: 'missing', by: dueAt + lateMs, among });
    this.#check(late <= lateMs, `${what}, ${tolerance}`, `${found}${advice}`, 'late', tooLate);
  }

  /**
   * How much earlier than it is due something may arrive, because what it is counted from was longer on its way: as long at most as the
   * simplest request took there and back.
   */
  #onTheWayMs(from: number, at: number, dueAt: number): number {
    if (at >= dueAt - earlyMs) return 0;
    return Math.min(longestWayMs, this.#keptBetween(from - aroundMs, at + aroundMs).slowMs);
  }

  /** What a service that is quick with everything else does too late, on a machine that goes on, is late of itself. */
  #assertLateOfItself(at: number, dueAt: number, lateMs: number): void {
    const excessMs = at - dueAt - lateMs;
    if (excessMs > 0) this.#assertKeepsTime(excessMs, dueAt, at, steps);
  }

  /**
   * What this machine, or a service that is slow with everything, may have caused proves nothing.
   * @param turns how often the service may have kept it; once unless given
   */
  #assertKeepsTime(excessMs: number, from: number, to: number, turns = 1): void {
    const { stalledMs, slowMs } = this.#keptBetween(from - aroundMs, to);
    if (stalledMs * steps >= excessMs)
      throw new MachineStalled(stalledMs, `what was ${Math.round(excessMs)} ms out of time proves nothing`);
    if (slowMs * turns >= excessMs) throw slowWithAll(slowMs);
  }

  /** What did not come while the case waited for it proves nothing, where the machine, or a slow service, took a good part of that time. */
  #assertWaited(what: string): void {
    if (this.#waited === undefined) return;
    const { from, to } = this.#waited;
    const { stalledMs, slowMs } = this.#keptBetween(from - aroundMs, to);
    const shortestMs = Math.max(to - from, promptMs);
    if (stalledMs * steps >= shortestMs)
      throw new MachineStalled(stalledMs, `${what} may have been kept from coming in time`);
    if (slowMs * steps >= shortestMs) throw slowWithAll(slowMs);
  }

  /** A call too many proves nothing after one that the machine took late, or whose answer it held back: the service may have given that one up. */
  #assertAnswersLeft(calls: readonly Timed[], count: number): void {
    if (calls.length <= count) return;
    for (const { arrivedAt, endedAt = this.now() } of calls.slice(0, -1)) {
      const { stalledMs } = this.#keptBetween(arrivedAt, endedAt);
      if (endedAt - arrivedAt > promptMs && stalledMs * steps >= endedAt - arrivedAt)
        throw new MachineStalled(stalledMs, 'a call whose answer left late may have been made again for that');
      const before = this.#keptBetween(arrivedAt - aroundMs, arrivedAt);
      if (before.stalledMs >= shortestTimeoutMs)
        throw new MachineStalled(before.stalledMs, 'a call that was taken late may have been made again for that');
    }
  }

  #keptBetween(from: number, to: number): Kept {
    const kept = this.#keeper.keptBetween(from, to);
    return { stalledMs: reading('stalled', () => kept.stalledMs), slowMs: reading('slow', () => kept.slowMs) };
  }

  #countClaim(among: readonly Timed[], least: number, of?: NoArrival): CallsClaim | undefined {
    return claimOf(of, { is: among.length < least ? 'missing' : 'extra', by: this.now(), among });
  }

  /** @param out how a violation would be out of time, where that is what it shows */
  #check(holds: boolean, expected: string, actual: string, out?: OutOfTime, claim?: CallsClaim): void {
    this.#record.assertions += 1;
    this.#record.conduct?.assertion(withoutValues(expected));
    if (holds) return;
    if (out === 'late') this.#assertWaited(expected);
    throw new Violation(expected, actual, undefined, {
      history: this.#record.history(),
      // where the suite moves the clock no busy machine is late
      isLate: out === 'late' && !this.controlled,
      isOutOfTime: out === 'by chance' || (out !== undefined && this.controlled),
      ...(claim && { claim }),
    });
  }

  #schedule(): Participant {
    if (this.#participant === undefined) throw new Error('the case lets time pass: it has to be of the kind schedule');
    return this.#participant;
  }
}

function claimOf(of: NoArrival | undefined, claim: Omit<CallsClaim, 'about' | 'ends'>): CallsClaim | undefined {
  return of === 'something else' ? undefined : { about: 'calls', ...claim, ...(of === 'end' && { ends: true }) };
}

function slowWithAll(slowMs: number): TooLate {
  const advice =
    slowMs < crowdedMs
      ? ''
      : ' (where the service answers nobody while it calls somebody, fewer schedules at once may do: take the rules in parts, by --rules or --shard)';
  return new TooLate(
    `time was not kept: the simplest request of that moment was ${Math.round(slowMs)} ms late as well${advice}`,
  );
}

function countText(least: number, most: number): string {
  if (least === most) return String(least);
  return [...(least > 0 ? [`${least} at least`] : []), ...(most < Infinity ? [`${most} at most`] : [])].join(' and ');
}

/** How late is right after so long a wait, in ms. */
function lateMsAfter(waitMs: number): number {
  return Math.max(250, waitMs * 0.05);
}

/** When each attempt is due: after the end of the one before, or of where that was due if it did not come. */
function dueByGaps(
  first: Timed,
  calls: readonly Timed[],
  gapsMs: readonly number[],
  { granularityMs, gapClock }: Pick<Clock, 'granularityMs'> & Pick<ClockOptions, 'gapClock'>,
): readonly Due[] {
  let due = first.arrivedAt;
  const later = gapsMs.map((gapMs, index): Due => {
    const before = calls[index];
    const from = (gapClock === 'end' ? before?.endedAt : before?.arrivedAt) ?? due;
    due = (before?.endedAt ?? due) + gapMs;
    return {
      label: `attempt ${index + 2}, ${gapMs / 1000} s after the one before`,
      from: from + gapMs,
      until: due + lateMsAfter(gapMs) + granularityMs,
    };
  });
  return [{ label: 'attempt 1', from: first.arrivedAt, until: first.arrivedAt }, ...later];
}

/** When the attempts came, from the first one on. */
function storyOf(calls: readonly Timed[]): string {
  const [first] = calls;
  if (first === undefined) return '';
  const times = calls.map(({ arrivedAt }) => ((arrivedAt - first.arrivedAt) / 1000).toFixed(3));
  return ` (attempts arrived at ${times.join(', ')} s)`;
}
