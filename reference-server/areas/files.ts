import { Area } from '../area.ts';
import type { Configuration } from '../configuration.ts';
import type { Answer, Call } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type Route, callingRoute } from '../http/route.ts';
import { isoTime } from '../rfc3339.ts';
import {
  type ByteRange,
  type FileArea,
  type FilePlace,
  type FileStore,
  type OpenFile,
  type PlaceInfo,
  PlaceTaken,
} from '../ports/file-store.ts';
import type { Caching } from './caching.ts';
import { type Chunks, formType } from './chunks.ts';
import {
  type AreaCall,
  type AreaKind,
  type FileAreas,
  type FileRecord,
  areaPaths,
  assertLength,
  incoming,
  unknownType,
} from './file-areas.ts';

const kinds: readonly AreaKind[] = ['collection', 'space', 'user', 'participant'];

/** Longest stream upload unless the server was started with another limit, in bytes. Source: ledger stream-size-limit */
const streamLimitBytes = 64 * 1024 * 1024;

/** One range; several are not taken apart. Source: RFC 9110 section 14.1.2 */
const rangeForm = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

interface Needs {
  readonly configuration: Configuration;
  readonly fileStore: FileStore;
  readonly caching: Caching;
  readonly chunks: Chunks;
  readonly fileAreas: FileAreas;
}

/** Files: uploaded as a stream, listed, downloaded, removed. */
export class Files extends Area<Needs> {
  routes(): readonly Route[] {
    return kinds.flatMap((kind) => this.routesOf(kind));
  }

  private routesOf(kind: AreaKind): readonly Route[] {
    const base = areaPaths[kind];
    const about = {
      access: (call: Call) => this.needs.fileAreas.openArea(call, kind),
      effect: 'outside',
      needs: {},
    } as const;
    const list = (call: AreaCall): Promise<Answer> => this.listDirectory(call);
    return [
      callingRoute({
        ...about,
        method: 'POST',
        path: `${base}/file/stream/{path*}`,
        streams: true,
        handle: (call) => this.uploadStream(call),
      }),
      callingRoute({
        ...about,
        method: 'POST',
        path: `${base}/file`,
        needs: { mediaTypes: [formType] },
        streams: true,
        handle: (call) => this.needs.chunks.uploadChunk(call),
      }),
      callingRoute({
        ...about,
        method: 'GET',
        path: `${base}/file/{path*}`,
        handle: (call) => this.downloadFile(call),
      }),
      callingRoute({
        ...about,
        method: 'DELETE',
        path: `${base}/file/{path*}`,
        handle: (call) => this.removeFile(call),
      }),
      callingRoute({ ...about, method: 'GET', path: `${base}/dir`, handle: list }),
      callingRoute({ ...about, method: 'GET', path: `${base}/dir/{path*}`, handle: list }),
    ];
  }

  /** POST: the body is the file. Source: extensions, File routes, row 1. @throws {Refusal} 400, 401, 403, 404, 409, 413, 507 */
  async uploadStream(call: AreaCall): Promise<Answer> {
    const place = this.streamPlaceOf(call, call.admitted);
    const checksum = this.needs.fileAreas.expectedChecksum(call);
    const limitBytes = this.streamLimitOf();
    assertLength(call, limitBytes);
    await this.assertPlaceFree(place);
    await this.storeStream(place, call, incoming(call, limitBytes), checksum);
    return this.needs.fileAreas.createdFile(place);
  }

  /** Subdirectories and name behind `stream`. @throws {Refusal} 400 */
  streamPlaceOf(call: Call, area: FileArea): FilePlace {
    return { area, segments: this.needs.fileAreas.filePathOf(call.rest ?? []) };
  }

  streamLimitOf(): number {
    return this.needs.configuration.maxStreamBytes ?? streamLimitBytes;
  }

  /** Before the body is read, for those who wait for it; the write itself is what decides. @throws {Refusal} 409 */
  async assertPlaceFree(place: FilePlace): Promise<void> {
    const info = await this.needs.fileStore.describe(place);
    if (info !== undefined) throw this.needs.fileAreas.placeTaken(place);
  }

