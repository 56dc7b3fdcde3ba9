import { type CaseContext, holdingSchedule, schedule } from '../../judge/case.ts';
import { type Call, tells } from '../../judge/extension/call.ts';
import type { Reached } from '../../judge/extension/extension.ts';
import { urlInSpace } from '../../judge/every-answer/openapi.ts';
import { isSuccess, type Changes, type Reply } from '../../judge/exchange.ts';
import { callWaitMs, triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import type { Triggered } from '../../judge/extension/triggers.ts';
import { restart } from '../../judge/service/restart.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { rules } from '../../judge/rule.ts';
import { partHere } from '../../judge/case/part.ts';
import { withCorrelationId } from '../../judge/service/requests.ts';
import {
  type Deleted,
  type Logged,
  deleteLogged,
  entriesAbout,
  entriesOfDeletion,
  readLogAfter,
} from './checks/events-in-log.ts';
import {
  dropEvent,
  dropHost,
  keepEndpointOff,
  expectIdKept,
  keepSilentTask,
  keepTask,
  keepToken,
  restartWatchMs,
  sendWithId,
} from './checks/over-restart.ts';
import { inputOfType, managedTypes } from './checks/managed-types.ts';
import { attemptsAt, queueBesideEvents } from './checks/queued-calls.ts';
import { report } from './checks/task-jobs.ts';
import {
  answerAlways,
  answerFirst,
  answerInTurn,
  atOnceMs,
  attemptsOf,
  endedAttempts,
  extensionLimitedTo,
  failFirst,
  failingForEver,
  minuteMs,
  passSilence,
  queuedGapsMs,
  sendTo,
  tellSeen,
} from './checks/delivery-attempts.ts';

/** Past any retry that was armed, and past the pause. */
const silenceAfterMs = 70_000;

/** Past the first retry of an event, in ms. */
const retryDueMs = 3000;

/** The log says what became of a delivery within it, in ms. */
const logWithinMs = 6000;

/** Past the third attempt, before the fourth. */
const thirdWithinMs = 8000;

export const queueRules = rules('delivery', {
  'delivery.queue.order': {
    level: 'observe',
    source: 'extensions: Limits, rate limit; Events (order silent)',
    statement:
      'The order of queued events, and whether an event that waits for a retry holds back later ones of the same endpoint, is not said.',
    fault: 'Not applicable as a failure; recorded variant: first in, first out without blocking.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(25, async (context) => {
      const { given, triggers, notes } = context;
      const slow = await given.extension({ script: answerAlways({ status: 200, delayMs: 300 }) });
      const events: Triggered[] = [];
      for (let count = 0; count < 10; count += 1) events.push(await triggers.event(slow));
      const calls = await slow.ended(events.length, {}, { withinMs: 10_000 });
      const order = calls.map((call) => events.findIndex(({ marker }) => tells(call, marker)) + 1);
      notes.observe('order in which ten events arrive', order.join(', '));
      notes.observe('most calls in flight at once', mostAtOnce(calls));
      const extension = await given.extension({ script: answerInTurn({ status: 503 }, { status: 200 }) });
      await extension.call({ about: await triggers.event(extension) });
      const healthy = await triggers.event(extension);
      const call = await extension.arrived({ about: healthy }, { withinMs: 10_000 });
      notes.observe(
        'an event that waits for its retry holds back the next',
        (call?.arrivedAt ?? Infinity) > (extension.calls()[0]?.endedAt ?? 0) + 1500,
      );
    }),
  },
  'delivery.queue.failing-host-isolated': {
    level: 'should',
    source: 'extensions: Errors, rule 1 (policy per endpoint); Limits',
    statement: 'A host that fails or hangs does not hold up deliveries to another host.',
    fault: 'Calls with a timeout of 20 s are made one after another.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: holdingSchedule(16, async (context) => {
      const { given, triggers, clock } = context;
      const record = { requestTimeout: 20 };
      const hanging = await given.extension({ script: answerAlways({ never: true }), record });
      const broken = await given.extension({ script: failingForEver });
      const healthy = await given.extension({ script: answerAlways(), record });
      for (let count = 1; count <= 3; count += 1) {
        for (const host of [hanging, broken]) {
          await triggers.event(host);
          await host.call();
        }
        const event = await triggers.event(healthy);
        const call = await healthy.arrived({ about: event }, { withinMs: atOnceMs });
        const what = `arrival of event ${count} for a healthy host, while one hangs and one fails`;
        clock.expectCame(what, call?.arrivedAt);
        await clock.pass(2000);
      }
    }),
  },
  'delivery.queue.delete-cancels': {
    source: 'extensions: Events, rule 3 (cancelled by a user)',
    statement:
      'An event that a user deletes while it waits for a retry, also one that is retried for ever, in a rate pause, while a call of it fails or while its extension is switched off, before or after the retry was due, is not sent any more, while others of its extension are, be they of the same correlation id where two such are sent at all; whoever has no role in the space is refused where the route is one of the space.',
    fault: 'Deletion hides the event and the retry timer stays armed.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'event-delete'],
    after: ['delivery.event.retry-gaps'],
    test: holdingSchedule(86, async (context) => {
      const [deleted, deletedForEver, deletedInPause, , ...deletedWhileOff] = await Promise.all([
        expectRetryCancelled(context, {}),
        expectRetryCancelled(context, { retryForever: true }),
        expectPausedCancelled(context),
        expectCallCancelled(context),
        expectCancelledWhileOff(context, 0),
        expectCancelledWhileOff(context, retryDueMs),
      ]);
      context.given.succeeded(deleted.reply, 'to delete an event that waits for a retry');
      for (const { reply } of [deletedForEver, deletedInPause]) context.expect(reply).toSucceed();
      if (deleted.added === undefined) return;
      // a log that tells of one deletion may be expected to tell of all, and may have one entry for what is alike
      const [whileOff] = deletedWhileOff;
      for (const [when, one] of Object.entries({
        'between two retries': deleted,
        'in a pause': deletedInPause,
        'with its extension off': whileOff,
      }))
        if (one?.added === 0) context.notes.remark(`The log has no entry since an event was deleted ${when}.`);
    }),
  },
  'delivery.queue.equal-ones': {
    source: 'extensions: Events, rules 1 and 2; Limits, rate limit (none is dropped)',
    statement:
      'Of events with one content that come at once, or when the one before was acknowledged or waits for a retry, each is delivered, and so is each of equal mails, of equal actions, of equal calls of an endpoint and of the tasks of equal jobs.',
    fault: 'What is queued with the content of something before it counts as its repeat.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['delivery.success.200-sent-once'],
    test: schedule(20, async (context) => {
      const { given, triggers } = context;
      const content = { text: given.unique('equal') };
      const extension = await given.extension();
      const isTaken = await expectEach(context, 'event', extension, () => triggers.event(extension, content));
      const others = await expectEachBesideEvents(context, content);
      for (const status of [200, 201]) await expectAgainAfter(context, status);
      await expectBesideRetry(context);
      if (![isTaken, ...others].includes(true))
        given.inconclusive('Whatever has the content of something before it is refused.');
    }),
  },
  'delivery.queue.restart': {
    level: 'observe',
    source: 'extensions: Events (persistence silent)',
    statement: 'Whether queued events survive a restart of the service, and at which retry they continue, is not said.',
    fault: 'Not applicable as a failure; recorded variant: queue in memory is lost.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'restart-control'],
    test: schedule(130, async (context) => {
      const { given, triggers, clock, notes, profile } = context;
      const retried = await sendTo(context, failFirst(4));
      const limited = await extensionLimitedTo(context, 1);
      const minuteEndsAt = clock.now() + minuteMs;
      await limited.call({ about: await triggers.event(limited) });
      const paused = await triggers.event(limited);
      const [, , third] = await endedAttempts(retried, 3, thirdWithinMs);
      given.assume(third?.endedAt !== undefined, 'three attempts of an event');
      given.assume(limited.calls({ about: paused }).length === 0, 'a pause after one execution');
      await restart(profile.all);
      const next = await unlessRefused(() => triggers.event(limited));
      await clock.pass(restartWatchMs);
      tellSeen(context, 'attempts of an event, with a restart after the third', attemptsOf(retried));
      const [fourth, fifth, ...later] = attemptsOf(retried).slice(3);
      notes.observe(
        'attempts after the restart, of an event that waited for its fourth',
        attemptsOf(retried).length - 3,
      );
      const [, , gapMs, nextGapMs] = queuedGapsMs;
      notes.observe('it goes on with the gap of its fourth attempt', isDue(gapMs, fourth?.arrivedAt, third?.endedAt));
      notes.observe('and with that of its fifth', isDue(nextGapMs, fifth?.arrivedAt, fourth?.endedAt));
      notes.observe('it is sent again after an acknowledgement', later.length > 0);
      notes.observe(
        'calls after the restart, of an event that waited for the end of a pause',
        limited.calls({ about: paused }).length,
      );
      const isEarly = ({ arrivedAt }: Call): boolean => arrivedAt < minuteEndsAt;
      if (next !== undefined)
        notes.observe(
          'a call before that pause is over, of an event after the restart',
          limited.calls({ about: next, where: isEarly }).length > 0,
        );
    }),
  },
  'delivery.success.not-sent-after-restart': {
    source: 'extensions: Events, rules 2 and 4; Authentication, rule 4; States and transitions',
    statement:
      'An event that was acknowledged, at once or at a retry, is not sent again because the service was started anew, and neither is a task, a mail or the call of an endpoint; one that still waits for a retry has the id of its trigger, the payload and the filter there, where it comes at all. The token of its call goes on to open what its user can read then, and a task whose job is there still has not failed and can be reported as completed, or fails at its timeout. An extension that was deleted or switched off before is not called, and neither is an endpoint that was registered switched off; an event that was deleted is not sent.',
    fault: 'A restart brings back what was delivered before it.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'restart-control'],
    after: ['delivery.success.200-sent-once'],
    test: schedule(130, async (context) => {
      const { given, triggers, clock, notes, profile } = context;
      const [once, retried] = [await sendTo(context, answerAlways()), await sendTo(context, failFirst(1))];
      const others = await queueBesideEvents(context, answerAlways());
      const kept = [await keepToken(context), await keepTask(context)];
      const silent = await keepSilentTask(context);
      const waiting = await sendWithId(context);
      const dropped = [
        await dropHost(context, 'deleted'),
        await dropHost(context, 'switched off'),
        await dropEvent(context),
        await keepEndpointOff(context, false),
        await keepEndpointOff(context, true),
      ];
      for (const [sent, count] of [
        [once, 1],
        [retried, 2],
      ] as const)
        given.assume(
          (await endedAttempts(sent, count, thirdWithinMs)).length === count,
          'events that are acknowledged',
        );
      await restart(profile.all);
      for (const expectKept of kept) await expectKept?.();
      const expectOver = await silent?.();
      const silences = [];
      for (const one of dropped) silences.push(await one?.());
      const next = await unlessRefused(() => triggers.event(once.extension));
      await clock.pass(restartWatchMs);
      await expectOver?.();
      for (const expectSilent of silences) expectSilent?.();
      const isCalled = next !== undefined && once.extension.calls({ about: next }).length > 0;
      notes.observe('an event after the restart reaches the extension', isCalled);
      clock.expectCalls('attempts of an event that was acknowledged before the restart', attemptsOf(once), 1);
      clock.expectCalls('attempts of an event that was acknowledged at its first retry', attemptsOf(retried), 2);
      for (const one of others)
        clock.expectCalls(`attempts of a ${one.kind} that was acknowledged before the restart`, attemptsAt(one), 1);
      expectIdKept(context, waiting);
    }),
  },
  'delivery.log.entries': {
    level: 'observe',
    source: 'extensions: Errors, rule 3; Events, rule 3',
    statement:
      'Five kinds of entries are documented (rate limit exceeded; transient error with its wait and its place in the retry count, which may be endless; timeout with its length; queue removal; user cancellation), without a way to read them.',
    fault: 'Not applicable as a failure; recorded variant: no entry on cancellation.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: schedule(10, async (context) => {
      const { clock, notes, triggers } = context;
      const events = await documentedEvents(context);
      await clock.pass(logWithinMs);
      const log = await triggers.log();
      if (log === undefined) notes.observe('route of the log', 'none named in the profile');
      else {
        notes.observe('status of the log', log.status, log);
        for (const [name, event] of Object.entries(events))
          notes.observe(`entries about ${name}`, entriesAbout(log.json, event), log);
      }
    }),
  },
});

