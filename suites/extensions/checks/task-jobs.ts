import { posix } from 'node:path';
import { lastingExtension, urlInSecondSpace } from './triggered-calls.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import { contentOf } from '../../../judge/files/stored-files.ts';
import type { Extension } from '../../../judge/extension/extension.ts';
import type { GivenTask, LinkId, TaskInput, TaskLink, TaskOptions } from '../../../judge/extension/tasks.ts';
import { type CallPlace, unlessRefused } from '../../../judge/violation.ts';
import { decodeSegment } from '../../../judge/service/requests.ts';
import { matches } from '../../../judge/run/glob.ts';

const usualChunkSize = 200;

/** How long a job may not be found yet whose task was called, in ms. */
const readableMs = 2000;

const methodsOfLinks: Readonly<Record<LinkId, string>> = {
  inputDir: 'GET',
  inputFile: 'GET',
  taskStatus: 'PUT',
  taskProgress: 'PUT',
  uploadFileStream: 'POST',
  uploadFile: 'POST',
  content: 'GET',
  downloadFile: 'GET',
};

/** Links to nothing that has to do with files. */
const reportLinks: ReadonlySet<string> = new Set<LinkId>(['taskStatus', 'taskProgress']);

/** A task of an extension that nobody else calls. */
export async function taskOf(context: CaseContext, options: TaskOptions = {}): Promise<GivenTask> {
  return context.given.task(await lastingExtension(context, { types: ['ExternalTask'] }), options);
}

interface TaskWithInput extends GivenTask {
  readonly input: Required<TaskInput> & { readonly bytes: Uint8Array };
}

/**
 * Tasks whose input, which is known, lies in a directory of another one, under the same name in a further one that is deeper, beside that of another task, in the
 * root of the area, and, where the service takes such a file and job, in a directory and under a name that a link has to encode, and under a name without an ending; one alone where
 * the profile fixes the file.
 */
export async function tasksWithInput(context: CaseContext): Promise<readonly TaskWithInput[]> {
  const isFixed = context.profile.all.tasks?.inputPath !== undefined;
  const { unique } = context.given;
  const [alike, shared] = [`${unique('input')}.csv`, unique('in')];
  const inShared = (name: string) => ({ inputName: `${shared}/${name}`, inRoot: true });
  const places = isFixed
    ? [{}]
    : [
        inShared(alike),
        { inputName: `${unique('in')}/one/two/three/${alike}` },
        inShared(`${unique('input')}.csv`),
        { inRoot: true },
      ];
  const plain = await Promise.all(places.map((place) => taskWithInput(context, place)));
  if (isFixed) return plain;
  const odd = `${unique('in')} #1 ü 50% a+b%20c`;
  const names = {
    'with signs in the path': `${odd}/${odd}.csv`,
    'without an ending below one': `${unique('in')}.d/${unique('input')}?1`,
  };
  const others = await Promise.all(
    Object.entries(names).map(async ([what, inputName]) => {
      const make = (name: string) => unlessRefused(() => taskWithInput(context, { inputName: name }));
      // not every file system has names with a question mark
      const task = (await make(inputName)) ?? (await make(inputName.replace('?', '')));
      if (task === undefined) context.notes.observe(`a job whose input is one ${what}`, 'is not taken');
      return task;
    }),
  );
  return [...plain, ...others.filter((task) => task !== undefined)];
}

/** The same with a file as its input, whose bytes are known. @param extension that task is one of its, where one is given */
export async function taskWithInput(
  context: CaseContext,
  { inRoot = false, inputName = `${context.given.unique('input')}.csv` }: TaskOptions = {},
  extension?: Extension,
): Promise<TaskWithInput> {
  const { given, files } = context;
  // without an area there is no input, and the profile is told which one to add
  files.area('space');
  const options = { inputName, inRoot };
  const task = await (extension === undefined ? taskOf(context, options) : given.task(extension, options));
  const input = given.present(task.input, 'an input file in the space area');
  if (input.bytes !== undefined) return { ...task, input: { ...input, bytes: input.bytes } };
  const read = await files.download(input.area, input.path);
  given.succeeded(read, 'a download of tasks.inputPath', ['files.download.bearer']);
  return { ...task, input: { ...input, bytes: read.bytes } };
}

/**
 * A task of the same extension in the second space, with an input there, where one can be uploaded and the profile fixes none. Undefined where the
 * profile has no such space, or the service calls no task there.
 */
export async function taskInSecondSpace(context: CaseContext, first: GivenTask): Promise<GivenTask | undefined> {
  const { given, files, notes, profile } = context;
  const url = urlInSecondSpace(context, first.triggered, 'task');
  if (url === undefined) return undefined;
  const mayUpload = first.input !== undefined && profile.all.tasks?.inputPath === undefined;
  const place = { area: files.secondSpace, path: given.filePath({ name: 'input.csv' }) };
  const input = mayUpload ? await unlessRefused(() => given.file(place)) : undefined;
  const like = { ...first, input: input ?? first.input };
  const task = await unlessRefused(() => given.task(first.extension, { like, changes: { url } }));
  if (task === undefined) notes.observe('a task of the second space', 'is not called');
  return task;
}

