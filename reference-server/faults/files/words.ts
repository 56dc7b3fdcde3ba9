import { createHash } from 'node:crypto';
import type { AreaKind } from '../../files/areas.ts';
import type { FileArea, FilePlace } from '../../files/file-store.ts';
import type { Call, Service } from '../../service.ts';
import { replacing, type Fault } from '../fault.ts';

export function isStreamUpload(call: Call): boolean {
  return call.method === 'POST' && call.rest !== undefined;
}

export function isChunkUpload(call: Call): boolean {
  return call.method === 'POST' && call.rest === undefined;
}

/** The stream route keeps other bytes than came; the checksum is compared with what came. */
export function keeping(other: (came: Buffer, call: Call) => Buffer): Fault {
  return replacing('storeStream', (right) => async (service, place, call, content, checksum) => {
    const came = await whole(content);
    const kept = other(came, call);
    if (kept === came) return right(service, place, call, once(came), checksum);
    service.behaviours.assertChecksum(service, checksum, md5Of(came));
    return right(service, place, call, once(kept), undefined);
  });
}

export async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** The area of that kind as the first user has it who may use it. */
export function areaOfAnyone(service: Service, call: Call, kind: AreaKind): FileArea | undefined {
  for (const user of service.configuration.users.values()) {
    const area = service.behaviours.fileAreaOf(service, call, user, kind);
    if (service.behaviours.mayUseArea(service, user, area, call)) return area;
  }
  return undefined;
}

/** One text per place. */
export function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

export function directoryOf({ area, segments }: FilePlace): FilePlace {
  return { area, segments: segments.slice(0, -1) };
}
