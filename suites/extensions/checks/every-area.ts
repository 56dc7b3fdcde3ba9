import type { RuleId } from '../../../contract/rule.ts';
import { type CaseContext, scenario, type ServiceCase } from '../../../judge/case.ts';
import { unlessCut } from '../../../judge/client/failure.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { FileArea, GivenFile, UploadChanges } from '../../../judge/files/files.ts';
import { contentOf, expectNothingAt, expectStored, holdsBytes } from '../../../judge/files/stored-files.ts';
import { sleep } from '../../../judge/time/real-time.ts';
import { Violation } from '../../../judge/violation.ts';

export const mebibyte = 1_048_576;

/** More than the guidance for a stream. */
const longBytes = mebibyte + 1;

/** Rules that judge whether a plain upload works at all. */
export const uploadWorks: readonly RuleId[] = ['files.stream.checksum-correct-accepted'];

/** Steps that hold in every area that the profile declares; all areas at once. */
export function everyArea(run: (context: CaseContext, area: FileArea) => Promise<void>): ServiceCase {
  return scenario((context) => inEvery(context, context.files.areas, (area) => run(context, area)));
}

/** The same one area after the other, so that what is recorded stands in the order of the areas. */
export function areaByArea(run: (context: CaseContext, area: FileArea) => Promise<void>): ServiceCase {
  return scenario(async (context) => {
    for (const area of context.files.areas) await run(context, area);
  });
}

/** Runs the steps in each of the areas at once. @throws {Violation} the first breach; whatever else failed where there is none */
export async function inEvery(
  context: CaseContext,
  areas: readonly FileArea[],
  run: (area: FileArea) => Promise<void>,
): Promise<void> {
  const ends = await Promise.allSettled(areas.map((area) => whereServed(context, [area], () => run(area))));
  const reasons: readonly unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  const breach = reasons.find((reason) => reason instanceof Violation);
  if (reasons.length > 0) throw breach ?? reasons[0];
}

/** Runs the steps; where they fail because an area serves no files at all, that is the business of the rule of that area. */
export async function whereServed(
  context: CaseContext,
  areas: readonly FileArea[],
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    for (const area of areas) await assumeServed(context, area);
    throw error;
  }
}

async function assumeServed({ files, given }: CaseContext, area: FileArea): Promise<void> {
  const path = given.filePath();
  const standsOn: readonly RuleId[] = [`files.${area.name}-area.base-path`];
  given.succeeded(await files.upload(area, path, given.bytes(20)), `the ${area.name} area to take files`, standsOn);
  given.succeeded(await files.download(area, path), `the ${area.name} area to give files`, [
    ...standsOn,
    'files.download.bearer',
  ]);
  given.succeeded(await files.remove(area, path), `the ${area.name} area to delete files`, standsOn);
}

/** The reply is 2xx and its body is these bytes and nothing else. */
export function expectBytes({ expect }: CaseContext, reply: Reply, bytes: Uint8Array): void {
  expect(reply).toSucceed();
  expect(contentOf(reply.bytes, bytes), 'content that came back', reply).toEqual(contentOf(bytes));
}

/** The file reads back as these bytes, at once. */
export function expectReadsBack(context: CaseContext, area: FileArea, path: string, bytes: Uint8Array): Promise<void> {
  return expectStored(context, { area, path, bytes }, 0);
}

/** The upload is accepted and reads back. */
export async function expectStoredAndReadBack(
  context: CaseContext,
  { area, path, bytes }: GivenFile,
  changes?: UploadChanges,
): Promise<void> {
  context.expect(await context.files.upload(area, path, bytes, changes)).toSucceed();
  await expectReadsBack(context, area, path, bytes);
}

/** After which a file has another moment, in ms: some disks count in two seconds. */
const nextMomentMs = 2100;

/**
 * A client that names the ETag of what was there before gets what is there now, other bytes of the same length. A tag that is made of moment and
 * length may be the same for both: then the file is replaced once more, at another moment, or in another length where moments stand still.
 * Whether files have tags, and what these tell, is not said. Source: ledger download-metadata-headers; core, Versioning 4
 */
export async function expectNotHeldBack(context: CaseContext, file: GivenFile, etag: string): Promise<void> {
  const { files, given, notes, clock, expect } = context;
  const { area, path, bytes } = file;
  const named = await files.download(area, path, { headers: { 'If-None-Match': etag } });
  const isSameTag = named.status === 304 && (await files.download(area, path)).headers['etag'] === etag;
  if (!isSameTag) return expectBytes(context, named, bytes);
  notes.remark('a file has the ETag of the one that was deleted before it, though its bytes are others', named);
  await sleep(nextMomentMs);
  expect(await files.remove(area, path)).toSucceed();
  const later = given.bytes(clock.controlled ? bytes.length + 1 : bytes.length);
  await expectStoredAndReadBack(context, { area, path, bytes: later });
  expectBytes(context, await files.download(area, path, { headers: { 'If-None-Match': etag } }), later);
}