/** Path of a file of that name in the directory of the input file. */
export function pathBeside({ path }: TaskInput, name: string): string {
  return posix.join(posix.dirname(path), name);
}

/**
 * What an upload by a link is called: its name alone, because the directory of the input file is where it goes unless told otherwise; its
 * path where the link leaves the whole of that open.
 */
export function nameFor({ tasks }: CaseContext, link: TaskLink, input: TaskInput, name: string): string {
  // a service need not escape all that we do
  const address = link.address.split('/').map(decodeSegment).join('/');
  const [placeholder] = tasks.placeholdersOf(link);
  // in an address of a service's own, what is left open as a name is no path
  const isOfName = placeholder === undefined || (/name$/i.test(placeholder) && !/\/stream\/[^/]*$/.test(address));
  const isWhole = !isOfName && !address.includes(posix.dirname(input.path));
  return isWhole ? pathBeside(input, name) : name;
}

/** Changes that send these bytes as a stream upload. */
export function streamOf({ files }: CaseContext, bytes: Uint8Array): Changes {
  return {
    method: 'POST',
    body: bytes,
    headers: { checksum: files.checksumOf(bytes), 'Content-Type': 'application/octet-stream' },
  };
}

/** PUT of a status with an empty object as body: that there need not be one is the business of a rule of its own. */
export function report({ tasks }: CaseContext, task: GivenTask, status: string, changes?: Changes): Promise<Reply> {
  return tasks.status(task, status, {}, changes);
}

/** How a job stands. */
export function outcomeOf({ tasks }: CaseContext, job: Reply): 'completed' | 'failed' | 'neither' {
  if (tasks.isCompleted(job)) return 'completed';
  return tasks.isFailed(job) ? 'failed' : 'neither';
}

/** The job as it reads now, or as soon as it can be read. Needs `job-read`. */
export async function jobOf({ given, tasks }: CaseContext, task: GivenTask): Promise<Reply> {
  const job = await tasks.jobUntil(task, ({ status }) => isSuccess(status), { withinMs: readableMs });
  given.succeeded(job, 'the job to be read');
  return job;
}

/** The job as soon as it has ended, or the last read of it within 10 s. Needs `job-read`. */
export async function endedJob(context: CaseContext, task: GivenTask): Promise<Reply> {
  const job = await context.tasks.jobUntil(task, (read) => outcomeOf(context, read) !== 'neither');
  context.given.succeeded(job, 'the job to be read');
  return job;
}

/** As outcomeOf, where the profile says how jobs are read. */
export async function outcomeIfRead(context: CaseContext, task: GivenTask): Promise<string> {
  return context.profile.all.routes?.job === undefined ? 'not read' : outcomeOf(context, await jobOf(context, task));
}

/** What inputFile answers, and with which token: that of the envelope where the link has none. */
export async function inputFileOf(
  { tasks }: CaseContext,
  task: GivenTask,
): Promise<{ readonly reply: Reply; readonly token: 'as-told' | 'query' }> {
  const link = task.link('inputFile');
  const told = await tasks.follow(link, { token: 'as-told' });
  if (told.status !== 401) return { reply: told, token: 'as-told' };
  return { reply: await tasks.follow(link, { token: 'query' }), token: 'query' };
}

/**
 * Each documented link is there once, with its method; where the profile says that there are no file areas, the two for reports.
 * Source: extensions, External task links
 */
export function expectDocumentedLinks(
  { expect, profile }: CaseContext,
  { links, call }: Pick<GivenTask, 'links'> & Pick<CallPlace, 'call'>,
): void {
  const isFileless = Object.keys(profile.all.notSupported ?? {}).some((entry) => matches(entry, 'file-area-any'));
  for (const [id, method] of Object.entries(methodsOfLinks)) {
    if (isFileless && !reportLinks.has(id)) continue;
    const alike = links.filter((link) => link.id === id);
    const at = alike.map(({ place }) => place)[alike.length - 1];
    expect(
      alike.map((link) => link.method),
      `methods of the links with the id ${id}`,
      { call, ...(at !== undefined && { at }) },
    ).toEqual([method]);
  }
}

export function isDocumented({ id }: TaskLink): boolean {
  return Object.hasOwn(methodsOfLinks, id);
}

/** The links for reports lead to the documented routes of the job. @param space that of the profile unless given */
export function expectReportsBy(context: CaseContext, task: GivenTask, space?: string): void {
  const id = context.given.present(task.triggered.id ?? task.call.envelope.id, 'the id of the job');
  const route = context.tasks.route(id, space);
  expectLeadsTo(context, task, 'taskStatus', `${route}/status/Completed`);
  expectLeadsTo(context, task, 'taskProgress', `${route}/progress`);
}

