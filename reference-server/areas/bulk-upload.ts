import { Area } from '../area.ts';
import { randomUUID } from 'node:crypto';
import { type BigIntStats, type Dirent, constants } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, realpath, unlink } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Static } from 'typebox';
import { mediaTypes } from '../../contract/names.ts';
import type { Configuration } from '../configuration.ts';
import type { Answer, Call, Log } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundContent, type Route, callingRoute } from '../http/route.ts';
import type { Clock } from '../../clock/clock.ts';
import { isoTime } from '../rfc3339.ts';
import { type FileArea, type FilePlace, type FileStore, PlaceTaken } from '../ports/file-store.ts';
import type { Store } from '../ports/store.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Auth } from './auth.ts';
import { type FileAreas, collectionArea } from './file-areas.ts';
import { Misfit, decoderOf } from './records.ts';
import { type Signing, requestPathOf } from './signing.ts';
import { mimeTypeOf } from './triggers.ts';
import { Type } from '../../contract/type.ts';
import { messageOf } from '../../contract/thrown.ts';

/** Source: extensions, File routes, rows 5 to 7; ledger bulk-route-prefix */
export const bulkPath = '/admin/fileupload';

const requestSchema = Type.Object({
  sourceDirectory: Type.String({ minLength: 1 }),
  writeLog: Type.Boolean(),
  targetDirectory: Type.Optional(Type.String()),
  replaceFiles: Type.Optional(Type.Boolean()),
  deleteFilesAfterUpload: Type.Optional(Type.Boolean()),
});

/** Settings of a run, defaults filled in. Source: extensions, Bulk upload request body */
type BulkRequest = Required<Static<typeof requestSchema>>;

const decode = decoderOf<Static<typeof requestSchema>>(requestSchema);

/** Most files of one run: each leaves a line in the log, which is answered whole. */
const mostFiles = 100_000;

/** Something below the source directory. */
interface SourceEntry {
  /** Names from the source directory on. */
  readonly path: readonly string[];
  /** Why it cannot be taken. */
  readonly problem?: string;
}

interface SourceFile extends AsyncDisposable {
  /** In bytes, when it was opened; what is added later is not read. */
  readonly size: number;
  content(): AsyncIterable<Uint8Array>;
  /** Deletes it unless it has changed since it was opened. @throws {Error} it has, or it cannot be deleted */
  remove(): Promise<void>;
}

/** What all files of a run have in common. */
interface BulkRun {
  /** Source directory, free of links. */
  readonly source: string;
  readonly request: BulkRequest;
  readonly area: FileArea;
  readonly target: readonly string[];
}

/** What became of one file. */
interface BulkFile {
  /** From the source directory on. */
  readonly path: string;
  /** `skipped` where a file is there that may not be replaced. */
  readonly status: 'uploaded' | 'replaced' | 'skipped' | 'failed';
  /** In bytes. */
  readonly size?: number;
  readonly error?: string;
}

/** What a run did: the answer, and the content of the log. Source: ledger bulk-response, bulk-log-schema */
export interface BulkReport {
  readonly settings: BulkRequest & { readonly area: FileArea };
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly files: readonly BulkFile[];
  readonly errors: readonly BulkError[];
  readonly statistics: Readonly<Record<BulkFile['status'] | 'total', number>>;
}

interface BulkError {
  /** Absent for an error of the whole run. */
  readonly path?: string;
  readonly error: string;
}

const logName = /^\.?FileUpload_\d{14}(?:_\d+)?\.log(?:\.[0-9a-f-]{36})?$/;

interface Needs {
  readonly clock: Clock;
  readonly configuration: Configuration;
  readonly fileStore: FileStore;
  readonly log: Log;
  readonly store: Store;
  readonly apiKeys: ApiKeys;
  readonly auth: Auth;
  readonly fileAreas: FileAreas;
  readonly signing: Signing;
}

/** Many files from a directory or an archive. */
export class BulkUpload extends Area<Needs> {
  routes(): readonly Route[] {
    return ['', '/{spaceId}', '/{spaceId}/{participantId}'].map((rest) =>
      callingRoute({
        method: 'POST',
        path: bulkPath + rest,
        access: (call) => this.requireAdministrationKey(call),
        effect: 'outside',
        needs: {
          place: (call: Call) => this.bulkAreaOf(call),
          mediaTypes: [mediaTypes.json],
          json: (json) => this.bulkSettingsFrom(json),
        },
        handle: (call) => this.bulkUpload(call),
      }),
    );
  }

