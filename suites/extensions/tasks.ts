import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { isObject } from '../../judge/json.ts';
import { type CaseContext, scenario, schedule } from '../../judge/case.ts';
import { decodeSegment, withCorrelationId } from '../../judge/requests.ts';
import type { Reply } from '../../judge/exchange.ts';
import { contentOf, expectStored, isSuccess } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import type { Before } from '../../judge/time/clock.ts';
import { TooLate, unlessRefused } from '../../judge/violation.ts';
import type { GivenTask, LinkId, TaskLink, TaskOptions } from '../../judge/extension/tasks.ts';
import { plainTextOf } from '../../judge/answers.ts';
import type { Step } from '../../judge/extension/extension.ts';
import { partHere } from '../../judge/part.ts';
import {
  inputFileOf,
  jobOf,
  nameFor,
  outcomeIfRead,
  outcomeOf,
  pathBeside,
  report,
  streamOf,
  taskOf,
  tasksWithInput,
  taskWithInput,
} from './task-jobs.ts';
import { hasPlaceFor, lastingExtension, takesTimeout } from './triggered-calls.ts';
import { sleep } from '../../judge/time/part-time.ts';

const jobSettingNames = ['timeZone', 'language', 'culture', 'effectivityMode'];

const taskSettings = { depth: 2, names: ['a', 'b'], nested: { isDeep: true } };

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

const usualChunkSize = 200;

/** How long a service may take to put a file in place, in ms. */
const settleMs = 500;

/** Timeout that a task is configured with. */
const timeoutSeconds = 10;

/** When a task is looked at last before its timeout, and how late the job may show that it is over, in ms. */
const beforeMs = 500;

const lateMs = 5000;

/** Between two looks at a job, in ms. */
const pollMs = 250;

/** How long before the middle between both ends of a timeout a job has to have been read, in ms. */
const clockMs = 1000;

/** How late a slow task is acknowledged, in ms. */
const acknowledgedAfterMs = 3000;

/** How long tasks with a configured timeout are watched, in ms. */
const twinMs = 20_000;

/** When a task with the default timeout is looked at last before it, how late the job may show it, and between two looks, in ms. */
const longBeforeMs = 5000;

const longLateMs = 30_000;

const longPollMs = 2000;

interface FailureDue {
  readonly fromMs: number;
  readonly atMostMs: number;
}

/** When a job was seen to have failed, in ms since the call of its task as far as that is known. */
interface Failure {
  /** The end of the first read that showed it, since the trigger; undefined where none did. */
  readonly seenMs: number | undefined;
  /** The beginning of the last read that did not show it, since the arrival of the call. */
  readonly notYetMs: number;
}

