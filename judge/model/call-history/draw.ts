import { plentyOfExecutions } from '../../extension/extension.ts';
import { longestGapBefore } from './due.ts';
import type { Answer, CalleeKind, CalleePlan, CallHistory, CallPlan, Happening, Stated } from './history.ts';
import { Dice } from '../../case/dice.ts';

/** What the target, and the time that there is, allow. */
export interface Scope {
  readonly kinds: ReadonlySet<CalleeKind>;
  /** Whether registrations can be updated. */
  readonly updates: boolean;
  /** Whether events can be deleted. */
  readonly deletes: boolean;
  /** Whether those that call an endpoint are events of the same route. */
  readonly deletesOfEndpoints: boolean;
  /** Whether time can be made to pass, so that hours of it cost nothing. */
  readonly jumps: boolean;
  /** Whether a callee can have a listener of its own. */
  readonly alone: boolean;
}

/** Source: extensions, Limits, rate limit */
export const usualLimit = 5;

const serverErrors = [500, 501, 502, 503, 504, 505, 507, 511, 520, 599] as const;

const clientErrors = [400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 451] as const;

const acknowledgements = [200, 201] as const;

export const methods = ['POST', 'PUT', 'PATCH'] as const;

export const targets = [
  '/hook',
  '/hook/a%20b?a=1&b=x%20y&a=2&c=%26%3D%2B%25%3F',
  '/access_token?a=1',
  '/hook?access_token_type=jwt&my_access_token=1&token=2',
] as const;

/** More than after which twice as many seconds as before would fit into 32 bits. */
const mostRetries = 36;

/** Minutes of a token: such as end within a history, and such as do not. */
const lifeTimes = [1, 2, 300, 1440] as const;

const queued: readonly CalleeKind[] = ['event', 'mail', 'task', 'simple endpoint', 'trusted endpoint'];

/** Seconds that are more than a minute, and more than what is waited without any being said. */
const longTimeouts = { beyondMinute: 70, beyondUsual: 130 } as const;

/** What is behind the last happening: longer than any gap that a sixth retry would have, and what fits into a run in real time. */
const watchedMs = { jumping: 140_000, real: 12_000 } as const;

const second = 1000;

/** A history that follows from a seed: each callee has a story of its own, and they all happen at the same time. */
export function drawHistory(seed: number, scope: Scope): CallHistory {
  const story = new Story(new Dice(seed), scope);
  const { dice } = story;
  for (const kind of queued) tellRetries(story, kind);
  tellUpdates(story, 'event');
  tellUpdates(story, dice.pick(['event', 'mail']));
  for (const kind of ['simple endpoint', 'trusted endpoint'] as const) tellUpdates(story, kind);
  tellToggles(story, 'event');
  for (const kind of ['simple endpoint', 'trusted endpoint'] as const) tellToggles(story, kind);
  tellDeletions(story);
  const limit = dice.pick([1, 2, 3]);
  // two of one limit have one each
  for (const _callee of ['first', 'second']) tellBursts(story, 'event', limit);
  tellBursts(story, dice.pick(['event', 'mail']), dice.pick([4, 5, 8]));
  tellBursts(story, dice.pick(['simple endpoint', 'trusted endpoint']), dice.pick([1, 2, 3]));
  tellValidations(story);
  tellActions(story);
  tellTokens(story, dice.pick(['event', 'mail', 'trusted endpoint']));
  for (const bare of [0, dice.pick([1, 2, 3, 4])]) tellBare(story, bare);
  story.add({ at: 45 * second, callee: 0, kind: 'use tokens', ofAll: true });
  if (scope.jumps) {
    tellLongWait(story, 'event', longTimeouts.beyondUsual);
    const seconds = dice.pick([longTimeouts.beyondMinute, longTimeouts.beyondUsual]);
    tellLongWait(story, dice.pick(['simple endpoint', 'trusted endpoint']), seconds);
    tellNeighbours(story, dice.pick(['simple endpoint', 'trusted endpoint']));
    tellEndless(story, 'event', mostRetries);
    tellEndless(story, dice.pick(['mail', 'simple endpoint', 'trusted endpoint']), dice.pick([7, 11, 14]));
  }
  return story.told();
}

