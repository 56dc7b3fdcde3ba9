import { drawHistory, type Scope } from '../../judge/model/call-history/draw.ts';
import { type CallHistory, ofCallee, tellCallee } from '../../judge/model/call-history/history.ts';
import { type CaseContext, holdingSchedule } from '../../judge/case.ts';
import { inForce } from '../../judge/model/call-history/due.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Call } from '../../judge/extension/call.ts';
import { callWaitMs, triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { endpointsGetEvents } from '../../judge/extension/triggers.ts';
import { rules } from '../../judge/rule.ts';
import { withBearer } from '../../judge/service/token.ts';
import { Violation } from '../../judge/violation.ts';
import { mayListenAlone } from './checks/extension-hosts.ts';
import { attemptsAt, type Callee, headerName, kindsOf, type Sent } from './histories/callees.ts';
import { expectContent, expectOwnIds, expectSigned, tokensOf } from './histories/calls.ts';
import { isTaken, outcomeMs, Play } from './histories/play.ts';
import { expectGivenUp, expectGroups, expectTimes } from './histories/times.ts';

/** Calls whose tokens are used in the middle of a history, and at its end. */
const tokensUsed = { between: 10, atTheEnd: 10 } as const;

const minuteMs = 60_000;

/** Longest tolerance of expiry that is taken for a clock that goes wrong, in ms. */
const toleranceMs = 5 * minuteMs;

/** What may pass between the issue of a token and its use, in ms. */
const lateMs = 5000;

export const callHistoryRules = rules('delivery', {
  'delivery.history.matches-model': {
    source:
      'extensions: Limits, retries, rate limit, request timeout and token validity; Errors, rules 1 and 2; Events, rules 1 to 4; Call envelope; Authentication, rules 3 and 4; Registered external endpoint, row active and the paragraph behind the table; Metadata exchange',
    statement:
      'Over any run of triggers for extensions and endpoints, answers to their attempts, updates, switching off and on, deletions and passing time, the calls that come are those that were set off, when they are due, each with what was registered and triggered.',
    fault: 'The first retry that is planned behind an update of its extension comes after 2 s, whichever it is.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['calls.token.life-time-claim', 'delivery.timeout.exhausted', 'headers.correlation-id.any-text'],
    repeats: ['registration', 'metadata', 'signing', 'calls', 'delivery'],
    test: holdingSchedule(125, async (context, { seed, asFound }) => {
      const history = drawHistory(seed, await scopeOf(context));
      const failed = await follow(context, history);
      if (failed === undefined) return;
      const alone = ofCallee(history, failed.index);
      const again = asFound === true ? undefined : await follow(context, alone);
      const { violation } = again ?? failed;
      violation.counterexample = `${tellCallee(alone, 0)} (seed ${seed}, callee ${failed.index + 1}${again === undefined ? ', beside others' : ''})`;
      throw violation;
    }),
  },
});

async function scopeOf(context: CaseContext): Promise<Scope> {
  const { routes = {} } = context.profile.all;
  const kinds = kindsOf(context, triggeredTypes(context));
  const validates = kinds.has('validation') && (await isTaken(context));
  return {
    kinds: validates ? kinds : new Set([...kinds].filter((kind) => kind !== 'validation')),
    updates: routes.registrationUpdate !== undefined,
    deletes: routes.eventDelete !== undefined,
    deletesOfEndpoints: endpointsGetEvents(context.profile.all),
    jumps: context.clock.controlled,
    alone: mayListenAlone(context),
  };
}

interface Failed {
  readonly violation: Violation;
  /** Of the callee where it showed. */
  readonly index: number;
}

/** Plays the history and compares; undefined where all is as it has to be. */
async function follow(context: CaseContext, history: CallHistory): Promise<Failed | undefined> {
  const { given } = context;
  const play = new Play(context);
  let index = 0;
  try {
    const use = await tokenUse(context);
    await play.run(history, (callees) => expectTokens(context, callees, use, tokensUsed.between));
    const firsts: (readonly [Sent, Call])[] = [];
    for (const callee of play.callees) {
      index = play.callees.indexOf(callee);
      firsts.push(...(await expectCallee(context, callee)));
    }
    given.assume(firsts.length > 0, 'a call');
    expectOwnIds(context, firsts);
    await expectTokens(context, play.callees, use, tokensUsed.atTheEnd);
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return { violation: error, index };
    throw error;
  }
}

/** Compares everything that came to one callee; the first call of each trigger. */
async function expectCallee(context: CaseContext, callee: Callee): Promise<readonly (readonly [Sent, Call])[]> {
  const { expect, notes } = context;
  const attempts = attemptsAt(callee);
  if (callee.neighbour !== undefined && ![callee, callee.neighbour].every(isCalledAsItself)) {
    notes.observe('two endpoints with one address', 'are not told apart');
    return [];
  }
  const strays = (attempts.get(undefined) ?? []).map(({ method, path }) => `${method} ${path}`);
  expect(strays, 'requests that no trigger set off').toEqual([]);
  for (const sent of callee.sent) {
    const own = attempts.get(sent) ?? [];
    expectContent(context, callee, sent, own);
    if (callee.plan.kind !== 'action') expectTimes(context, callee, sent, attempts);
    for (const attempt of own) expectGivenUp(context, callee, sent, attempt);
    await expectOutcome(context, sent, own);
  }
  for (const burst of callee.bursts) expectGroups(context, callee, burst, attempts);
  if (callee.versions[0]?.apiKey !== '') expectMetadata(context, callee);
  return callee.sent.flatMap((sent) => (attempts.get(sent) ?? []).slice(0, 1).map((call) => [sent, call] as const));
}

/** Of two registrations with one address the one may have taken the place of the other. */
function isCalledAsItself(callee: Callee): boolean {
  const [first] = callee.sent;
  const [call] = attemptsAt(callee).get(first) ?? [];
  return call?.header(headerName).join(', ') === callee.plan.stated.header;
}

/** A validated operation passes where the last attempt said so. Source: extensions, Calls to extensions, row ExternalValidation */
async function expectOutcome(
  { expect, clock }: CaseContext,
  { outcome, plan }: Sent,
  attempts: readonly Call[],
): Promise<void> {
  const reply = outcome && (await clock.until(outcome, outcomeMs));
  if (reply === undefined || attempts.length === 0) return;
  const last = plan.answers[Math.min(attempts.length, plan.answers.length) - 1];
  if (last?.isValid === true) expect(reply).toSucceed();
  else expect(reply).notToSucceed();
}

/** Metadata are asked for under the key of the registration, and at no other time. Source: extensions, Metadata exchange */
function expectMetadata({ expect }: CaseContext, { reached, versions }: Callee): void {
  for (const request of reached.calls({ kind: 'metadata' })) {
    const told = versions.filter(({ from }) => from <= request.arrivedAt);
    const since = told.at(-1)?.from ?? 0;
    expectSigned(
      { expect },
      request,
      told.filter(({ from }) => from === since),
    );
    const begin = since === -Infinity ? (reached.everything()[0]?.arrivedAt ?? 0) : since;
    const seconds = (request.arrivedAt - begin) / 1000;
    expect(seconds, 'seconds from the last registration or update to a metadata request').toSatisfy(
      `at most ${callWaitMs / 1000}`,
      (most) => most <= callWaitMs / 1000,
    );
  }
}

/** Who sets calls off, unless the profile names somebody else. */
const users: ReadonlySet<Sent['as']> = new Set(['editor', 'secondEditor'] as const);

export type TokenUse = (token: string, as: Sent['as']) => Promise<Reply>;

/** Something that the token of a user opens, and where there are two users that of the other does not; undefined where nothing is known of any. */
export async function tokenUse({ given, files, service, profile }: CaseContext): Promise<TokenUse | undefined> {
  const { files: bound, identities, softTypes, triggers } = profile.all;
  if (bound?.areas.user !== undefined) {
    const own = new Map<Sent['as'], Awaited<ReturnType<typeof given.file>>>();
    for (const as of [...users].filter((user) => identities[user] !== undefined))
      own.set(as, await given.file({ area: files.userArea(as) }));
    return (token, as) => {
      const { area, path } = given.present(own.get(as), 'a file of the user');
      return files.download(area, path, withBearer(token));
    };
  }
  if (softTypes?.primary === undefined || triggers?.subscribedAs !== undefined) return undefined;
  const thing = await given.object();
  return (token) => service.read(thing, withBearer(token));
}

/** Tokens open what their user may use up to their end, and nothing behind it, also where they were used before. */
async function expectTokens(
  context: CaseContext,
  callees: readonly Callee[],
  use: TokenUse | undefined,
  most: number,
): Promise<void> {
  const { expect, profile, clock } = context;
  const isOwned = profile.all.triggers?.subscribedAs !== undefined;
  if (use === undefined) return;
  const last = callees
    .filter(({ plan }) => !isOwned || plan.kind === 'task')
    .flatMap((callee) => [...attemptsAt(callee)].map(([sent, calls]) => ({ callee, sent, call: calls.at(-1) })));
  for (const { callee, sent, call } of spread(last, most)) {
    const [token] = call === undefined ? [] : tokensOf(call);
    if (sent === undefined || call === undefined || token === undefined || callee.plan.kind === 'simple endpoint')
      continue;
    // what others may use is not known
    if (!users.has(sent.as)) continue;
    const lives = inForce(callee.versions, sent.step, call.arrivedAt).map(
      ({ stated }) => stated.tokenLifeTime * minuteMs,
    );
    const isAlive = clock.now() < sent.sentAt + Math.min(...lives) - lateMs;
    const isOver = clock.now() > call.arrivedAt + Math.max(...lives) + toleranceMs + lateMs;
    if (isAlive) expect(await use(token, sent.as)).toSucceed();
    else if (isOver) expect(await use(token, sent.as)).notToSucceed();
  }
}

/** So many of them, from all of the list. */
function spread<T>(values: readonly T[], most: number): readonly T[] {
  const every = Math.max(1, values.length / most);
  return values.filter((_value, index) => Math.floor(index / every) !== Math.floor((index - 1) / every));
}
