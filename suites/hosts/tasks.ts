import { isObject } from '../../judge/json.ts';
import type { Reply } from '../../judge/exchange.ts';
import { hostScenario, hostSchedule } from '../../judge/host/host-case.ts';
import type { HostCall } from '../../judge/host/host.ts';
import type { HostContext } from '../../judge/host/context.ts';
import { checksumOf } from '../../judge/signature.ts';
import { filePathOf } from '../../judge/host/stage-answers.ts';
import { type Arrival, chunkOf, headerOf } from '../../judge/host/arrival.ts';
import { type Held, inputOf, type Installation, type Task, type TaskOptions } from '../../judge/host/installation.ts';
import { decodeSegment } from '../../judge/requests.ts';
import { rules } from '../../judge/rule.ts';

/** How long the end of a task is waited for where other rules judge that it comes, in ms. */
const endMs = 20_000;

/** Cases withhold answers, and a host that has one queue for all its work then keeps the tasks of others waiting. */
const oneAtATime = 'a host that does one thing after another needs --concurrency 1';

/** More than a stream upload is for. Source: extensions, Limits, file size guidance */
const largeBytes = 1_600_000;

/** Bytes of an input that is more than one chunk of the usual size. Source: extensions, Limits, chunk size */
const severalChunksBytes = 4_300_000;

/** Names of the text parts of a chunk, without what all of them begin with. Source: extensions, File routes, chunk table */
const chunkTexts = [
  'TotalSize',
  'ChunkNumber',
  'ChunkSize',
  'CurrentChunkSize',
  'TotalChunks',
  'Type',
  'Filename',
  'RelativePath',
];

const finalStatuses = ['Completed', 'Canceled', 'Failed'];

/** A task that the host was called with. */
interface Begun {
  readonly installation: Installation;
  readonly task: Task;
  readonly call: HostCall;
  readonly reply: Reply;
}

/** How long a task may take beside one that waits, in ms. */
const besideMs = 1000;

/** How long the acknowledgement of a task is waited for, in ms. */
const acknowledgedMs = 5000;

/** How long the end of a task is waited for where the case judges it, in ms. */
const finalMs = 60_000;

/** How long a second report is waited for where the clock of the host can be moved, in ms. */
const furtherMs = 10_000;

/** In real time nobody waits that long for what would only be remarked. */
const furtherRealMs = 2000;

const shortTimeoutSeconds = 20;

const failureTimeoutSeconds = 30;

/** What a report may come later than the timeout, in ms. */
const lateMs = 250;

/** Method of the link of each kind of request. Source: extensions, External task links */
const methods = {
  status: 'PUT',
  progress: 'PUT',
  download: 'GET',
  directory: 'GET',
  upload: 'POST',
  chunk: 'POST',
} as const;

/** A task that runs longer is expected to tell how far it is, in ms. */
const longRunMs = 10_000;