/** What is told of the callees so far. */
class Story {
  readonly dice: Dice;
  readonly scope: Scope;
  readonly #callees: CalleePlan[] = [];
  readonly #happenings: Happening[] = [];
  #untilMs = 0;

  constructor(dice: Dice, scope: Scope) {
    this.dice = dice;
    this.scope = scope;
  }

  /** Undefined where the target has none of the kind. */
  callee(
    kind: CalleeKind,
    stated: Partial<Stated> = {},
    { isAlone = false, ...special }: Partial<Pick<CalleePlan, 'isAlone' | 'bare' | 'isNeighbour'>> = {},
  ): number | undefined {
    if (!this.scope.kinds.has(kind)) return undefined;
    const isEndpoint = kind.endsWith('endpoint');
    this.#callees.push({
      kind,
      isAlone: isAlone && this.scope.alone && !isEndpoint,
      ...special,
      stated: {
        settings: { rateLimitNumberOfExecutions: plentyOfExecutions },
        tokenLifeTime: this.dice.pick(lifeTimes),
        active: true,
        target: isEndpoint ? this.dice.pick(targets) : 'first',
        method: isEndpoint ? this.dice.pick(methods) : 'POST',
        header: 'first',
        key: 0,
        ...stated,
      },
    });
    return this.#callees.length - 1;
  }

  add(...happenings: readonly Happening[]): void {
    this.#happenings.push(...happenings);
  }

  call(answers: readonly Answer[]): CallPlan {
    return drawCall(this.dice, answers);
  }

  /** A trigger of the callee, after so many seconds. */
  trigger(callee: number, at: number, answers: readonly Answer[], more: Partial<CallPlan> = {}): void {
    this.add({ at: at * second, callee, kind: 'trigger', call: { ...this.call(answers), ...more } });
  }

  /** The history goes on at least until then. */
  watch(untilMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, untilMs);
  }

  told(): CallHistory {
    const happenings = this.#happenings.toSorted((one, other) => one.at - other.at);
    const leastMs = this.scope.jumps ? watchedMs.jumping : watchedMs.real;
    const beyondMs = this.#untilMs - (happenings.at(-1)?.at ?? 0);
    return { callees: this.#callees, happenings, watchedMs: Math.max(leastMs, beyondMs) };
  }
}

/** A trigger of any content. */
export function drawCall(dice: Dice, answers: readonly Answer[]): CallPlan {
  return {
    answers,
    isOfSecondUser: dice.below(2) === 1,
    isElsewhere: dice.below(4) === 0,
    correlation: dice.pick(['id', 'id', 'text', 'none']),
    day: dice.below(20) + 1,
    module: 'none',
    content: dice.below(20),
  };
}

/** One that fails in several ways and recovers, one beside it, one that fails for good, and one that is never acknowledged. */
function tellRetries(story: Story, kind: CalleeKind): void {
  const { dice, scope } = story;
  const callee = story.callee(kind, { settings: { ...settingsOf(dice), requestTimeout: 3 } }, { isAlone: true });
  if (callee === undefined) return;
  const add = (at: number, answers: readonly Answer[]): void => story.trigger(callee, at, answers);
  const again = (count: number): readonly Answer[] => failures(dice, count, scope.alone && !kind.endsWith('endpoint'));
  add(0, [...again(dice.pick([2, 3])), { status: dice.pick([201, 201, 200]) }]);
  // an extension may be given its tasks one after the other
  if (kind === 'task') return;
  add(3, [...again(dice.pick([1, 2])), { status: dice.pick(acknowledgements) }]);
  add(50, [...again(dice.pick([0, 1, 2])), { status: dice.pick(clientErrors) }]);
  if (!scope.jumps) return;
  for (const status of clientErrors) add(60, [...again(1), { status }]);
  add(100, again(dice.pick([1, 2, 3, 4, 5])));
  add(dice.pick([104, 300]), [...again(1), { status: dice.pick(acknowledgements) }]);
}

