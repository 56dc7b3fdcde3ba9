import { longText, marksOfSerialisers, namedNearlyAlike, shortTexts } from '../../fixtures/values.ts';
import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { isObject } from '../../judge/json.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { withCorrelationId } from '../../judge/service/requests.ts';
import { expectStored, holdsBytes } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import type { GivenTask, LinkFill, TaskLink } from '../../judge/extension/tasks.ts';
import { withBearer } from '../../judge/service/token.ts';
import { plainTextOf } from '../../judge/service/answers.ts';
import { partHere } from '../../judge/case/part.ts';
import {
  chunkSize,
  expectDocumentedLinks,
  isDocumented,
  expectDelivered,
  expectReportsBy,
  inputFileOf,
  nameFor,
  pathBeside,
  report,
  sendInChunks,
  streamOf,
  taskInSecondSpace,
  taskOf,
  tasksWithInput,
  taskWithInput,
} from './checks/task-jobs.ts';
import { assumeTimeoutTaken, hasPlaceFor, lastingExtension } from './checks/triggered-calls.ts';
import { sleep } from '../../judge/time/real-time.ts';
import { isSuccess } from '../../judge/exchange.ts';

const jobSettingNames = ['timeZone', 'language', 'culture', 'effectivityMode'];

/** Seconds that an integer cannot hold. */
const fineTimeout = 90.5;

const taskSettings = {
  depth: 2,
  share: 0.5,
  isFlat: false,
  remark: '',
  header: ' \tname; \r\n',
  names: ['a', ' ', 'b '],
  nulls: [{ one: null, other: 1 }, null, [null]],
  none: [],
  one: ['a'],
  'one in one': [[{ of: [0] }]],
  'looks like another kind': { number: '007', amount: '1e3', flag: 'true', nothing: 'null' },
  markup: 'ä שלום 👩‍👩‍👧 <b>&amp;</b>',
  nested: { isDeep: true, none: [], bare: {} },
  'of/two parts': { 'inner/part': 1 },
  $set: 0,
  marks: marksOfSerialisers,
  alike: namedNearlyAlike,
};

/** How long a service may take to put a file in place, in ms. */
const settleMs = 500;

