import { isDeepStrictEqual } from 'node:util';
import { mediaTypes } from '../../contract/names.ts';
import { zerosBefore } from '../../fixtures/values.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../judge/exchange.ts';
import { alterOid } from '../../judge/given.ts';
import { askersOf } from '../../judge/service/roles.ts';
import { rules } from '../../judge/rule.ts';
import { everySpelling, spelled } from '../../judge/service/spellings.ts';
import { withBearer } from '../../judge/service/token.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import type { FinalStatus, GivenTask, TaskInput } from '../../judge/extension/tasks.ts';
import { plainTextOf } from '../../judge/service/answers.ts';
import {
  expectEndBesideProgress,
  pathBeside,
  endedJob,
  jobOf,
  nameFor,
  outcomeIfRead,
  outcomeOf,
  report,
  streamOf,
  taskInSecondSpace,
  taskOf,
  taskWithInput,
} from './checks/task-jobs.ts';
import { lastingExtension } from './checks/triggered-calls.ts';
import { bearableToken } from './checks/use-of-tokens.ts';
import { unlessRefused } from '../../judge/violation.ts';

const stillRunning = ['neither', 'not read'];

/** How long a message of progress is waited for, in ms. */
const shownMs = 5000;

/** How late a task is acknowledged that reports before, in ms. */
const acknowledgedAfterMs = 1000;

const uploadBytes = 200;

const bothFiles = ['outputFilePath', 'logFilePath'];

const nobody: Changes = { as: null };

const unknownStatuses = ['Running', 'Done', 'Cancelled', '0', 'Complete', 'CompletedLate', 'Fail', 'FailedTask'];

