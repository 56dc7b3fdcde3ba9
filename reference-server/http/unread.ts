import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock/clock.ts';

/** As much of a body that nobody wants is read, in bytes, so that its sender gets to see the answer; then the connection ends. */
const toleratedBytes = 4 * 1024 * 1024;
const toleratedMs = 2_000;

/** Whether bytes of the body are still to come. */
export function isUnread(request: IncomingMessage): boolean {
  return !request.complete && !request.destroyed;
}

/**
 * Reads what a client still sends although it has its answer, within limits: who closes a connection while bytes arrive
 * makes the other side lose the answer as well. Resolves when there is no more, or enough.
 */
export async function drainUnread(request: IncomingMessage, clock: Clock): Promise<void> {
  const over = new AbortController();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > toleratedBytes) over.abort();
  });
  for (const event of ['end', 'close', 'error']) request.once(event, () => over.abort());
  request.resume();
  try {
    await clock.sleep(toleratedMs, { signal: over.signal, tag: 'body that nobody wants' });
  } catch (error) {
    if (!over.signal.aborted) throw error;
  }
}