export const taskRules = rules('tasks', {
  'tasks.payload.fields': {
    source: 'extensions: Payloads, row ExternalTask',
    statement:
      'A task payload has timeout (number), jobSettings with timeZone, language, culture and effectivityMode, taskSettings, and links (array of objects with id, method and url as strings).',
    fault: 'jobSettings has no effectivityMode.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const extension = await lastingExtension(context, { types: ['ExternalTask'] });
      const task = await given.task(extension, { taskSettings });
      const { payload } = task;
      const { jobSettings: settings, links } = payload;
      expect(payload['timeout'], 'timeout of the payload').toSatisfy(
        'a number',
        (timeout) => typeof timeout === 'number',
      );
      expect(settings, 'jobSettings of the payload').toBeAnObject();
      const names = Object.keys(Object(settings));
      for (const name of jobSettingNames)
        expect(settings, 'jobSettings of the payload').toSatisfy(`an object with ${name}`, () => names.includes(name));
      notes.observe(
        'further members of jobSettings',
        names.filter((name) => !jobSettingNames.includes(name)).join(', ') || 'none',
      );
      expect(payload['taskSettings'], 'taskSettings of the payload').toBeAnObject();
      if (hasPlaceFor(context, 'task', 'taskSettings')) {
        expect(payload['taskSettings'], 'taskSettings of the payload').toEqual(taskSettings);
        await report(context, task, 'Completed');
        const next = await given.task(extension, { taskSettings: {} });
        const bare = next.payload['taskSettings'];
        expect(bare, 'taskSettings of a task without any, behind one with some').toEqual({});
        await report(context, next, 'Completed');
        const texts = { short: shortTexts, long: longText };
        const telling = await unlessRefused(() => given.task(extension, { taskSettings: texts }));
        notes.observe('taskSettings with texts of every kind are taken', telling !== undefined);
        if (telling !== undefined)
          expect(telling.payload['taskSettings'], 'taskSettings with texts of every kind').toEqual(texts);
      }
      expect(links, 'links of the payload').toBeAnArray();
      expect(links, 'links of the payload').toSatisfy('objects with a text each for id, method and url', isLinks);
    }),
  },
  'tasks.payload.envelope-id-is-job': {
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
    source: 'extensions: Payloads, row ExternalTask; Limits, task timeout',
    statement:
      'A task without a configured timeout has `timeout` 600 in its payload, whatever its record says of the time and the retries of a request.',
    fault: 'Default is 100, the request timeout.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: scenario(async (context) => {
      const record = { requestTimeout: 45, retryForever: true };
      const extension = await context.given.extension({ types: ['ExternalTask'], record });
      const { payload } = await context.given.task(extension);
      context
        .expect(payload['timeout'], 'timeout of a task without a configured one')
        .toEqual(defaultTaskTimeoutSeconds);
    }),
  },
  'tasks.payload.timeout-configured': {
    source: 'extensions: Payloads, row ExternalTask (timeout property of the task configuration)',
    statement:
      'A timeout property in the task configuration sets `timeout` in the payload, whatever that of an earlier job with the same input was.',
    fault: 'Payload always says 600.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.payload.timeout-default'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      assumeTimeoutTaken(context);
      const extension = await given.extension({ types: ['ExternalTask'] });
      let like: GivenTask | undefined;
      for (const timeout of [5, 1200]) {
        // one input may be worked on by one job at a time
        const again = like && (await unlessRefused(() => given.task(extension, { timeout, ...(like && { like }) })));
        const task = again ?? (await given.task(extension, { timeout }));
        expect(task.payload['timeout'], `timeout of a task configured with ${timeout}`).toEqual(timeout);
        await report(context, task, 'Completed');
        like = task;
      }
      // of how fine a number the configuration is made is not said
      const fine = await unlessRefused(() => given.task(extension, { timeout: fineTimeout }));
      notes.observe(
        `timeout of a task configured with ${fineTimeout}`,
        String(fine?.payload['timeout'] ?? 'is refused'),
      );
    }),
  },
  'tasks.links.ids-and-methods': {
    source: 'extensions: External task links, table',
    statement:
      'links has the eight documented ids once each with their methods: inputDir, inputFile, content and downloadFile GET; taskStatus and taskProgress PUT; uploadFileStream and uploadFile POST.',
    fault: 'uploadFileStream is given as PUT.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.payload.fields'],
    test: scenario(async (context) => {
      const { expect, notes } = context;
      const task = await taskOf(context);
      const { links } = task;
      expectDocumentedLinks(context, task);
      const [documented, further] = [links.filter(isDocumented), links.filter((link) => !isDocumented(link))];
      for (const { id, address, url } of documented)
        expect(url, `url of ${id}`).toSatisfy('an address', () => URL.canParse(address));
      notes.observe('further links', further.map(({ id }) => id).join(', ') || 'none');
      notes.observe('form of the urls', formsOf(documented));
    }),
  },
  'tasks.links.status-and-progress-routes': {
    source: 'extensions: External task links, rows taskStatus and taskProgress; Callbacks from an external task, table',
    statement:
      'taskStatus and taskProgress, where they have the form of the documented callback routes, are those of this space and job, also where another job has the same input, and where the job before was one of another space.',
    fault: 'Links carry the job id of the previous job.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods'],
    test: scenario(async (context) => {
      const { given, notes, profile, tasks } = context;
      const extension = await given.extension({ types: ['ExternalTask'] });
      const first = await given.task(extension);
      // one extension may be given its tasks one after the other
      await report(context, first, 'Completed');
      const second = await unlessRefused(() => given.task(extension, { like: first }));
      for (const task of [first, second ?? (await given.task(extension))]) expectReportsBy(context, task);
      const elsewhere = await taskInSecondSpace(context, first);
      if (elsewhere !== undefined) expectReportsBy(context, elsewhere, profile.all.secondSpace?.space);
      notes.observe('placeholders of taskStatus', tasks.placeholdersOf(first.link('taskStatus')).join(', ') || 'none');
    }),
  },
  'tasks.links.input-file-usable': {
    source: 'extensions: External task links, row inputFile (token in query)',
    statement:
      "inputFile delivers the bytes of the job's input file by GET with the token in the query, whatever has to be encoded in its path, be the job one of this space or of another, and answers 401 without one and refuses a forged one.",
    fault: 'inputFile points to the directory.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods', 'calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { expect, notes, tasks } = context;
      const made = await tasksWithInput(context);
      for (const task of made) {
        const link = task.link('inputFile');
        const { reply, token } = await inputFileOf(context, task);
        notes.observe('token of inputFile', token === 'query' ? 'to be added' : 'part of the link');
        expectDelivered(context, reply, task.input.bytes, 'the input file');
        expect(await tasks.follow(link, { token: 'none' })).toAnswer(401);
        expect(await tasks.follow({ ...link, token: forgedFrom(task.token) }, { token: 'query' })).notToSucceed();
      }
      await expectInputOfSecondSpace(context, made[0]);
    }),
  },
  'tasks.links.input-dir-usable': {
    source: 'extensions: External task links, row inputDir',
    statement:
      "inputDir is a GET address of the directory that holds the job's file, also where that lies in another directory, or an input of the same name in one more, and there, like every link, for an input in the root; without a token or with a forged one it is refused.",
    fault: 'inputDir points to the area root.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods', 'calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { expect, notes, tasks } = context;
      for (const task of await tasksWithInput(context)) {
        expectDocumentedLinks(context, task);
        const name = task.input.path.split('/').at(-1) ?? '';
        const listing = await tasks.follow(task.link('inputDir'));
        expect(listing).toSucceed();
        if (task.input.bytes !== undefined)
          expect(holdsBytes(listing, task.input.bytes), 'inputDir leads to the file itself', listing).toEqual(false);
        // the root may hold more than one answer has room for, and a listing may spell signs as it likes
        if (task.input.path === name || encodeURIComponent(name) !== name) continue;
        expect(plainTextOf(listing), 'what inputDir shows', listing).toSatisfy(`a text that holds ${name}`, (text) =>
          text.includes(name),
        );
        notes.observe('format of the directory', listing.headers['content-type'] ?? 'not said');
        await expectClosedWithoutToken(context, task.link('inputDir'));
      }
      await expectOwnDirectories(context);
    }),
  },
  'tasks.links.upload-stream-usable': {
    source: 'extensions: External task links, row uploadFileStream',
    statement:
      "A stream upload to uploadFileStream with the envelope token stores the file beside the task's input file by default.",
    fault: 'uploadFileStream stores into the area root.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods', 'calls.token.accepted-by-api'],
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
    source: 'extensions: External task links, row uploadFile',
    statement:
      "A two-chunk upload to uploadFile with the envelope token stores the file, by default in the directory of the task's input file.",
    fault: 'uploadFile is the stream address again.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.ids-and-methods', 'calls.token.accepted-by-api'],
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
    source:
      'extensions: External task links, rows content and downloadFile (template URLs, token in query for the latter)',
    statement:
      "content and downloadFile are templates which, filled with a file's path unless they ask for an identifier, deliver that file, in directories, in the root or under a name that has to be encoded, and are refused without a token and with a forged one.",
    fault: 'downloadFile answers 401 to a token in the query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['tasks.links.upload-stream-usable', 'calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { given, notes, tasks } = context;
      const { input, ...task } = await taskWithInput(context);
      const [content, download] = [task.link('content'), task.link('downloadFile')];
      const byPath = [content, download].filter(tasks.takesPath);
      if (byPath.length === 0) given.inconclusive('content and downloadFile ask for identifiers, which nothing tells.');
      const oddName = `${given.unique('other')} #1 ü 50% a+b.bin`;
      const odd = await unlessRefused(() => given.file({ area: input.area, path: pathBeside(input, oddName) }));
      const { path, bytes } = await given.file({
        area: input.area,
        path: pathBeside(input, `${given.unique('deep')}/${given.unique('other')}.bin`),
      });
      const root = await given.file({ area: input.area, path: given.filePath({ root: true }) });
      for (const other of [{ path, bytes }, root, ...(odd === undefined ? [] : [odd])]) {
        for (const link of byPath) {
          const token = link === download ? 'query' : 'bearer';
          const reply = await tasks.follow(link, { path: other.path, token });
          expectDelivered(context, reply, other.bytes, `what ${link.id} delivers`);
        }
      }
      for (const link of [content, download]) {
        notes.observe(`placeholders of ${link.id}`, tasks.placeholdersOf(link).join(', ') || 'none');
        notes.observe(
          `status of ${link.id} with the token in the query`,
          (await tasks.follow(link, { path, token: 'query' })).status,
        );
      }
      for (const link of byPath) await expectClosedWithoutToken(context, link, { path });
    }),
  },
});