function mostAtOnce(calls: readonly Call[]): number {
  const open = (at: number): number =>
    calls.filter(({ arrivedAt, endedAt = Infinity }) => arrivedAt <= at && at < endedAt).length;
  return Math.max(0, ...calls.map(({ arrivedAt }) => open(arrivedAt)));
}

/** How long a call is under way that fails in the end. */
const slowMs = 1500;

/** Of two events that wait for their second retry one is deleted; where that is refused nothing else is asserted. */
async function expectRetryCancelled(context: CaseContext, record: Readonly<Record<string, unknown>>): Promise<Deleted> {
  const { given, triggers, clock, expect } = context;
  const failures = [{ status: 503 }, { status: 503 }, { status: 503 }];
  const [extension, beside] = await Promise.all([
    given.extension({ script: answerFirst(...failures.slice(1)), record }),
    given.extension({ script: answerFirst(...failures), record }),
  ]);
  const [event, untouched] = await Promise.all([triggers.event(extension), triggers.event(beside)]);
  const attempts = await extension.ended(2, { about: event }, { withinMs: 4000, oneByOne: true });
  const second = given.present(attempts[1], `two attempts, of which ${attempts.length} came`);
  const log = { own: { extension, event }, other: { extension: beside, event: untouched } };
  let before: Logged | undefined;
  const readAndDelete = async (): Promise<Reply> => {
    before = await readLogAfter(context, attempts.length, log);
    return triggers.deleteEvent(event);
  };
  const deleted = await clock.at(clock.now(), readAndDelete, {
    until: second.arrivedAt + queuedGapsMs[1],
    what: 'the third attempt',
  });
  if (!isSuccess(deleted.status)) return { reply: deleted };
  await clock.pass(silenceAfterMs);
  expect(
    extension.calls({ about: event }).length,
    `attempts ${silenceAfterMs / 1000} s after the deletion, which came after the second`,
  ).toEqual(2);
  const { length } = beside.calls({ about: untouched });
  given.assume(length === 4, `four attempts of an event that is not deleted, and not ${length}`);
  return { reply: deleted, added: await entriesOfDeletion(context, log, before) };
}

