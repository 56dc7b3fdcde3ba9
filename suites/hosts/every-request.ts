import { isDeepStrictEqual } from 'node:util';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { hostReview } from '../../judge/host/host-case.ts';
import { ConnectionLost, NoAnswer } from '../../judge/client/failure.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { Answered, TakenTask, Unanswered } from '../../judge/host/every-request.ts';
import { type HostCall, isOfRate } from '../../judge/host/host.ts';
import type { HostCalledType, HostRecord } from '../../judge/host/records.ts';
import { rules } from '../../judge/rule.ts';
import { lateMs } from './task-ends.ts';
import { endMsOf, finishedTask } from './task-work.ts';

/** So many calls that had no answer are made again, each until its connection was lost so often. */
const mostMadeAgain = 5;
const enoughLosses = 3;

/** So many calls like one that had no answer are made, of which the connections of so many may be lost. */
const [timesMade, mostLost] = [48, 3];

/** What is acknowledged at once is waited for that long, and nothing longer than this, in s. */
const [atOnceSeconds, longestSeconds] = [30, 100];
const atOnce: readonly HostCalledType[] = ['ExternalEvent', 'ExternalTask'];

/** It changes what objects hold. */
const ofVerdicts = 'calls.host.validation-outcome';

/** So many calls of a record may be refused one after the other, and so much later each is made, in ms. */
const [timesRefused, againMs] = [3, 5000];

type End = 'answered' | 'none' | 'lost';

/** In so many cases tasks are forgotten by the host whose time is not over. */
const casesEnough = 2;

/** How long they are waited for, and how often it is looked whether they have ended, in ms. */
const [mostMovedMs, mostRealMs, lookMs] = [602_000, 62_000, 1000];

export const hostEveryRequestRules = rules('tasks', {
  'tasks.host.right-throughout': {
    source: 'extensions: Authentication, rules 1 and 4; External task links; Callbacks from an external task',
    statement:
      'Each request of a run that a host makes on the links of its tasks, whatever becomes of the task and of the request before, carries the token of that call where it belongs, and none goes to the job or the space of another call; a report of progress is a PUT with a message, and the body of a report of the end, where it has one, is an object that names no file of another job. A task that was acknowledged, and in whose way the service was not, comes to its end before its time is over. No call is the end of its connection each time that it is made, and of those like one that had no answer each has one in its time; that a single one has none is remarked on. So it is with callbacks with keys. What was taken before is not refused at the end each time that it is called; that it is now and then is remarked on. Of validations whose verdict is known each has that; that a single one has another is remarked on.',
    fault: 'The report of a failure carries no token.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    repeats: ['calls', 'signing', 'tasks'],
    test: hostReview(async (context) => {
      const { everyRequest, expect, notes, samples, clock } = context;
      // so that the rule speaks by itself too
      await finishedTask(context, { sample: samples.task('failure') });
      const [first, ...others] = everyRequest.wrong;
      for (const { arrival, what, cameFor } of others)
        notes.remark(`${arrival.method} ${arrival.path} ${what}, as in ${cameFor}`);
      notes.observe('whether requests were looked at', everyRequest.judged > 0);
      expect(
        first ? `${first.arrival.method} ${first.arrival.path} ${first.what}, as in ${first.cameFor}` : 'none',
        'wrong among the requests of the run',
        first?.arrival.seen,
      ).toEqual('none');
      await expectEnds(context);
      const lost = everyRequest.unanswered.filter(({ isLost }) => isLost);
      for (const { call, cameFor } of lost.slice(0, mostMadeAgain)) {
        const end = (await isNeverAnswered(context, call)) ? 'the end of its connection' : 'an answer';
        expect(
          end,
          `what a call of record ${JSON.stringify(call.record.id)} comes to each time, as in ${cameFor}`,
        ).toEqual('an answer');
      }
      const leave = clock.controlled ? await clock.enter() : undefined;
      await expectStillAnswered(context).finally(() => leave?.());
      await expectCallbackAnswers(context);
      expectVerdicts(context);
    }),
  },
});

/**
 * Asserts that no task was forgotten that the host took, of which it was let to do everything, while later ones have come to their ends: none whose
 * time is over, and not those of several cases. Source: extensions, States and transitions
 */