export const hostTaskRules = rules('tasks', {
  'tasks.host.acknowledged-first': {
    level: 'must',
    source: 'extensions: Calls to extensions, row ExternalTask',
    statement:
      "A task call is acknowledged with 2xx before the task's work: the answer arrives while the suite still withholds the input file.",
    fault: 'Host runs the task and answers afterwards.',
    needs: ['extension-host', 'extension-task'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async ({ host, records, stage, samples, clock, expect, notes }) => {
      const installation = await stage.installation();
      const held = installation.hold('download');
      const task = installation.task();
      const answer = host.call(task.call(records.named(samples.all.task?.success?.record, 'ExternalTask')));
      answer.catch(() => undefined);
      const reply = await clock.until(answer, acknowledgedMs);
      const early = installation.arrivals({ kind: 'status' });
      clock.expectCame(
        `an answer to the task call within ${acknowledgedMs / 1000} s, while the input is withheld`,
        reply && clock.now(),
      );
      if (reply === undefined) return;
      expect(reply).toSucceed();
      if (reply.status !== 200 && reply.status !== 201)
        notes.remark(`the task was acknowledged with ${reply.status}; 200 and 201 are usual`);
      expect(early.length, 'status reports before the answer', early[0]?.seen).toEqual(0);
      held.release();
    }),
  },
  'tasks.host.final-status': {
    level: 'must',
    source: 'extensions: States and transitions; Callbacks from an external task',
    statement:
      'For an acknowledged task the host reports one of Completed, Canceled and Failed by PUT to the taskStatus address; further reports are remarked on.',
    fault: 'Status is reported as `completed`.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.acknowledged-first'],
    test: hostSchedule((finalMs + furtherMs) / 1000, async (context) => {
      const { samples, clock, given, expect, notes } = context;
      const { installation } = await beginTask(context, { sample: samples.task('success') });
      const final = await installation.arrived({ kind: 'status' }, finalMs);
      expect(
        final === undefined ? 'none' : statusOf(final),
        `the status that the host reports within ${finalMs / 1000} s by PUT`,
        final?.seen,
      ).toBeOneOf(finalStatuses);
      await clock.pass(clock.controlled ? furtherMs : furtherRealMs);
      const further = installation.arrivals({ kind: 'status', where: (arrival) => arrival !== final });
      if (further.length > 0)
        notes.remark(
          `the host reported a final status ${further.length + 1} times: ${further.map(statusOf).join(', ')} came afterwards`,
        );
      if (final !== undefined && statusOf(final) !== 'Completed')
        given.inconclusive(
          `The task of extensionHost.samples.task.success, which is said to be completed, was reported as ${statusOf(final)}: nothing shows that the host can work on a task.`,
        );
    }),
  },
  'tasks.host.status-body': {
    level: 'must',
    source: 'extensions: Callbacks from an external task, row status',
    statement:
      'A body of the status report, when there is one, is a JSON object whose outputFilePath and logFilePath are strings that name a file which is there: the input or one that the host uploaded.',
    fault: 'Paths are sent as an array.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const { samples, expect, notes } = context;
      const task = await finishedTask(context, { sample: samples.task('success') });
      const { final } = task;
      expect(
        final.text === '' || isObject(final.json),
        'a status report without a body or with a JSON object',
        final.seen,
      ).toEqual(true);
      const body = isObject(final.json) ? final.json : {};
      const uploaded = uploadsOf(task).map(pathOf);
      for (const name of ['outputFilePath', 'logFilePath'] as const) {
        if (body[name] === undefined) continue;
        expect(body[name], name, final.seen).toBeAString();
        const path = String(body[name]).replace(/^\/+/, '');
        if (!uploaded.includes(path)) notes.remark(`${name} (${path}) was not uploaded before it was reported`);
        await expectThere(context, task, name, path);
      }
      const further = Object.keys(body).filter((name) => name !== 'outputFilePath' && name !== 'logFilePath');
      if (further.length > 0) notes.observe('further members of the status report', further.join(', '));
    }),
  },
  'tasks.host.failure-reported': {
    level: 'must',
    source: 'extensions: States and transitions, row Failed',
    statement: 'A task that cannot be done ends with Failed (or Canceled), not with silence or Completed.',
    fault: 'Errors of the work are logged only and no status is sent.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostSchedule(2 * failureTimeoutSeconds, async (context) => {
      const { samples } = context;
      await expectFailure(
        context,
        await beginTask(context, { sample: samples.task('failure'), timeout: failureTimeoutSeconds }),
        'a task that cannot be done',
      );
      const without = await beginTask(
        context,
        { sample: samples.task('success'), timeout: failureTimeoutSeconds },
        (installation) => installation.refuse('download', 404),
      );
      await expectFailure(context, without, 'a task whose input is missing');
    }),
  },
  'tasks.host.downloads-input': {
    level: 'should',
    source: 'extensions: Callbacks from an external task, closing sentence; File routes, chunk upload',
    statement:
      'The host fetches the input itself, wherever it lies, through the given link and uploads results through the upload links, with a right checksum; large ones in chunks whose parts tell the truth, and what a refused chunk leaves of a file it deletes.',
    fault: 'Upload is sent without checksum.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const { samples, given, expect, notes } = context;
      const sample = samples.task('success');
      for (const place of [{}, { inRoot: true }, { inOddPlace: true }]) {
        const task = await finishedTask(context, { sample, ...place });
        const uploads = uploadsOf(task);
        const downloads = requestsOf(task).filter(({ kind }) => kind === 'download');
        if (downloads.length === 0 && uploads.length === 0)
          given.notExercised('the task neither fetched an input nor uploaded anything');
        expect(downloads.length, 'downloads through the links').toSatisfy('at least one', (count) => count > 0);
        if (sample.hasOutput !== false)
          expect(uploads.length, 'uploads through the links').toSatisfy('at least one', (count) => count > 0);
        for (const upload of uploads) expectWellSent(context, upload);
      }
      // what a sample says often is no input that the host has to understand
      const task = await finishedTask(context, { sample, input: repeatedTo(inputOf(sample), largeBytes) });
      for (const upload of uploadsOf(task)) expectWellSent(context, upload);
      notes.observe('status of a task with a large input', statusOf(task.final));
      const isChunked = uploadsOf(task).some(({ kind }) => kind === 'chunk');
      notes.observe('a large result comes in chunks', isChunked);
      if (isChunked)
        await expectPartDeleted(context, { sample, input: repeatedTo(inputOf(sample), severalChunksBytes) });
    }),
  },
  'tasks.host.progress': {
    level: 'must',
    source: 'extensions: External task links, row taskProgress; Callbacks, row progress',
    statement:
      'Progress reports are PUTs with a JSON object with message (string); that a long task sends none, or one after the final status, is remarked on.',
    fault: 'message is a number.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const { samples, given, expect, notes } = context;
      const task = await finishedTask(context, { sample: samples.task('success') });
      const reports = task.installation.arrivals({ kind: 'progress' });
      const [first] = requestsOf(task);
      const lasted = task.final.arrivedAt - (first?.arrivedAt ?? task.final.arrivedAt);
      if (reports.length === 0)
        given.notExercised(`the host reported no progress of a ${lasted <= longRunMs ? 'short' : 'long'} task`);
      for (const { json, seen } of reports)
        expect(isObject(json) ? json['message'] : json, 'message of a progress report', seen).toBeAString();
      if (reports.some(({ arrivedAt }) => arrivedAt > task.final.arrivedAt))
        notes.remark('the host reported progress after the final status');
    }),
  },
  'tasks.host.callback-token': {
    level: 'must',
    source: 'extensions: Authentication, rules 1 and 4; External task links (token in query)',
    statement:
      "Requests on the links carry the token of this call's envelope, as bearer or, for downloads, in the query, also while another task is under way.",
    fault: 'Status report is sent without Authorization.',
    needs: ['extension-host', 'extension-task'],
    after: ['tasks.host.acknowledged-first'],
    test: hostScenario(async (context) => {
      expectOwnToken(context, await taskAtWork(context));
      // the input of the first comes when the second is at work, or has shown that it waits for the first
      const { held, ...first } = await beginHeld(context);
      const second = await beginTask(context);
      await second.installation.arrived({ kind: 'status' }, besideMs);
      held?.release();
      for (const task of [first, second]) {
        await task.installation.arrived({ kind: 'status' }, endMs);
        expectOwnToken(context, task);
      }
    }),
  },
  'tasks.host.follows-links': {
    level: 'should',
    source: 'extensions: External task links, table',
    statement: 'The host uses the urls and methods of the links and does not build the addresses itself.',
    fault: 'Status address is built from baseAddress and spaceId.',
    needs: ['extension-host', 'extension-task'],
    after: ['tasks.host.final-status'],
    test: hostScenario(async (context) => {
      const { expect } = context;
      const task = await taskAtWork(context, { unusualLinks: true });
      for (const { kind, method, path, seen } of requestsOf(task)) {
        expect(path, `path of ${kind}, whose link has another prefix`, seen).toSatisfy(
          `one that begins with ${task.task.prefix}`,
          (text) => text.startsWith(`${task.task.prefix}/`),
        );
        if (kind in methods) expect(method, `method of ${kind}`, seen).toEqual(methods[kind as keyof typeof methods]);
      }
    }),
  },
  'tasks.host.within-timeout': {
    level: 'should',
    source: 'extensions: Payloads, row ExternalTask (timeout)',
    statement: "The host reports a final status before the payload's timeout is over.",
    fault: 'timeout of the payload is ignored.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status'],
    test: hostSchedule(shortTimeoutSeconds + 5, async (context) => {
      const { samples, expect } = context;
      const { installation } = await beginTask(
        context,
        { sample: samples.task('success'), timeout: shortTimeoutSeconds },
        (place) => place.hold('download'),
      );
      const final = await installation.arrived({ kind: 'status' }, shortTimeoutSeconds * 1000 + lateMs);
      expect(
        final === undefined ? 'none' : statusOf(final),
        `the status reported within the timeout of ${shortTimeoutSeconds} s, while the download does not end`,
        final?.seen,
      ).toBeOneOf(finalStatuses);
    }),
  },
});

