import { Refusal } from '../problem.ts';
import type { Call } from '../service.ts';

/** Bytes of a body as they come. What is left when the reader stops stays on the connection. @throws {Refusal} 400 broken off; 413 longer than the limit */
export async function* incoming(call: Call, limitBytes: number): AsyncGenerator<Uint8Array> {
  assertLength(call, limitBytes);
  if (call.stream === undefined) return;
  let size = 0;
  try {
    for await (const bytes of call.stream.iterator({ destroyOnReturn: false })) {
      size += bytes.length;
      if (size > limitBytes) throw tooLong(limitBytes);
      yield bytes;
    }
  } catch (error) {
    throw error instanceof Refusal ? error : brokenOff(error);
  }
}

function brokenOff(cause: unknown): Refusal {
  return Object.assign(new Refusal(400, 'The body ended before all of it had come; send it again.'), { cause });
}

/** @throws {Refusal} 413 */
export function assertLength(call: Call, limitBytes: number): void {
  if (Number(call.headers['content-length'] ?? 0) > limitBytes) throw tooLong(limitBytes);
}

function tooLong(limitBytes: number): Refusal {
  return new Refusal(413, `Expected a body of at most ${limitBytes} bytes; send a longer file in chunks.`);
}