export const taskRules = rules('tasks', {
  'tasks.payload.fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask',
    statement:
      'A task payload has timeout (number), jobSettings with timeZone, language, culture and effectivityMode, taskSettings, and links (array of objects with id, method and url as strings).',
    fault: 'jobSettings has no effectivityMode.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const extension = await lastingExtension(context, { types: ['ExternalTask'] });
      const { payload } = await given.task(extension, { taskSettings });
      const { jobSettings: settings, links } = payload;
      expect(payload['timeout'], 'timeout of the payload').toSatisfy(
        'a number',
        (timeout) => typeof timeout === 'number',
      );
      expect(settings, 'jobSettings of the payload').toBeAnObject();
      const names = Object.keys(Object(settings));
      for (const name of jobSettingNames)
        expect(names, 'members of jobSettings').toSatisfy(`${name} among them`, () => names.includes(name));
      notes.observe(
        'further members of jobSettings',
        names.filter((name) => !jobSettingNames.includes(name)).join(', ') || 'none',
      );
      expect(payload['taskSettings'], 'taskSettings of the payload').toBeAnObject();
      if (hasPlaceFor(context, 'task', 'taskSettings')) {
        expect(payload['taskSettings'], 'taskSettings of the payload').toEqual(taskSettings);
        const { payload: next } = await given.task(extension, { taskSettings: {} });
        expect(next['taskSettings'], 'taskSettings of a task without any, behind one with some').toEqual({});
      }
      expect(links, 'links of the payload').toBeAnArray();
      expect(links, 'links of the payload').toSatisfy('objects with a text each for id, method and url', isLinks);
    }),
  },
  'tasks.payload.envelope-id-is-job': {
    level: 'must',
    source: 'extensions: Call envelope, row id (external tasks)',
    statement:
      'The envelope id of a task call is the object id of the data-exchange job, even when the request that scheduled it had a correlation id.',
    fault: 'Task envelopes get a generated GUID.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'trigger-headers'],
    test: scenario(async (context) => {
      const { given, expect, tasks } = context;
      for (const id of [null, partHere().id()]) {
        const task = await taskOf(context, { changes: withCorrelationId(id) });
        const job = given.present(
          task.triggered.id ?? tasks.jobIdIn(task),
          'the id of the job, in the answer to the trigger or in a link',
        );
        const how = id === null ? 'no X-Correlation-Id' : `the X-Correlation-Id ${id}`;
        expect(task.call.envelope.id, `id of the envelope of a task scheduled with ${how}`).toEqual(job);
      }
    }),
  },
  'tasks.payload.timeout-default': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask; Limits, task timeout',
    statement: 'A task without a configured timeout has `timeout` 600 in its payload.',
    fault: 'Default is 100, the request timeout.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: scenario(async (context) => {
      const { payload } = await taskOf(context);
      context
        .expect(payload['timeout'], 'timeout of a task without a configured one')
        .toEqual(defaultTaskTimeoutSeconds);
    }),
  },
  'tasks.payload.timeout-configured': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask (timeout property of the task configuration)',
    statement: 'A timeout property in the task configuration sets `timeout` in the payload.',
    fault: 'Payload always says 600.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.payload.timeout-default'],
    test: scenario(async (context) => {
      const { expect } = context;
      assumeTimeoutTaken(context);
      for (const timeout of [5, 1200]) {
        const { payload } = await taskOf(context, { timeout });
        expect(payload['timeout'], `timeout of a task configured with ${timeout}`).toEqual(timeout);
      }
    }),
  },
  'tasks.links.ids-and-methods': {
    level: 'must',
    source: 'extensions: External task links, table',
    statement:
      'links has the eight documented ids once each with their methods: inputDir, inputFile, content and downloadFile GET; taskStatus and taskProgress PUT; uploadFileStream and uploadFile POST.',
    fault: 'uploadFileStream is given as PUT.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.payload.fields'],
    test: scenario(async (context) => {
      const { expect, notes } = context;
      const { links } = await taskOf(context);
      const [documented, further] = [links.filter(isDocumented), links.filter((link) => !isDocumented(link))];
      const wanted = Object.entries(methodsOfLinks).map(([id, method]) => `${method} ${id}`);
      expect(documented.map(({ id, method }) => `${method} ${id}`).toSorted(), 'documented links').toEqual(
        wanted.toSorted(),
      );
      for (const { id, address, url } of documented)
        expect(url, `url of ${id}`).toSatisfy('an address', () => URL.canParse(address));
      notes.observe('further links', further.map(({ id }) => id).join(', ') || 'none');
      notes.observe('form of the urls', formsOf(documented));
    }),
  },
  'tasks.links.status-and-progress-routes': {
    level: 'must',
    source: 'extensions: External task links, rows taskStatus and taskProgress; Callbacks from an external task, table',
    statement:
      'taskStatus and taskProgress point to the documented callback routes of this space and job, also where another job has the same input.',
    fault: 'Links carry the job id of the previous job.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
    test: scenario(async (context) => {
      const { given, notes, tasks } = context;
      const extension = await given.extension({ types: ['ExternalTask'] });
      const first = await given.task(extension);
      const second = await unlessRefused(() => given.task(extension, { like: first }));
      for (const task of [first, second ?? (await given.task(extension))]) {
        const id = given.present(task.triggered.id ?? task.call.envelope.id, 'the id of the job');
        expectLeadsTo(context, task, 'taskStatus', `${tasks.route(id)}/status/Completed`);
        expectLeadsTo(context, task, 'taskProgress', `${tasks.route(id)}/progress`);
      }
      notes.observe('placeholders of taskStatus', await placeholders(context, 'taskStatus'));
    }),
  },
  'tasks.links.input-file-usable': {
    level: 'must',
    source: 'extensions: External task links, row inputFile (token in query)',
    statement:
      "inputFile delivers the bytes of the job's input file by GET with the token in the query, whatever has to be encoded in its path, and answers 401 without one.",
    fault: 'inputFile points to the directory.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
    test: scenario(async (context) => {
      const { expect, notes, tasks } = context;
      for (const task of await tasksWithInput(context)) {
        const link = task.link('inputFile');
        const { reply, token } = await inputFileOf(context, task);
        notes.observe('token of inputFile', token === 'query' ? 'to be added' : 'part of the link');
        expectContent(context, reply, task.input.bytes, 'the input file');
        expect(await tasks.follow(link, { token: 'none' })).toAnswer(401);
      }
    }),
  },
  'tasks.links.input-dir-usable': {
    level: 'must',
    source: 'extensions: External task links, row inputDir',
    statement: "inputDir is a GET address of the directory that holds the job's file.",
    fault: 'inputDir points to the area root.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
    test: scenario(async (context) => {
      const { expect, notes, tasks } = context;
      for (const task of await tasksWithInput(context)) {
        const name = task.input.path.split('/').at(-1) ?? '';
        const listing = await tasks.follow(task.link('inputDir'));
        expect(listing).toSucceed();
        // the root may hold more than one answer has room for, and a listing may spell signs as it likes
        if (task.input.path === name || encodeURIComponent(name) !== name) continue;
        expect(plainTextOf(listing), 'what inputDir shows', listing).toSatisfy(`a text that holds ${name}`, (text) =>
          text.includes(name),
        );
        notes.observe('format of the directory', listing.headers['content-type'] ?? 'not said');
      }
    }),
  },
  'tasks.links.upload-stream-usable': {
    level: 'must',
    source: 'extensions: External task links, row uploadFileStream',
    statement:
      "A stream upload to uploadFileStream with the envelope token stores the file beside the task's input file by default.",
    fault: 'uploadFileStream stores into the area root.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
    test: scenario(async (context) => {
      const { given, expect, notes, tasks } = context;
      for (const { input, link: linkOf } of await tasksWithInput(context)) {
        const link = linkOf('uploadFileStream');
        const name = `${given.unique('result')}.bin`;
        const stored = { area: input.area, path: pathBeside(input, name), bytes: given.bytes(200) };
        for (const path of [name, stored.path]) given.bookFile(input.area, path);
        expect(
          await tasks.follow(link, { path: nameFor(context, link, input, name) }, streamOf(context, stored.bytes)),
        ).toSucceed();
        await expectStored(context, stored);
        notes.observe(
          'place of the name in uploadFileStream',
          tasks.placeholdersOf(link).join(', ') || 'behind the link',
        );
      }
    }),
  },
  'tasks.links.upload-chunk-usable': {
    level: 'must',
    source: 'extensions: External task links, row uploadFile',
    statement:
      "A two-chunk upload to uploadFile with the envelope token stores the file, by default in the directory of the task's input file.",
    fault: 'uploadFile is the stream address again.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      for (const task of await tasksWithInput(context)) {
        const stored = {
          area: task.input.area,
          path: pathBeside(task.input, `${given.unique('result')}.bin`),
          bytes: given.bytes(chunkSize(context) + 1),
        };
        for (const reply of await sendInChunks(context, task, stored.path, stored.bytes))
          context.expect(reply).toSucceed();
        await expectStored(context, stored);
        if (!task.input.path.includes('/')) continue;
        const bare = `${given.unique('bare')}.bin`;
        const replies = await sendInChunks(context, task, bare, stored.bytes);
        notes.observe(
          'place of a chunk upload with a bare name',
          replies.every(({ status }) => isSuccess(status)) ? await placeOf(context, task, bare) : 'refused',
        );
      }
    }),
  },
  'tasks.links.templates-usable': {
    level: 'must',
    source:
      'extensions: External task links, rows content and downloadFile (template URLs, token in query for the latter)',
    statement:
      "content and downloadFile are templates which, filled with a file's path, deliver that file, in a directory, in the root or under a name that has to be encoded.",
    fault: 'downloadFile answers 401 to a token in the query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.upload-stream-usable'],
    test: scenario(async (context) => {
      const { given, notes, tasks } = context;
      const { input, ...task } = await taskWithInput(context);
      const [content, download] = [task.link('content'), task.link('downloadFile')];
      const oddName = `${given.unique('other')} #1 ü 50% a+b.bin`;
      const odd = await unlessRefused(() => given.file({ area: input.area, path: pathBeside(input, oddName) }));
      const { path, bytes } = await given.file({
        area: input.area,
        path: pathBeside(input, `${given.unique('other')}.bin`),
      });
      const root = await given.file({ area: input.area, path: given.filePath({ root: true }) });
      for (const other of [{ path, bytes }, root, ...(odd === undefined ? [] : [odd])]) {
        expectContent(context, await tasks.follow(content, { path: other.path }), other.bytes, 'what content delivers');
        expectContent(
          context,
          await tasks.follow(download, { path: other.path, token: 'query' }),
          other.bytes,
          'what downloadFile delivers',
        );
      }
      for (const link of [content, download]) {
        notes.observe(`placeholders of ${link.id}`, tasks.placeholdersOf(link).join(', ') || 'none');
        notes.observe(
          `status of ${link.id} with the token in the query`,
          (await tasks.follow(link, { path, token: 'query' })).status,
        );
        notes.observe(
          `status of ${link.id} without a token`,
          (await tasks.follow(link, { path, token: 'none' })).status,
        );
      }
    }),
  },
  'tasks.timeout.configured-fails-job': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask (timeout); Limits, task timeout',
    statement:
      'A task that reports no final status within its configured timeout makes the job fail, and not earlier; one that reported Completed in time does not fail.',
    fault: 'Timeout is not enforced.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    after: ['tasks.payload.timeout-configured'],
    test: schedule(twinMs / 1000, async (context) => {
      const { clock, expect, notes, tasks } = context;
      assumeTimeoutTaken(context);
      const options = { timeout: timeoutSeconds };
      const silent = await taskOf(context, options);
      const busy = await taskOf(context, options);
      const done = await taskOf(context, options);
      const slow = await taskAnsweredWith(context, { status: 200, delayMs: acknowledgedAfterMs }, options);
      const dueMs = timeoutSeconds * 1000;
      const progress = await clock.at(
        silent.call.arrivedAt + 5000,
        () => tasks.progress(busy, { message: 'half way' }),
        beforeTimeout(busy, dueMs, ({ status }) => isSuccess(status)),
      );
      expect(progress).toSucceed();
      const completed = () => report(context, done, 'Completed');
      expect(await clock.at(clock.now(), completed, beforeTimeout(done, dueMs))).toSucceed();
      await expectNotFailedAt(context, silent, dueMs - beforeMs, dueMs);
      for (const task of [busy, slow]) await expectNotFailedAt(context, task, 0, dueMs);
      const failedAfter = await failures(context, [silent, busy, slow], { untilMs: twinMs, everyMs: pollMs });
      expectFailed(context, failedAfter.get(silent), { fromMs: dueMs - beforeMs, atMostMs: dueMs + lateMs });
      notes.observe(
        'seconds from the call to the failure, with progress after 5 s',
        secondsOf(failedAfter.get(busy)?.seenMs),
      );
      notes.observe('the same with an acknowledgement after 3 s', secondsOf(failedAfter.get(slow)?.seenMs));
      expectClock(context, failedAfter.get(slow));
      await expectNotFailedAt(context, done, twinMs);
    }),
  },
  'tasks.timeout.default-fails-job': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalTask (default 600); Limits, task timeout',
    statement: 'Without configuration the job fails 600 s after the task was called.',
    fault: 'Default timeout is 6000 s.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read', 'long-run'],
    after: ['tasks.timeout.configured-fails-job'],
    test: schedule(defaultTaskTimeoutSeconds + longLateMs / 1000, async (context) => {
      const task = await taskOf(context);
      const dueMs = defaultTaskTimeoutSeconds * 1000;
      await expectNotFailedAt(context, task, dueMs - longBeforeMs, dueMs);
      const failedAfter = await failures(context, [task], { untilMs: dueMs + longLateMs, everyMs: longPollMs });
      expectFailed(context, failedAfter.get(task), { fromMs: dueMs - longBeforeMs, atMostMs: dueMs + longLateMs });
    }),
  },
  'tasks.timeout.late-report': {
    level: 'observe',
    source: 'extensions: States and transitions (report after the timeout silent)',
    statement:
      "What a Completed report after the timeout does is not said; nor the job's state after the delivery of the call finally failed.",
    fault: 'Not applicable as a failure; recorded variant: late report is refused.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'job-read'],
    test: schedule(15, async (context) => {
      const { notes } = context;
      assumeTimeoutTaken(context);
      const late = await taskOf(context, { timeout: 5 });
      const refused = await taskAnsweredWith(context, { status: 400 }, { timeout: 5 });
      const failedAfter = await failures(context, [refused], { untilMs: 12_000, everyMs: pollMs });
      notes.observe(
        'seconds from a call answered with 400 to the failure',
        secondsOf(failedAfter.get(refused)?.seenMs),
      );
      await passUntil(context, late, 12_000);
      const reply = await report(context, late, 'Completed');
      notes.observe('answer to Completed after the timeout', reply.status, reply);
      notes.observe('the job after a late Completed', await outcomeIfRead(context, late));
    }),
  },
});

