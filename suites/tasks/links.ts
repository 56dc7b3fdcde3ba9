import { setTimeout as sleep } from 'node:timers/promises';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { GivenTask, LinkId, TaskLink } from '../../judge/tasks/tasks.ts';
import { contentOf, expectStored, isSuccess } from '../../judge/files/stored-file.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { beside, nameFor, streamOf, taskOf, taskWithInput } from './words.ts';

const methods: Readonly<Record<LinkId, string>> = {
  inputDir: 'GET',
  inputFile: 'GET',
  taskStatus: 'PUT',
  taskProgress: 'PUT',
  uploadFileStream: 'POST',
  uploadFile: 'POST',
  content: 'GET',
  downloadFile: 'GET',
};

export const linkCases = {
  'tasks.links.ids-and-methods': scenario(async (context) => {
    const { expect, notes } = context;
    const { links } = await taskOf(context);
    const [documented, further] = [links.filter(isDocumented), links.filter((link) => !isDocumented(link))];
    const wanted = Object.entries(methods).map(([id, method]) => `${method} ${id}`);
    expect(documented.map(({ id, method }) => `${method} ${id}`).toSorted(), 'documented links').toEqual(
      wanted.toSorted(),
    );
    for (const { id, address, url } of documented)
      expect(url, `url of ${id}`).toSatisfy('an address', () => URL.canParse(address));
    notes.observe('further links', further.map(({ id }) => id).join(', ') || 'none');
    notes.observe('form of the urls', formsOf(documented));
  }),

  'tasks.links.status-and-progress-routes': scenario(async (context) => {
    const { given, notes, tasks } = context;
    const extension = await given.extension({ types: ['ExternalTask'] });
    for (const task of [await given.task(extension), await given.task(extension)]) {
      const id = given.present(task.triggered.id ?? task.call.envelope.id, 'the id of the job');
      leadsTo(context, task, 'taskStatus', `${tasks.route(id)}/status/Completed`);
      leadsTo(context, task, 'taskProgress', `${tasks.route(id)}/progress`);
    }
    notes.observe('placeholders of taskStatus', await placeholders(context, 'taskStatus'));
  }),

  'tasks.links.input-file-usable': scenario(async (context) => {
    const { expect, notes, tasks } = context;
    const task = await taskWithInput(context);
    const link = task.link('inputFile');
    const told = await tasks.follow(link, { token: 'as-told' });
    notes.observe('token of inputFile', told.status === 401 ? 'to be added' : 'part of the link');
    expectContent(
      context,
      told.status === 401 ? await tasks.follow(link, { token: 'query' }) : told,
      task.input.bytes,
      'the input file',
    );
    expect(await tasks.follow(link, { token: 'none' })).toAnswer(401);
  }),

  'tasks.links.input-dir-usable': scenario(async (context) => {
    const { expect, notes, tasks } = context;
    const task = await taskWithInput(context);
    const name = task.input.path.split('/').at(-1) ?? '';
    const listing = await tasks.follow(task.link('inputDir'));
    expect(listing).toSucceed();
    expect(unescaped(listing), 'what inputDir shows', listing).toSatisfy(`a text that holds ${name}`, (text) =>
      text.includes(name),
    );
    notes.observe('format of the directory', listing.headers['content-type'] ?? 'not said');
  }),

  'tasks.links.upload-stream-usable': scenario(async (context) => {
    const { given, expect, notes, tasks } = context;
    const { input, ...task } = await taskWithInput(context);
    const link = task.link('uploadFileStream');
    const name = `${given.unique('result')}.bin`;
    const stored = { area: input.area, path: beside(input, name), bytes: given.bytes(200) };
    for (const path of [name, stored.path]) given.bookFile(input.area, path);
    expect(
      await tasks.follow(link, { path: nameFor(context, link, input, name) }, streamOf(context, stored.bytes)),
    ).toSucceed();
    await expectStored(context, stored);
    notes.observe('place of the name in uploadFileStream', tasks.placeholdersOf(link).join(', ') || 'behind the link');
  }),

  'tasks.links.upload-chunk-usable': scenario(async (context) => {
    const { given, notes } = context;
    const task = await taskWithInput(context);
    const stored = {
      area: task.input.area,
      path: beside(task.input, `${given.unique('result')}.bin`),
      bytes: given.bytes(chunkSize(context) + 1),
    };
    for (const reply of await sentInChunks(context, task, stored.path, stored.bytes)) context.expect(reply).toSucceed();
    await expectStored(context, stored);
    const bare = `${given.unique('bare')}.bin`;
    const replies = await sentInChunks(context, task, bare, stored.bytes);
    notes.observe(
      'place of a chunk upload with a bare name',
      replies.every(({ status }) => isSuccess(status)) ? await placeOf(context, task, bare) : 'refused',
    );
  }),

  'tasks.links.templates-usable': scenario(async (context) => {
    const { given, notes, tasks } = context;
    const { input, ...task } = await taskWithInput(context);
    const { path, bytes } = await given.file({ area: input.area, path: beside(input, `${given.unique('other')}.bin`) });
    const [content, download] = [task.link('content'), task.link('downloadFile')];
    expectContent(context, await tasks.follow(content, { path }), bytes, 'what content delivers');
    expectContent(context, await tasks.follow(download, { path, token: 'query' }), bytes, 'what downloadFile delivers');
    for (const link of [content, download]) {
      notes.observe(`placeholders of ${link.id}`, tasks.placeholdersOf(link).join(', ') || 'none');
      notes.observe(
        `status of ${link.id} with the token in the query`,
        (await tasks.follow(link, { path, token: 'query' })).status,
      );
      notes.observe(`status of ${link.id} without a token`, (await tasks.follow(link, { path, token: 'none' })).status);
    }
  }),
} satisfies SomeCasesOf<'tasks'>;

