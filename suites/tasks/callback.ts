import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Changes, Reply } from '../../judge/exchange.ts';
import type { GivenTask } from '../../judge/tasks/tasks.ts';
import { changedOid } from '../../judge/given/unknown-oid.ts';
import { outcomeIfRead, reported, taskOf } from './words.ts';

export const callbackCases = {
  'tasks.callback.missing-credential-401': scenario(async (context) => {
    const { expect, notes, tasks } = context;
    const task = await taskOf(context);
    const message = context.given.unique('progress');
    for (const reply of await bothReports(context, task, { as: null })) expect(reply).toAnswer(401);
    const url = `${tasks.route(task.jobId)}/progress?token=${encodeURIComponent(task.token)}`;
    const byQuery = await tasks.progress(task, { message }, { as: null, url });
    notes.observe('status of a report with the token in the query', byQuery.status, byQuery);
    await expectOpen(context, task);
  }),

  'tasks.callback.unknown-job-fails': scenario(async (context) => {
    const { expect, notes } = context;
    const task = await taskOf(context);
    const jobId = changedOid(task.jobId, () => false);
    for (const reply of await bothReports(context, { ...task, jobId })) {
      expect(reply).notToSucceed();
      if (reply.status !== 404)
        notes.remark(`a report on a job that does not exist was answered with ${reply.status}; 404 is expected`, reply);
    }
    await expectOpen(context, task);
  }),

  'tasks.callback.foreign-space-fails': scenario(async (context) => {
    const { given, expect, profile, tasks } = context;
    const task = await taskOf(context);
    const { space } = given.present(profile.all.secondSpace, 'a second space');
    const url = `${tasks.route(task.jobId, space)}/status/Failed`;
    expect(await reported(context, task, 'Failed', { url })).notToSucceed();
    expect(await outcomeIfRead(context, task), 'the job after a report under another space').toBeOneOf(stillRunning);
    await expectOpen(context, task);
  }),

  'tasks.callback.foreign-user': scenario(async (context) => {
    const { expect, notes, profile } = context;
    const task = await taskOf(context);
    for (const reply of await bothReports(context, task, { as: 'outsider' })) expect(reply).toAnswer(403);
    expect(await outcomeIfRead(context, task), 'the job after the report of an outsider').toBeOneOf(stillRunning);
    if (profile.all.identities.secondEditor !== undefined) {
      const reply = await progress(context, task, { as: 'secondEditor' });
      notes.observe('status of a report of another member of the space', reply.status, reply);
    }
    await expectOpen(context, task);
  }),
} satisfies SomeCasesOf<'tasks'>;

const stillRunning = ['neither', 'not read'];

/** A report on each of the two routes. */
async function bothReports(context: CaseContext, task: GivenTask, changes?: Changes): Promise<readonly Reply[]> {
  return [await reported(context, task, 'Failed', changes), await progress(context, task, changes)];
}

function progress({ given, tasks }: CaseContext, task: GivenTask, changes?: Changes): Promise<Reply> {
  return tasks.progress(task, { message: given.unique('progress') }, changes);
}

/** Asserts that the task may report its end still. */
async function expectOpen(context: CaseContext, task: GivenTask): Promise<void> {
  context.expect(await reported(context, task, 'Completed')).toSucceed();
}