async function expectEnds(context: HostContext): Promise<void> {
  const { everyRequest, records, samples, clock, expect, notes } = context;
  const { success, failure } = samples.all.task ?? {};
  const known = [success, failure].map((sample) => records.named(sample?.record, 'ExternalTask').id);
  const ofKnown = everyRequest.taken.filter(({ call }) => known.includes(call.record.id));
  const ids = ofKnown.map(({ call }) => call.envelope.id);
  // what becomes of one whose id came before, from another installation, is the business of another rule
  const taken = ofKnown.filter(({ call }, index) => ids.indexOf(call.envelope.id) === index);
  const isOpen = ({ course }: TakenTask): boolean => course() === 'nothing' || course() === 'begun';
  const overIn = ({ call, takenAt }: TakenTask): number =>
    takenAt + Number(call.envelope.payload['timeout']) * 1000 + lateMs - clock.now();
  const leave = taken.some(isOpen) && clock.controlled ? await clock.enter() : undefined;
  const mostMs = Math.max(endMsOf(context), clock.controlled ? mostMovedMs : mostRealMs);
  const until = clock.now() + mostMs;
  const leftMs = (): number => Math.min(until - clock.now(), Math.max(...taken.filter(isOpen).map(overIn)));
  while (leftMs() > 0) await clock.until(new Promise<never>(() => undefined), Math.min(leftMs(), lookMs));
  leave?.();
  const last = taken.findLastIndex(({ course }) => course() === 'ended');
  const open = taken.slice(0, Math.max(0, last)).filter(isOpen);
  const [first] = open.toSorted((one, other) => overIn(one) - overIn(other));
  if (first === undefined) return;
  const what = `${open.length} of ${taken.length} tasks that were acknowledged came to no end, one of them in ${first.cameFor}`;
  const isLost = overIn(first) <= 0 || new Set(open.map(({ cameFor }) => cameFor)).size >= casesEnough;
  if (isLost) expect(what, 'what came of the tasks of the run').toEqual('their ends');
  else notes.remark(what);
}

async function expectStillAnswered(context: HostContext): Promise<void> {
  for (const call of firstOfEachRecord(context.everyRequest.unanswered)) await expectAnswers(context, call);
  await expectStillTaken(context);
}

/**
 * Asserts that calls like one that had no answer in the run have theirs, two at a time, each the same and a new one. A connection may be lost once,
 * and of those that have no time but the usual one the suite waits no longer. Source: extensions, Limits, request timeout; Calls to extensions
 */
async function expectAnswers(context: HostContext, { call: before, cameFor }: Unanswered): Promise<void> {
  const { host, stage, expect, notes } = context;
  const { record } = before;
  const limitSeconds = limitSecondsOf(record);
  const installation = await stage.installation();
  const hurriedBack = host.hurriedBack();
  const ends: End[] = [];
  while (ends.length < timesMade && !ends.includes('none') && host.hurriedBack() === hurriedBack)
    ends.push(
      ...(await Promise.all(
        [before, installation.call(record)].map((call) => howEnded(context, call, limitSeconds * 1000)),
      )),
    );
  const what = `calls of record ${JSON.stringify(record.id)}, of which one had no answer in ${cameFor}`;
  const [unanswered, lost] = (['none', 'lost'] as const).map((wanted) => ends.filter((end) => end === wanted).length);
  const isOver = limitSeconds === record.requestTimeout || atOnce.includes(record.type);
  if (isOver) expect(unanswered, `of ${ends.length} ${what}, those not answered within ${limitSeconds} s`).toEqual(0);
  if ((lost ?? 0) > mostLost)
    expect(lost, `of ${ends.length} ${what}, those whose connection ended before an answer`).toEqual(0);
  if (ends.includes('none') || ends.includes('lost'))
    notes.remark(
      `of ${ends.length} ${what}, ${unanswered} were not answered within ${limitSeconds} s, and the connection of ${lost} ended before`,
    );
}

/**
 * Asserts that what is known as valid, or as not, was judged so by whatever call of the run asked for it, in whose way the service was not. Source:
 * extensions, Calls to extensions, row ExternalValidation
 */
function expectVerdicts({ everyRequest, records, samples, expect, notes }: HostContext): void {
  if (everyRequest.validated.length === 0) return;
  const { record, valid, invalid } = samples.all.validation ?? {};
  const { id } = records.named(record, 'ExternalValidation');
  const isOf = ({ call }: Answered, sample: typeof valid): boolean =>
    sample !== undefined &&
    Object.entries(sample).every(([name, value]) => isDeepStrictEqual(call.envelope.payload[name], value));
  const isWrong = (validated: Answered): boolean => {
    const { isValid } = Object(validated.reply.json) as { isValid?: unknown };
    return (isValid === false && isOf(validated, valid)) || (isValid === true && isOf(validated, invalid));
  };
  const judged = everyRequest.validated.filter(({ call, cameFor }) => call.record.id === id && cameFor !== ofVerdicts);
  const [first, ...others] = judged.filter(isWrong);
  if (first === undefined) return;
  const what = `${others.length + 1} of ${judged.length} validations had another verdict than their object has, one of them in ${first.cameFor}`;
  if (others.length + 1 < casesEnough) notes.remark(what, first.reply);
  else expect(what, 'the verdicts of the run', first.reply).toEqual('those of their objects');
}