function isLinks(links: unknown): boolean {
  return (
    Array.isArray(links) &&
    links.every((link) => isObject(link) && ['id', 'method', 'url'].every((name) => typeof link[name] === 'string'))
  );
}

function isDocumented({ id }: TaskLink): boolean {
  return Object.hasOwn(methodsOfLinks, id);
}

function formsOf(links: readonly TaskLink[]): string {
  const forms = new Set(links.map(({ url, address }) => (url === address ? 'absolute' : 'relative')));
  return [...forms].join(' and ');
}

/** Where the link stands behind a gateway its path may begin with one of the gateway's own. */
function expectLeadsTo({ expect, tasks }: CaseContext, task: GivenTask, id: LinkId, route: string): void {
  const [path = ''] = tasks.addressOf(task.link(id), { status: 'Completed' }).split('?');
  expect(path, `address of ${id}`).toSatisfy(`one that ends in ${route}`, () =>
    decodeSegment(path).endsWith(decodeSegment(route)),
  );
}

async function placeholders(context: CaseContext, id: LinkId): Promise<string> {
  const task = await taskOf(context);
  return context.tasks.placeholdersOf(task.link(id)).join(', ') || 'none';
}

function expectContent({ expect }: CaseContext, reply: Reply, bytes: Uint8Array, what: string): void {
  expect(reply).toSucceed();
  expect(contentOf(reply.bytes), what, reply).toEqual(contentOf(bytes));
}

