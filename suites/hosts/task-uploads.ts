import { extname } from 'node:path/posix';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { type Arrival, chunkOf, headerOf, type ReadChunk } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import type { Installation, TaskOptions } from '../../judge/host/installation.ts';
import { inputOf } from '../../judge/host/payloads.ts';
import { filePathOf } from '../../judge/host/played/files.ts';
import { checksumOf } from '../../judge/service/signature.ts';
import { rules } from '../../judge/rule.ts';
import { withOtherLetters } from './task-ends.ts';
import { expectOwnResults } from './task-results.ts';
import {
  beginOthers,
  beginTask,
  type Begun,
  callTask,
  directoryOf,
  endMsOf,
  endOf,
  finishedTask,
  pathOf,
  requestsOf,
  statusOf,
  tellFurtherEnds,
  uploadsOf,
  isTooLate,
} from './task-work.ts';

/** More than a stream upload is for. Source: extensions, Limits, file size guidance */
const largeBytes = 1_600_000;

/** Bytes of an input that is more than one chunk of the usual size. Source: extensions, Limits, chunk size */
const severalChunksBytes = 4_300_000;

/** A text that is shorter may stand anywhere by chance. */
const shortestSecret = 16;

/** How long an upload is waited for that comes again, in ms. */
const againMs = 10_000;

/** Longest input that is made to fill chunks, in bytes. */
const mostFilledBytes = 16 * 1024 * 1024;

/** Tries to have a file of so many bytes. */
const fillings = 3;

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

/** Those that are integers. */
const numbersOfChunks = chunkTexts.slice(0, 5);