/** Calls the task record of the host with a job of its own. @param prepare what is arranged at the service before */
async function beginTask(
  { host, records, stage, given, samples }: HostContext,
  options: TaskOptions = {},
  prepare: (installation: Installation) => void = () => undefined,
): Promise<Begun> {
  const installation = await stage.installation();
  prepare(installation);
  const task = installation.task(options);
  const { record } = options.sample ?? samples.all.task?.success ?? {};
  const call = task.call(records.named(record, 'ExternalTask'));
  const reply = await host.call(call);
  given.succeeded(reply, 'the task is acknowledged', [
    'tasks.host.acknowledged-first',
    'signing.extension-host.query-ignored',
  ]);
  return { installation, task, call, reply };
}

/** A task whose input is withheld. */
async function beginHeld(context: HostContext): Promise<Begun & { readonly held: Held | undefined }> {
  let held: Held | undefined;
  const begun = await beginTask(context, {}, (installation) => {
    held = installation.hold('download');
  });
  return { ...begun, held };
}

function expectOwnToken({ expect }: HostContext, task: Begun): void {
  for (const { kind, method, path, token, callId, seen } of requestsOf(task)) {
    const what = `${kind} (${method} ${path})`;
    expect(callId ?? 'none', `the call whose token ${what} carries`, seen).toEqual(task.call.envelope.id);
    const admitted = kind === 'download' || kind === 'directory' ? ['header', 'query'] : ['header'];
    expect(token?.in, `where ${what} carries the token`, seen).toBeOneOf(admitted);
  }
}