function chunkSize({ profile }: CaseContext): number {
  return Math.max(usualChunkSize, profile.all.files?.minChunkSize ?? 1);
}

/** Sends a file in two chunks to uploadFile, until one is refused. */
async function sendInChunks(
  context: CaseContext,
  { link, input }: GivenTask,
  path: string,
  file: Uint8Array,
): Promise<readonly Reply[]> {
  const { files, given, tasks } = context;
  const [upload, area] = [link('uploadFile'), input?.area ?? files.area('space')];
  given.bookFile(area, path);
  const replies: Reply[] = [];
  for (const number of [1, 2]) {
    const { body, headers = {} } = files.chunkRequest(area, { path, file, chunkSize: chunkSize(context), number });
    const fill = tasks.placeholdersOf(upload).length > 0 ? { path } : {};
    replies.push(await tasks.follow(upload, fill, { method: 'POST', body, headers }));
    if (!isSuccess(replies.at(-1)?.status ?? 0)) break;
  }
  return replies;
}

/** Where a file of that name came to lie. */
async function placeOf({ files, given }: CaseContext, { input }: GivenTask, name: string): Promise<string> {
  const { area, path } = given.present(input, 'an input file');
  const inDirectory = pathBeside({ area, path, bytes: undefined }, name);
  given.bookFile(area, inDirectory);
  await sleep(settleMs);
  if (isSuccess((await files.download(area, inDirectory)).status)) return 'beside the input file';
  return isSuccess((await files.download(area, name)).status) ? 'in the root of the area' : 'elsewhere';
}