export const hostUploadRules = rules('tasks', {
  'tasks.host.uploads-well-formed': {
    source: 'extensions: File routes, stream upload and chunk upload with its table; Registered extension, row apiKey',
    statement:
      'Whatever a task uploads, large or small and of any record, goes by POST and carries the token, the checksum of its bytes in lower-case hexadecimal, and by stream no type of a form, and nothing that it sends holds the apiKey; what a chunk says of itself and of its file is so, in digits where it is a number, and a task is completed when all of its chunks are sent. Where a result is the same whenever the input is, none is that of another input. What comes again after a passing failure is no worse, and no chunk is left out for one. That the end of one is reported more than once is remarked on.',
    fault: 'Upload is sent without checksum.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.acknowledged-first'],
    test: hostScenario(async (context) => {
      const { samples, given } = context;
      const sample = samples.task('success');
      const tasks: (Begun & { readonly final: Arrival })[] = [];
      const expectUploads = (task: Begun): void => uploadsOf(task).forEach((upload) => expectWellSent(context, upload));
      const finish = async (bytes?: Uint8Array) => {
        const options = { sample, ...(bytes && { input: bytes }) };
        const task = await finishedTask(context, options, undefined, (begun) =>
          [...tasks, begun].forEach(expectUploads),
        );
        tasks.push(task);
        return task;
      };
      const small = await finish();
      const others = await beginOthers(context);
      // what a sample says often is no input that the host has to understand
      const input = repeatedTo(inputOf(sample), largeBytes);
      const large = await finish(input);
      await finish(withOtherLetters(sample));
      const file = fileInChunks(large, input.byteLength);
      if (file !== undefined)
        for (const bytes of bytesInChunks(file.size)) await finishFilling(finish, input, file.longer, bytes);
      if (tasks.every((task) => uploadsOf(task).length === 0)) given.notExercised('the task uploaded nothing');
      for (const task of tasks) {
        expectUploads(task);
        expectSecretKept(context, task);
        if (statusOf(task.final) === 'Completed') await expectWhole(context, task);
      }
      if (uploadsOf(small).length > 0) await expectWellSentAgain(context, { sample });
      const [twoChunks] = file === undefined ? [] : bytesInChunks(file.size);
      if (twoChunks !== undefined) await expectNoneLeftOut(context, { sample, input: repeatedTo(input, twoChunks) });
      const failed = await failedTask(context);
      for (const upload of [...others, ...failed].flatMap(uploadsOf)) expectWellSent(context, upload);
      await expectOwnResults(context);
      // sizes are in bytes, which letters are not
      if (file !== undefined) expectUploads(await finish(repeatedTo(withOtherLetters(sample), largeBytes)));
      tellFurtherEnds(context, tasks);
    }),
  },
  'tasks.host.downloads-input': {
    level: 'should',
    source: 'extensions: Callbacks from an external task, closing sentence; File routes, chunk upload',
    statement:
      'The host fetches the input itself, wherever it lies and whatever its name is, also where another task had the same file, which was another one then, through the given link and uploads results through the upload links; what a chunk that is refused or breaks off leaves of a file it deletes. That one whose input breaks off each time is completed is remarked on.',
    fault: 'What a refused chunk leaves is not deleted.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    after: ['tasks.host.final-status', 'tasks.host.uploads-well-formed'],
    test: hostScenario(async (context) => {
      const { samples, given, expect, notes } = context;
      const sample = samples.task('success');
      const tasks: Begun[] = [];
      for (const place of [{}, { inRoot: true }, { inOddPlace: true }])
        tasks.push(await finishedTask(context, { sample, ...place }));
      const inTime = tasks.filter((task) => !isTooLate(task));
      const counts = {
        downloads: inTime.map((task) => requestsOf(task).filter(({ kind }) => kind === 'download').length),
        uploads: inTime.map((task) => uploadsOf(task).length),
      };
      const isNone = (all: readonly number[]): boolean => all.every((count) => count === 0);
      if (Object.values(counts).every(isNone))
        given.notExercised('the task neither fetched an input nor uploaded anything');
      for (const [what, all] of Object.entries(counts))
        // a task may have no input, or no result
        if (isNone(all)) notes.observe(`${what} through the links`, 'none');
        else
          expect(Math.min(...all), `${what} through the links, wherever the input lies`).toSatisfy(
            'at least one',
            (count) => count > 0,
          );
      expectAskedByName(context, tasks);
      // what a sample says often is no input that the host has to understand
      const task = await finishedTask(context, { sample, input: repeatedTo(inputOf(sample), largeBytes) });
      notes.observe('status of a task with a large input', statusOf(task.final));
      await tellBroken(context);
      const isChunked = uploadsOf(task).some(({ kind }) => kind === 'chunk');
      notes.observe('a large result comes in chunks', isChunked);
      const inSeveral = { sample, input: repeatedTo(inputOf(sample), severalChunksBytes) };
      if (isChunked) for (const failure of chunkFailures) await expectPartDeleted(context, inSeveral, failure);
      tellFurtherEnds(context, tasks);
      // two ends in one place are those of two tasks
      for (const task of tasks.slice(0, 1)) await expectAskedAnew(context, task);
    }),
  },
});

/** A task with a large input, whose result may be as large; undefined where it does not come to its end in time. */
export function endedLongTask(context: HostContext): ReturnType<typeof endedTaskOn> {
  return endedTaskOn(context, longInputOf(context));
}

export function longInputOf({ samples }: HostContext): Uint8Array {
  return repeatedTo(inputOf(samples.task('success')), largeBytes);
}

/** The same with that input. */
export async function endedTaskOn(
  context: HostContext,
  input: Uint8Array,
): Promise<(Begun & { readonly final: Arrival }) | undefined> {
  const task = await callTask(context, { sample: context.samples.task('success'), input });
  const final = await task.installation.arrivedInTurn({ kind: 'status' }, endMsOf(context));
  return final && { ...task, final };
}

