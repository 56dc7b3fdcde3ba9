import { lifetimeSecondsOf } from '../../../judge/service/claims.ts';
import { gapBefore, longestGapBefore } from '../../../judge/model/call-history/due.ts';
import { comparableId } from '../../../judge/service/guid.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Changes, Reply } from '../../../judge/exchange.ts';
import type { Call, CalledType, CallFilter } from '../../../judge/extension/call.ts';
import type {
  Extension,
  ExtensionOptions,
  MetadataRecord,
  Reached,
  ScriptedAnswer,
  Step,
} from '../../../judge/extension/extension.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import { partHere } from '../../../judge/case/part.ts';
import { withCorrelationId } from '../../../judge/service/requests.ts';
import { triggeredTypes } from '../../../judge/extension/trigger-calls.ts';
import type { Thing } from '../../../judge/things.ts';
import type { Timed } from '../../../judge/time/timeline.ts';
import { eventRecord, mayListenAlone } from './extension-hosts.ts';
import { expectSameAttempts } from './queued-calls.ts';
import { expectFilterKept, hasPlaceFor } from './triggered-calls.ts';
import { within } from '../../../judge/time/real-time.ts';
import { unlessRefused } from '../../../judge/violation.ts';

/** Gaps before the retries of event, task, email and endpoint calls, in ms. Source: extensions, Limits, retries row 1 */
export const queuedGapsMs = [2000, 4000, 8000, 16_000, 32_000] as const;

/** Gaps before the retries of validations, in ms. Source: extensions, Limits, retries row 2 */
export const validationGapsMs = [2000, 4000, 8000] as const;

/** All gaps of the row with their tolerance, in ms. */
export const queuedScheduleMs = 66_000;

/** Seven attempts with the tolerance of their gaps, in ms. */
export const sevenMs = 133_000;

/** Longer than the gap that would follow the last retry, in ms. */
export const silenceMs = 68_000;

/** In ms it is no integer of 32 bits. */
export const beyondTimersSeconds = 3_000_000;

/** What "at once" may take, in ms. */
export const atOnceMs = 2000;

type Script = readonly ScriptedAnswer[];

export const acknowledged: Step = { status: 200, json: {} };

const unavailable: Step = { status: 503 };

const calledKinds = ['event', 'task', 'email', 'validation', 'action', 'endpoint'];

/** Every call gets that answer. The metadata exchange has nothing to do with it. */
export function answerAlways(step: Step = acknowledged): Script {
  return answerInTurn(step);
}

/** The calls get these answers in turn, all later ones the last of them. */
export function answerInTurn(...steps: readonly Step[]): Script {
  return calledKinds.map((kind) => ({ when: { kind }, steps: [...steps], afterwards: 'last' }));
}

/** The first calls get these answers, all later ones an acknowledgement. */
export function answerFirst(...steps: readonly Step[]): Script {
  return answerInTurn(...steps, acknowledged);
}

/** The first `count` calls are answered with 503. */
export function failFirst(count: number): Script {
  return answerFirst(...unavailableTimes(count));
}

export function unavailableTimes(count: number): readonly Step[] {
  return Array.from({ length: count }, () => unavailable);
}

export const failingForEver = answerAlways(unavailable);

/** An extension and the event that was triggered for it. */
export interface Sent {
  readonly extension: Extension;
  readonly event: Triggered;
  /** When the trigger was sent, in ms of the clock. */
  readonly since: number;
}

/** An extension of its own with that script, and an event for it. */
export async function sendTo(context: CaseContext, script: Script, options: ExtensionOptions = {}): Promise<Sent> {
  const extension = await context.given.extension({ ...options, script });
  const since = context.clock.now();
  return { extension, event: await context.triggers.event(extension), since };
}