function assumeTimeoutTaken(context: CaseContext): void {
  if (!takesTimeout(context))
    context.given.inconclusive(
      'The trigger has no place for {{timeout}}: add it to triggers.task of the profile, or name tasks.timeoutSetting.',
    );
}

/** A task whose call is answered so. */
async function taskAnsweredWith(context: CaseContext, step: Step, options: TaskOptions): Promise<GivenTask> {
  const script = [{ when: { kind: 'task' }, steps: [step], afterwards: 'last' as const }];
  return context.given.task(await lastingExtension(context, { types: ['ExternalTask'], script }), options);
}

/** Lets time pass until so long after the call of the task. */
async function passUntil({ clock }: CaseContext, { call }: GivenTask, ms: number): Promise<void> {
  const leftMs = call.arrivedAt + ms - clock.now();
  if (leftMs > 0) await clock.pass(leftMs);
}

/** What is done before the timeout of a task can be over, which begins when it is called, or later. */
function beforeTimeout<T>({ triggered }: GivenTask, dueMs: number, isRight?: (result: T) => boolean): Before<T> {
  return { until: triggered.sentAt + dueMs, what: 'the timeout of the task', ...(isRight && { isRight }) };
}

/** @param dueMs from when on the job may show that it failed: what is read later says nothing */
async function expectNotFailedAt(context: CaseContext, task: GivenTask, ms: number, dueMs = Infinity): Promise<void> {
  const { clock, expect } = context;
  const isRight = (job: Reply): boolean => outcomeOf(context, job) !== 'failed';
  const read = () => jobOf(context, task);
  const job = await clock.at(task.call.arrivedAt + ms, read, beforeTimeout(task, dueMs, isRight));
  const at = secondsOf(clock.now() - task.call.arrivedAt);
  expect(outcomeOf(context, job), `the job ${at} s after the call`, job).notToEqual('failed');
}

