import { Refusal } from '../problem.ts';
import type { Answer, Call, Service } from '../service.ts';
import type { AreaKind } from './areas.ts';
import type { ByteRange, FileArea, FilePlace, OpenFile } from './file-store.ts';
import { unknownType, type FileRecord } from './kept.ts';

/** GET: the content of a file, or a part of it. Source: extensions, File routes, row 3. @throws {Refusal} 400, 401, 403, 404, 416 */
export async function downloadFile(service: Service, call: Call, kind: AreaKind): Promise<Answer> {
  const { behaviours, files } = service;
  const area = await behaviours.openArea(service, call, kind);
  const place = behaviours.filePlaceOf(service, call, area);
  const file = await files.open(place);
  if (file === undefined) throw behaviours.missingFile(place);
  try {
    const answer = await answerOf(service, call, place, file);
    if (answer.stream === undefined) await file.close();
    return answer;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Subdirectories and name behind the base path. @throws {Refusal} 400 */
export function filePlaceOf(service: Service, call: Call, area: FileArea): FilePlace {
  return { area, segments: service.behaviours.filePathOf(service, call.rest ?? []) };
}

/** Source: ledger file-error-statuses */
export function missingFile({ segments }: FilePlace): Refusal {
  return new Refusal(404, `There is no file ${segments.join('/')}.`);
}

async function answerOf(service: Service, call: Call, place: FilePlace, file: OpenFile): Promise<Answer> {
  const { behaviours } = service;
  const record = await behaviours.fileRecordOf(service, place, file.info.stamp);
  const headers = behaviours.downloadHeaders(file.info.stamp, record);
  const etag = headers['ETag'];
  const condition = call.headers['if-none-match'];
  if (condition !== undefined && etag !== undefined && behaviours.ifNoneMatch(condition, etag))
    return behaviours.notModified(headers);
  const range = behaviours.byteRangeOf(call, file.info.size, etag);
  return range === undefined ? wholeFile(service, file, headers) : partOfFile(service, file, headers, range);
}

/** Type as uploaded, and a strong tag unless the file is still to grow. Source: ledger download-metadata-headers */
export function downloadHeaders(stamp: string, record: FileRecord | undefined): Readonly<Record<string, string>> {
  return {
    'Content-Type': record?.type ?? unknownType,
    ...(!record?.growing && { ETag: `"${record?.md5 ?? stamp}"` }),
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': 'bytes',
  };
}

function wholeFile(service: Service, file: OpenFile, headers: Readonly<Record<string, string>>): Answer {
  const { size } = file.info;
  return { status: 200, headers, stream: { content: service.behaviours.contentOf(file, { from: 0, to: size }), size } };
}

function partOfFile(
  service: Service,
  file: OpenFile,
  headers: Readonly<Record<string, string>>,
  range: ByteRange,
): Answer {
  const { from, to } = range;
  return {
    status: 206,
    headers: { ...headers, 'Content-Range': `bytes ${from}-${to - 1}/${file.info.size}` },
    stream: { content: service.behaviours.contentOf(file, range), size: to - from },
  };
}

/** The bytes that are sent. */
export function contentOf(file: OpenFile, range: ByteRange): ReturnType<OpenFile['stream']> {
  return file.stream(range);
}