/** An event, a task and a mail, each for a record with settings of its own that stands on its host between two events with others, the first of which was called before. */
export async function sendBeside(
  context: CaseContext,
  script: Script,
  settings: { readonly own: Partial<MetadataRecord>; readonly others: Partial<MetadataRecord> },
): Promise<readonly Sent[]> {
  const { given, triggers, clock } = context;
  const make = (extensionType: CalledType | 'NameValue', own: Partial<MetadataRecord>): MetadataRecord => ({
    ...eventRecord(context),
    rateLimitNumberOfExecutions: 100,
    ...own,
    extensionType,
  });
  const ways = {
    ExternalEvent: (extension: Extension, recordId: string) => triggers.event(extension, undefined, { recordId }),
    ExternalTask: (extension: Extension) => triggers.task(extension),
    Email: (extension: Extension) => triggers.email(extension),
  } as const;
  const sent: Sent[] = [];
  for (const type of ['ExternalEvent', 'ExternalTask', 'Email'] as const) {
    if (!triggeredTypes(context).includes(type)) continue;
    const asked = make(type, settings.own);
    // a trigger that names no record may reach any of its type
    const others = hasPlaceFor(context, 'event', 'recordId') ? 'ExternalEvent' : 'NameValue';
    const [before, behind] = [make(others, settings.others), make(others, settings.others)];
    const answersBefore: ScriptedAnswer = { when: { recordId: before.id }, steps: [acknowledged], afterwards: 'last' };
    const isCalledBefore = others === 'ExternalEvent' && typeof script !== 'function';
    const extension = await given.extension({
      records: [before, asked, behind],
      script: isCalledBefore ? [answersBefore, ...script] : script,
    });
    // what is kept of the record that is called first is not what counts for the next
    if (isCalledBefore) {
      const first = await unlessRefused(() => triggers.event(extension, undefined, { recordId: before.id }));
      if (first !== undefined) await extension.call({ recordId: before.id });
    }
    const since = clock.now();
    sent.push({ extension, event: await ways[type](extension, asked.id), since });
  }
  return sent;
}

/** Some clients send again by themselves when a connection breaks that was used before. */
export const closingAfterMetadata: ScriptedAnswer = {
  when: { kind: 'metadata' },
  steps: [{ headers: { Connection: 'close' } }],
  afterwards: 'last',
};

/** An event whose connections break for ever, or so often, where the host has a listener of its own; none where it has not. */
export async function sendToCut(
  context: CaseContext,
  { times, record = {} }: { readonly times?: number; readonly record?: Partial<MetadataRecord> } = {},
): Promise<readonly Sent[]> {
  if (!mayListenAlone(context)) return [];
  const cut: Step = { cut: 'before-answer' };
  const answers = times === undefined ? answerAlways(cut) : answerFirst(...Array.from({ length: times }, () => cut));
  return [await sendTo(context, [closingAfterMetadata, ...answers], { ownListener: true, record })];
}

/** One extension and one event for each script. */
export function sendToEach(
  context: CaseContext,
  scripts: readonly Script[],
  options: ExtensionOptions = {},
): Promise<readonly Sent[]> {
  return Promise.all(scripts.map((script) => sendTo(context, script, options)));
}

/** The attempts of an event so far. */
export function attemptsOf({ extension, event }: Sent): readonly Call[] {
  return extension.calls({ about: event });
}

/** The first `count` attempts of an event, once they have ended; fewer when the time is over. */
export function endedAttempts({ extension, event }: Sent, count: number, withinMs: number): Promise<readonly Call[]> {
  return extension.ended(count, { about: event }, { withinMs, oneByOne: true });
}

/** An extension and what was triggered for it: a filter for its calls. */
export interface Called extends Extension {
  readonly about: Triggered;
}

/** An extension for tasks or mail with that script, and one call of it; undefined where the profile has no such trigger. */
export async function callTyped(
  { given, triggers, profile }: CaseContext,
  type: 'ExternalTask' | 'Email',
  script: Script,
  record: Readonly<Record<string, unknown>> = {},
): Promise<Called | undefined> {
  const isMail = type === 'Email';
  if (profile.all.triggers?.[isMail ? 'email' : 'task'] === undefined) return undefined;
  const extension = await given.extension({ types: [type], script, record });
  const about = isMail ? await triggers.email(extension) : await triggers.task(extension);
  return Object.assign(extension, { about });
}