/** Whole seconds, so that runs can be compared. */
function secondsOf(ms: number | undefined): number | string {
  return ms === undefined ? 'none' : Math.round(ms / 1000);
}

/** Looks at the jobs until all have failed, or a look begins after the time is over. */
async function failures(
  context: CaseContext,
  watched: readonly GivenTask[],
  { untilMs, everyMs }: { readonly untilMs: number; readonly everyMs: number },
): Promise<ReadonlyMap<GivenTask, Failure>> {
  const { clock } = context;
  const end = Math.max(...watched.map(({ call }) => call.arrivedAt)) + untilMs + clock.granularityMs;
  const found = new Map<GivenTask, Failure>();
  const isOpen = (task: GivenTask): boolean => found.get(task)?.seenMs === undefined;
  for (;;) {
    const begunAt = clock.now();
    for (const task of watched.filter(isOpen)) {
      const { notYetMs = 0 } = found.get(task) ?? {};
      const lookedMs = clock.now() - task.call.arrivedAt;
      const hasFailed = outcomeOf(context, await jobOf(context, task)) === 'failed';
      found.set(
        task,
        hasFailed
          ? { seenMs: clock.now() - task.triggered.sentAt, notYetMs }
          : { seenMs: undefined, notYetMs: lookedMs },
      );
    }
    if (!watched.some(isOpen) || begunAt >= end) return found;
    await clock.pass(everyMs);
  }
}

function expectFailed(
  { expect, clock }: CaseContext,
  { seenMs, notYetMs }: Failure = { seenMs: undefined, notYetMs: Infinity },
  { fromMs, ...due }: FailureDue,
): void {
  const atMostMs = due.atMostMs + clock.granularityMs;
  clock.tell({
    title: 'the failure of a job whose task is silent',
    zero: { at: 0, label: 'the call of the task' },
    due: [{ label: 'the job has failed', from: fromMs, until: atMostMs }],
    calls: seenMs === undefined ? [] : [{ arrivedAt: seenMs, label: 'read as failed', isOff: notYetMs > atMostMs }],
  });
  expect(secondsOf(seenMs), 'seconds from the call to the failure of the job').toSatisfy(
    `${atMostMs / 1000} at most`,
    () => seenMs !== undefined && notYetMs <= atMostMs,
  );
}

/** Asserts what starts the timeout, where the profile says it. */
function expectClock({ expect, profile }: CaseContext, failure: Failure | undefined): void {
  const bound = profile.all.tasks?.timeoutClock;
  if (bound === undefined) return;
  const middleMs = timeoutSeconds * 1000 + acknowledgedAfterMs / 2;
  const { seenMs = Infinity, notYetMs = 0 } = failure ?? {};
  if (seenMs >= middleMs && notYetMs < middleMs - clockMs)
    throw new TooLate('the job was not read between both times at which the timeout may end');
  const seen = seenMs < middleMs ? 'call' : 'acknowledgement';
  expect(seen, `what starts the timeout of a task acknowledged after ${acknowledgedAfterMs / 1000} s`).toEqual(bound);
}
