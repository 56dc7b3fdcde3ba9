import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { FinalStatus, GivenTask, TaskInput } from '../../judge/tasks/tasks.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { beside, nameFor, streamOf, taskWithInput } from './words.ts';

const length = 200;

export const reportedFileCases = {
  'tasks.status.file-paths-used': scenario(async (context) => {
    await expectFiles(context, 'Completed', ['outputFilePath', 'logFilePath']);
    await expectFiles(context, 'Canceled', ['logFilePath']);
    await expectFiles(context, 'Failed', ['logFilePath']);
  }),
} satisfies SomeCasesOf<'tasks'>;

/** Asserts that the names of files which the task uploads and reports with its end occur in the job. */
async function expectFiles(context: CaseContext, status: FinalStatus, members: readonly string[]): Promise<void> {
  const { given, expect, tasks } = context;
  const { input, ...task } = await taskWithInput(context);
  const names = members.map((member) => `${given.unique(member)}.txt`);
  for (const name of names) await uploadByLink(context, task, input, name);
  const body = Object.fromEntries(members.map((member, index) => [member, beside(input, names[index] ?? '')]));
  given.succeeded(await tasks.status({ ...task, input }, status, body), `the report ${status}`, [
    'tasks.status.body-optional',
  ]);
  const job = await tasks.jobUntil({ ...task, input }, (now) => names.every((name) => unescaped(now).includes(name)));
  given.succeeded(job, 'the job to be read');
  for (const [index, name] of names.entries())
    expect(unescaped(job), `the job after ${status}`, job).toSatisfy(
      `a text with the ${members[index]} …/${name}`,
      (text) => text.includes(name),
    );
}

async function uploadByLink(
  context: CaseContext,
  task: Omit<GivenTask, 'input'>,
  input: TaskInput,
  name: string,
): Promise<void> {
  const { given, tasks } = context;
  const link = task.link('uploadFileStream');
  given.bookFile(input.area, beside(input, name));
  const path = nameFor(context, link, input, name);
  given.succeeded(await tasks.follow(link, { path }, streamOf(context, given.bytes(length))), 'an upload by the link', [
    'tasks.links.upload-stream-usable',
  ]);
}