/** What lies at a path may have changed since another task had it: who kept it asks at least whether it has. */
async function expectAskedAnew(context: HostContext, before: Begun): Promise<void> {
  const { samples, host, expect } = context;
  const { installation, task, call } = before;
  const downloads = (): number => installation.arrivals({ kind: 'download' }).length;
  const { length } = requestsOf(before).filter(({ kind }) => kind === 'download');
  const sample = samples.task('success');
  const input = inputOf(sample);
  if (length === 0 || input.byteLength === 0) return;
  const next = installation.task({ sample, besides: task, input: repeatedTo(input, 2 * input.byteLength) });
  const already = downloads();
  const reply = await host.call(next.call(call.record));
  const isOfNext = ({ path }: Arrival): boolean => path.includes(next.jobId);
  const final = await installation.arrivedInTurn({ kind: 'status', where: isOfNext }, endMsOf(context));
  // that it is taken and ends is the business of other rules
  if (!isSuccess(reply.status) || final === undefined) return;
  expect(
    downloads() - already,
    'downloads for a task whose input was that of another one and has changed',
    final.seen,
  ).toSatisfy('at least one', (count) => count > 0);
}

/** A task that cannot be done, which may leave a log, where the profile knows of one. */
async function failedTask(context: HostContext): Promise<readonly Begun[]> {
  if (context.samples.all.task?.failure === undefined) return [];
  const task = await beginTask(context, { sample: context.samples.task('failure') });
  await endOf(context, task, endMsOf(context));
  return [task];
}

/** Asserts that an upload has the checksum of its bytes and that a chunk says nothing wrong of itself. Source: extensions, chunk table */
export function expectWellSent({ expect, notes }: HostContext, upload: Arrival): void {
  const { kind, method, path, token, seen } = upload;
  const what = `${method} ${path}`;
  expect(method, `method by which ${path} is uploaded`, seen).toEqual('POST');
  expect(token?.in ?? 'nowhere', `where ${what} carries the token`, seen).toEqual('header');
  const chunk = kind === 'chunk' ? chunkOf(upload) : undefined;
  const bytes = (kind === 'chunk' ? chunk?.bytes : upload.bytes) ?? new Uint8Array();
  expect(headerOf(upload, 'checksum'), `header checksum of ${what}`, seen).toEqual(checksumOf(bytes));
  if (kind === 'upload')
    // what libraries say unless they are told
    expect(
      headerOf(upload, 'content-type') ?? 'none',
      `Content-Type of ${what}, which is that of the file`,
      seen,
    ).toSatisfy(
      'a type that files have, not that of a form',
      (type) => !/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type),
    );
  if (chunk === undefined) return;
  const told = (name: string): string | undefined => chunk.texts.get(`resumable${name}`);
  for (const name of numbersOfChunks.filter((number) => told(number) !== undefined))
    expect(told(name), `resumable${name} of ${what}`, seen).toSatisfy('an integer in digits', (text) =>
      /^-?\d+$/.test(String(text)),
    );
  const [total, size, number] = ['TotalSize', 'ChunkSize', 'ChunkNumber'].map((name) => Number(told(name)));
  const wanted: Readonly<Record<string, number>> = {
    CurrentChunkSize: bytes.byteLength,
    // of an empty file the division makes none. Source: ledger chunk-empty-file
    ...(total !== undefined && total > 0 && size !== undefined && { TotalChunks: Math.ceil(total / size) }),
  };
  for (const [name, value] of Object.entries(wanted))
    if (told(name) !== undefined && !Number.isNaN(value))
      expect(told(name), `resumable${name} of ${what}`, seen).toEqual(String(value));
  const chunks = Number(told('TotalChunks'));
  if (chunks > 0 && told('ChunkNumber') !== undefined)
    expect(number, `resumableChunkNumber of ${what}`, seen).toSatisfy(
      `an integer from 1 to ${chunks}`,
      (found) => Number.isInteger(found) && Number(found) >= 1 && Number(found) <= chunks,
    );
  const due = Math.min(size ?? NaN, (total ?? NaN) - ((number ?? NaN) - 1) * (size ?? NaN));
  if (!Number.isNaN(due)) expect(bytes.byteLength, `bytes of chunk ${number} of ${what}`, seen).toEqual(due);
  tellNames(notes, what, chunk);
  expect(chunk.fileName === undefined ? 'none' : 'a name', `file name of the file part of ${what}`, seen).toEqual(
    'a name',
  );
  const left = chunkTexts.filter((name) => told(name) === undefined).map((name) => `resumable${name}`);
  // which of them has to be there is not said
  if (left.length > 0) notes.remark(`${what} lacks ${left.join(', ')}, which the form of a chunk has`);
}

