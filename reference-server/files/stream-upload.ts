import { Refusal } from '../problem.ts';
import type { Answer, Call, Service } from '../service.ts';
import type { AreaKind } from './areas.ts';
import type { FileArea, FilePlace } from './file-store.ts';
import { assertLength, incoming } from './incoming.ts';
import { unknownType } from './kept.ts';
import { refusalOf } from './refused-write.ts';

/** Longest stream upload unless the server was started with another limit, in bytes. Source: ledger stream-size-limit */
const streamLimitBytes = 64 * 1024 * 1024;

/** POST: the body is the file. Source: extensions, File routes, row 1. @throws {Refusal} 400, 401, 403, 404, 409, 413, 507 */
export async function uploadStream(service: Service, call: Call, kind: AreaKind): Promise<Answer> {
  const { behaviours } = service;
  const area = await behaviours.openArea(service, call, kind);
  const place = behaviours.streamPlaceOf(service, call, area);
  const checksum = behaviours.expectedChecksum(service, call);
  const limitBytes = behaviours.streamLimitOf(service);
  assertLength(call, limitBytes);
  await behaviours.assertPlaceFree(service, place);
  await behaviours.storeStream(service, place, call, incoming(call, limitBytes), checksum);
  return behaviours.createdFile(place);
}

/** Subdirectories and name behind `stream`. @throws {Refusal} 400 */
export function streamPlaceOf(service: Service, call: Call, area: FileArea): FilePlace {
  return { area, segments: service.behaviours.filePathOf(service, call.rest ?? []) };
}

export function streamLimitOf({ configuration }: Service): number {
  return configuration.maxStreamBytes ?? streamLimitBytes;
}

/** Before the body is read, for those who wait for it; the write itself is what decides. @throws {Refusal} 409 */
export async function assertPlaceFree(service: Service, place: FilePlace): Promise<void> {
  const info = await service.files.describe(place);
  if (info !== undefined) throw service.behaviours.placeTaken(place);
}

/** Source: ledger file-exists-status */
export function placeTaken({ segments }: FilePlace): Refusal {
  return new Refusal(
    409,
    `At ${segments.join('/')} a file or a directory is in the way; delete it or take another path.`,
  );
}

/** Stores the content under the place, whole or not at all. @throws {Refusal} 400, 409, 413, 507 */
export async function storeStream(
  service: Service,
  place: FilePlace,
  call: Call,
  content: AsyncIterable<Uint8Array>,
  checksum: string | undefined,
): Promise<void> {
  const { behaviours, files } = service;
  const type = call.headers['content-type'] ?? unknownType;
  const kept: string[] = [];
  try {
    await files.write(place, content, {
      async accept({ md5, stamp }) {
        behaviours.assertChecksum(service, checksum, md5);
        kept.push(stamp);
        await behaviours.keepFileRecord(service, place, stamp, { type, md5 });
      },
    });
  } catch (error) {
    for (const stamp of kept) await behaviours.forgetFileRecord(service, place, stamp);
    throw refusalOf(service, place, error);
  }
}