/** Of two events whose first call is under way one is deleted, before the call fails; a service may say that it is too late for that. */
async function expectCallCancelled(context: CaseContext): Promise<void> {
  const { given, triggers, clock, notes } = context;
  const failingSlowly = { script: answerFirst({ status: 503, delayMs: slowMs }) };
  const [extension, beside] = await Promise.all([given.extension(failingSlowly), given.extension(failingSlowly)]);
  const [event, untouched] = await Promise.all([triggers.event(extension), triggers.event(beside)]);
  const { arrivedAt } = await extension.call({ about: event });
  const deleted = await clock.at(clock.now(), () => triggers.deleteEvent(event), {
    until: arrivedAt + slowMs,
    what: 'the answer to the call',
  });
  notes.observe('status of the deletion of an event whose call is under way', deleted.status, deleted);
  if (!isSuccess(deleted.status)) return;
  const refusals = await deletionsByStrangers(
    context,
    untouched,
    deleted.url.replace(event.id ?? '', untouched.id ?? ''),
  );
  await clock.pass(silenceAfterMs);
  const what = `calls ${silenceAfterMs / 1000} s after the deletion of an event, which came before its call failed`;
  clock.expectCalls(what, extension.calls({ about: event }), 1);
  const others = beside.calls({ about: untouched });
  if (refusals === undefined) return;
  clock.expectCalls(`calls of an event whose deletion by strangers was answered ${refusals}`, others, { least: 2 });
  given.assume(others.length === 2, `two attempts of an event that is not deleted, and not ${others.length}`);
}