function isLinks(links: unknown): boolean {
  return (
    Array.isArray(links) &&
    links.every((link) => isObject(link) && ['id', 'method', 'url'].every((name) => typeof link[name] === 'string'))
  );
}

function formsOf(links: readonly TaskLink[]): string {
  const forms = new Set(links.map(({ url, address }) => (url === address ? 'absolute' : 'relative')));
  return [...forms].join(' and ');
}

/** Inputs that are called alike lie in two directories: each job is led to its own, which is told by what lies beside. */
async function expectOwnDirectories(context: CaseContext): Promise<void> {
  const { given, expect, profile, tasks } = context;
  if (profile.all.tasks?.inputPath !== undefined) return;
  const name = `${given.unique('alike')}.csv`;
  const extension = await given.extension({ types: ['ExternalTask'] });
  for (const directory of [given.unique('in'), `${given.unique('in')}/down/below/under/all`]) {
    const task = await taskWithInput(context, { inputName: `${directory}/${name}` }, extension);
    const beside = `${given.unique('beside')}.bin`;
    await given.file({ area: task.input.area, path: pathBeside(task.input, beside) });
    const listing = await tasks.follow(task.link('inputDir'));
    expect(listing).toSucceed();
    expect(plainTextOf(listing), `what inputDir shows of ${directory}`, listing).toSatisfy(
      `a text that holds ${beside}`,
      (text) => text.includes(beside),
    );
    // one extension may be given its tasks one after the other
    await report(context, task, 'Completed');
  }
}