/** The same with a script that never acknowledges. @throws {PreconditionFailed} the profile has no such trigger, or one that names nobody called somebody else */
export async function failFor(context: CaseContext, type: 'ExternalTask' | 'Email'): Promise<Called> {
  const { given } = context;
  const called = given.present(await callTyped(context, type, failingForEver), `a trigger for ${type}`);
  if (!triggeredTypes(context).includes(type))
    given.present(
      await called.arrived({ about: called.about }, { withinMs: atOnceMs }),
      `the call of a trigger for ${type}, which names none of those that may be called`,
    );
  return called;
}

/** Asserts six attempts with the documented gaps, and none after. */
export async function expectSixAttempts(
  context: CaseContext,
  reached: Reached,
  filter: CallFilter = {},
): Promise<void> {
  await expectSchedule(context, reached, filter);
  await passSilence(context);
  context.clock.expectCalls(
    `attempts ${silenceMs / 1000} s after the sixth`,
    reached.calls(filter),
    queuedGapsMs.length + 1,
  );
}

/** Longer than the gap that would follow the last attempt, with what the service may be late. */
export function passSilence({ clock }: CaseContext, ms: number = silenceMs): Promise<void> {
  return clock.pass(ms + clock.granularityMs);
}

/** Asserts the attempts with the documented gaps, and records how far they are spread. Source: ledger retry-jitter */
export async function expectSchedule(
  { clock, notes }: CaseContext,
  reached: Reached,
  filter: CallFilter,
): Promise<void> {
  const calls = await reached.ended(queuedGapsMs.length + 1, filter, { withinMs: queuedScheduleMs, oneByOne: true });
  clock.expectGaps(calls, queuedGapsMs);
  const spread = clock.gaps(calls).map((gapMs, index) => Math.abs(gapMs - (queuedGapsMs[index] ?? 0)));
  notes.observe('greatest difference from a gap, in ms', Math.round(Math.max(...spread)));
}

/** Asserts so many gaps without an end; one that may be of either of two lengths by the nearer one. */
export function expectCapped({ clock }: CaseContext, attempts: readonly Call[], retries: number): void {
  const seenMs = startsOf(attempts);
  const gapsMs = Array.from({ length: retries }, (_gap, index) => {
    const [leastMs, mostMs] = [gapBefore(index + 1), longestGapBefore(index + 1)];
    const isLong = (seenMs[index + 1] ?? 0) - (seenMs[index] ?? 0) > (leastMs + mostMs) / 2;
    return isLong ? mostMs : leastMs;
  });
  clock.expectGaps(attempts, gapsMs);
}

/** Records when calls came of which the documents do not say when. */
export function tellSeen({ clock }: CaseContext, title: string, calls: readonly Timed[]): void {
  const [first] = calls;
  if (first !== undefined)
    clock.tell({ title, zero: { at: first.arrivedAt, label: 'the first call' }, due: [], calls, name: 'call' });
}

/** When the service gave a call up: it closed the connection, or, where a proxy hides that, 2 s before its next attempt. */
export async function timeGivenUp(reached: Reached, filter: CallFilter, withinMs: number): Promise<number | undefined> {
  const [ended] = await reached.ended(1, filter, { withinMs });
  const next = reached.calls(filter)[1];
  return ended?.endedAt ?? (next === undefined ? undefined : next.arrivedAt - queuedGapsMs[0]);
}

/** How late the listener may learn that a call was given up, in ms; where time is moved it may be moved on meanwhile. */
const noticeMs = 100;