  /** POST of a run, answered when it is over. Source: ledger bulk-response. @throws {Refusal} 400: no file was touched */
  async bulkUpload({ place: area, json: request }: FoundContent<FileArea, BulkRequest>): Promise<Answer> {
    const target = this.bulkTargetOf(request);
    const source = await this.bulkSourceOf(request);
    const report = await this.runBulkUpload({ source, request, area, target });
    return { status: 200, body: report };
  }

  /** One file after the other: whatever their number and sizes, the bytes of one are on their way at a time. */
  async runBulkUpload(run: BulkRun): Promise<BulkReport> {
    const { clock } = this.needs;
    const startedAt = clock.now();
    const files: BulkFile[] = [];
    for (const entry of await entriesOf(run.source)) files.push(await this.uploadSourceFile(run, entry));
    const report = bulkReportOf({ ...run.request, area: run.area }, files, startedAt, clock.now());
    return this.writesLog(run.request) ? this.logReport(run, report) : report;
  }

  /** The files are in place by now, so that a log which cannot be written is told of and undoes nothing. */
  private async logReport({ source }: BulkRun, report: BulkReport): Promise<BulkReport> {
    try {
      await this.writeBulkLog(source, report);
      return report;
    } catch (error) {
      this.needs.log.error({ err: error, source }, 'the log of a bulk upload could not be written');
      const detail = messageOf(error);
      return { ...report, errors: [...report.errors, { error: `the log could not be written: ${detail}` }] };
    }
  }

  /**
   * Lets a call pass whose path is signed with an administration key; nothing else opens bulk upload.
   * Source: extensions, Authentication 2. @throws {Refusal} 401
   */
  async requireAdministrationKey(call: Call): Promise<void> {
    const { store } = this.needs;
    const credentials = this.needs.auth.credentialsOf(call.headers);
    if (credentials === undefined) throw refuseAdministration('found none');
    if (credentials.scheme !== 'bearer') throw refuseAdministration('found another scheme');
    const keys = await store.read((reading) => this.needs.apiKeys.administrationKeys(reading));
    const path = requestPathOf(call);
    const matches = keys.map((key) => this.needs.signing.isSignatureOf(key, path, credentials.token));
    if (!matches.includes(true)) throw refuseAdministration('found another text');
  }

  /** Other members are passed over. Source: ledger bulk-write-log-missing. @throws {Refusal} 400 */
  bulkSettingsFrom(body: unknown): BulkRequest {
    const value = decode(body);
    if (value instanceof Misfit) {
      const { pointer, complaint } = value;
      throw new Refusal(400, `${pointer === '' ? 'The body' : pointer} ${complaint}; no file was touched.`, {
        pointer,
      });
    }
    const { sourceDirectory, writeLog } = value;
    const defaults = this.bulkDefaults();
    return {
      sourceDirectory,
      writeLog,
      targetDirectory: value.targetDirectory ?? defaults.targetDirectory,
      replaceFiles: value.replaceFiles ?? defaults.replaceFiles,
      deleteFilesAfterUpload: value.deleteFilesAfterUpload ?? defaults.deleteFilesAfterUpload,
    };
  }

  bulkDefaults(): Omit<BulkRequest, 'sourceDirectory' | 'writeLog'> {
    return { targetDirectory: '/', replaceFiles: false, deleteFilesAfterUpload: false };
  }

  /** The area that the path names. Source: extensions, File routes, rows 5 to 7. @throws {Refusal} 404 */
  bulkAreaOf(call: Call): FileArea {
    const { spaceId, participantId } = call.params;
    if (spaceId === undefined) return collectionArea();
    if (participantId === undefined) return this.needs.fileAreas.spaceArea(call);
    if (this.needs.auth.spaceOf(call).participants.has(participantId))
      return this.needs.fileAreas.participantArea(call);
    throw new Refusal(404, `There is no participant ${participantId} in the space ${spaceId}.`, {
      pointer: 'participantId',
    });
  }