/**
 * How deletions of the event by whoever may delete nothing here were answered, by way of the space of the outsider too: undefined where one may have been taken.
 * Where the route is one of the space level each is refused, but in a space of one's own, where there is no such event: how that is said is
 * open. Source: core, What the service does; Authentication, rules 6 and 7
 */
async function deletionsByStrangers(
  { triggers, notes, profile, expect }: CaseContext,
  event: Triggered,
  url: string,
): Promise<string | undefined> {
  const { identities, secondSpace, routes } = profile.all;
  const ways: Changes[] = [{ as: null }];
  for (const as of ['noRole', 'outsider'] as const) if (identities[as] !== undefined) ways.push({ as });
  const replies: Reply[] = [];
  for (const way of ways) replies.push(await triggers.deleteEvent(event, way));
  const elsewhere =
    identities.outsider !== undefined && secondSpace !== undefined
      ? [await triggers.deleteEvent(event, { as: 'outsider', url: urlInSpace(url, secondSpace.space) })]
      : [];
  const all = [...replies, ...elsewhere];
  const statuses = all.map(({ status }) => status).join(', ');
  notes.observe('deletions of an event by strangers', statuses);
  if (routes?.eventDelete?.path.includes('{{spaceId}}') !== true)
    return all.every(({ status }) => status >= 400) ? statuses : undefined;
  for (const reply of replies) expect(reply).toBeRefused();
  return statuses;
}

