import { join } from 'node:path';
import { mimeTypeOf } from '../calls/triggers/mime-types.ts';
import { PlaceTaken, type FileArea, type FilePlace } from '../files/file-store.ts';
import type { Service } from '../service.ts';
import type { BulkFile } from './report.ts';
import type { BulkRequest } from './request.ts';
import type { SourceEntry } from './source.ts';
import { openedSourceFile, type SourceFile } from './source-file.ts';

/** What all files of a run have in common. */
export interface BulkRun {
  /** Source directory, free of links. */
  readonly source: string;
  readonly request: BulkRequest;
  readonly area: FileArea;
  readonly target: readonly string[];
}

/** Takes one file into the area. What keeps it out is told of the file; the run goes on. */
export async function uploadSourceFile(service: Service, run: BulkRun, entry: SourceEntry): Promise<BulkFile> {
  const path = entry.path.join('/');
  if (entry.problem !== undefined) return { path, status: 'failed', error: entry.problem };
  try {
    const place = service.behaviours.bulkPlaceOf(service, run.area, run.target, entry.path);
    await using file = await openedSourceFile(join(run.source, ...entry.path));
    const result = await service.behaviours.inTurn(service, place, () => placed(service, run, place, path, file));
    return await afterUpload(service, run, result, file);
  } catch (error) {
    return { path, status: 'failed', error: reasonOf(error) };
  }
}

async function placed(
  service: Service,
  { request }: BulkRun,
  place: FilePlace,
  path: string,
  file: SourceFile,
): Promise<BulkFile> {
  const { behaviours, files } = service;
  const replace = behaviours.mayReplace(request);
  const former = await files.describe(place);
  if (former?.kind === 'file' && !replace) return skipped(path);
  try {
    await written(service, place, file, replace);
  } catch (error) {
    if (error instanceof PlaceTaken && (await files.describe(place))?.kind === 'file') return skipped(path);
    throw error;
  }
  if (former?.kind === 'file') {
    await behaviours.forgetUpload(service, place, former);
    await behaviours.forgetFileRecord(service, place, former.stamp);
  }
  return { path, status: former === undefined ? 'uploaded' : 'replaced', size: file.size };
}

/** Source: ledger bulk-conflict-handling */
function skipped(path: string): BulkFile {
  return { path, status: 'skipped', error: 'a file is there already' };
}

async function written(service: Service, place: FilePlace, file: SourceFile, replace: boolean): Promise<void> {
  const { behaviours, files } = service;
  const type = mimeTypeOf(place.segments.at(-1) ?? '');
  const kept: string[] = [];
  try {
    await files.write(place, file.content(), {
      replace,
      async accept({ md5, size, stamp }) {
        if (size !== file.size) throw new Error('it was cut while it was read');
        kept.push(stamp);
        await behaviours.keepFileRecord(service, place, stamp, { type, md5 });
      },
    });
  } catch (error) {
    for (const stamp of kept) await behaviours.forgetFileRecord(service, place, stamp);
    throw error;
  }
}

/** Whether a file gives way. Source: extensions, Bulk upload request body, row replaceFiles */
export function mayReplace({ replaceFiles }: BulkRequest): boolean {
  return replaceFiles;
}

async function afterUpload(
  service: Service,
  { request }: BulkRun,
  result: BulkFile,
  file: SourceFile,
): Promise<BulkFile> {
  if (!service.behaviours.isDeletedAfter(request, result)) return result;
  try {
    await file.remove();
    return result;
  } catch (error) {
    return { ...result, error: `uploaded, but not deleted from the source: ${reasonOf(error)}` };
  }
}

/** Whether a file goes from the source; its directory stays. Source: extensions, Bulk upload request body, row deleteFilesAfterUpload */
export function isDeletedAfter({ deleteFilesAfterUpload }: BulkRequest, { status }: BulkFile): boolean {
  return deleteFilesAfterUpload && (status === 'uploaded' || status === 'replaced');
}

function reasonOf(error: unknown): string {
  if (error instanceof PlaceTaken) return 'a directory is in its place, or a file in that of its directory';
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z]+$/.test(error.code) ? error.code : error.message;
}