/** Asserts that what a passing failure kept from the service is, where it comes again, what it was. Whether it comes again is not said. Source: extensions, File routes */
async function expectWellSentAgain(context: HostContext, options: TaskOptions): Promise<void> {
  let came = 0;
  const task = await beginTask(context, options, (place) => {
    for (const kind of ['upload', 'chunk'] as const) place.refuse(kind, 503, () => (came += 1) === 1);
  });
  const isAgain = (arrival: Arrival): boolean =>
    uploadsOf(task).some((upload) => upload !== arrival && pathOf(upload) === pathOf(arrival));
  await task.installation.arrivedInTurn(
    { kind: ['upload', 'chunk', 'status'], where: (arrival) => arrival.kind === 'status' || isAgain(arrival) },
    againMs,
  );
  for (const upload of uploadsOf(task)) expectWellSent(context, upload);
}

/** Asserts that a task whose first chunk never comes is not completed without it. Source: extensions, chunk table; States and transitions */
async function expectNoneLeftOut(context: HostContext, options: TaskOptions): Promise<void> {
  const task = await beginTask(context, options, (place) =>
    place.refuse('chunk', 503, (arrival) => chunkOf(arrival)?.number === 1),
  );
  const final = await task.installation.arrivedInTurn({ kind: 'status' }, againMs);
  if (final !== undefined && statusOf(final) === 'Completed') await expectWhole(context, task);
}