/** The input of a job of another space is a file of that one, where the service takes such a job. */
async function expectInputOfSecondSpace(context: CaseContext, first: GivenTask | undefined): Promise<void> {
  const task = first && (await taskInSecondSpace(context, first));
  const { area, bytes } = task?.input ?? {};
  if (task === undefined || bytes === undefined || area === first?.input?.area) return;
  expectDelivered(context, (await inputFileOf(context, task)).reply, bytes, 'the input file of a job of another space');
}

/** Where a link leads is shown to nobody without a token, nor with a forged one, wherever that has its place. */
async function expectClosedWithoutToken(
  { tasks, expect, notes }: CaseContext,
  link: TaskLink,
  fill: LinkFill = {},
): Promise<void> {
  const bare = { ...fill, token: 'none' } as const;
  const open = await tasks.follow(link, bare);
  notes.observe(`status of ${link.id} without a token`, open.status, open);
  // what else stands in its query may be a key of its own
  if (tasks.addressOf(link, bare).includes('?')) return;
  expect(open).toAnswer(401);
  const token = forgedFrom(link.token);
  expect(await tasks.follow({ ...link, token }, { ...fill, token: 'query' })).notToSucceed();
  expect(await tasks.follow(link, bare, withBearer(token))).notToSucceed();
}

/** The token with another signature. */
function forgedFrom(token: string): string {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const first = signature.startsWith('A') ? 'B' : 'A';
  return [head, claims, first + signature.slice(1)].join('.');
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