/** Calls that were given up, as if the listener had learned of it at the first possible moment: their time ends `timeoutMs` after arrival at the earliest. */
export function withPromptEnds(
  { controlled }: Pick<CaseContext['clock'], 'controlled'>,
  calls: readonly Call[],
  timeoutMs: number,
): readonly Timed[] {
  return calls.map(({ arrivedAt, endedAt, ending }) => {
    if (ending !== 'abandoned' || endedAt === undefined) return { arrivedAt, endedAt };
    const prompt = Math.max(arrivedAt + timeoutMs, controlled ? 0 : endedAt - noticeMs);
    return { arrivedAt, endedAt: Math.min(endedAt, prompt), heardAt: endedAt };
  });
}

/** When each came, counted from the first, in ms. */
export function startsOf(calls: readonly Call[]): readonly number[] {
  return calls.map(({ arrivedAt }) => arrivedAt - (calls[0]?.arrivedAt ?? 0));
}

export function secondsOf(times: readonly number[]): string {
  return times.length === 0 ? 'none' : times.map((ms) => (ms / 1000).toFixed(1)).join(', ');
}

export function isAbout(ms: number | undefined, expectedMs: number, toleranceMs = 400): boolean {
  return ms !== undefined && Math.abs(ms - expectedMs) <= toleranceMs;
}

interface Outcome {
  readonly reply: Reply;
  /** In ms of the clock. */
  readonly endedAt: number;
}

interface Validated {
  /** What is validated. */
  readonly thing: Thing;
  readonly extension: Extension;
  /** Comes when the validated operation is answered: time may pass until then. */
  readonly outcome: Promise<Outcome>;
}

/** A fresh object, an extension that is asked about it, and the operation that asks. */
export async function startValidation(
  { given, triggers, clock }: CaseContext,
  script: readonly ScriptedAnswer[],
  record: Readonly<Record<string, unknown>> = {},
  changes: Changes = {},
): Promise<Validated> {
  const thing = await given.object();
  const extension = await given.extension({ types: ['ExternalValidation'], concerns: [thing], script, record });
  const outcome = clock.through(async () => {
    const { reply } = await triggers.validation(thing, changes);
    return { reply, endedAt: clock.now() };
  });
  outcome.catch(() => undefined);
  return { thing, extension, outcome };
}

/** Of two extensions that validate one object and fail, one is asked four times, if any is: another one may be asked that is there for longer. */
export async function expectRetriedBesideAnother({ given, triggers, clock, notes }: CaseContext): Promise<void> {
  const thing = await given.object();
  const about = { types: ['ExternalValidation'], concerns: [thing], script: failingForEver } as const;
  const extensions = [await given.extension(about), await given.extension(about)];
  const outcome = clock.through(() => triggers.validation(thing));
  outcome.catch(() => undefined);
  await clock.until(outcome, 2 * (validationOutcomeMs + 4 * clock.granularityMs));
  const [first = []] = extensions
    .map((extension) => extension.calls({ objectId: thing.oid }))
    .toSorted((one, other) => other.length - one.length);
  notes.observe('one of two further extensions for an object is asked to validate it', first.length > 0);
  if (first.length > 0) clock.expectGaps(first, validationGapsMs);
}

/** How long an answer may be under way that a service sends slowly, in ms of real time. */
const answerUnderWayMs = 1000;

/** Longer than four attempts and their gaps with the tolerance, in ms. */
const validationOutcomeMs = 20_000;

/** Every attempt of a validation is the same call, with the id and the filter that its trigger gave, where the profile can set one off. */
export async function expectSameValidation(context: CaseContext, filter: object): Promise<void> {
  const { clock, expect, profile } = context;
  if (!triggeredTypes(context).includes('ExternalValidation') || profile.all.softTypes === undefined) return;
  const id = partHere().id();
  const changes = { ...withCorrelationId(id), filter };
  const { extension, outcome, thing } = await startValidation(context, failFirst(2), {}, changes);
  const attempts = await extension.ended(3, { objectId: thing.oid }, { withinMs: 8000, oneByOne: true });
  await clock.until(outcome, validationOutcomeMs + 3 * clock.granularityMs);
  expectSameAttempts(context, 'validation', attempts);
  for (const { envelope } of attempts)
    expect(comparableId(envelope.id), 'id of the envelope of an attempt of a validation').toEqual(id);
  expectFilterKept(context, attempts, filter);
}

