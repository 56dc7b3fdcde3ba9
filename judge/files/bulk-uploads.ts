import type { CaseContext } from '../case.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { quietMs } from '../extension/trigger-calls.ts';
import type { BulkBody, BulkLevel, BulkTarget } from './bulk.ts';
import type { SourceDirectory } from './source-directory.ts';
import type { FileArea, GivenFile } from './files.ts';
import { contentOf, expectHolds, expectNothingAt, holdsBytes, readFileBack } from './stored-files.ts';
import { PreconditionFailed } from '../violation.ts';
import { sleep } from '../time/real-time.ts';

const usualCompletionSeconds = 10;

/** Of a file, in bytes. */
export const usualLength = 200;

const levels: readonly BulkLevel[] = ['collection', 'space', 'participant'];

/** Files on the disk of the host, and where they are to go. */
export interface BulkSource {
  readonly level: BulkLevel;
  /** Another space or participant of that level; that of the profile unless given. */
  readonly to?: BulkTarget;
  readonly directory: SourceDirectory;
  readonly tree: Readonly<Record<string, Uint8Array>>;
}

/** The source without these files. */
export function leaveOut(from: BulkSource, names: readonly string[]): BulkSource {
  return { ...from, tree: Object.fromEntries(Object.entries(from.tree).filter(([name]) => !names.includes(name))) };
}

export function declaredLevels({ files }: CaseContext): readonly BulkLevel[] {
  return levels.filter((level) => files.areas.some(({ name }) => name === level));
}

/** A level that can be called, with an area that can be read where there is one. */
export function anyLevel(context: CaseContext): BulkLevel {
  return declaredLevels(context)[0] ?? 'space';
}

/** A fresh directory with a file of its own bytes under each name; what becomes of them in the area is booked. @param lengths of the files in bytes, 200 unless given */
export async function makeSource(
  context: CaseContext,
  names: readonly string[],
  level: BulkLevel = 'space',
  lengths: readonly number[] = [],
): Promise<BulkSource> {
  const { given, files } = context;
  const tree = Object.fromEntries(names.map((name, index) => [name, given.bytes(lengths[index] ?? usualLength)]));
  if (declaredLevels(context).includes(level)) for (const name of names) given.bookFile(files.area(level), name);
  return { level, tree, directory: await given.sourceDirectory(tree) };
}

/** Names in a directory that no other case uses. */
export function namesBelow({ given }: CaseContext, ...names: readonly string[]): readonly string[] {
  const directory = given.unique('tree');
  return names.map((name) => `${directory}/${name}`);
}

/** Those of the names that a stream upload takes, of files of so many bytes: which are legal is not said. */
export async function namesTaken(
  { given, files }: CaseContext,
  names: readonly string[],
  length = usualLength,
): Promise<readonly string[]> {
  const area = files.area('space');
  const taken: string[] = [];
  for (const name of names) {
    const { status } = await files.upload(area, `${given.unique('tried')}/${name}`, given.bytes(length));
    if (isSuccess(status)) taken.push(name);
  }
  return taken;
}

/** How a service answers that takes no bulk upload while another one goes on. */
const busyStatuses = [409, 423, 429, 503];

/** The answer to a bulk upload that nothing may stand in the way of but another one, until that is over: a service may take them one at a time. */
export function sendInTurn(context: CaseContext, send: () => Promise<Reply>): Promise<Reply> {
  return context.clock.look(completionMs(context), send, ({ status }) => !busyStatuses.includes(status));
}

/** Uploads the source, which has to be accepted; a signature that is not is the business of other rules. */
export async function uploadSource(context: CaseContext, from: BulkSource, body: BulkBody = {}): Promise<Reply> {
  const reply = await sendInTurn(context, () => sendSource(context, from, body));
  context.expect(reply).toSucceed();
  return reply;
}

/** As uploaded; whether it is accepted is for the case to say. What is accepted is booked where it comes to be, also once more. */
export async function sendSource(
  context: CaseContext,
  { level, to, directory, tree = {} }: Pick<BulkSource, 'level' | 'to' | 'directory'> & Partial<BulkSource>,
  body: BulkBody = {},
): Promise<Reply> {
  const { bulk, files, given } = context;
  const about = { sourceDirectory: directory.path, writeLog: false, ...body };
  const reply = await bulk.upload(level, about, to === undefined ? {} : { to });
  if (reply.status === 401 || reply.status === 403)
    throw new PreconditionFailed('a signed bulk upload to be let in', reply, ['signing.bulk.signature-accepted']);
  if (isSuccess(reply.status) && to === undefined && declaredLevels(context).includes(level))
    for (const name of Object.keys(tree)) given.bookFile(files.area(level), pathBelow(body.targetDirectory, name));
  return reply;
}

/** Where a file comes to be, seen from the root of the area. */
function pathBelow(target: unknown, name: string): string {
  const segments = typeof target === 'string' ? target.split('/').filter((segment) => segment !== '') : [];
  return [...segments, name].join('/');
}

/** Longest time in which nothing of an upload comes before it is over, in ms. */
export function completionMs({ profile }: CaseContext): number {
  return (profile.all.bulk?.completionSeconds ?? usualCompletionSeconds) * 1000;
}

interface Place {
  /** The area of the level unless given. */
  readonly area?: FileArea;
  /** Directory in the area; its root unless given. */
  readonly target?: string;
}

/** The files of a source as they are there behind its upload. */
function uploadsOf({ files }: CaseContext, { level, tree }: BulkSource, place: Place): readonly GivenFile[] {
  const { area = files.area(level), target } = place;
  return Object.entries(tree).map(([name, bytes]) => ({ area, path: joinPath(target, name), bytes }));
}

