import { isDeepStrictEqual } from 'node:util';
import type { RuleId } from '../../contract/rule.ts';
import type { Observation, Timeline } from '../outcome.ts';
import { type Exchange, headerIn, type Reply } from '../exchange.ts';
import type { Sent, WireRequest } from '../client/wire.ts';
import type { ConductLog } from './conduct.ts';
import { partHere, runAs } from './part.ts';
import { Waits } from './waits.ts';
import type { Called } from '../repeat/calls.ts';
import { type TimedSent, unansweredYet } from '../repeat/kind.ts';
import type { Trace } from './trace.ts';
import type { Violation } from '../violation.ts';
import { within } from '../time/real-time.ts';

const usuallyKept = 80;

/** Creations that are known beyond that, for what is asked of their objects later. */
const creationsKnown = 400;

interface RecordOptions {
  /** What happened before, in an attempt that this one repeats. */
  readonly retries?: readonly string[];
  readonly conduct?: ConductLog | undefined;
  /** Hears every exchange, where somebody wants to know what they reach. */
  readonly onSent?: ((sent: Sent) => void) | undefined;
  /** What the requests say of where they come from. */
  readonly trace?: Trace | undefined;
  /** Where those who limit the time of the case see what it waits for. */
  readonly waits?: Waits;
  /** Least wait for a service to put to use what it was told, in ms. */
  readonly patienceMs?: number;
  /** What is waited for behind each change and removal of a registration, in ms. */
  readonly changeMs?: number;
  /** How often each request is sent again where its connection was lost. */
  readonly mayLose?: number | undefined;
  /** Whether a rule is judged by it. */
  readonly isOfRule?: boolean;
}

/** Around the cases, where nobody judges what is sent, a connection may be lost so often under one request. */
export const unjudged: RecordOptions = { mayLose: 3 };

/** What happens while one case runs. */
export class CaseRecord {
  assertions = 0;
  exchanges = 0;
  readonly observations: Observation[] = [];
  readonly remarks: string[] = [];
  readonly retries: string[] = [];
  /** By what they are about, such as the first call. */
  readonly timelines = new Map<object, Timeline>();
  /** Rules on which the engine itself leaned while the case ran: when one of them is broken, a breach seen here proves nothing. */
  readonly leansOn = new Set<RuleId>();
  /** The first difference from what the profile binds; judged when the case has ended, so that it records everything first. */
  breach: Violation | undefined;
  /** Hears what the case does, where somebody wants to know. */
  readonly conduct: ConductLog | undefined;
  readonly trace: Trace | undefined;
  readonly waits: Waits;
  /** Until when what was registered may not be put to use yet, by a service that does so after its answer; monotonic, in ms. */
  settlesAt = 0;
  /** Of each extension that such a service got: whether it was not called yet. */
  readonly settling: (() => boolean)[] = [];
  /** What the case let the service call. */
  readonly called: Called[] = [];
  /** What it did otherwise than by requests. */
  readonly deeds: TimedSent[] = [];
  /** Least wait for such a service, in ms. */
  readonly patienceMs: number;
  readonly changeMs: number;
  /** Whether a registration was changed or removed, which a service may put to use a little behind its answer. */
  hasChanged = false;
  /** How long was waited behind such changes, in ms. */
  waitedMs = 0;
  /** Whether the case is over, and tidies up. */
  isEnding = false;
  readonly mayLose: number | undefined;
  readonly isOfRule: boolean;
  /** Whether something was looked for that was not there within its time, most of which the machine took. */
  lookedInVain = false;
  /** What somebody before the service answered in its place: the last of such answers, and of those to a write, which may have taken effect. */
  readonly inPlace: { any?: Reply; toWrite?: Reply } = {};
  /** Kinds of the writes that were answered so. */
  readonly writesInPlace = new Set<string>();
  /** Whether connections may serve more than one request. */
  reuse: boolean;
  readonly #onSent: ((sent: Sent) => void) | undefined;
  readonly #endings: (() => Promise<void>)[] = [];
  /** What was sent before the first generated run began, as far as it is kept. */
  prelude: readonly Sent[] = [];
  /** What had no answer yet when the case ended. */
  unanswered: readonly Sent[] = [];
  readonly #underWay = new Map<WireRequest, number>();
  #hasBegun = false;
  #history: Sent[] = [];
  /** What made an object and was pushed out of the history, by the id in its Location. */
  readonly #creations = new Map<string, Sent>();
  #kept = usuallyKept;

  constructor(
    reuse: boolean,
    {
      retries = [],
      conduct,
      onSent,
      trace,
      waits = new Waits(),
      patienceMs = 0,
      changeMs = 0,
      mayLose,
      isOfRule = false,
    }: RecordOptions = {},
  ) {
    this.reuse = reuse;
    this.conduct = conduct;
    this.#onSent = onSent;
    this.trace = trace;
    this.waits = waits;
    this.patienceMs = patienceMs;
    this.changeMs = changeMs;
    this.mayLose = mayLose;
    this.isOfRule = isOfRule;
    this.retries.push(...retries);
  }