export const taskCallbackRules = rules('tasks', {
  'tasks.status.completed': {
    source: 'extensions: States and transitions, row Completed; Callbacks, table',
    statement:
      'PUT of status Completed with the envelope token is accepted and completes the task: the job goes on and does not fail. As with any other end, another task of the same extension is not ended by it, also where both have one input. It stays so where progress is told at the same moment, or where the report overtakes the acknowledgement and is taken. Nothing of that hangs on the text of an acknowledgement. Where a user may report with a token of the grant, a personal access token of that user does as well.',
    fault: 'Completed is accepted and the task runs into its timeout.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { expect } = context;
      const task = await taskOf(context);
      const before = await jobOf(context, task);
      expect(outcomeOf(context, before), 'the job before any report', before).toEqual('neither');
      await expectEnd(context, task, 'Completed', 'completed');
      await expectOthersOpen(context);
      await expectEndBesideProgress(context);
      await expectOvertaken(context, 'Completed', 'completed');
      await expectReportsByPersonalToken(context);
    }),
  },
  'tasks.status.canceled-job-failed': {
    source: 'extensions: States and transitions, row Canceled',
    statement:
      'PUT of status Canceled is accepted, one with the path of a log as well, and the job is reported as failed, also where the report overtakes the acknowledgement and is taken.',
    fault: 'Canceled completes the job.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const job = await expectEnd(context, await taskOf(context), 'Canceled', 'failed');
      await expectFailedWithLog(context, 'Canceled');
      await expectOvertaken(context, 'Canceled', 'failed');
      context.notes.observe('the job tells that it was cancelled', /cancel/i.test(job.text), job);
    }),
  },
  'tasks.status.failed-job-outcome': {
    source: 'extensions: States and transitions, row Failed',
    statement:
      'PUT of status Failed is accepted, one with the path of a log as well, and ends the task as failed, also where the report overtakes the acknowledgement and is taken.',
    fault: 'Failed is recorded as Completed.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const job = await expectEnd(context, await taskOf(context), 'Failed', 'failed');
      await expectFailedWithLog(context, 'Failed');
      await observeUncommonReports(context);
      await expectOvertaken(context, 'Failed', 'failed');
      context.notes.observe('state of a job whose task failed', context.tasks.stateOf(job) ?? 'none', job);
    }),
  },
  'tasks.status.body-optional': {
    source: 'extensions: Callbacks from an external task, row status (body optional)',
    statement:
      'The status PUT is accepted without a body, whatever the status, with an empty JSON object, with one of outputFilePath and logFilePath, and with both, however its JSON is spelled.',
    fault: 'A PUT without a body is answered 400.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { given, expect, tasks } = context;
      const extension = await given.extension({ types: ['ExternalTask'] });
      const forms = [[], ['outputFilePath'], ['logFilePath'], ['outputFilePath', 'logFilePath']];
      for (const status of ['Completed', 'Canceled', 'Failed'])
        expect(await tasks.status(await given.task(extension), status)).toSucceed();
      for (const names of forms) {
        const task = await given.task(extension);
        // a file that is there
        const path = task.input?.path ?? given.filePath();
        const body = Object.fromEntries(names.map((name) => [name, path]));
        const changes = names.length > 1 ? { body: spelled(body, everySpelling) } : {};
        expect(await tasks.status(task, 'Completed', body, changes)).toSucceed();
      }
    }),
  },
  'tasks.status.file-paths-used': {
    level: 'should',
    source: 'extensions: States and transitions, rows Completed, Canceled and Failed',
    statement:
      'outputFilePath and logFilePath of the status body are available on the job afterwards, whole, however long, whichever token of the user the report comes with, and on no later one of the same task that names none.',
    fault: 'logFilePath is dropped for failed tasks.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['tasks.status.completed'],
    test: scenario(async (context) => {
      for (const members of [bothFiles, ['outputFilePath'], ['logFilePath']])
        await expectFiles(context, 'Completed', members);
      await expectFiles(context, 'Canceled', ['logFilePath']);
      const { pat } = context.profile.all.identities.editor;
      if (pat !== undefined)
        for (const status of ['Canceled', 'Failed', 'Completed'] as const)
          // who but the task may report is not said
          await unlessRefused(() =>
            expectFiles(context, status, status === 'Completed' ? bothFiles : ['logFilePath'], {
              changes: withBearer(pat),
              // longer than many a column with its directory, or another one when it is decoded; a service need not take either as a name
              ending: { Canceled: '-50%41', Failed: `-${'long'.repeat(53)}`, Completed: `-50%41${'long'.repeat(51)}` }[
                status
              ],
            }),
          );
      const { given, expect } = context;
      const extension = await lastingExtension(context, { types: ['ExternalTask'] });
      const names = await expectFiles(context, 'Failed', ['logFilePath'], { extension });
      const task = await given.task(extension);
      expect(await report(context, task, 'Completed')).toSucceed();
      const job = await endedJob(context, task);
      const shown = names.filter((name) => plainTextOf(job).includes(name));
      expect(shown, 'files of the job before on a job that named none', job).toEqual([]);
    }),
  },
  'tasks.status.invalid-refused': {
    source: 'extensions: Callbacks from an external task, row status (three values)',
    statement: 'Any status other than Completed, Canceled and Failed is refused and leaves the task running.',
    fault: 'Unknown values are accepted and ignored.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const extension = await given.extension({ types: ['ExternalTask'] });
      const task = await given.task(extension);
      for (const status of unknownStatuses) {
        const reply = await report(context, task, status);
        expect(reply).notToSucceed();
        notes.observe(`answer to the status ${status}`, reply.status, reply);
      }
      expect(await outcomeIfRead(context, task), 'the job after reports of no status').toBeOneOf(stillRunning);
      expect(await report(context, task, 'Completed')).toSucceed();
      const lower = await report(context, await given.task(extension), 'completed');
      notes.observe('answer to the status completed in lower case', lower.status, lower);
    }),
  },
  'tasks.status.after-final': {
    level: 'observe',
    source: 'extensions: States and transitions (leaving a final state silent)',
    statement:
      'What a second status PUT, the same or another one, or a progress PUT does after a final status is not said.',
    fault: 'Not applicable as a failure; recorded variant: last report wins.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: scenario(async (context) => {
      const { given, notes, tasks } = context;
      const task = await taskOf(context);
      given.succeeded(await report(context, task, 'Completed'), 'the first report', ['tasks.status.completed']);
      const before = await outcomeIfRead(context, task);
      const later = {
        'Completed again': await report(context, task, 'Completed'),
        'Failed after Completed': await report(context, task, 'Failed'),
        'progress after Completed': await tasks.progress(task, { message: given.unique('late') }),
      };
      for (const [what, reply] of Object.entries(later)) {
        notes.observe(`answer to ${what}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
      const after = await outcomeIfRead(context, task);
      notes.observe('the job after late reports', after === before ? 'unchanged' : `${before}, then ${after}`);
    }),
  },
  'tasks.callback.missing-credential-401': {
    source: 'core: Authentication, rule 6; extensions: Authentication, rule 4',
    statement:
      'Status and progress PUTs without a credential are answered 401; the task does not end, and the message is not shown.',
    fault: 'Progress route is open.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { given, expect, notes, profile, tasks } = context;
      const task = await taskOf(context);
      const message = given.unique('progress');
      for (const status of ['Failed', 'Canceled', 'Completed'])
        expect(await report(context, task, status, nobody)).toAnswer(401);
      expect(await tasks.progress(task, { message }, nobody)).toAnswer(401);
      if (profile.all.routes?.job !== undefined) {
        const job = await jobOf(context, task);
        expect(outcomeOf(context, job), 'the job after reports without a credential', job).toEqual('neither');
        expect(tasks.shows(job, message), `the job shows "${message}", sent without a credential`, job).toEqual(false);
      }
      const url = `${tasks.route(task.jobId)}/progress?token=${encodeURIComponent(task.token)}`;
      const byQuery = await tasks.progress(task, { message: given.unique('by-query') }, { ...nobody, url });
      notes.observe('status of a report with the token in the query', byQuery.status, byQuery);
      await expectOpen(context, task);
    }),
  },
  'tasks.callback.unknown-job-fails': {
    source: 'core: Errors, row 404; extensions: Callbacks from an external task, table',
    statement:
      'Status and progress PUTs for a job id that does not exist are refused; another status than 404 is remarked on.',
    fault: 'Unknown job ids answer 2xx.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { expect, notes } = context;
      const task = await taskOf(context);
      const jobId = alterOid(task.jobId, () => false);
      for (const reply of await bothReports(context, { ...task, jobId })) {
        expect(reply).notToSucceed();
        if (reply.status !== 404)
          notes.remark(
            `a report on a job that does not exist was answered with ${reply.status}; 404 is expected`,
            reply,
          );
      }
      await expectOpen(context, task);
    }),
  },
  'tasks.callback.foreign-space-fails': {
    source: 'extensions: Callbacks from an external task, table (space and job in the path)',
    statement:
      'A job is addressed by its own space only: its id under another space is refused and the job is unchanged, be its own the one space or the other.',
    fault: 'Space id of the callback route is ignored.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'second-space'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { given, expect, profile, tasks } = context;
      const task = await taskOf(context);
      const { space } = given.present(profile.all.secondSpace, 'a second space');
      const message = given.unique('progress');
      // who has a role over there only comes that way too
      const byOutsider: readonly Changes[] = profile.all.identities.outsider === undefined ? [] : [{ as: 'outsider' }];
      for (const way of [{}, ...byOutsider]) {
        const at = tasks.route(task.jobId, space);
        expect(await tasks.progress(task, { message }, { ...way, url: `${at}/progress` })).notToSucceed();
        expect(await report(context, task, 'Failed', { ...way, url: `${at}/status/Failed` })).notToSucceed();
      }
      if (profile.all.routes?.job !== undefined) {
        const job = await jobOf(context, task);
        expect(tasks.shows(job, message), `the job shows "${message}", sent under another space`, job).toEqual(false);
      }
      expect(await outcomeIfRead(context, task), 'the job after a report under another space').toBeOneOf(stillRunning);
      await expectOpen(context, task);
      const other = await taskInSecondSpace(context, task);
      if (other === undefined) return;
      expect(await report(context, other, 'Completed')).notToSucceed();
      const own = `${tasks.route(other.jobId, space)}/status/Completed`;
      expect(await report(context, other, 'Completed', { url: own })).toSucceed();
    }),
  },
  'tasks.callback.foreign-user': {
    level: 'should',
    source: 'core: Authentication, rules 6 and 7',
    statement:
      'A user without a role in the space gets 403 on the callbacks of its jobs; what another member of the space gets is recorded.',
    fault: 'Any valid token may report a status.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'outsider-identity'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { expect, notes, profile } = context;
      const task = await taskOf(context);
      for (const reply of await bothReports(context, task, { as: 'outsider' })) expect(reply).toAnswer(403);
      expect(await outcomeIfRead(context, task), 'the job after the report of an outsider').toBeOneOf(stillRunning);
      if (profile.all.identities.secondEditor !== undefined) {
        const reply = await reportProgress(context, task, { as: 'secondEditor' });
        notes.observe('status of a report of another member of the space', reply.status, reply);
      }
      await expectOpen(context, task);
    }),
  },
  'tasks.progress.message-shown': {
    source: 'extensions: Callbacks from an external task, row progress',
    statement:
      'PUT progress with `message` is accepted and the text appears on the job, all its lines, also that of the last of many reports, whoever has scheduled it, and on no other job of the same extension.',
    fault: 'Progress is accepted and dropped.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { given, expect, notes, tasks } = context;
      const extension = await lastingExtension(context, { types: ['ExternalTask'] });
      const task = await given.task(extension);
      // one extension may be given its tasks one after the other
      const other = await unlessRefused(() => given.task(extension));
      for (const message of [
        zerosBefore,
        `${given.unique('half way')}: über 50 %, 高さ 🙂 ${'and on '.repeat(40)}to here`,
        `${given.unique('quoted')}: "a" <b>&amp; C:\\new 'c' $& $$`,
      ]) {
        const body = { message };
        const isOtherwise = message.startsWith('quoted');
        const changes = isOtherwise ? { body: spelled(body, everySpelling) } : {};
        expect(await tasks.progress(task, body, changes)).toSucceed();
        const isShown = forGood((read) => tasks.shows(read, message));
        const job = await tasks.jobUntil(task, isShown, { withinMs: shownMs });
        given.succeeded(job, 'the job to be read');
        expect(job.json, 'the job', job).toSatisfy(`one that shows "${message}"`, () => tasks.shows(job, message));
        if (other === undefined) continue;
        const beside = await jobOf(context, other);
        expect(tasks.shows(beside, message), `another job shows "${message}"`, beside).toEqual(false);
      }
      await expectEveryLineShown(context, task);
      await expectZeroShown(context, task);
      await expectLaterShown(context, task);
      for (const as of askersOf(context.profile.all).slice(1)) {
        const theirs = await unlessRefused(() => given.task(extension, { changes: { as } }));
        if (theirs === undefined) continue;
        const message = given.unique('progress');
        expect(await tasks.progress(theirs, { message })).toSucceed();
        const job = await tasks.jobUntil(theirs, (read) => tasks.shows(read, message), { withinMs: shownMs });
        if (isSuccess(job.status))
          expect(job.json, `the job of the ${as}`, job).toSatisfy(`one that shows "${message}"`, () =>
            tasks.shows(job, message),
          );
      }
      const without = await tasks.progress(task, {});
      notes.observe('answer to progress without a message', without.status, without);
      expect(await report(context, task, 'Completed')).toSucceed();
    }),
  },
});

/** So often in a row: a service may have several hosts, and each of them may learn of it a little later. */
const readsInARow = 4;

/** What is true of so many reads in a row. */
function forGood(isSo: (read: Reply) => boolean): (read: Reply) => boolean {
  let inARow = 0;
  return (read) => {
    inARow = isSo(read) ? inARow + 1 : 0;
    return inARow >= readsInARow;
  };
}

/** How a job shows line ends is not said; the text of each line is a part of the message. */
async function expectEveryLineShown({ given, expect, tasks }: CaseContext, task: GivenTask): Promise<void> {
  for (const end of ['\n', '\r\n', '\n\n', '\t']) {
    const lines = ['first', 'second', 'third'].map((line) => given.unique(line));
    expect(await tasks.progress(task, { message: lines.join(end) })).toSucceed();
    const isShown = (read: Reply) => lines.every((line) => tasks.shows(read, line));
    const job = await tasks.jobUntil(task, isShown, { withinMs: shownMs });
    given.succeeded(job, 'the job to be read');
    for (const line of lines)
      expect(tasks.shows(job, line), `the job shows "${line}" of ${JSON.stringify(lines.join(end))}`, job).toEqual(
        true,
      );
  }
}

/** A zero may stand in other texts of a job: when it is shown, the job is another one than before. */
async function expectZeroShown({ given, expect, tasks }: CaseContext, task: GivenTask): Promise<void> {
  const before = await tasks.job(task);
  given.succeeded(before, 'the job to be read');
  const isAnother = ({ json }: Reply): boolean => !isDeepStrictEqual(json, before.json);
  expect(await tasks.progress(task, { message: '0' })).toSucceed();
  const job = await tasks.jobUntil(task, isAnother, { withinMs: shownMs });
  given.succeeded(job, 'the job to be read');
  expect(isAnother(job), 'the job is another one when its progress is "0"', job).toEqual(true);
}

/** So many more than any task sends before somebody looks at its job. */
const manyReports = 101;

/** The job shows the report that came last: of many without a look in between, and one whose text came before. */
async function expectLaterShown({ given, expect, tasks }: CaseContext, task: GivenTask): Promise<void> {
  const messages = Array.from({ length: manyReports }, () => given.unique('step'));
  const [first = ''] = messages;
  for (const message of messages) expect(await tasks.progress(task, { message })).toSucceed();
  const expectShown = async (message: string, what: string): Promise<void> => {
    const job = await tasks.jobUntil(task, (read) => tasks.shows(read, message), { withinMs: shownMs });
    given.succeeded(job, 'the job to be read');
    expect(tasks.shows(job, message), `the job shows ${what}`, job).toEqual(true);
  };
  await expectShown(messages.at(-1) ?? '', `the last of ${manyReports} further reports`);
  expect(await tasks.progress(task, { message: first })).toSucceed();
  await expectShown(first, `a message for the second time, after ${manyReports - 1} others`);
}

/** Asserts that the report is accepted and the job comes to that end. */
async function expectEnd(
  context: CaseContext,
  task: GivenTask,
  status: FinalStatus,
  end: 'completed' | 'failed',
  changes?: Changes,
): ReturnType<typeof jobOf> {
  const { expect } = context;
  expect(await report(context, task, status, changes)).toSucceed();
  const job = await endedJob(context, task);
  expect(outcomeOf(context, job), `the job within 10 s of the report ${status}`, job).toEqual(end);
  return job;
}

/** Whether anybody but the task may report is not said: what a token of the grant may is open to a personal one. Source: core, Authentication 1 */
async function expectReportsByPersonalToken(context: CaseContext): Promise<void> {
  const { expect, notes } = context;
  const pat = await bearableToken(context, 'editor');
  if (pat === undefined) return;
  const granted = await taskOf(context);
  const replies = [
    await reportProgress(context, granted, { as: 'editor' }),
    await report(context, granted, 'Completed', { as: 'editor' }),
  ];
  const isOpen = replies.every(({ status }) => isSuccess(status));
  notes.observe('reports of the editor with a token of the grant', isOpen ? 'are taken' : 'are refused', replies[1]);
  if (!isOpen) return;
  const task = await taskOf(context);
  expect(await reportProgress(context, task, withBearer(pat))).toSucceed();
  await expectEnd(context, task, 'Completed', 'completed', withBearer(pat));
}

/** A report that comes before the acknowledgement may be refused; one that is taken is not undone by that. */
async function expectOvertaken(context: CaseContext, status: FinalStatus, end: 'completed' | 'failed'): Promise<void> {
  const { given, tasks, expect, notes } = context;
  const steps = [{ status: 200, delayMs: acknowledgedAfterMs }];
  const script = [{ when: { kind: 'task' }, steps, afterwards: 'last' as const }];
  const extension = await lastingExtension(context, { types: ['ExternalTask'], script });
  const task = await given.task(extension);
  const reply = await report(context, task, status);
  notes.observe('a report before the acknowledgement', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  await extension.ended(1, { kind: 'task', where: (call) => call === task.call });
  // a service may come to the report only after that
  const isEnded = (read: Reply): boolean => outcomeOf(context, read) === end;
  const job = await tasks.jobUntil(task, isEnded, { withinMs: shownMs });
  expect(outcomeOf(context, job), 'the job after an acknowledgement that the report overtook', job).toEqual(end);
}

/** Of several tasks of one extension each ends by its own report. */
async function expectOthersOpen(context: CaseContext): Promise<void> {
  const { given, expect, notes } = context;
  // an acknowledgement may say anything
  const told = ['Completed', 'Completed', 'Failed'].map((end) => ({
    status: 200,
    json: { status: end, state: end, statusCode: 200 },
  }));
  const steps = [{ status: 200, text: 'OK' }, ...told];
  const script = [{ when: { kind: 'task' }, steps, afterwards: 'last' as const }];
  const extension = await lastingExtension(context, { types: ['ExternalTask'], script });
  const open = await given.task(extension);
  for (const [status, end] of [
    ['Failed', 'failed'],
    ['Canceled', 'failed'],
    ['Completed', 'completed'],
  ] as const) {
    // what has its input in common may have to wait, and one extension may be given its tasks one after the other
    const task =
      (await unlessRefused(() => given.task(extension, { like: open }))) ??
      (await unlessRefused(() => given.task(extension)));
    if (task === undefined) return notes.observe('several tasks of one extension', 'one after the other');
    await expectEnd(context, task, status, end);
    const job = await jobOf(context, open);
    expect(outcomeOf(context, job), `the job of another task after the report ${status}`, job).toEqual('neither');
  }
  await expectEnd(context, open, 'Completed', 'completed');
}

/** A log that is told with the report changes nothing about how it ended. */
async function expectFailedWithLog(context: CaseContext, status: FinalStatus): Promise<void> {
  const { given, expect, tasks } = context;
  const task = await taskOf(context);
  // a file that is there
  const logFilePath = task.input?.path ?? given.filePath();
  expect(await tasks.status(task, status, { logFilePath })).toSucceed();
  const job = await endedJob(context, task);
  expect(outcomeOf(context, job), `the job within 10 s of the report ${status} with a log`, job).toEqual('failed');
}

/** Whether a task that failed may name an output, and whether a report may say that it is JSON and have no body, is not said. */
async function observeUncommonReports(context: CaseContext): Promise<void> {
  const { given, tasks, notes } = context;
  const task = await taskOf(context);
  const path = task.input?.path ?? given.filePath();
  const withOutput = await tasks.status(task, 'Failed', { outputFilePath: path, logFilePath: path });
  notes.observe('a failure that names an output beside its log', withOutput.status, withOutput);
  const bare = await report(context, await taskOf(context), 'Failed', {
    body: '',
    headers: { 'Content-Type': mediaTypes.json },
  });
  notes.observe('a report that is said to be JSON and has no body', bare.status, bare);
}

/** Asserts that the names of files which the task uploads and reports with its end occur in the job. @returns the names */
async function expectFiles(
  context: CaseContext,
  status: FinalStatus,
  members: readonly string[],
  {
    extension,
    changes,
    ending = '',
  }: { readonly extension?: Extension; readonly changes?: Changes; readonly ending?: string } = {},
): Promise<readonly string[]> {
  const { given, expect, tasks } = context;
  const { input, ...task } = await taskWithInput(context, {}, extension);
  const names = members.map((member) => `${given.unique(member)}${ending}.txt`);
  for (const name of names) await uploadByLink(context, task, input, name);
  const body = Object.fromEntries(members.map((member, index) => [member, pathBeside(input, names[index] ?? '')]));
  given.succeeded(await tasks.status({ ...task, input }, status, body, changes), `the report ${status}`, [
    'tasks.status.body-optional',
  ]);
  const tells = (text: string, name: string): boolean =>
    [name, encodeURIComponent(name)].some((each) => text.includes(each));
  const job = await tasks.jobUntil({ ...task, input }, (now) => names.every((name) => tells(plainTextOf(now), name)));
  given.succeeded(job, 'the job to be read');
  for (const [index, name] of names.entries())
    expect(plainTextOf(job), `the job after ${status}`, job).toSatisfy(
      `a text with the ${members[index]} …/${name}`,
      (text) => tells(text, name),
    );
  return names;
}

async function uploadByLink(
  context: CaseContext,
  task: Omit<GivenTask, 'input'>,
  input: TaskInput,
  name: string,
): Promise<void> {
  const { given, tasks } = context;
  const link = task.link('uploadFileStream');
  given.bookFile(input.area, pathBeside(input, name));
  const path = nameFor(context, link, input, name);
  given.succeeded(
    await tasks.follow(link, { path }, streamOf(context, given.bytes(uploadBytes))),
    'an upload by the link',
    ['tasks.links.upload-stream-usable'],
  );
}

/** Asserts that the task may report its end still. */
async function expectOpen(context: CaseContext, task: GivenTask): Promise<void> {
  context.expect(await report(context, task, 'Completed')).toSucceed();
}

/** A report on each of the two routes. */
async function bothReports(context: CaseContext, task: GivenTask, changes?: Changes): Promise<readonly Reply[]> {
  return [await report(context, task, 'Failed', changes), await reportProgress(context, task, changes)];
}

function reportProgress({ given, tasks }: CaseContext, task: GivenTask, changes?: Changes): Promise<Reply> {
  return tasks.progress(task, { message: given.unique('progress') }, changes);
}
