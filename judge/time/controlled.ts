import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from '../../contract/profile.ts';
import type { HttpClient, Sender } from '../client/client.ts';
import { TargetUnreachable } from '../client/failure.ts';
import { replyOf } from '../client/reply.ts';
import type { WireAnswer, WireRequest } from '../client/wire.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { absoluteUrl } from '../service/requests.ts';
import { restarted } from '../service/restart.ts';
import {
  type JoinOptions,
  type Kept,
  letTimePass,
  sleepBeside,
  type Participant,
  type TimeKeeper,
  type TimeLog,
  type Watched,
  untilSlept,
} from './keeper.ts';
import { PreconditionFailed } from '../violation.ts';
import { machineClock } from '../../simulator/extension/clock.ts';
import { within } from './real-time.ts';

/** Sleeps that wait until they are woken. */
export class Timers {
  readonly #timers = new Set<{ readonly at: number; readonly wake: () => void }>();

  /** Due time of the earliest; Infinity without any. */
  next(): number {
    return [...this.#timers].reduce((least, { at }) => Math.min(least, at), Infinity);
  }

  /** Resolves when it is woken at that time or later. @throws the reason of the signal when it aborts first */
  async sleep(at: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = { at, wake: resolve };
    const abort = (): void => reject(signal.reason);
    this.#timers.add(timer);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#timers.delete(timer);
    }
  }

  /** Wakes what is due by then, in the order of the due times. Returns whether anything was. */
  wake(now: number): boolean {
    const due = [...this.#timers].filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    for (const timer of due) timer.wake();
    return due.length > 0;
  }
}

/** What the driver needs to know of the rest of the run. */
interface Surroundings {
  readonly control: Pick<ClockControl, 'state' | 'takeOver' | 'moveTo' | 'hold' | 'letRun' | 'close'>;
  /** Requests of the suite under way that time has to wait for. */
  readonly requestsUnderWay: () => number;
  /** Whether these wait themselves for time to pass, as the service lets nobody in before. */
  readonly isLockedOut?: () => boolean;
  /** Requests of the suite so far. */
  readonly requestsSent: () => number;
  /** Where the run is recorded. */
  readonly log?: TimeLog;
}

interface Member {
  waits: number;
  readonly isGuest: boolean;
}

/** How a move left the service, and how many requests it had seen by then. */
interface Left {
  readonly state: ClockState;
  readonly requests: number;
}

/** Turns of the event loop in which something that just woke takes its next step. */
const turnsToSettle = 4;

/** How often something that does not come to rest is looked at again, in ms of real time. */
const lookAgainMs = 1;

/** How long the service and the suite may count calls differently before that is taken for how they count, in ms of real time. */
const disagreeMs = 200;

/** So often they are compared meanwhile, however slow this machine is. */
const fewestLooks = 50;

/** So much of each order counts as its way; where the service takes longer, it does something. */
const longestWayMs = 250;

/** A clock that has been moved so often to one time and a little beyond, and tells of a timer for it still, does not let go off what is due. */
const mostMovesToOneTime = 2000;

/** A clock that rounds what it reads comes to stand just before a timer, and some lets go off only what is over: it is moved so much beyond then, in ms. */
const beyondMs = 1;

/** How often a clock is moved to the time of a timer before it is moved beyond. */
const movesBeforeBeyond = 20;

/** So many settings of the clock are kept. */
const mostReadings = 20_000;

/** How often the number of calls held here is told again while a move goes on, in ms of real time. */
const tellAgainMs = 50;

/**
 * The clock of the service. It runs by itself until the first schedule takes part; then it is moved from timer to timer whenever every
 * participant waits, no call is being answered and no request of the suite is under way: what happens at one time ends before the next comes.
 */
export class ControlledTime implements TimeKeeper {
  readonly controlled = true;
  readonly #around: Surroundings;
  readonly #listeners = new Set<Watched>();
  readonly #members = new Set<Member>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #timers = new Timers();
  #now = 0;
  /** Reading of the machine's clock at that time, while time runs by itself. */
  #readAt: number | undefined = performance.now();
  #begun: Promise<void> | undefined;
  #taken: Promise<void> | undefined;
  /** Whether time ran by itself before the first move; undefined where the service does not tell. */
  #ran: boolean | undefined;
  #driving = false;
  /** What runs while time is not to move. */
  #stills = 0;
  /** Orders to the clock under way. */
  #orders = 0;
  #isTelling = false;
  #driven: Promise<void> = Promise.resolve();
  /** Resolves when the move that is under way, if any, is over. */
  #move: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Requests that go on as soon as somebody is called about an object of their address. */
  readonly #awaiting = new Set<{ readonly url: string; readonly goOn: () => void }>();
  /** Calls that the service counts and nobody holds here, or fewer, when it was waited for in vain that the counts agree. */
  #usualSurplus = 0;
  #orderedMs = 0;
  #heldUpMs = 0;
  /** How often the service was moved to the time that it stands at. */
  #movesHere = 0;
  /** What the service need not be asked again; undefined as soon as anybody here did anything. */
  #left: Left | undefined;
  /** What was read when the clock was set, the last ones. */
  #readings: { readonly at: number; readonly now: number; readonly goesOn: boolean }[] = [];