export const minuteMs = 60_000;

/** An extension whose event record has that limit, or none that is stated. It acknowledges everything. */
export function extensionLimitedTo({ given }: CaseContext, limit: number | undefined): Promise<Extension> {
  return given.extension({ record: { rateLimitNumberOfExecutions: limit }, script: answerAlways() });
}

/** Six attempts of a call, and of another one to the same place that is triggered when the first has failed twice. */
export async function expectSixAttemptsEach(
  context: CaseContext,
  reached: Reached,
  about: Triggered,
  trigger: () => Promise<Triggered>,
): Promise<void> {
  await reached.ended(2, { about }, { withinMs: 4000, oneByOne: true });
  const second = await trigger();
  await Promise.all([expectSixAttempts(context, reached, { about }), expectScheduleBeside(context, reached, second)]);
}

/** The same of an endpoint, whose calls show which of them is meant only where the content of the trigger gets there; one that is asked by GET is tried as often. */
export async function expectEndpointCountsEach(context: CaseContext, trusted: boolean): Promise<void> {
  const { given, triggers } = context;
  const endpoint = await given.endpoint({ trusted, script: failingForEver });
  const asked = await given.endpoint({ trusted, method: 'GET', script: failingForEver });
  for (const each of [endpoint, asked]) await triggers.endpoint(each);
  await endpoint.ended(2, {}, { withinMs: 4000, oneByOne: true });
  const second = await triggers.endpoint(endpoint);
  await Promise.all([expectScheduleBeside(context, endpoint, second), expectSixAttempts(context, asked)]);
}

/** A call counts for itself while another one fails at the same place, where it is not held back until that has ended: which is not said. */
export async function expectScheduleBeside(context: CaseContext, reached: Reached, about: Triggered): Promise<void> {
  const [first] = await reached.ended(1, { about }, { withinMs: atOnceMs });
  context.notes.observe('a call is made at once while another one waits for its retry', first !== undefined);
  if (first !== undefined) await expectSchedule(context, reached, { about });
}

/** A retry is the call made again. Source: extensions, Payloads by extension type, row ExternalValidation */
export function expectSamePayload({ expect }: CaseContext, attempts: readonly Call[]): void {
  const told = ({ payload: { objectId, spaceId, contextObjectId } }: Call) => ({ objectId, spaceId, contextObjectId });
  const [first] = attempts.map(told);
  for (const attempt of attempts) expect(told(attempt), 'payload of an attempt').toEqual(first);
}

/** The request that a validation belongs to is answered within that time, whatever the answer is. */
export async function expectOutcome<T>(
  { clock, given }: CaseContext,
  outcome: Promise<T>,
  withinMs: number,
): Promise<T> {
  // where time was moved to its end meanwhile, an answer may still be under way in real time
  const found = (await clock.until(outcome, withinMs)) ?? (await within(answerUnderWayMs, outcome));
  clock.expectCame('the outcome of a validation', found === undefined ? undefined : clock.now(), {
    of: 'something else',
  });
  return given.present(found, 'the outcome of a validation');
}

/** What rounding makes of the life of a token, in s. */
const roundedSeconds = 2;

/** One token may do for all attempts, and each may have its own. */
export function expectNoLongerLife({ expect }: CaseContext, ...tokens: readonly (string | undefined)[]): void {
  const [life = 0, before = Infinity] = tokens.map((token) => lifetimeSecondsOf(token ?? ''));
  const most = before + roundedSeconds;
  expect(life, 'seconds that the token of an attempt lives').toSatisfy(
    `${before} at most, as that of the first`,
    (seconds) => seconds <= most,
  );
}