  /** Stores the content under the place, whole or not at all. @throws {Refusal} 400, 409, 413, 507 */
  async storeStream(
    place: FilePlace,
    call: Call,
    content: AsyncIterable<Uint8Array>,
    checksum: string | undefined,
  ): Promise<void> {
    const { fileStore: files } = this.needs;
    const type = call.headers['content-type'] ?? unknownType;
    const kept: string[] = [];
    try {
      await files.write(place, content, {
        accept: async ({ md5, stamp }) => {
          this.needs.fileAreas.assertChecksum(checksum, md5);
          kept.push(stamp);
          await this.needs.fileAreas.keepFileRecord(place, stamp, { type, md5 });
        },
      });
    } catch (error) {
      for (const stamp of kept) await this.needs.fileAreas.forgetFileRecord(place, stamp);
      throw this.needs.fileAreas.refusalOf(place, error);
    }
  }

  /** GET: the content of a file, or a part of it. Source: extensions, File routes, row 3. @throws {Refusal} 400, 401, 403, 404, 416 */
  async downloadFile(call: AreaCall): Promise<Answer> {
    const { fileStore: files } = this.needs;
    const place = this.filePlaceOf(call, call.admitted);
    const file = await files.open(place);
    if (file === undefined) throw this.missingFile(place);
    try {
      const answer = await this.answerOf(call, place, file);
      if (answer.stream === undefined) await file.close();
      return answer;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Subdirectories and name behind the base path. @throws {Refusal} 400 */
  filePlaceOf(call: Call, area: FileArea): FilePlace {
    return { area, segments: this.needs.fileAreas.filePathOf(call.rest ?? []) };
  }

  /** Source: ledger file-error-statuses */
  missingFile({ segments }: FilePlace): Refusal {
    return new Refusal(404, `There is no file ${segments.join('/')}.`);
  }

  private async answerOf(call: Call, place: FilePlace, file: OpenFile): Promise<Answer> {
    const record = await this.needs.fileAreas.fileRecordOf(place, file.info.stamp);
    const headers = downloadHeaders(file.info.stamp, record);
    const etag = headers['ETag'];
    const condition = call.headers['if-none-match'];
    if (condition !== undefined && etag !== undefined && this.needs.caching.ifNoneMatch(condition, etag))
      return this.needs.caching.notModified(headers);
    const range = byteRangeOf(call, file.info.size, etag);
    return range === undefined ? this.wholeFile(file, headers) : this.partOfFile(file, headers, range);
  }

  private wholeFile(file: OpenFile, headers: Readonly<Record<string, string>>): Answer {
    const { size } = file.info;
    return { status: 200, headers, stream: { content: contentOf(file, { from: 0, to: size }), size } };
  }

  private partOfFile(file: OpenFile, headers: Readonly<Record<string, string>>, range: ByteRange): Answer {
    const { from, to } = range;
    return {
      status: 206,
      headers: { ...headers, 'Content-Range': `bytes ${from}-${to - 1}/${file.info.size}` },
      stream: { content: contentOf(file, range), size: to - from },
    };
  }

  /** GET: what is in a directory. Source: ledger dir-listing. @throws {Refusal} 400, 401, 403, 404 */
  private async listDirectory(call: AreaCall): Promise<Answer> {
    const place = this.directoryPlaceOf(call, call.admitted);
    const entries = await this.directoryEntries(place);
    if (entries === undefined) throw new Refusal(404, `There is no directory ${place.segments.join('/')}.`);
    const [href] = call.url.split('?', 1);
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: { href, data: entries.map(shown) } };
  }

  /** Without names, or with a slash alone, the area itself. @throws {Refusal} 400 */
  private directoryPlaceOf(call: Call, area: FileArea): FilePlace {
    const { rest = [] } = call;
    const names = rest.at(-1) === '' ? rest.slice(0, -1) : rest;
    return { area, segments: names.length === 0 ? [] : this.needs.fileAreas.filePathOf(names) };
  }

  /** An area is there before its first file is. */
  private async directoryEntries(
    place: FilePlace,
  ): Promise<readonly (PlaceInfo & { readonly name: string })[] | undefined> {
    const entries = await this.needs.fileStore.list(place);
    return entries ?? (place.segments.length === 0 ? [] : undefined);
  }

  /** DELETE. Source: extensions, File routes, row 4. @throws {Refusal} 400, 401, 403, 404, 409 */
  async removeFile(call: AreaCall): Promise<Answer> {
    const place = this.filePlaceOf(call, call.admitted);
    if (!(await this.deleteFile(place))) throw this.missingFile(place);
    return { status: 204 };
  }

  /** Whether there was a file; all that is known of it goes too, chunks of an upload under way included. @throws {Refusal} 409 for a directory */
  async deleteFile(place: FilePlace): Promise<boolean> {
    const { fileStore: files } = this.needs;
    return this.needs.fileAreas.inTurn(place, async () => {
      const info = await files.describe(place);
      if (info?.kind === 'directory') throw directoryThere(place);
      const file = await files.open(place);
      try {
        return await this.removedWith(place, file);
      } finally {
        await file?.close();
      }
    });
  }

  /** The file is open meanwhile, so that no other one gets its id before all that is known of it is forgotten. */
  private async removedWith(place: FilePlace, file: OpenFile | undefined): Promise<boolean> {
    const removed = await this.removedFrom(place);
    if (file === undefined) return removed;
    await this.needs.fileAreas.forgetUpload(place, file.info);
    await this.needs.fileAreas.forgetFileRecord(place, file.info.stamp);
    return removed;
  }

  private async removedFrom(place: FilePlace): Promise<boolean> {
    try {
      return await this.needs.fileStore.remove(place);
    } catch (error) {
      throw error instanceof PlaceTaken ? directoryThere(place) : error;
    }
  }
}

/** Type as uploaded, and a strong tag unless the file is still to grow. Source: ledger download-metadata-headers */
function downloadHeaders(stamp: string, record: FileRecord | undefined): Readonly<Record<string, string>> {
  return {
    'Content-Type': record?.type ?? unknownType,
    ...(!record?.growing && { ETag: `"${record?.md5 ?? stamp}"` }),
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': 'bytes',
  };
}

/** The bytes that are sent. */
function contentOf(file: OpenFile, range: ByteRange): ReturnType<OpenFile['stream']> {
  return file.stream(range);
}

/** The part of a file that is asked for; undefined for all of it, and for HEAD, which knows no ranges. Source: RFC 9110 sections 13.1.5 and 14.2. @throws {Refusal} 416 */
function byteRangeOf(call: Call, size: number, etag: string | undefined): ByteRange | undefined {
  const header = call.headers['range'];
  const condition = call.headers['if-range'];
  if (header === undefined || call.withoutContent || (condition !== undefined && condition !== etag)) return undefined;
  const [, first = '', last = ''] = rangeForm.exec(header) ?? [];
  if (first === '') return last === '' ? undefined : suffix(Number(last), size);
  const from = Number(first);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) throw unsatisfiable(size);
  return { from, to };
}

function suffix(length: number, size: number): ByteRange | undefined {
  if (length === 0) throw unsatisfiable(size);
  return size === 0 ? undefined : { from: Math.max(0, size - length), to: size };
}

function unsatisfiable(size: number): Refusal {
  return new Refusal(416, `Expected a range that begins within the ${size} bytes of the file.`, {
    pointer: 'Range',
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

function shown(entry: PlaceInfo & { readonly name: string }): object {
  const { kind, name, modifiedAt } = entry;
  return { name, type: kind, ...(entry.kind === 'file' && { size: entry.size }), modified: isoTime(modifiedAt) };
}

/** Source: ledger directory-semantics */
function directoryThere({ segments }: FilePlace): Refusal {
  return new Refusal(409, `${segments.join('/')} is a directory; files are deleted one by one, and directories stay.`);
}
