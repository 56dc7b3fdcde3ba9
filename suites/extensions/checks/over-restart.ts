import type { CaseContext } from '../../../judge/case.ts';
import { comparableId } from '../../../judge/service/guid.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { GivenTask } from '../../../judge/extension/tasks.ts';
import { triggeredTypes } from '../../../judge/extension/trigger-calls.ts';
import { partHere } from '../../../judge/case/part.ts';
import { withCorrelationId } from '../../../judge/service/requests.ts';
import { withBearer } from '../../../judge/service/token.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { readableAs } from '../call-tokens.ts';
import { type Sent, attemptsOf, failFirst, sendTo } from './delivery-attempts.ts';
import { filterAt } from '../../../judge/service/queries.ts';
import { lastingExtension, takesTimeout, triggerEvent } from './triggered-calls.ts';

/** How long what comes after a restart is waited for, in ms. */
export const restartWatchMs = 120_000;

/** Timeout of a task that is over by then, wherever the service begins to count. */
const silentTaskSeconds = 60;

/** An event of a trigger with a correlation id, whose first two attempts fail; undefined where triggers take none. */
export async function sendWithId(
  context: CaseContext,
): Promise<{ readonly sent: Sent; readonly id: string } | undefined> {
  const { given, triggers, clock, profile } = context;
  if (profile.all.triggers?.carryHeaders === false) return undefined;
  const [extension, id, since] = [await given.extension({ script: failFirst(2) }), partHere().id(), clock.now()];
  const filter = filterAt(context, '2026-03-01T00:00:00Z');
  const event = await triggers.event(extension, undefined, { ...withCorrelationId(id), filter });
  await extension.call({ about: event });
  return { sent: { extension, event, since }, id };
}

/** What of an attempt is the same on each, whatever happens in between. */
export function expectIdKept({ expect }: CaseContext, waiting: Awaited<ReturnType<typeof sendWithId>>): void {
  if (waiting === undefined) return;
  const [first, ...later] = attemptsOf(waiting.sent);
  for (const { envelope } of later) {
    expect(comparableId(envelope.id), 'id of an attempt, with a restart behind the first').toEqual(waiting.id);
    for (const member of ['payload', 'informationFilter'] as const)
      expect(envelope[member], `${member} of an attempt, with a restart behind the first`).toEqual(
        first?.envelope[member],
      );
  }
}

/** A token that opens an object; what has to hold of it behind a restart, undefined where none does. Tokens are signed with a key that is configured. */
export async function keepToken(context: CaseContext): Promise<(() => Promise<void>) | undefined> {
  const { given, service, profile, expect, notes } = context;
  if (profile.all.softTypes === undefined) return undefined;
  const [extension, thing] = [await lastingExtension(context), await given.object()];
  const { accessToken } = (await triggerEvent(context, extension)).call.envelope;
  const read = (): Promise<Reply> => service.read(thing, withBearer(accessToken ?? ''));
  if (accessToken === undefined || !isSuccess((await read()).status)) return undefined;
  return async () => {
    const works = await readableAs(context, thing, 'event');
    // what is lost itself, or is not to be read any more, tells nothing
    notes.observe('an object that was there before a restart can be read', works.every(isSuccess));
    if (works.every(isSuccess)) expect(await read()).toAnswer(...works);
  };
}

/** A task that was acknowledged and is not over; what has to hold of it behind a restart, undefined where none is called. */
export async function keepTask(context: CaseContext): Promise<(() => Promise<void>) | undefined> {
  const { given, profile, tasks, expect, notes } = context;
  if (profile.all.routes?.job === undefined || !triggeredTypes(context).includes('ExternalTask')) return undefined;
  const taskOf = async (): Promise<GivenTask> => {
    const task = await given.task(await lastingExtension(context, { types: ['ExternalTask'] }));
    await task.extension.ended(1, { where: (call) => call === task.call });
    return task;
  };
  const task = await unlessRefused(taskOf);
  if (task === undefined || !isOpen(context, await tasks.job(task))) return undefined;
  const message = given.unique('progress');
  await tasks.progress(task, { message });
  const isShown = tasks.shows(await tasks.job(task), message);
  return async () => {
    const job = await tasks.job(task);
    notes.observe('the job of a task that was acknowledged before a restart can be read', isSuccess(job.status), job);
    if (!isSuccess(job.status)) return;
    expect(tasks.isFailed(job), 'the job of an acknowledged task has failed behind a restart', job).toEqual(false);
    if (isShown) expect(tasks.shows(job, message), 'the progress from before a restart is shown', job).toEqual(true);
    const reply = await tasks.status(task, 'Completed');
    if (!isSuccess(reply.status)) await assumeReported(context, await taskOf());
    expect(reply).toSucceed();
    const ended = await tasks.jobUntil(task, (now) => tasks.isCompleted(now) || tasks.isFailed(now));
    if (!tasks.isCompleted(ended)) await assumeReported(context, await taskOf());
    const what = 'the job of a task that was reported as completed behind a restart is so';
    expect(tasks.isCompleted(ended), what, ended).toEqual(true);
  };
}