function settingsOf(dice: Dice): Stated['settings'] {
  return { rateLimitNumberOfExecutions: plentyOfExecutions, ...dice.pick([{}, { retryForever: false }]) };
}

/** Answers after which a call is made again, of different kinds. */
function failures(dice: Dice, count: number, mayCut: boolean): readonly Answer[] {
  const statuses = dice.some(serverErrors, count).map((status): Answer => ({ status }));
  const others: readonly Answer[] = [{ status: 408 }, ...(mayCut ? [{ cut: true as const }] : []), { never: true }];
  return statuses.map((status) => (dice.below(2) === 0 ? status : dice.pick([{ status: 408 }, ...others])));
}

/** Updates between two attempts, between two calls and once more, of each member that a call shows. */
function tellUpdates(story: Story, kind: CalleeKind): void {
  const { dice, scope } = story;
  const callee = story.callee(kind);
  if (callee === undefined) return;
  const add = (at: number, answers: readonly Answer[]): void => story.trigger(callee, at, answers);
  const update = (at: number, change: Partial<Stated>): void => {
    if (scope.updates) story.add({ at: at * second, callee, kind: 'update', change });
  };
  add(1, [{ status: 200 }]);
  add(2, [...failures(dice, 3, false).map(plainly), { status: dice.pick(acknowledgements) }]);
  update(5, changeOf(dice, kind, 1));
  add(6, [{ status: dice.pick(serverErrors) }, { status: 200 }]);
  update(25, {
    ...changeOf(dice, kind, 2),
    settings: { rateLimitNumberOfExecutions: plentyOfExecutions, requestTimeout: 2 },
  });
  add(26, [{ never: true }, { status: 201 }]);
  update(40, { ...changeOf(dice, kind, 3), settings: { rateLimitNumberOfExecutions: plentyOfExecutions } });
  add(41, [{ status: 408 }, { status: dice.pick(serverErrors) }, { status: dice.pick(clientErrors) }]);
  add(42, [{ status: 200 }]);
}

/** A timeout says little of what follows. */
function plainly(answer: Answer): Answer {
  return answer.never === true ? { status: 503 } : answer;
}

function changeOf(dice: Dice, kind: CalleeKind, turn: number): Partial<Stated> {
  const tokenLifeTime = dice.pick(lifeTimes);
  if (!kind.endsWith('endpoint')) return { key: turn, tokenLifeTime, target: `turn-${turn}` };
  return { tokenLifeTime, target: dice.pick(targets), method: dice.pick(methods), header: `turn ${turn}` };
}

/** Switched off and on, twice. */
function tellToggles(story: Story, kind: CalleeKind): void {
  const { dice, scope } = story;
  const callee = story.callee(kind);
  if (callee === undefined || !scope.updates) return;
  const add = (at: number): void => story.trigger(callee, at, [{ status: dice.pick(acknowledgements) }]);
  add(1);
  for (const from of [4, 24]) {
    story.add({ at: from * second, callee, kind: 'update', change: { active: false } });
    add(from + 2);
    story.add({ at: (from + 10) * second, callee, kind: 'update', change: { active: true } });
    add(from + 12);
  }
}

/** Of events that fail the one is deleted after some attempts, the other is not. */
function tellDeletions(story: Story): void {
  const { dice, scope } = story;
  if (!scope.deletes) return;
  // between two attempts of each: the first comes at once, the others after 2, 6 and 14 s
  const events = dice.some([1, 4, 9, 20], 2).map((after) => ({ kind: 'event', after }) as const);
  const ofEndpoint = { kind: dice.pick(['simple endpoint', 'trusted endpoint'] as const), after: dice.pick([1, 4, 9]) };
  for (const { kind, after } of scope.deletesOfEndpoints ? [...events, ofEndpoint] : events) {
    const callee = story.callee(kind, { settings: { ...settingsOf(dice), retryForever: dice.below(2) === 1 } });
    if (callee === undefined) continue;
    const failing = [...failures(dice, 4, false).map(plainly), { status: 503 }, { status: 200 }];
    for (const _event of ['deleted', 'beside']) story.trigger(callee, 1, failing);
    story.add({ at: (1 + after) * second, callee, kind: 'delete', back: dice.below(2) });
  }
}