/** The status that a report is about. */
function statusOf({ path }: Arrival): string {
  return decodeURIComponent(path.split('/').at(-1) ?? '');
}

/** The task, once the host reported its end; that it does is the business of another rule. */
async function finishedTask(
  context: HostContext,
  options: TaskOptions = {},
): Promise<Begun & { readonly final: Arrival }> {
  const task = await beginTask(context, options);
  const final = await task.installation.arrived({ kind: 'status' }, endMs);
  if (final !== undefined) return { ...task, final };
  return context.given.inconclusive(
    `the host reported no status of the task within ${endMs / 1000} s, which tasks.host.final-status judges; ${oneAtATime}`,
  );
}

/** Everything that came because of the task, oldest first. */
function requestsOf({ installation }: Begun): readonly Arrival[] {
  return installation.arrivals({ where: ({ kind }) => !['acquire', 'keyed', 'other'].includes(kind) });
}

function uploadsOf(task: Begun): readonly Arrival[] {
  return requestsOf(task).filter(({ kind }) => kind === 'upload' || kind === 'chunk');
}

/** Asserts that an upload has the checksum of its bytes and that a chunk says nothing wrong of itself. Source: extensions, chunk table */
function expectWellSent({ expect, notes }: HostContext, upload: Arrival): void {
  const { kind, method, path, seen } = upload;
  const what = `${method} ${path}`;
  const chunk = kind === 'chunk' ? chunkOf(upload) : undefined;
  const bytes = (kind === 'chunk' ? chunk?.bytes : upload.bytes) ?? new Uint8Array();
  expect(headerOf(upload, 'checksum'), `checksum of ${what}`, seen).toEqual(checksumOf(bytes));
  if (chunk === undefined) return;
  const told = (name: string): string | undefined => chunk.texts.get(`resumable${name}`);
  const [total, size, number] = ['TotalSize', 'ChunkSize', 'ChunkNumber'].map((name) => Number(told(name)));
  const wanted: Readonly<Record<string, number>> = {
    CurrentChunkSize: bytes.byteLength,
    ...(total !== undefined && size !== undefined && { TotalChunks: Math.max(1, Math.ceil(total / size)) }),
  };
  for (const [name, value] of Object.entries(wanted))
    if (told(name) !== undefined && !Number.isNaN(value))
      expect(told(name), `resumable${name} of ${what}`, seen).toEqual(String(value));
  const due = Math.min(size ?? NaN, (total ?? NaN) - ((number ?? NaN) - 1) * (size ?? NaN));
  if (!Number.isNaN(due)) expect(bytes.byteLength, `bytes of chunk ${number} of ${what}`, seen).toEqual(due);
  const left = chunkTexts.filter((name) => told(name) === undefined);
  if (left.length > 0) notes.observe('parts that chunks lack', left.join(', '));
}