/**
 * Asserts, once files have made way for others of another length, that a download with a token in its query has what one with a header has. Remarks that
 * whoever names the tag of one is told that it is still there: tags of files are nowhere said.
 */
export async function readToEnd(context: CaseContext, former: readonly GivenFile[]): Promise<() => Promise<void>> {
  const { files, notes } = context;
  const tags = new Map<GivenFile, string | undefined>();
  const byQuery = ({ area, path }: GivenFile): Promise<Reply> => files.download(area, path, { token: 'query' });
  for (const file of former) {
    tags.set(file, (await files.download(file.area, file.path)).headers['etag']);
    await byQuery(file);
  }
  return async () => {
    for (const [file, etag] of tags) {
      const { area, path } = file;
      const [now, queried] = [await files.download(area, path), await byQuery(file)];
      // whether it is given to a token in the query is the business of other rules
      if (isSuccess(now.status) && isSuccess(queried.status)) expectBytes(context, queried, now.bytes);
      if (etag === undefined) continue;
      const named = await files.download(area, path, { headers: { 'If-None-Match': etag } });
      if (named.status === 304)
        notes.remark(`a download of ${path} that names the ETag of the file before is answered 304`);
    }
  };
}

/** The same under a path that a service may refuse, as which are legal is not said: false where it does, which leaves nothing. Source: ledger file-name-rules */
export async function isStoredUnlessRefused(context: CaseContext, { area, path, bytes }: GivenFile): Promise<boolean> {
  const reply = await context.files.upload(area, path, bytes);
  const isRefused = reply.status >= 400 && reply.status < 500;
  if (isRefused) await expectNothingAt(context, area, path);
  else {
    context.expect(reply).toSucceed();
    await expectReadsBack(context, area, path, bytes);
  }
  return !isRefused;
}

/** Upload, download, deletion, and nothing left: the life of a file. */
export async function expectRoundTrip(
  context: CaseContext,
  area: FileArea,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  await expectStoredAndReadBack(context, { area, path, bytes });
  context.expect(await context.files.remove(area, path)).toSucceed();
  await expectNothingAt(context, area, path);
}

/** An upload that the case needs but does not judge. */
export async function storeFile(context: CaseContext, area: FileArea, path: string, bytes: Uint8Array): Promise<void> {
  context.given.succeeded(await context.files.upload(area, path, bytes), `an upload to ${path}`, uploadWorks);
}

/** The same area with another sender. */
export function areaAs(area: FileArea, sender: FileArea['as']): FileArea {
  return { ...area, as: sender };
}

/** Users who may have the areas of a space, or of the collection, beside whoever the profile names for them. */
const sharers = ['secondEditor', 'spaceAdministrator', 'administrator'] as const;

/** A stream upload to the path is refused, of whatever type and whoever of those who share the area sends it. */
export async function expectTaken(
  { files, expect, profile }: CaseContext,
  area: FileArea,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const others = area.name === 'user' ? [] : sharers.filter((name) => profile.all.identities[name] !== undefined);
  for (const as of new Set([area.as, ...others]))
    for (const contentType of ['application/octet-stream', 'text/html'])
      expect(await files.upload(areaAs(area, as), path, bytes, { contentType })).notToSucceed();
}

/** The user area of the space whose space area that is. */
export function userAreaBeside(area: FileArea): FileArea {
  return { ...area, name: 'user', path: area.path.replace(/\/fs\/file$/, '/user/fs/file') };
}

/** A participant is there in its own space alone: under the path of another one nobody gets its files. */
export async function expectParticipantAtHome(context: CaseContext): Promise<void> {
  const { given, files, profile } = context;
  const { participant } = profile.all;
  const home = files.areas.find(({ name }) => name === 'participant');
  if (home === undefined || participant === undefined) return;
  const path = given.filePath();
  await storeFile(context, home, path, given.bytes(90));
  const below = `/participant/${encodeURIComponent(participant)}/fs/file`;
  const elsewhere = { ...home, path: files.secondSpace.path.replace(/\/fs\/file$/, below) };
  for (const sender of new Set([home.as, files.secondSpace.as]))
    await expectNothingAt(context, areaAs(elsewhere, sender), path);
}

/** A file that is longer than the guidance may be refused; one that is taken comes back as it was sent. */
export async function expectLongStoredWhole({ given, files, expect }: CaseContext, area: FileArea): Promise<void> {
  const [path, bytes] = [given.filePath(), given.bytes(longBytes)];
  const reply = await unlessCut(() => files.upload(area, path, bytes));
  if (reply === undefined || !isSuccess(reply.status)) return;
  const read = await files.download(area, path);
  expect(holdsBytes(read, bytes), `the ${longBytes} bytes that were taken come back`, read).toEqual(true);
}