  /** Names of the directory in the area that takes the structure; slashes around them do not count. @throws {Refusal} 400 */
  bulkTargetOf({ targetDirectory }: BulkRequest): readonly string[] {
    const path = targetDirectory.replace(/^\//, '').replace(/\/$/, '');
    if (path === '') return [];
    const names = path.split('/');
    this.needs.fileAreas.assertPath(names);
    return names;
  }

  /** Where a file of the source goes: the structure is kept. @throws {Refusal} 400 for a path that no area can have */
  bulkPlaceOf(area: FileArea, target: readonly string[], path: readonly string[]): FilePlace {
    const segments = [...target, ...path];
    this.needs.fileAreas.assertPath(segments);
    return { area, segments };
  }

  /** The source directory, free of links. Source: ledger bulk-source-errors. @throws {Refusal} 400 */
  private async bulkSourceOf({ sourceDirectory }: BulkRequest): Promise<string> {
    const roots = this.needs.configuration.bulkSources;
    if (!isAbsolute(sourceDirectory) || sourceDirectory.includes('\0'))
      throw refuseSource('an absolute path of this host');
    const directory = await realpath(sourceDirectory).catch(() => undefined);
    if (roots !== undefined && !(directory !== undefined && (await isBelow(roots, directory))))
      throw refuseSource('a directory that this server may take files from');
    if (directory !== undefined && (await readdir(directory).catch(() => undefined)) !== undefined) return directory;
    throw refuseSource('a directory of this host that is there and can be read');
  }

  /** Takes one file into the area. What keeps it out is told of the file; the run goes on. */
  async uploadSourceFile(run: BulkRun, entry: SourceEntry): Promise<BulkFile> {
    const path = entry.path.join('/');
    if (entry.problem !== undefined) return { path, status: 'failed', error: entry.problem };
    try {
      const place = this.bulkPlaceOf(run.area, run.target, entry.path);
      await using file = await openedSourceFile(join(run.source, ...entry.path));
      const result = await this.needs.fileAreas.inTurn(place, () => this.placeRefusal(run, place, path, file));
      return await this.afterUpload(run, result, file);
    } catch (error) {
      return { path, status: 'failed', error: reasonOf(error) };
    }
  }

  private async placeRefusal(
    { request }: BulkRun,
    place: FilePlace,
    path: string,
    file: SourceFile,
  ): Promise<BulkFile> {
    const { fileStore: files } = this.needs;
    const replace = this.mayReplace(request);
    const former = await files.describe(place);
    if (former?.kind === 'file' && !replace) return reportSkipped(path);
    try {
      await this.writeSourceFile(place, file, replace);
    } catch (error) {
      if (error instanceof PlaceTaken && (await files.describe(place))?.kind === 'file') return reportSkipped(path);
      throw error;
    }
    if (former?.kind === 'file') {
      await this.needs.fileAreas.forgetUpload(place, former);
      await this.needs.fileAreas.forgetFileRecord(place, former.stamp);
    }
    return { path, status: former === undefined ? 'uploaded' : 'replaced', size: file.size };
  }

  private async writeSourceFile(place: FilePlace, file: SourceFile, replace: boolean): Promise<void> {
    const { fileStore: files } = this.needs;
    const type = mimeTypeOf(place.segments.at(-1) ?? '');
    const kept: string[] = [];
    try {
      await files.write(place, file.content(), {
        replace,
        accept: async ({ md5, size, stamp }) => {
          if (size !== file.size) throw new Error('it was cut while it was read');
          kept.push(stamp);
          await this.needs.fileAreas.keepFileRecord(place, stamp, { type, md5 });
        },
      });
    } catch (error) {
      for (const stamp of kept) await this.needs.fileAreas.forgetFileRecord(place, stamp);
      throw error;
    }
  }

  /** Whether a file gives way. Source: extensions, Bulk upload request body, row replaceFiles */
  mayReplace({ replaceFiles }: BulkRequest): boolean {
    return replaceFiles;
  }

  private async afterUpload({ request }: BulkRun, result: BulkFile, file: SourceFile): Promise<BulkFile> {
    if (!this.isDeletedAfter(request, result)) return result;
    try {
      await file.remove();
      return result;
    } catch (error) {
      return { ...result, error: `uploaded, but not deleted from the source: ${reasonOf(error)}` };
    }
  }

  /** Whether a file goes from the source; its directory stays. Source: extensions, Bulk upload request body, row deleteFilesAfterUpload */
  isDeletedAfter({ deleteFilesAfterUpload }: BulkRequest, { status }: BulkFile): boolean {
    return deleteFilesAfterUpload && (status === 'uploaded' || status === 'replaced');
  }

  /** @param at ms since the epoch @param count further runs that ended in the same second. Source: ledger bulk-log-schema */
  bulkLogName(at: number, count: number): string {
    const stamp = isoTime(at).replaceAll(/\D/g, '').slice(0, 14);
    return `FileUpload_${stamp}${count === 0 ? '' : `_${count}`}.log`;
  }

  writesLog({ writeLog }: BulkRequest): boolean {
    return writeLog;
  }

  bulkLogText(report: BulkReport): string {
    return `${JSON.stringify(report, null, 2)}\n`;
  }

  /** Leaves the log in the root of the source, whole from the moment it can be seen. */
  async writeBulkLog(source: string, report: BulkReport): Promise<void> {
    const at = this.needs.clock.now();
    const draft = join(source, `.${this.bulkLogName(at, 0)}.${randomUUID()}`);
    try {
      await writeLog(draft, this.bulkLogText(report));
      for (let count = 0; !(await named(draft, join(source, this.bulkLogName(at, count)))); count += 1);
    } finally {
      await unlink(draft).catch(() => undefined);
    }
  }
}

function refuseAdministration(found: string): Refusal {
  return new Refusal(401, `Expected as bearer the signature of the path under an administration key, ${found}.`, {
    headers: { 'WWW-Authenticate': 'Bearer realm="svc-administration"' },
  });
}

function refuseSource(expected: string): Refusal {
  return new Refusal(400, `Expected sourceDirectory to be ${expected}; no file was touched.`, {
    pointer: '/sourceDirectory',
  });
}

async function isBelow(roots: readonly string[], directory: string): Promise<boolean> {
  for (const root of roots) {
    const path = relative(await realpath(root).catch(() => root), directory);
    if (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)) return true;
  }
  return false;
}