/** What a chunk says of its file beside numbers. Where signs may have to be spelt otherwise, what is behind the last dot is compared. Source: extensions, chunk table */
function tellNames(notes: HostContext['notes'], what: string, { path, fileName = 'none', texts }: ReadChunk): void {
  const [name = '', type = ''] = ['Filename', 'Type'].map((part) => texts.get(`resumable${part}`) ?? '');
  const isPlain = [fileName, name, path].every((text) => /^[\w ./-]*$/.test(text));
  const compared = isPlain ? (text: string) => text : extname;
  const isOneOf = (names: readonly string[], text: string): boolean => names.map(compared).includes(compared(text));
  const inPath = [path.split('/').at(-1) ?? '', path];
  if (!isOneOf([name, ...inPath], fileName)) notes.remark(`the file in ${what} is called ${JSON.stringify(fileName)}`);
  else if (name !== '' && !isOneOf(inPath, name))
    notes.remark(`resumableFilename of ${what} (${name}) is not the name in its path (${path})`);
  if (path.includes('\\')) notes.remark(`resumableRelativePath of ${what} (${path}) has backslashes`);
  if (type !== '' && !/^[\w.+!#$&^-]+\/[\w.+!#$&^-]+/.test(type))
    notes.remark(`resumableType of ${what} (${type}) is no media type`);
}

/** The key is a secret of the service and the host, and whoever may read the files of a job is neither. Source: extensions, Registered extension, row apiKey */
function expectSecretKept({ expect, binding }: HostContext, task: Begun): void {
  for (const { method, path, text, seen } of requestsOf(task))
    expect(
      binding.apiKey.length >= shortestSecret && text.includes(binding.apiKey),
      `the apiKey in the body of ${method} ${path}`,
      seen,
    ).toEqual(false);
}

/** A file that came in chunks. */
interface FileInChunks {
  /** Of a chunk, in bytes. */
  readonly size: number;
  /** Bytes that it has beyond those of its input. */
  readonly longer: number;
}

/** What a task made of its input, where it comes in chunks of a usual size. */
function fileInChunks(task: Begun, inputBytes: number): FileInChunks | undefined {
  const files = uploadsOf(task).map((upload) => {
    const { texts } = chunkOf(upload) ?? {};
    const [total = NaN, size = NaN] = ['TotalSize', 'ChunkSize'].map((name) => Number(texts?.get(`resumable${name}`)));
    return { size, longer: total - inputBytes };
  });
  // a result may have a head or an end of its own
  return files
    .filter(({ size, longer }) => size > 0 && Math.abs(longer) < size / 2)
    .toSorted((one, other) => Math.abs(one.longer) - Math.abs(other.longer))[0];
}

/** Bytes of files that fill two chunks of that size, and one and a half. */
function bytesInChunks(size: number): readonly number[] {
  return [2, 1.5].map((chunks) => Math.ceil(chunks * size)).filter((bytes) => bytes <= mostFilledBytes);
}

/** Has a task make a file of so many bytes; once more where what its result has beyond the input grows with that. */
async function finishFilling(
  finish: (input: Uint8Array) => Promise<Begun>,
  input: Uint8Array,
  firstLonger: number,
  bytes: number,
): Promise<void> {
  let longer: number | undefined = firstLonger;
  for (let left = fillings; left > 0 && longer !== undefined; left -= 1) {
    const length: number = bytes - longer;
    const task = await finish(repeatedTo(input, length).subarray(0, length));
    const found: number | undefined = fileInChunks(task, length)?.longer;
    longer = found === longer ? undefined : found;
  }
}

/** Asserts that all of each file of a completed task comes. Source: extensions, chunk table */
async function expectWhole({ expect }: HostContext, task: Begun): Promise<void> {
  const left = (): readonly ChunkedFile[] => chunkedFilesOf(task).filter((file) => !isWhole(file));
  if (left().length > 0) await task.installation.arrived({ where: () => left().length === 0 });
  for (const { path, sizes, total, totalSize, seen } of chunkedFilesOf(task)) {
    expect([...sizes.keys()], `numbers of the chunks of ${path}, of a completed task`, seen).toEqual(
      Array.from({ length: Math.max(1, total) }, (_chunk, index) => index + 1),
    );
    const sum = [...sizes.values()].reduce((before, size) => before + size, 0);
    expect(sum, `bytes of all chunks of ${path}, as resumableTotalSize has them`, seen).toEqual(totalSize);
  }
}

/** What came of a file by chunks that tell of how many they are. */
interface ChunkedFile {
  readonly path: string;
  /** Bytes by number, in the order of the numbers; one may come again, as after a lost answer. */
  readonly sizes: ReadonlyMap<number, number>;
  readonly total: number;
  readonly totalSize: number;
  readonly seen: Reply;
}

function isWhole({ sizes, total }: ChunkedFile): boolean {
  return sizes.size === Math.max(1, total);
}

function chunkedFilesOf(task: Begun): readonly ChunkedFile[] {
  const taken = uploadsOf(task).filter(({ seen }) => isSuccess(seen.status));
  const inOnePiece = new Set(taken.filter(({ kind }) => kind === 'upload').map(pathOf));
  const chunked = taken.filter((upload) => upload.kind === 'chunk' && !inOnePiece.has(pathOf(upload)));
  return [...Map.groupBy(chunked, pathOf)].flatMap(([path, ofFile]) => {
    const chunks = ofFile.map((upload) => chunkOf(upload)).filter((chunk) => chunk !== undefined);
    const last = ofFile.at(-1);
    const totalsOf = (chunk: ReadChunk | undefined): readonly number[] =>
      ['TotalChunks', 'TotalSize'].map((name) => Number(chunk?.texts.get(`resumable${name}`)));
    const [total, totalSize] = totalsOf(chunks.at(-1));
    if (last === undefined || !Number.isInteger(total) || !Number.isInteger(totalSize)) return [];
    // another file may have had the path before
    const ofLast = chunks.filter((chunk) => String(totalsOf(chunk)) === String([total, totalSize]));
    const inOrder = ofLast.toSorted((one, other) => one.number - other.number);
    const sizes = new Map(inOrder.map(({ number, bytes }) => [number, bytes.byteLength]));
    return [{ path, sizes, total: total ?? 0, totalSize: totalSize ?? 0, seen: last.seen }];
  });
}

/** Asserts that a host which asks for the input by its own name does so where that has signs which addresses encode. Source: extensions, External task links, row inputFile */
function expectAskedByName({ expect }: HostContext, tasks: readonly Begun[]): void {
  const asked = tasks.map((begun) =>
    requestsOf(begun)
      .filter(({ kind }) => kind === 'download')
      .map((arrival) => ({ path: filePathOf(arrival), wanted: begun.task.inputPath, seen: arrival.seen })),
  );
  const isMeant = ({ path, wanted }: { path: string; wanted: string }): boolean => path === wanted;
  if (!asked.slice(0, -1).every((of) => of.some(isMeant))) return;
  const [first] = asked.at(-1) ?? [];
  if (first !== undefined)
    expect(asked.at(-1)?.find(isMeant)?.path ?? first.path, 'the file that is downloaded', first.seen).toEqual(
      first.wanted,
    );
}

interface ChunkFailure {
  readonly what: string;
  readonly fail: (place: Installation, isMeant: (arrival: Arrival) => boolean) => void;
}

const chunkFailures: readonly ChunkFailure[] = [
  { what: 'refused', fail: (place, isMeant) => place.refuse('chunk', 400, isMeant) },
  { what: 'answered by the end of its connection', fail: (place, isMeant) => place.lose('chunk', isMeant) },
];

/** A service cannot tell a part from a whole file, so that whoever sent it takes it away. Source: extensions, File routes, chunk upload */
async function expectPartDeleted(
  context: HostContext,
  options: TaskOptions,
  { what, fail }: ChunkFailure,
): Promise<void> {
  const isLater = (arrival: Arrival): boolean => (chunkOf(arrival)?.number ?? 1) > 1;
  const { installation, task } = await beginTask(context, options, (place) => fail(place, isLater));
  const isRefused = (arrival: Arrival): boolean => arrival.kind === 'chunk' && isLater(arrival);
  const refused = await installation.arrivedInTurn(
    { where: (arrival) => arrival.kind === 'status' || isRefused(arrival) },
    endMsOf(context),
  );
  const isMet = refused !== undefined && isRefused(refused);
  context.notes.observe('a large result comes in several chunks', isMet);
  if (!isMet) return;
  const path = pathOf(refused);
  // a name alone may stand for one beside the input, where uploads go by themselves
  const places = [path, `${directoryOf(task)}${path}`];
  const isDeletion = (arrival: Arrival): boolean => arrival.method === 'DELETE' && places.includes(filePathOf(arrival));
  // it may try again for a while before it gives up
  const end = await installation.arrivedInTurn(
    { where: (arrival) => arrival.kind === 'status' || isDeletion(arrival) },
    endMsOf(context),
  );
  if (end === undefined) return context.notes.remark(`a task of whose result a chunk was ${what} came to no end`);
  const deleted = isDeletion(end) ? end : await installation.arrived({ where: isDeletion });
  context.clock.expectCame(`a DELETE of ${path}, of which a chunk was ${what}`, deleted?.arrivedAt);
}

/** What a part of the input gives is no result of all of it. Source: extensions, States and transitions */
async function tellBroken(context: HostContext): Promise<void> {
  const sample = context.samples.task('success');
  const { installation } = await beginTask(context, { sample }, (place) => place.cutDownloads());
  const final = await installation.arrivedInTurn({ kind: 'status' }, endMsOf(context));
  const isTried = installation.arrivals({ kind: 'download', where: ({ method }) => method === 'GET' }).length > 0;
  if (final !== undefined && isTried && statusOf(final) === 'Completed')
    context.notes.remark('a task whose input broke off each time was reported as Completed');
}

/** The bytes again and again, up to at least that length. */
function repeatedTo(bytes: Uint8Array, length: number): Uint8Array {
  const times = Math.ceil(length / Math.max(1, bytes.byteLength));
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}
