import { Refusal } from '../problem.ts';
import type { Call } from '../service.ts';
import type { ByteRange } from './file-store.ts';

/** One range; several are not taken apart. Source: RFC 9110 section 14.1.2 */
const rangeForm = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/** The part of a file that is asked for; undefined for all of it, and for HEAD, which knows no ranges. Source: RFC 9110 sections 13.1.5 and 14.2. @throws {Refusal} 416 */
export function byteRangeOf(call: Call, size: number, etag: string | undefined): ByteRange | undefined {
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