function limitSecondsOf({ type, requestTimeout }: HostRecord): number {
  return Math.min(atOnce.includes(type) ? atOnceSeconds : requestTimeout, longestSeconds);
}

/**
 * Asserts that no call is refused at the end of the run each time that it is made whose like was taken before. What is refused in between may come
 * again. Source: extensions, Calls to extensions; Errors 1
 */
async function expectStillTaken(context: HostContext): Promise<void> {
  const { everyRequest, host, records, stage, clock, expect, notes } = context;
  const installation = await stage.installation();
  const unanswered = everyRequest.unanswered.map(({ call }) => call.record.id);
  for (const record of records.all.filter(({ id }) => everyRequest.hasTaken(id) && !unanswered.includes(id))) {
    const hurriedBack = host.hurriedBack();
    let reply: Reply | undefined;
    for (let made = 1; made <= timesRefused && !(reply && isSuccess(reply.status)); made += 1) {
      if (made > 1) await clock.until(new Promise<never>(() => undefined), againMs);
      // one that has no answer is the business of what looks at those
      reply = await answerTo(context, installation.call(record), limitSecondsOf(record) * 1000).catch(unlessUnanswered);
      if (reply === undefined) break;
    }
    if (reply === undefined || host.hurriedBack() > hurriedBack) continue;
    const what = `answer of record ${JSON.stringify(record.id)} at the end of the run, of ${timesRefused}, to what it took before`;
    expect(reply.status, what, reply).toSatisfy('2xx', isSuccess);
    const refused = everyRequest.refused.filter(({ call }) => call.record.id === record.id);
    const [first] = refused;
    if (first !== undefined)
      notes.remark(
        `${refused.length} calls of record ${JSON.stringify(record.id)} were answered ${first.reply.status} or the like, unlike others, one of them in ${first.cameFor}`,
        first.reply,
      );
  }
}

/** Asserts that the callback did not end the connections of keys that were asked for. Source: extensions, Acquiring API keys */
async function expectCallbackAnswers({ stage, expect, notes }: HostContext): Promise<void> {
  const { acquired } = await stage.installation();
  const isLost = (delivered: Promise<unknown>): Promise<boolean> =>
    delivered.then(
      () => false,
      (error: unknown) => error instanceof ConnectionLost,
    );
  const all = await Promise.all(acquired.map(({ delivered }) => isLost(delivered)));
  const lost = all.filter(Boolean).length;
  const what = `of ${all.length} callbacks with keys that the host asked for, those whose connection ended before an answer`;
  if (lost > mostLost) expect(lost, what).toEqual(0);
  else if (lost > 0) notes.remark(`${what}: ${lost}`);
}

/** How a call ended: 429 is the business of a rate. */
async function howEnded(context: HostContext, call: HostCall, withinMs: number): Promise<End> {
  try {
    return (await answerTo(context, call, withinMs)) === undefined ? 'none' : 'answered';
  } catch (error) {
    if (error instanceof ConnectionLost) return 'lost';
    if (error instanceof NoAnswer) return isOfRate(error) ? 'answered' : 'none';
    throw error;
  }
}

/** The answer to a call by a connection of its own, which time passes for; undefined where that is over in real time. @throws {ConnectionLost | NoAnswer} */
function answerTo({ host, clock }: HostContext, call: HostCall, withinMs: number): Promise<Reply | undefined> {
  const ask = (): Promise<Reply> => host.patiently((patient) => patient.call(call, { fresh: true }));
  const answer = clock.controlled ? clock.through(ask) : ask();
  answer.catch(() => undefined);
  return clock.longer('the answer to a call', answer, withinMs);
}

function unlessUnanswered(error: unknown): undefined {
  if (!(error instanceof ConnectionLost || error instanceof NoAnswer)) throw error;
}

function firstOfEachRecord(calls: readonly Unanswered[]): readonly Unanswered[] {
  const idOf = ({ call }: Unanswered): string => call.record.id;
  return calls.filter((call, index) => calls.findIndex((other) => idOf(other) === idOf(call)) === index);
}

/** Others are answered meanwhile; where an object has gone since, that may be what it needs to end like that. */
async function isNeverAnswered({ host }: HostContext, call: HostCall): Promise<boolean> {
  for (let losses = 0; losses < enoughLosses; losses += 1) {
    try {
      await host.call(call, { fresh: true });
      return false;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    await host.metadata();
  }
  return true;
}