/**
 * Two events that wait for a retry are deleted while their extension is switched off; when that is on again they come no more.
 * @param afterMs how long it has been off by then
 */
async function expectCancelledWhileOff(context: CaseContext, afterMs: number): Promise<Deleted | undefined> {
  const { given, triggers, registrations, clock, notes, profile } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const extension = await given.extension({
    script: answerFirst(...Array.from({ length: 6 }, () => ({ status: 503 }))),
  });
  const registration = given.present(extension.registration, 'a registration');
  const events = [await triggers.event(extension), await triggers.event(extension)];
  for (const event of events) await extension.call({ about: event });
  const off = await registrations.update(registration, { active: false });
  if (afterMs > 0) await clock.pass(afterMs);
  const deleted = await Promise.all(events.map((event) => deleteLogged(context, event)));
  const replies = [off, ...deleted.map(({ reply }) => reply), await registrations.update(registration)];
  notes.observe('events are deleted while their extension is off', replies.map(({ status }) => status).join(', '));
  if (!replies.every(({ status }) => isSuccess(status))) return undefined;
  const calls = (): readonly Call[] => events.flatMap((event) => extension.calls({ about: event }));
  const { length } = calls();
  await clock.pass(silenceAfterMs);
  clock.expectCalls('calls of events that were deleted while their extension was off', calls(), length);
  const added = await Promise.all(deleted.map((one) => one.added()));
  return { reply: off, added: added.includes(undefined) ? undefined : Math.min(...added.map(Number)) };
}

/**
 * Of three events that wait for the end of a pause, the last two of one correlation id, the second is deleted. Where that is refused nothing
 * else is asserted. That the others come is expected where those of another extension do, of which none is deleted.
 */
