import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { FinalStatus, GivenTask } from '../../judge/tasks/tasks.ts';
import { endedJob, jobOf, outcomeIfRead, outcomeOf, reported, taskOf } from './words.ts';

const unknownStatuses = ['Running', 'Done', 'Cancelled', '0'];

export const statusCases = {
  'tasks.status.completed': scenario(async (context) => {
    const { expect } = context;
    const task = await taskOf(context);
    const before = await jobOf(context, task);
    expect(outcomeOf(context, before), 'the job before any report', before).toEqual('neither');
    await expectEnd(context, task, 'Completed', 'completed');
  }),

  'tasks.status.canceled-job-failed': scenario(async (context) => {
    const job = await expectEnd(context, await taskOf(context), 'Canceled', 'failed');
    context.notes.observe('the job tells that it was cancelled', /cancel/i.test(job.text), job);
  }),

  'tasks.status.failed-job-outcome': scenario(async (context) => {
    const job = await expectEnd(context, await taskOf(context), 'Failed', 'failed');
    context.notes.observe('state of a job whose task failed', context.tasks.stateOf(job) ?? 'none', job);
  }),

  'tasks.status.body-optional': scenario(async (context) => {
    const { given, expect, tasks } = context;
    const extension = await given.extension({ types: ['ExternalTask'] });
    const forms = [[], ['outputFilePath'], ['logFilePath'], ['outputFilePath', 'logFilePath']];
    expect(await tasks.status(await given.task(extension), 'Completed')).toSucceed();
    for (const names of forms) {
      const task = await given.task(extension);
      // a file that is there
      const path = task.input?.path ?? given.filePath();
      const body = Object.fromEntries(names.map((name) => [name, path]));
      expect(await tasks.status(task, 'Completed', body)).toSucceed();
    }
  }),

  'tasks.status.invalid-refused': scenario(async (context) => {
    const { given, expect, notes } = context;
    const extension = await given.extension({ types: ['ExternalTask'] });
    const task = await given.task(extension);
    for (const status of unknownStatuses) {
      const reply = await reported(context, task, status);
      expect(reply).notToSucceed();
      notes.observe(`answer to the status ${status}`, reply.status, reply);
    }
    expect(await reported(context, task, 'Completed')).toSucceed();
    const lower = await reported(context, await given.task(extension), 'completed');
    notes.observe('answer to the status completed in lower case', lower.status, lower);
  }),

  'tasks.status.after-final': scenario(async (context) => {
    const { given, notes, tasks } = context;
    const task = await taskOf(context);
    given.succeeded(await reported(context, task, 'Completed'), 'the first report', ['tasks.status.completed']);
    const before = await outcomeIfRead(context, task);
    const later = {
      'Completed again': await reported(context, task, 'Completed'),
      'Failed after Completed': await reported(context, task, 'Failed'),
      'progress after Completed': await tasks.progress(task, { message: given.unique('late') }),
    };
    for (const [what, reply] of Object.entries(later)) {
      notes.observe(`answer to ${what}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
    const after = await outcomeIfRead(context, task);
    notes.observe('the job after late reports', after === before ? 'unchanged' : `${before}, then ${after}`);
  }),
} satisfies SomeCasesOf<'tasks'>;

/** Asserts that the report is accepted and the job comes to that end. */
async function expectEnd(
  context: CaseContext,
  task: GivenTask,
  status: FinalStatus,
  end: 'completed' | 'failed',
): ReturnType<typeof jobOf> {
  const { expect } = context;
  expect(await reported(context, task, status)).toSucceed();
  const job = await endedJob(context, task);
  expect(outcomeOf(context, job), `the job within 10 s of the report ${status}`, job).toEqual(end);
  return job;
}