/** More at once than the limit, twice where there is the time; an update changes the limit in between. */
function tellBursts(story: Story, kind: CalleeKind, limit: number): void {
  const { dice, scope } = story;
  const forEver = dice.below(2) === 1 ? { retryForever: true } : {};
  const settings = { ...forEver, ...limitedTo(limit) };
  const callee = story.callee(kind, { settings, tokenLifeTime: 300 });
  if (callee === undefined) return;
  const isDeleted = scope.deletes && (kind === 'event' || (kind.endsWith('endpoint') && scope.deletesOfEndpoints));
  const burst = (at: number, count: number): void => {
    story.add({ at: at * second, callee, kind: 'burst', count, call: story.call([{ status: 200 }]) });
    if (isDeleted) story.add({ at: (at + 10) * second, callee, kind: 'delete', back: dice.below(count) });
  };
  const beyond = limit < 4 && scope.jumps ? 2 * limit + 1 : limit + 1;
  burst(1, beyond);
  if (!scope.jumps) return;
  if (limit < 4) story.add({ at: 390 * second, callee, kind: 'use tokens' });
  burst(400, beyond + 1);
  if (!scope.updates) return;
  const next = dice.pick([1, 2, usualLimit]);
  story.add({ at: 700 * second, callee, kind: 'update', change: { settings: { ...forEver, ...limitedTo(next) } } });
  burst(780, next + 1);
}

/** The usual limit is not stated. */
function limitedTo(limit: number): Stated['settings'] {
  return limit === usualLimit ? {} : { rateLimitNumberOfExecutions: limit };
}

/** A retry behind the trigger of another user, and a call whose token outlives that of the calls before. */
function tellTokens(story: Story, kind: CalleeKind): void {
  const { dice, scope } = story;
  const callee = story.callee(kind, { tokenLifeTime: 3 });
  if (callee === undefined) return;
  const failing = failures(dice, 2, false).map(plainly);
  story.trigger(callee, 1, [...failing, { status: 200 }], { isOfSecondUser: false });
  story.trigger(callee, 2, [{ status: dice.pick(acknowledgements) }], { isOfSecondUser: true });
  story.add({ at: 12 * second, callee, kind: 'use tokens' });
  if (!scope.jumps) return;
  for (const isOfSecondUser of [false, true]) story.trigger(callee, 100, [{ status: 200 }], { isOfSecondUser });
  story.add({ at: 200 * second, callee, kind: 'use tokens' });
}

/** A content without members, at first and on a retry. */
function tellBare(story: Story, bare: number): void {
  const { dice } = story;
  const callee = story.callee(dice.pick(['simple endpoint', 'trusted endpoint']), {}, { bare });
  if (callee === undefined) return;
  const answers = [...failures(dice, 1, false).map(plainly), { status: dice.pick(acknowledgements) }];
  story.trigger(callee, 1, answers);
}

/** An answer that does not come for longer than a minute. */
function tellLongWait(story: Story, kind: CalleeKind, requestTimeout: number): void {
  const callee = story.callee(kind, { settings: { rateLimitNumberOfExecutions: plentyOfExecutions, requestTimeout } });
  if (callee === undefined) return;
  story.trigger(callee, 200, [{ never: true }, { status: story.dice.pick(acknowledgements) }]);
}