async function expectPausedCancelled(context: CaseContext): Promise<Deleted> {
  const { given, triggers, clock, expect, profile } = context;
  const [extension, beside] = await Promise.all([extensionLimitedTo(context, 2), extensionLimitedTo(context, 2)]);
  const oneId = (): Changes => (profile.all.triggers?.carryHeaders === false ? {} : withCorrelationId(partHere().id()));
  const [alike, alikeBeside] = [oneId(), oneId()];
  const until = clock.now() + minuteMs;
  for (const _passed of [1, 2]) await extension.call({ about: await triggers.event(extension) });
  const before = await triggers.event(extension);
  const deleted = await triggers.event(extension, undefined, alike);
  const behind =
    (await unlessRefused(() => triggers.event(extension, undefined, alike))) ?? (await triggers.event(extension));
  const others: Triggered[] = [];
  for (const changes of [{}, {}, alikeBeside, alikeBeside])
    others.push(
      (await unlessRefused(() => triggers.event(beside, undefined, changes))) ?? (await triggers.event(beside)),
    );
  await clock.pass(atOnceMs);
  const { length } = extension.calls();
  given.assume(length === 2, `a pause after two executions, and not ${length}`);
  const removed = await clock.at(clock.now(), () => deleteLogged(context, deleted), {
    until,
    what: 'the pause is over',
  });
  if (!isSuccess(removed.reply.status)) return { reply: removed.reply };
  await passSilence(context, minuteMs + 10_000);
  // a queue that is looked at now and then lets them out later
  await extension.arrived({ about: behind }, { withinMs: minuteMs });
  expect(extension.calls({ about: deleted }).length, 'calls of an event that was deleted in the pause').toEqual(0);
  await beside.ended(others.length, {}, { withinMs: atOnceMs });
  // an id is that of one request: what becomes of another one with it is not said
  const [isSecondLetOut, ...areLetOut] = others
    .toReversed()
    .map((event) => beside.calls({ about: event }).length === 1);
  given.assume(!areLetOut.includes(false), 'the calls of events of another extension, of which none is deleted');
  for (const untouched of isSecondLetOut === true ? [before, behind] : [before])
    clock.expectCalls(
      'calls of an event that is not deleted, beside one that is',
      extension.calls({ about: untouched }),
      { least: 1 },
    );
  return { reply: removed.reply, added: await removed.added() };
}

/** So many equal ones are fewer than any limit. */
const equalOnes = 3;

/** Each of equal triggers, one right after the other, leads to a call. Resolves with whether they are accepted. */
async function expectEach(
  { clock, notes }: CaseContext,
  what: string,
  reached: Reached,
  trigger: () => Promise<Triggered>,
): Promise<boolean> {
  if ((await acceptedAtOnce(notes, what, trigger)) === undefined) return false;
  const calls = await reached.ended(equalOnes, {}, { withinMs: callWaitMs });
  clock.expectCalls(`calls of ${equalOnes} equal ones: ${what}`, calls, { least: equalOnes });
  return true;
}

/** Equal triggers, sent at once; undefined unless all of them are accepted. */
async function acceptedAtOnce(
  notes: CaseContext['notes'],
  what: string,
  trigger: () => Promise<Triggered>,
): Promise<readonly Triggered[] | undefined> {
  const all = await Promise.all(Array.from({ length: equalOnes }, () => unlessRefused(trigger)));
  const accepted = all.filter((triggered) => triggered !== undefined).filter(({ reply }) => isSuccess(reply.status));
  if (accepted.length === equalOnes) return accepted;
  notes.observe(`${equalOnes} equal ones: ${what}`, 'refused');
  return undefined;
}

/** Each of equal jobs has its task, which a service may call when that of the one before has ended. Who is told of one job for several has one. */
async function expectEachTask(context: CaseContext, taskSettings: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { given, triggers, clock, notes } = context;
  const extension = await given.extension({ types: ['ExternalTask'] });
  const inputPath = await inputOfType(context, 'csv', managedTypes.csv);
  const all = await acceptedAtOnce(notes, 'task', () => triggers.task(extension, { inputPath, taskSettings }));
  if (all === undefined) return false;
  const jobs = new Set(all.map(({ id }) => id)).size;
  for (let least = 1; least <= jobs; least += 1) {
    const calls = await extension.ended(least, { kind: 'task' }, { withinMs: callWaitMs });
    clock.expectCalls(`calls of ${jobs} equal ones: task`, calls, { least });
    const call = given.present(calls[least - 1], 'the call of a task');
    const triggered = given.present(all.find(({ id }) => id === call.envelope.id) ?? all[0], 'a job');
    await unlessRefused(() =>
      report(context, given.taskAgain({ extension, triggered, input: undefined }, call), 'Completed'),
    );
  }
  return true;
}

/** An event with the content of one that was acknowledged, and so on. */
async function expectAgainAfter({ given, triggers, clock, notes }: CaseContext, status: number): Promise<void> {
  const extension = await given.extension({ script: answerAlways({ status, json: {} }) });
  const content = { text: given.unique('again') };
  for (let count = 1; count <= equalOnes; count += 1) {
    if ((await unlessRefused(() => triggers.event(extension, content))) === undefined)
      return notes.observe(`an event with the content of one that was answered ${status}`, 'is refused');
    const calls = await extension.ended(count, {}, { withinMs: callWaitMs });
    clock.expectCalls(`calls of equal events, each after an answer ${status} to the one before`, calls, {
      least: count,
    });
  }
}

