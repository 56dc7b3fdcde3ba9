import type { IncomingMessage } from 'node:http';

/** Longest request body that is kept. */
const mostBodyBytes = 8 * 1024 * 1024;

interface ReceivedBody {
  readonly bytes: Uint8Array;
  /** It was longer than that. */
  readonly cutShort: boolean;
}

/** Name and value of each header, as sent. */
export function headersOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : []));
}

/** The whole body; what exceeds the limit is read and thrown away. @throws when the caller goes away in the middle */
export async function bodyOf(message: IncomingMessage): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    if (size < mostBodyBytes) chunks.push(chunk.subarray(0, mostBodyBytes - size));
    size += chunk.length;
  }
  return { bytes: Buffer.concat(chunks), cutShort: size > mostBodyBytes };
}