/** A task with a timeout that nobody reports of; what has to hold of it once that is over, behind a restart, undefined where its job is not there any more. */
export async function keepSilentTask(
  context: CaseContext,
): Promise<(() => Promise<(() => Promise<void>) | undefined>) | undefined> {
  const { given, profile, tasks, expect } = context;
  const isBound = profile.all.routes?.job !== undefined && triggeredTypes(context).includes('ExternalTask');
  if (!isBound || !takesTimeout(context)) return undefined;
  const extension = await lastingExtension(context, { types: ['ExternalTask'] });
  const task = await unlessRefused(() => given.task(extension, { timeout: silentTaskSeconds }));
  if (task === undefined || !isOpen(context, await tasks.job(task))) return undefined;
  return async () => {
    if (!isOpen(context, await tasks.job(task))) return undefined;
    return async () => {
      const job = await tasks.job(task);
      const what = `the job of a task with a timeout of ${silentTaskSeconds} s has failed ${restartWatchMs / 1000} s behind a restart`;
      expect(tasks.isFailed(job), what, job).toEqual(true);
    };
  };
}

/** Whether a job is there that is not over. */
function isOpen({ tasks }: CaseContext, job: Reply): boolean {
  return isSuccess(job.status) && !tasks.isFailed(job) && !tasks.isCompleted(job);
}

/** That a report completes a job at all is the business of another rule. */
async function assumeReported({ given, tasks }: CaseContext, task: GivenTask): Promise<void> {
  given.succeeded(await tasks.status(task, 'Completed'), 'a report of Completed', ['tasks.status.completed']);
  const job = await tasks.jobUntil(task, tasks.isCompleted);
  given.present(tasks.isCompleted(job) || undefined, 'a job that a report completes', ['tasks.status.completed']);
}

/** A host that was called, and is deleted or switched off then; what has to hold of it behind a restart, undefined where that cannot be done. */
export async function dropHost(
  context: CaseContext,
  how: 'deleted' | 'switched off',
): Promise<(() => Promise<() => void>) | undefined> {
  const { given, registrations, triggers, expect, profile } = context;
  if (how === 'switched off' && profile.all.routes?.registrationUpdate === undefined) return undefined;
  const extension = await given.extension();
  await extension.call({ about: await triggers.event(extension) });
  const registration = given.present(extension.registration, 'a registration');
  const reply =
    how === 'deleted'
      ? await registrations.remove(registration)
      : await registrations.update(registration, { active: false });
  if (reply === undefined || !isSuccess(reply.status)) return undefined;
  return async () => {
    const event = await unlessRefused(() => triggers.event(extension));
    return () => {
      if (event === undefined) return;
      const what = `calls behind a restart, of an extension that was ${how} before it`;
      expect(extension.calls({ about: event }).length, what).toEqual(0);
    };
  };
}

/** An event that is deleted while it waits for a retry is not sent behind a restart either; undefined where it cannot be deleted. */
export async function dropEvent(context: CaseContext): Promise<(() => Promise<() => void>) | undefined> {
  const { given, triggers, clock, expect, profile } = context;
  if (profile.all.routes?.eventDelete === undefined) return undefined;
  const sent = await sendTo(context, failFirst(1));
  const [first] = await sent.extension.ended(1, { about: sent.event }, { withinMs: 4000, oneByOne: true });
  const deleted = await clock.at(clock.now(), () => triggers.deleteEvent(sent.event), {
    until: given.present(first, 'an attempt').arrivedAt + 2000,
    what: 'the second attempt',
  });
  if (!isSuccess(deleted.status)) return undefined;
  return async () => () => {
    expect(attemptsOf(sent).length, 'attempts of an event that was deleted before a restart, behind it').toEqual(1);
  };
}

/** The same of an endpoint that is registered switched off: it is so behind a restart, where it is known there. */
export async function keepEndpointOff(
  { given, triggers, expect, profile }: CaseContext,
  trusted: boolean,
): Promise<(() => Promise<() => void>) | undefined> {
  if (profile.all.triggers?.endpoint === undefined) return undefined;
  const endpoint = await unlessRefused(() => given.endpoint({ trusted, registration: { active: false } }));
  if (endpoint === undefined) return undefined;
  return async () => {
    const sent = await unlessRefused(() => triggers.endpoint(endpoint));
    return () => {
      if (sent === undefined) return;
      const what = `calls behind a restart, of a ${trusted ? 'trusted' : 'simple'} endpoint that was registered switched off`;
      expect(endpoint.calls().length, what).toEqual(0);
    };
  };
}