  constructor(around: Surroundings) {
    this.#around = around;
    this.#failed.promise.catch(() => undefined);
  }

  now(): number {
    return this.#readAt === undefined ? this.#now : this.#now + performance.now() - this.#readAt;
  }

  at(moment: number): number {
    const { at = moment, now = this.now(), goesOn = false } = this.#readings.findLast((one) => one.at <= moment) ?? {};
    return goesOn ? now + moment - at : now;
  }

  /** What waits for time to be moved is in time, however long this machine takes. */
  keptBetween(): Kept {
    return { stalledMs: 0, slowMs: 0 };
  }

  get orderedMs(): number {
    return this.#orderedMs;
  }

  get heldUpMs(): number {
    return this.#heldUpMs;
  }

  get standsStill(): boolean {
    return this.#readAt === undefined;
  }

  begin(): Promise<void> {
    return (this.#begun ??= this.#read());
  }

  watch(listener: Watched): void {
    this.#listeners.add(listener);
    listener.heldChanged = () => {
      this.#left = undefined;
      // the next order says it by itself
      if (this.#orders > 0) this.#tellHeld();
    };
    listener.calledAbout = (objectId) => {
      for (const { url, goOn } of this.#awaiting) if (isIn(url, objectId)) goOn();
    };
  }

  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    if (this.#readAt !== undefined) return machineClock.sleep(delayMs, signal);
    await sleepBeside(
      delayMs,
      (over) => this.#slept(delayMs, over),
      () => [...this.#members].some(({ isGuest }) => !isGuest),
      signal,
    );
  }

  async #slept(delayMs: number, signal: AbortSignal): Promise<void> {
    await Promise.race([this.#timers.sleep(this.#now + delayMs, signal), this.#failed.promise]);
  }

  async join(signal: AbortSignal, { isGuest = false }: JoinOptions = {}): Promise<Participant> {
    const member: Member = { waits: 0, isGuest };
    const leave = (): void => {
      this.#left = undefined;
      this.#members.delete(member);
      signal.removeEventListener('abort', leave);
    };
    this.#members.add(member);
    signal.addEventListener('abort', leave, { once: true });
    await (this.#taken ??= this.#takeOver());
    return {
      until: (promise, withinMs) =>
        this.#waiting(
          member,
          untilSlept(promise, (over) => this.#slept(withinMs, over), signal),
        ),
      through: (run) => this.#waiting(member, this.#beside(run)),
      beside: (run) => this.#beside(run),
      leave,
    };
  }

  async still<T>(run: () => Promise<T>): Promise<T> {
    this.#stills += 1;
    return run().finally(() => {
      this.#left = undefined;
      this.#stills -= 1;
    });
  }

  async letGoOn(): Promise<void> {
    await this.#driven;
    if (!this.standsStill || this.#ran !== true || this.#members.size > 0) return;
    this.#left = undefined;
    await this.#around.control.letRun();
    const { now, running = false } = await this.#around.control.state();
    if (!running || this.#members.size > 0) return;
    this.#taken = undefined;
    this.#now = now;
    this.#readAt = performance.now();
    this.#set(now, true);
  }

  /** Lets time run again where the run has stopped it. */
  async close(): Promise<void> {
    this.#closed = true;
    // an order that is under way would stop it again
    await within(longestFarewellMs, Promise.allSettled([this.#taken, this.#driven]));
    if (this.standsStill && this.#ran !== false) await this.#around.control.letRun();
    await this.#around.control.close();
  }

  async #read(): Promise<void> {
    const { now, running } = await this.#around.control.state();
    this.#ran = running;
    this.#now = now;
    this.#readAt = performance.now();
    this.#set(now, true);
  }

  async #takeOver(): Promise<void> {
    await this.begin();
    const { now } = await this.#around.control.takeOver();
    this.#now = now;
    this.#readAt = undefined;
    this.#set(now, false);
  }

  #set(now: number, goesOn: boolean): void {
    this.#around.log?.set(now, goesOn);
    this.#readings.push({ at: performance.now(), now, goesOn });
    if (this.#readings.length > mostReadings) this.#readings = this.#readings.slice(mostReadings / 2);
  }

  async #waiting<T>(member: Member, promise: Promise<T>): Promise<T> {
    this.#left = undefined;
    member.waits += 1;
    if (!this.#driving) this.#driven = this.#drive();
    try {
      return await Promise.race([promise, this.#failed.promise]);
    } finally {
      this.#left = undefined;
      member.waits -= 1;
    }
  }

  /** Where a call is being answered during a move the service is already there. */
  #beside<T>(run: () => Promise<T>): Promise<T> {
    return letTimePass(run, {
      moved: async () => (this.#isQuiet() ? this.#move : undefined),
      onCall: (url, goOn) => {
        const one = { url, goOn };
        this.#awaiting.add(one);
        return () => void this.#awaiting.delete(one);
      },
    });
  }

  /** One driver at a time moves the clock, until nobody takes part any more. */
  async #drive(): Promise<void> {
    this.#driving = true;
    try {
      while (this.#members.size > 0 && !this.#closed) {
        await turns(turnsToSettle);
        const isIdle = this.#isIdle();
        if (isIdle && (await this.#step())) continue;
        const from = performance.now();
        await sleep(lookAgainMs);
        if (!isIdle) this.#heldUpMs += performance.now() - from;
      }
    } catch (error) {
      this.#failed.reject(error instanceof PreconditionFailed ? error : await this.#unmoved(error));
    } finally {
      this.#driving = false;
    }
  }

  /** An order that is not answered mostly waits for calls that the service counts and nobody keeps open. */
  async #unmoved(cause: unknown): Promise<PreconditionFailed> {
    const state = await within(longestFarewellMs, this.#around.control.state()).catch(() => undefined);
    const counted =
      state?.calls === undefined
        ? ''
        : `; it tells calls: ${state.calls}, and the suite keeps ${this.#held()} open: it has to answer as soon as no others are under way, and no other run may move it meanwhile (docs/control.md)`;
    return new PreconditionFailed(`a clock that can be moved (${String(cause)}${counted})`);
  }

  #isIdle(): boolean {
    const everybodyWaits = [...this.#members].every(({ waits }) => waits > 0);
    const nobodyGoesOn = (everybodyWaits && this.#around.requestsUnderWay() === 0) || this.#around.isLockedOut?.();
    return this.#members.size > 0 && this.#stills === 0 && nobodyGoesOn === true && this.#isQuiet();
  }

  #isQuiet(): boolean {
    return [...this.#listeners].every(({ busy }) => busy === 0);
  }

  #held(): number {
    return [...this.#listeners].reduce((sum, { held }) => sum + held, 0);
  }

  /** To the next timer, ours or that of the service; what they set off is let come to rest. Returns whether time moved. */
  async #step(): Promise<boolean> {
    const { now, next } = await this.#stateAtRest();
    const due = Math.max(now, Math.min(next, this.#timers.next()));
    if (!this.#isIdle() || due === Infinity) return false;
    const isHere = due === this.#now;
    const at =
      isHere && (now < due || this.#movesHere % movesBeforeBeyond === movesBeforeBeyond - 1) ? due + beyondMs : due;
    this.#movesHere = isHere ? this.#movesHere + 1 : 0;
    if (this.#movesHere > mostMovesToOneTime)
      throw new PreconditionFailed(
        `a clock that lets go off what is due: it was moved on to ${at} ms in ${mostMovesToOneTime} steps, and tells of a timer at ${next} ms still (docs/control.md: what is due at that very time has to go off)`,
      );
    this.#now = at;
    this.#set(at, false);
    this.#left = undefined;
    const requests = this.#around.requestsSent();
    const move = this.#toldAgain(this.#around.control.moveTo(at, this.#held()));
    this.#move = move.catch(() => undefined);
    const state = await move;
    this.#left = { state, requests };
    while (!this.#isQuiet()) await sleep(1);
    this.#around.log?.wake(at);
    if (this.#timers.wake(at)) this.#left = undefined;
    return true;
  }

  /** A word about held calls may overtake the move, or be lost with its connection: so it is said again until the move is over. */
  async #toldAgain<T>(move: Promise<T>): Promise<T> {
    const again = setInterval(() => this.#tellHeld(), tellAgainMs);
    const from = performance.now();
    this.#orders += 1;
    return move.finally(() => {
      this.#orders -= 1;
      clearInterval(again);
      this.#orderedMs += Math.min(longestWayMs, performance.now() - from);
    });
  }

  /** Calls that arrive or end together are told together. */
  #tellHeld(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      void this.#around.control.hold(this.#held()).catch(() => undefined);
    });
  }

  /**
   * More calls there than are held here: one is about to arrive or to end. Fewer: one was given up there, and the end of its connection is
   * still on its way. A move by no time is answered once the service rests: what it began just now must not arrive after the next time was
   * set here. Whoever counts otherwise, because of calls to others or calls that it does not tell, is waited for once. The counts also agree
   * while one call is about to end and another to arrive, so nothing may happen here for some turns after them. A service that rested at the end
   * of the last move rests still, as long as nobody here did anything.
   */
  async #stateAtRest(): ReturnType<ClockControl['state']> {
    const until = performance.now() + disagreeMs;
    const left = this.#left?.requests === this.#around.requestsSent() ? this.#left.state : undefined;
    if (left !== undefined && (left.calls ?? this.#held()) - this.#held() === this.#usualSurplus) return left;
    for (let look = 1; ; look += 1) {
      const requests = this.#around.requestsSent();
      const state = await this.#toldAgain(this.#around.control.takeOver(this.#held()));
      const surplus = (state.calls ?? this.#held()) - this.#held();
      const isOver = look >= fewestLooks && performance.now() > until;
      if (surplus === 0 || isOver) this.#usualSurplus = surplus;
      if (surplus === this.#usualSurplus) {
        const seen = { state, requests };
        this.#left = seen;
        await turns(turnsToSettle);
        if (this.#left === seen || !this.#isIdle()) return state;
      }
      await sleep(1);
    }
  }
}

/** Whether an id stands in an address, percent-encoded where it has to be. */
function isIn(url: string, id: string): boolean {
  return url.includes(id) || url.includes(encodeURIComponent(id));
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The clock of the service as it stands. */
export interface ClockState {
  /** ms since the epoch. */
  readonly now: number;
  /** Due time of the earliest timer; Infinity without any. */
  readonly next: number;
  /** Calls of the service to others that are under way, where it tells. */
  readonly calls?: number;
  /** Whether time passes by itself, where it tells. */
  readonly running?: boolean;
}

/** So long may nothing listen where a clock has answered before, in ms of real time: its service may be starting again. A restart that the suite asked for takes what it takes. */
const longestStartMs = 5000;

/** Between two looks whether it has, in ms. */
const startedPauseMs = 50;

/** So long may a service take to be left, in ms of real time. */
const longestFarewellMs = 2000;

/** To move to the same time twice is to move once, and without an order all schedules would end. */
const unrecorded: Sender = { reuse: true, retries: [], mayLose: 4, add: () => undefined };

/** The clock of a service that can be moved from outside. */
export class ClockControl {
  readonly #client: HttpClient;
  readonly #url: string;
  readonly #token: string | undefined;
  readonly #profile: Profile;
  #hasAnswered = false;

  constructor(profile: Profile, client: HttpClient) {
    this.#client = client;
    this.#profile = profile;
    this.#url = absoluteUrl(profile, profile.time?.control?.url ?? '/_control/clock');
    this.#token = profile.time?.control?.token;
  }

  async state(): Promise<ClockState> {
    return stateFrom(await this.#send('GET'));
  }

  /** Time runs by itself until it is moved for the first time. Returns when it stands still, and everything but `held` calls has settled. */
  async takeOver(held = 0): Promise<ClockState> {
    return stateFrom(await this.#send('POST', { by: 0, held }));
  }

  /**
   * Moves to that time, firing what is due on the way. Returns when everything that fired has settled, but for `held` calls, which the
   * suite does not answer before more time has passed.
   */
  async moveTo(at: number, held: number): Promise<ClockState> {
    return stateFrom(await this.#send('POST', { to: at, held }));
  }

  /** Tells how many calls the suite keeps open, also while a move is under way. */
  async hold(held: number): Promise<void> {
    await this.#send('POST', { held });
  }

  /** Lets time run by itself from where it stands; a service that cannot, or is gone, is left as it is. */
  async letRun(): Promise<void> {
    const told = this.#send('POST', { run: true, held: 0 }).catch(() => undefined);
    await within(longestFarewellMs, told);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #send(method: string, body?: object): Promise<Reply> {
    const headers: (readonly [string, string])[] = body === undefined ? [] : [['Content-Type', 'application/json']];
    if (this.#token !== undefined) headers.push(['Authorization', `Bearer ${this.#token}`]);
    const request = { method, url: this.#url, headers, ...(body && { body: Buffer.from(JSON.stringify(body)) }) };
    const reply = replyOf(await this.#sendWhenBack(request), this.#url);
    if (isSuccess(reply.status)) return reply;
    throw new PreconditionFailed('a clock that can be moved: correct time.control in the profile', reply);
  }

  async #sendWhenBack(request: WireRequest, since = performance.now()): Promise<WireAnswer> {
    try {
      const answer = await this.#client.send(request, unrecorded);
      this.#hasAnswered = true;
      return answer;
    } catch (error) {
      if (!(error instanceof TargetUnreachable)) throw error;
      const back = restarted(this.#profile);
      if (back !== undefined) {
        await back;
        return this.#sendWhenBack(request);
      }
      const mayStart = this.#hasAnswered && performance.now() - since < longestStartMs;
      if (!mayStart) throw error;
      await sleep(startedPauseMs);
      return this.#sendWhenBack(request, since);
    }
  }
}

function stateFrom(reply: Reply): ClockState {
  const state: object = typeof reply.json === 'object' && reply.json !== null ? reply.json : {};
  const now: unknown = Reflect.get(state, 'now');
  const timers: unknown = Reflect.get(state, 'timers');
  const calls: unknown = Reflect.get(state, 'calls');
  if (typeof now !== 'number' || !Array.isArray(timers))
    throw new PreconditionFailed('a clock that tells now and its timers', reply);
  const running: unknown = Reflect.get(state, 'running');
  const due = timers.map((timer: unknown) => Number(Reflect.get(Object(timer), 'at')));
  return {
    now,
    next: Math.min(...due, Infinity),
    ...(typeof calls === 'number' && { calls }),
    ...(typeof running === 'boolean' && { running }),
  };
}