function isDocumented({ id }: TaskLink): boolean {
  return Object.hasOwn(methods, id);
}

function formsOf(links: readonly TaskLink[]): string {
  const forms = new Set(links.map(({ url, address }) => (url === address ? 'absolute' : 'relative')));
  return [...forms].join(' and ');
}

/** Where the link stands behind a gateway its path may begin with one of the gateway's own. */
function leadsTo({ expect, tasks }: CaseContext, task: GivenTask, id: LinkId, route: string): void {
  const [path = ''] = tasks.addressOf(task.link(id), { status: 'Completed' }).split('?');
  expect(path, `address of ${id}`).toSatisfy(`one that ends in ${route}`, () => plain(path).endsWith(plain(route)));
}

function plain(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function placeholders(context: CaseContext, id: LinkId): Promise<string> {
  const task = await taskOf(context);
  return context.tasks.placeholdersOf(task.link(id)).join(', ') || 'none';
}

function expectContent({ expect }: CaseContext, reply: Reply, bytes: Uint8Array, what: string): void {
  expect(reply).toSucceed();
  expect(contentOf(reply.bytes), what, reply).toEqual(contentOf(bytes));
}

const usualChunkSize = 200;

function chunkSize({ profile }: CaseContext): number {
  return Math.max(usualChunkSize, profile.all.files?.minChunkSize ?? 1);
}

/** Sends a file in two chunks to uploadFile, until one is refused. */
async function sentInChunks(
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

const settleMs = 500;

/** Where a file of that name came to lie. */
async function placeOf({ files, given }: CaseContext, { input }: GivenTask, name: string): Promise<string> {
  const { area, path } = given.present(input, 'an input file');
  const inDirectory = beside({ area, path, bytes: undefined }, name);
  given.bookFile(area, inDirectory);
  await sleep(settleMs);
  if (isSuccess((await files.download(area, inDirectory)).status)) return 'beside the input file';
  return isSuccess((await files.download(area, name)).status) ? 'in the root of the area' : 'elsewhere';
}