/**
 * All that is below the directory, in the order of names. It is looked at before the first file is taken, so that what comes meanwhile is
 * not taken as well. Links are not followed; logs of earlier runs are passed over. Source: ledger bulk-log-schema.
 * @throws {Refusal} 400 for more than `most`
 */
export async function entriesOf(source: string, most = mostFiles): Promise<readonly SourceEntry[]> {
  const found: SourceEntry[] = [];
  for await (const entry of walked(source, [])) {
    found.push(entry);
    if (found.length > most) throw refuseSource(`one of at most ${most} files: give its subdirectories one by one`);
  }
  return found;
}

async function* walked(source: string, path: readonly string[]): AsyncGenerator<SourceEntry> {
  const entries = await entriesIn(join(source, ...path));
  if (entries === undefined) return yield { path, problem: 'a directory that cannot be read' };
  for (const entry of entries) {
    const next = [...path, entry.name];
    if (entry.isDirectory()) yield* walked(source, next);
    else if (path.length > 0 || !logName.test(entry.name))
      yield entry.isFile() ? { path: next } : { path: next, problem: 'a link or a device, which is not followed' };
  }
}

async function entriesIn(directory: string): Promise<readonly Dirent[] | undefined> {
  try {
    // a directory that has become a link meanwhile leads elsewhere
    if ((await realpath(directory)) !== directory) return undefined;
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

/** Opens a regular file that no link leads to. @param path free of links when it was found @throws {Error} */
export async function openedSourceFile(path: string): Promise<SourceFile> {
  if ((await realpath(path)) !== path) throw new Error('a link is on the way to it');
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new Error('it is no regular file');
    return {
      size: Number(stats.size),
      content: () => contentOf(file, Number(stats.size)),
      remove: () => removed(path, stats),
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* contentOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  if (size > 0) yield* file.createReadStream({ start: 0, end: size - 1, autoClose: false });
}

async function removed(path: string, opened: BigIntStats): Promise<void> {
  const { dev, ino, size, mtimeNs } = await lstat(path, { bigint: true });
  const isSame = dev === opened.dev && ino === opened.ino && size === opened.size && mtimeNs === opened.mtimeNs;
  if (!isSame) throw new Error('it has changed meanwhile');
  await unlink(path);
}

/** Source: ledger bulk-conflict-handling */
function reportSkipped(path: string): BulkFile {
  return { path, status: 'skipped', error: 'a file is there already' };
}

function reasonOf(error: unknown): string {
  if (error instanceof PlaceTaken) return 'a directory is in its place, or a file in that of its directory';
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code) ? error.code : error.message;
}

/** @param from when the run began, @param to when it ended; ms since the epoch */
function bulkReportOf(
  settings: BulkReport['settings'],
  files: readonly BulkFile[],
  from: number,
  to: number,
): BulkReport {
  const count = (status: BulkFile['status']): number => files.filter((file) => file.status === status).length;
  return {
    settings,
    startedAt: isoTime(from),
    finishedAt: isoTime(to),
    files,
    errors: files.flatMap(({ path, error }) => (error === undefined ? [] : [{ path, error }])),
    statistics: {
      total: files.length,
      uploaded: count('uploaded'),
      replaced: count('replaced'),
      skipped: count('skipped'),
      failed: count('failed'),
    },
  };
}

async function writeLog(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(text);
  await file.sync();
}

/** Whether the name was free. */
async function named(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
