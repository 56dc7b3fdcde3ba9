import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HostClock } from './clock.ts';
import { rejectOnAbort } from './within.ts';
import type { Step } from './step.ts';

/** What a step needs to be carried out. */
interface Performing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: HostClock;
  /** Aborts when the caller goes away or the host closes. */
  readonly signal: AbortSignal;
  /** Aborts when nobody is to be kept waiting any longer. */
  readonly released: AbortSignal;
  /** Told while the host waits on purpose. */
  readonly held: (held: boolean) => void;
  /** Told just before the last bytes of the answer, or the cut: a host that is busy would learn later that they went out. */
  readonly ending: () => void;
}

/** Pieces of a dribbled body. */
const mostPieces = 20;

/** Answers as a step says. Resolves when the answer was handed over, the connection was cut, or the caller went away. */
export async function perform(step: Step, performing: Performing): Promise<'answered' | 'cut'> {
  await wait(step.never === true ? Infinity : (step.delayMs ?? 0), performing);
  if (step.cut === 'before-request-body' || step.cut === 'before-answer') return cutNow(step, performing);
  if (step.cut === 'in-status-line') return cutInStatusLine(step, performing);
  return answer(step, performing);
}

async function wait(delayMs: number, { clock, signal, released, held }: Performing): Promise<void> {
  if (delayMs === 0) return;
  held(true);
  const either = AbortSignal.any([signal, released]);
  try {
    await (delayMs === Infinity ? rejectOnAbort(either) : clock.sleep(delayMs, either));
  } catch (error) {
    if (!released.aborted) throw error;
  } finally {
    held(false);
  }
  signal.throwIfAborted();
}

async function answer(step: Step, performing: Performing): Promise<'answered' | 'cut'> {
  const { response } = performing;
  const body = bodyOf(step);
  const typed = step.json === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' };
  const length = mayHaveBody(step.status) ? { 'Content-Length': body.length } : {};
  response.writeHead(step.status ?? 200, { ...typed, ...length, ...step.headers });
  if (step.cut === 'before-body' || step.cut === 'in-body') {
    const part = step.cut === 'in-body' ? body.subarray(0, Math.ceil(body.length / 2)) : body.subarray(0, 0);
    await write(performing, part);
    return cutNow(step, performing);
  }
  if (step.dribbleMs !== undefined) await dribble(performing, body, step.dribbleMs);
  await end(performing, step.dribbleMs === undefined ? body : undefined);
  return step.cut === 'after-body' ? cutNow(step, performing) : 'answered';
}

async function dribble(performing: Performing, body: Buffer, overMs: number): Promise<void> {
  const size = Math.max(1, Math.ceil(body.length / mostPieces));
  const count = Math.max(1, Math.ceil(body.length / size));
  performing.response.flushHeaders();
  for (let piece = 0; piece < count; piece += 1) {
    await wait(overMs / count, performing);
    await write(performing, body.subarray(piece * size, (piece + 1) * size));
  }
}

/** A reset throws away what still waits in the socket, so it has to be written out before. */
function write({ response, signal }: Performing, bytes: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  response.flushHeaders();
  if (bytes.length === 0) setImmediate(resolve);
  else response.write(bytes, () => resolve());
  return promise;
}

function end({ response, signal, ending }: Performing, body: Buffer = Buffer.alloc(0)): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  ending();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  response.end(body, () => resolve());
  return promise;
}

function cutNow({ how }: Step, { request, ending }: Performing): 'cut' {
  ending();
  if (how === 'close') request.socket.end();
  else request.socket.resetAndDestroy();
  return 'cut';
}

function cutInStatusLine(step: Step, performing: Performing): Promise<'cut'> {
  const { promise, resolve } = Promise.withResolvers<'cut'>();
  performing.request.socket.write('HTTP/1.1 5', () => resolve(cutNow(step, performing)));
  return promise;
}

function bodyOf({ json, text }: Step): Buffer {
  if (text !== undefined) return Buffer.from(text);
  return json === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(json));
}

function mayHaveBody(status = 200): boolean {
  return status !== 204 && status !== 304;
}