/** An event with the content of one that waits for its retry, which may come first. */
async function expectBesideRetry({ given, triggers, clock, notes }: CaseContext): Promise<void> {
  const extension = await given.extension({ script: [{ when: { kind: 'event' }, steps: [{ status: 503 }] }] });
  const content = { text: given.unique('retried') };
  for (const calls of [1, 3]) {
    if ((await unlessRefused(() => triggers.event(extension, content))) === undefined)
      return notes.observe('an event with the content of one that waits for a retry', 'is refused');
    const ended = await extension.ended(calls, {}, { withinMs: callWaitMs });
    clock.expectCalls('calls of an event, its retry and an equal event', ended, { least: calls });
  }
}

async function expectEachBesideEvents(
  context: CaseContext,
  content: Readonly<Record<string, unknown>>,
): Promise<readonly boolean[]> {
  const { given, triggers, profile } = context;
  const taken: boolean[] = [];
  if (triggeredTypes(context).includes('Email')) {
    const extension = await given.extension({ types: ['Email'] });
    const [subject, body] = [given.unique('subject'), given.unique('body')];
    taken.push(await expectEach(context, 'mail', extension, () => triggers.email(extension, { subject, body })));
  }
  if (triggeredTypes(context).includes('ExternalTask')) taken.push(await expectEachTask(context, content));
  if (profile.all.triggers?.actionRibbon !== undefined && profile.all.softTypes !== undefined) {
    const extension = await given.extension({ types: ['ExternalAction'] });
    const thing = await given.object();
    taken.push(await expectEach(context, 'action', extension, () => triggers.actionRibbon(extension, { thing })));
  }
  if (profile.all.triggers?.endpoint === undefined) return taken;
  for (const trusted of [false, true]) {
    const endpoint = await given.endpoint({ trusted });
    const what = `call of a ${trusted ? 'trusted' : 'simple'} endpoint`;
    taken.push(await expectEach(context, what, endpoint, () => triggers.endpoint(endpoint, content)));
  }
  return taken;
}

/** Late by what a restart may take of the delay. */
function isDue(gapMs: number, arrivedAt = Number.NaN, endedAt = Number.NaN): boolean {
  return Math.abs(arrivedAt - endedAt - gapMs) <= gapMs / 4;
}

/** One event for each kind of entry. Source: extensions, Errors 3; Events 3 */
async function documentedEvents(context: CaseContext): Promise<Readonly<Record<string, Triggered>>> {
  const { triggers, profile } = context;
  const limited = await extensionLimitedTo(context, 1);
  await limited.call({ about: await triggers.event(limited) });
  // between these a minute may end, and with it the limit, once at most
  const more = [await triggers.event(limited), await triggers.event(limited)];
  const transient = await sendTo(context, answerFirst({ status: 503 }));
  const endless = await sendTo(context, answerFirst({ status: 503 }), { record: { retryForever: true } });
  const timeout = await sendTo(context, answerAlways({ never: true }), { record: { requestTimeout: 1 } });
  const removed = await sendTo(context, answerAlways({ status: 404 }));
  const cancelled = await triggers.event(limited);
  const retried = await sendTo(context, failingForEver);
  await endedAttempts(retried, 1, atOnceMs);
  if (profile.all.routes?.eventDelete !== undefined)
    for (const event of [cancelled, retried.event]) await triggers.deleteEvent(event);
  const [excess] = more.filter((event) => limited.calls({ about: event }).length === 0);
  return {
    ...(excess && { 'an event beyond the rate limit': excess }),
    'a transient error': transient.event,
    'a transient error that is retried for ever': endless.event,
    'a timeout': timeout.event,
    'an event that fails for good': removed.event,
    'an event that a user deletes': cancelled,
    'an event that a user deletes between retries': retried.event,
  };
}