const callbackForm = /\/dx\/[^/]+\/(?:status\/[^/]+|progress)$/;

/** Where the link stands behind a gateway its path may begin with one of the gateway's own. */
function expectLeadsTo({ expect, notes, tasks }: CaseContext, task: GivenTask, id: LinkId, route: string): void {
  const link = task.link(id);
  const shownBy = { call: task.call, at: link.place };
  expect(link.method.toUpperCase(), `method of ${id}`, shownBy).toEqual('PUT');
  const [path = ''] = tasks.addressOf(link, { status: 'Completed' }).split('?');
  // a link is followed: how its address is spelled is not said, but where it has the form of the route it is that of the job
  const isRoute = callbackForm.test(path);
  notes.observe(`${id} has the form of the documented route`, isRoute);
  if (!isRoute) return;
  expect(path, `address of ${id}`, shownBy).toSatisfy(`one that ends in ${route}`, () =>
    decodeSegment(path).endsWith(decodeSegment(route)),
  );
}

/** Asserts that the answer is that file. */
export function expectDelivered({ expect }: CaseContext, reply: Reply, bytes: Uint8Array, what: string): void {
  expect(reply).toSucceed();
  expect(contentOf(reply.bytes, bytes), what, reply).toEqual(contentOf(bytes));
}

/** How often progress and the end of a task are told at one moment. */
const endsBesideProgress = 4;

/** Size of the chunks that files are sent in. */
export function chunkSize({ profile }: CaseContext): number {
  return Math.max(usualChunkSize, profile.all.files?.minChunkSize ?? 1);
}

/** Sends a file in two chunks to uploadFile, until one is refused. @param between comes before the second */
export async function sendInChunks(
  context: CaseContext,
  { link, input }: GivenTask,
  path: string,
  file: Uint8Array,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly Reply[]> {
  const { files, given, tasks } = context;
  const [upload, area] = [link('uploadFile'), input?.area ?? files.area('space')];
  given.bookFile(area, path);
  const replies: Reply[] = [];
  for (const number of [1, 2]) {
    if (number === 2) await between();
    const { body, headers = {} } = files.chunkRequest(area, { path, file, chunkSize: chunkSize(context), number });
    const fill = tasks.placeholdersOf(upload).length > 0 ? { path } : {};
    replies.push(await tasks.follow(upload, fill, { method: 'POST', body, headers }));
    if (!isSuccess(replies.at(-1)?.status ?? 0)) break;
  }
  return replies;
}

/** The token of a task ends like others, also for the reports of that task, whose time goes on. @param tokenLifeTime in minutes @param endedMs when no tolerance lets it work any more */
export async function expectEndsForReports(
  context: CaseContext,
  tokenLifeTime: number,
  endedMs: number,
): Promise<void> {
  const { given, tasks, expect, clock, notes, profile } = context;
  if (profile.all.triggers?.task === undefined) return;
  const extension = await given.extension({ types: ['ExternalTask'], tokenLifeTime });
  const task = await unlessRefused(() => given.task(extension));
  if (task === undefined) return;
  const report = () => tasks.progress(task, { message: given.unique('progress') });
  const startedAt = clock.now();
  const inTime = await report();
  notes.observe('progress with the token of the task', inTime.status, inTime);
  if (!isSuccess(inTime.status)) return;
  const end = (): Promise<void> => clock.pass(endedMs);
  if (task.input !== undefined && profile.all.files !== undefined) {
    // an upload that is under way is let in no longer than others
    const path = pathBeside(task.input, `${given.unique('under-way')}.bin`);
    const file = given.bytes(chunkSize(context) + 1);
    const [begun, second] = await sendInChunks(context, task, path, file, end);
    notes.observe('a chunk with the token of the task', begun?.status ?? 'none', begun);
    if (second !== undefined) expect(second).notToSucceed();
  }
  if (clock.now() - startedAt < endedMs) await end();
  expect(await report()).notToSucceed();
  expect(await tasks.status(task, 'Completed')).notToSucceed();
}

/** A task that reported its end has ended, also where progress comes at the same moment: what is taken of that changes nothing about the end. */
export async function expectEndBesideProgress(context: CaseContext): Promise<void> {
  const { given, tasks, expect } = context;
  const extension = await lastingExtension(context, { types: ['ExternalTask'] });
  for (let round = 1; round <= endsBesideProgress; round += 1) {
    const task = await given.task(extension);
    const progress = (): Promise<Reply> => tasks.progress(task, { message: given.unique('beside') });
    await progress();
    const [, ended] = await Promise.all([progress(), report(context, task, 'Completed')]);
    if (!isSuccess(ended.status)) continue;
    const job = await endedJob(context, task);
    expect(outcomeOf(context, job), 'the job whose task reported Completed beside its progress', job).toEqual(
      'completed',
    );
  }
}