/** A path may be written in several ways, and its file may come by ways that are not looked at; its name is that of a file nevertheless. */
async function expectThere(
  { clock }: HostContext,
  { installation, task }: Begun,
  what: string,
  path: string,
): Promise<void> {
  const nameIn = (text: string): string => decodeSegment(text.split('/').at(-1) ?? '');
  const isNamed = (arrival: Arrival): boolean => nameIn(pathOf(arrival)) === nameIn(path);
  if (nameIn(task.inputPath) === nameIn(path) || installation.arrivals({ kind: 'other' }).length > 0) return;
  const upload = await installation.arrived({ kind: ['upload', 'chunk'], where: isNamed });
  clock.expectCame(`an upload of the file that ${what} (${path}) names`, upload?.arrivedAt);
}

/** A service cannot tell a part from a whole file, so that whoever sent it takes it away. Source: extensions, File routes, chunk upload */
async function expectPartDeleted(context: HostContext, options: TaskOptions): Promise<void> {
  const isLater = (arrival: Arrival): boolean => (chunkOf(arrival)?.number ?? 1) > 1;
  const { installation } = await beginTask(context, options, (begun) => begun.refuse('chunk', 400, isLater));
  const isRefused = (arrival: Arrival): boolean => arrival.kind === 'chunk' && isLater(arrival);
  const refused = await installation.arrived(
    { where: (arrival) => arrival.kind === 'status' || isRefused(arrival) },
    endMs,
  );
  const isMet = refused !== undefined && isRefused(refused);
  context.notes.observe('a large result comes in several chunks', isMet);
  if (!isMet) return;
  const path = pathOf(refused);
  const isDeletion = (arrival: Arrival): boolean => arrival.method === 'DELETE' && filePathOf(arrival) === path;
  // it may try again for a while before it gives up
  const end = await installation.arrived(
    { where: (arrival) => arrival.kind === 'status' || isDeletion(arrival) },
    endMs,
  );
  if (end === undefined) return context.notes.remark('a task whose upload was refused came to no end');
  const deleted = isDeletion(end) ? end : await installation.arrived({ where: isDeletion });
  context.clock.expectCame(`a DELETE of ${path}, of which a chunk was refused`, deleted?.arrivedAt);
}

/** The bytes again and again, up to at least that length. */
function repeatedTo(bytes: Uint8Array, length: number): Uint8Array {
  const times = Math.ceil(length / Math.max(1, bytes.byteLength));
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}

/** Path of an upload below the file area. */
function pathOf(arrival: Arrival): string {
  return arrival.kind === 'chunk' ? (chunkOf(arrival)?.path ?? '') : filePathOf(arrival);
}

async function expectFailure({ expect, notes }: HostContext, { installation }: Begun, what: string): Promise<void> {
  const final = await installation.arrived({ kind: 'status' }, failureTimeoutSeconds * 1000);
  const status = final === undefined ? 'none' : statusOf(final);
  if (status === 'Completed' && what.includes('input') && installation.arrivals({ kind: 'download' }).length === 0) {
    notes.observe(`the end of ${what}`, 'Completed, without asking for it');
    return;
  }
  expect(status, `the status reported for ${what}, within the timeout of its payload`, final?.seen).toBeOneOf([
    'Failed',
    'Canceled',
  ]);
  notes.observe(`the end of ${what}`, status);
}

/** The task with whatever the host sent because of it. @throws {Inconclusive} it sent nothing */
async function taskAtWork(context: HostContext, options: TaskOptions = {}): Promise<Begun> {
  const task = await beginTask(context, options);
  await task.installation.arrived({ kind: 'status' }, endMs);
  if (requestsOf(task).length === 0)
    context.given.notExercised(`the host sent nothing because of a task within ${endMs / 1000} s (${oneAtATime})`);
  return task;
}