/** Asserts that every file of the source gets readable with its bytes. */
export async function expectUploaded(context: CaseContext, source: BulkSource, place: Place = {}): Promise<void> {
  for (const file of uploadsOf(context, source, place)) {
    const reply = await readFileBack(context, file, completionMs(context));
    if (!isSuccess(reply.status)) await assumeReadable(context, file.area);
    expectHolds(context, file, reply);
  }
}

/** Waits until every file of the source can be read, or one does not get there: for what shows only after them. */
export async function waitForUploaded(context: CaseContext, source: BulkSource, place: Place = {}): Promise<void> {
  for (const file of uploadsOf(context, source, place))
    if (!holdsBytes(await readFileBack(context, file, completionMs(context)), file.bytes)) return;
}

/** A file that came otherwise can be read there: where it cannot, that is not for bulk upload to answer. */
async function assumeReadable({ given, files }: CaseContext, area: FileArea): Promise<void> {
  const { path } = await given.file({ area });
  given.succeeded(await files.download(area, path), 'a file that was uploaded by stream can be read', [
    'files.download.bearer',
    `files.${area.name}-area.base-path`,
  ]);
}

/** Asserts that a source gets into the area of the second space or participant, where the profile has one, and not into that of the first. */
export async function expectUploadedToSecond(context: CaseContext, level: 'space' | 'participant'): Promise<void> {
  const { given, files, profile } = context;
  const { secondSpace, files: { secondParticipant } = {} } = profile.all;
  const second = level === 'space' ? secondSpace?.space : secondParticipant?.id;
  if (second === undefined) return;
  const area = level === 'space' ? files.secondSpace : files.secondParticipant;
  const names = [...namesBelow(context, 'other.bin'), given.filePath({ root: true })];
  const from = { ...(await makeSource(context, names, level)), to: { [level]: second } };
  for (const name of Object.keys(from.tree)) given.bookFile(area, name);
  await uploadSource(context, from);
  await expectUploaded(context, from, { area });
  await expectNotUploaded(context, from, { area: files.area(level) });
}

/** Asserts that a source does not get to the participant where that is named below another space, whatever is answered there. */
export async function expectParticipantFoundAtHome(context: CaseContext): Promise<void> {
  const { given, files, bulk, profile } = context;
  const { participant, secondSpace } = profile.all;
  if (participant === undefined || secondSpace === undefined) return;
  const home = files.area('participant');
  const from = await makeSource(context, namesBelow(context, 'elsewhere.bin'), 'participant');
  for (const name of Object.keys(from.tree)) given.bookFile(home, name);
  const about = { sourceDirectory: from.directory.path, writeLog: false };
  await bulk.upload('participant', about, { to: { space: secondSpace.space } });
  await waitQuietly(context);
  await expectNotUploaded(context, from, { area: home });
}

/** Asserts that what a source holds now is uploaded once more: to where it went before, and elsewhere. */
export async function expectUploadedAgain(context: CaseContext, from: BulkSource, target?: string): Promise<void> {
  const { given, files } = context;
  for (const place of [target, given.unique('next')]) {
    const pairs = Object.entries(from.tree).map(([name, { length }]) => [name, given.bytes(length)] as const);
    for (const [name, bytes] of pairs) {
      await from.directory.write(name, bytes);
      given.bookFile(files.area(from.level), joinPath(place, name));
    }
    const changed = { ...from, tree: Object.fromEntries(pairs) };
    await uploadSource(context, changed, {
      replaceFiles: true,
      ...(place !== undefined && { targetDirectory: place }),
    });
    await expectUploaded(context, changed, place === undefined ? {} : { target: place });
  }
}

/** Asserts that no file of the source can be read there. */
export async function expectNotUploaded(context: CaseContext, source: BulkSource, place: Place = {}): Promise<void> {
  for (const { area, path } of uploadsOf(context, source, place)) await expectNothingAt(context, area, path);
}

export function joinPath(target: string | undefined, name: string): string {
  return target === undefined ? name : `${target}/${name}`;
}

/** Lets time pass in which a wrong service would do what it must not. */
export async function waitQuietly(context: CaseContext): Promise<void> {
  await sleep(quietMs(context));
}

/** Names in the source as soon as they are as wanted, or the last ones once none has come or gone for the time of a bulk upload. */
export async function waitForNames(
  context: CaseContext,
  { directory }: BulkSource,
  isWanted: (names: readonly string[]) => boolean,
): Promise<readonly string[]> {
  for (let before = await directory.names(); ;) {
    const names = await context.clock.look(completionMs(context), () => directory.names(), isWanted);
    if (isWanted(names) || names.join('\n') === before.join('\n')) return names;
    before = names;
  }
}

/** Those of the names that the source began with; a log is none of them. */
export function sourceNamesIn({ tree }: BulkSource, names: readonly string[]): readonly string[] {
  return names.filter((name) => tree[name] !== undefined);
}

/** Asserts that of the files that the source began with these are left, with their bytes. @param names all of them unless given */
export async function expectLeft(
  { expect }: CaseContext,
  from: BulkSource,
  names: readonly string[] = Object.keys(from.tree),
): Promise<void> {
  expect(sourceNamesIn(from, await from.directory.names()), 'files that are left in the source directory').toEqual(
    names.toSorted(),
  );
  for (const name of names) {
    const isSame = Buffer.compare(await from.directory.read(name), from.tree[name] ?? new Uint8Array()) === 0;
    expect(isSame, `${name} in the source directory has its bytes`).toEqual(true);
  }
}

/** Asserts that the file still has its bytes, at the first look. */
export async function expectKept({ files, expect }: CaseContext, { area, path, bytes }: GivenFile): Promise<void> {
  const reply = await files.download(area, path);
  expect(contentOf(reply.bytes, bytes), `content of ${path}, which was there before`, reply).toEqual(contentOf(bytes));
}
