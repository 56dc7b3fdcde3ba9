import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Received } from './receive.ts';
import { answerSizeLimitBytes } from './wire.ts';

const options = { maxOutputLength: answerSizeLimitBytes };

const decoders: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array> = new Map([
  ['gzip', (bytes) => gunzipSync(bytes, options)],
  ['x-gzip', (bytes) => gunzipSync(bytes, options)],
  ['deflate', (bytes) => inflateSync(bytes, options)],
  ['br', (bytes) => brotliDecompressSync(bytes, options)],
]);

/** The answer without the content codings that it says it has: to who does not say what he takes, any may be sent. Source: RFC 9110 section 12.5.3 */
export function withoutCoding(answer: Received): Received {
  const codings = answer.headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length === 0 || answer.bytes.byteLength === 0) return answer;
  try {
    return { ...answer, bytes: codings.toReversed().reduce(decoded, answer.bytes) };
  } catch {
    // what is not what it says it is stays as it came
    return answer;
  }
}

function decoded(bytes: Uint8Array, coding: string): Uint8Array {
  const decode = decoders.get(coding);
  if (decode === undefined) throw new RangeError(`nobody here knows the coding ${coding}`);
  return decode(bytes);
}