/** Two endpoints of one address, each with as much as its limit allows at the same time. */
function tellNeighbours(story: Story, kind: CalleeKind): void {
  const { dice } = story;
  const limit = dice.pick([1, 2, 3]);
  const stated = { settings: limitedTo(limit), target: dice.pick(targets), method: dice.pick(methods) };
  for (const isNeighbour of [false, true]) {
    const header = isNeighbour ? 'beside' : 'first';
    const callee = story.callee(kind, { ...stated, header }, isNeighbour ? { isNeighbour } : {});
    if (callee === undefined) return;
    const call = story.call([{ status: 200 }]);
    story.add({ at: second, callee, kind: 'trigger', call });
    story.add({ at: 400 * second, callee, kind: 'burst', count: limit + Number(!isNeighbour), call });
  }
}

/** Verdicts on several objects, after failures, and on one object again after it was edited. */
function tellValidations(story: Story): void {
  const { dice, scope } = story;
  const wording = dice.below(20);
  for (const retryForever of [false, true]) {
    const callee = story.callee('validation', {
      settings: { rateLimitNumberOfExecutions: plentyOfExecutions, retryForever },
    });
    if (callee === undefined) return;
    const add = (at: number, answers: readonly Answer[], again: boolean): void =>
      story.add({ at: at * second, callee, kind: 'trigger', call: story.call(answers), again });
    const failing = (count: number): readonly Answer[] => failures(dice, count, false).map(plainly);
    const invalid = story.call([...failing(dice.pick([1, 2])), { status: 200, isValid: false }]);
    // the one without a word, the other with any
    const content = retryForever ? wording : 0;
    story.add({ at: second, callee, kind: 'trigger', call: { ...invalid, content } });
    add(20, [{ status: 200, isValid: true }], true);
    story.add({ at: 22 * second, callee, kind: 'edit' });
    add(23, [...failing(3), { status: 200, isValid: dice.below(2) === 0 }], true);
    add(44, [...failing(1), { status: 503 }], false);
    story.trigger(callee, 60, [...failing(1), { status: 200, isValid: true }], { module: 'with selection' });
    // a service may ask again
    const turns = retryForever ? [2, 3, 4] : [0, 1];
    for (const [index, turn] of (scope.jumps ? turns : turns.slice(0, 1)).entries())
      story.trigger(callee, 70 + 20 * index, [{ isMalformed: true }], { content: wording + turn });
  }
}

/** Actions on one object that is edited in between, outside and inside the context object module. */
function tellActions(story: Story): void {
  const callee = story.callee('action');
  if (callee === undefined) return;
  for (const [index, module] of (['none', 'with selection', 'without selection', 'none'] as const).entries()) {
    const at = 1 + 4 * index;
    const call = { ...story.call([{ status: 200 }]), module, correlation: 'id' as const };
    story.add({ at: at * second, callee, kind: 'trigger', call, again: index > 0 });
    story.add({ at: (at + 1) * second, callee, kind: 'edit' });
  }
}

function lateFor(gapMs: number): number {
  return gapMs * 1.05 + 250;
}

/** Tried for ever until it is acknowledged, while another one comes and goes. @param retries before that */
function tellEndless(story: Story, kind: CalleeKind, retries: number): void {
  const { dice } = story;
  const settings = { rateLimitNumberOfExecutions: plentyOfExecutions, retryForever: true };
  const callee = story.callee(kind, { settings, tokenLifeTime: 1440 });
  if (callee === undefined) return;
  const failing = failures(dice, 7, false).map(plainly);
  const many = Array.from({ length: retries }, (_, index) => failing[index % failing.length] ?? {});
  const end = { status: dice.pick([200, 201, 404]) };
  const gapsMs = many.map((_answer, index) => longestGapBefore(index + 1));
  story.watch(gapsMs.reduce((sum, gapMs) => sum + lateFor(gapMs), 0) + longestGapBefore(retries + 1));
  story.trigger(callee, 1, [...many, end]);
  story.trigger(callee, 200, [...failing.slice(0, 2), { status: 200 }]);
  for (const status of clientErrors) story.trigger(callee, 210, [...failing.slice(0, 1), { status }]);
}