  /** @param sentAt as of its exchange */
  noteAsked(request: WireRequest, sentAt: number): void {
    this.#underWay.set(request, sentAt);
  }

  add(sent: Sent): void {
    this.#underWay.delete(sent.request);
    this.exchanges += 1;
    this.#onSent?.(sent);
    this.trace?.note(sent);
    if (sent.request.arrived !== true) this.conduct?.request(sent.request);
    // who asks until something is there pushes nothing else out
    const known = saysNothingNew(this.#history.at(-1), sent)
      ? this.#history.length - 1
      : middleAlike(this.#history, sent);
    if (known !== -1) this.#history.splice(known, 1);
    this.#history.push(sent);
    const first = this.#history.length > this.#kept ? this.#history.shift() : undefined;
    if (first !== undefined) this.#rememberCreation(first);
  }

  /** Who looks until something is there pushes nothing else out either. */
  noteDeed(deed: TimedSent): void {
    const [first, second] = this.deeds.slice(-2);
    const isThird = first !== undefined && second !== undefined && isAlike(first.sent, deed.sent);
    if (isThird && isAlike(second.sent, deed.sent)) this.deeds.pop();
    this.deeds.push(deed);
  }

  /**
   * What is to be done when the case has ended, the last first, by the part that asks for it: what it does otherwise than by requests is not
   * done again in a run that is played. @param limitMs how long it may take
   */
  atEnd(work: () => Promise<void>, limitMs = 1000): void {
    const part = partHere();
    this.#endings.unshift(() => runAs(part, async () => void (await within(limitMs, work()))));
  }

  async end(): Promise<void> {
    this.isEnding = true;
    this.unanswered = [...this.#underWay].map(([request, sentAt]) => unansweredYet(request, sentAt));
    for (const ending of this.#endings.splice(0)) await ending();
  }

  /** A generated run begins: what was sent before is no part of its history, which keeps the last `kept` requests. */
  begin(kept = usuallyKept): void {
    if (!this.#hasBegun) this.prelude = this.history();
    this.#hasBegun = true;
    this.#history = [];
    this.#creations.clear();
    this.#kept = kept;
  }

  /** The last requests, oldest first, up to the one of `last` where it is known; before them what made the objects that they are about. */
  history(last?: Exchange): readonly Sent[] {
    const end = this.#history.findIndex((sent) => sent.exchange === last);
    const recent = end === -1 ? this.#history : this.#history.slice(0, end + 1);
    if (this.#creations.size === 0) return [...recent];
    const said = recent.map(({ request: { url, body = '' } }) => `${url} ${Buffer.from(body).toString()}`).join('\n');
    const creations = [...this.#creations].filter(([id]) => said.includes(id)).map(([, sent]) => sent);
    return [...creations, ...recent];
  }

  #rememberCreation(sent: Sent): void {
    const { status, headers = [] } = sent.exchange.response ?? {};
    const location = headerIn(headers, 'location');
    const id = status === 201 ? location?.split(/[?#]/, 1)[0]?.split('/').at(-1) : undefined;
    if (id === undefined || id === '') return;
    this.#creations.set(id, sent);
    const [eldest] = this.#creations.keys();
    if (this.#creations.size > creationsKnown && eldest !== undefined) this.#creations.delete(eldest);
  }
}

/** Whether a read is refused as the one just before it was. */
function saysNothingNew(before: Sent | undefined, sent: Sent): boolean {
  const status = sent.exchange.response?.status ?? 0;
  return (
    status >= 400 &&
    sent.request.method === 'GET' &&
    before?.request.method === 'GET' &&
    before.request.url === sent.request.url &&
    credentialOf(before) === credentialOf(sent) &&
    before.exchange.response?.status === status
  );
}

/**
 * The last read that was answered like this, just so, and like one before it, with nothing but reads since: of those who wait for another answer,
 * the first and the last are kept. -1 where there is none.
 */
function middleAlike(history: readonly Sent[], sent: Sent): number {
  if (sent.request.method !== 'GET') return -1;
  const since = history.findLastIndex(({ request }) => request.method !== 'GET') + 1;
  const alike = history.flatMap((one, index) => (index >= since && isAlike(one, sent) ? [index] : []));
  return alike.length < 2 ? -1 : (alike.at(-1) ?? -1);
}

function isAlike(one: Sent, other: Sent): boolean {
  const [told, again] = [one.exchange.response, other.exchange.response];
  return (
    one.request.method === 'GET' &&
    other.request.method === 'GET' &&
    one.request.url === other.request.url &&
    isDeepStrictEqual(one.request.headers, other.request.headers) &&
    told !== undefined &&
    told.status === again?.status &&
    told.body === again.body
  );
}

function credentialOf({ request }: Sent): string | undefined {
  return headerIn(request.headers, 'authorization');
}
