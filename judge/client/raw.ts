import type { Socket } from 'node:net';
import { headerIn } from '../exchange.ts';
import { NoAnswer } from './failure.ts';
import type { Received } from './receive.ts';
import type { Way } from './reach.ts';
import { kindOf } from './silences.ts';
import { sentHeaders, splitUrl, type WireRequest } from './wire.ts';

/** How long a connection may stay silent after the head before it counts as ended. */
const silenceMs = 300;

interface RawLimits {
  readonly timeoutMs: number;
  readonly sizeBytes: number;
}

/** Sends a request on a connection of its own; `bytes` is all that follows the head until the connection ends or falls silent. */
export async function receiveRaw(request: WireRequest, limits: RawLimits, way: Way): Promise<Received> {
  const bytes = await bytesOf(request, limits, await way.open(splitUrl(request.url).origin));
  const head = headIn(bytes);
  if (head === undefined) throw new NoAnswer('the connection ended before the head of an answer');
  const [statusLine = '', ...lines] = bytes.subarray(head.start, head.end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new NoAnswer(`the answer begins with "${statusLine.slice(0, 40)}", which is no HTTP`);
  return { status, headers: lines.map(pairOf), bytes: bytes.subarray(head.end + 4) };
}

/** How long after the last byte the client of an abandoned request stays at least. */
const shortestStayMs = 30;

/** Sends a request whole and leaves before its answer can arrive. @throws {Error} it could not even be sent */
export async function sendAndLeave(request: WireRequest, way: Way, stayMs = shortestStayMs): Promise<void> {
  const socket = await way.open(splitUrl(request.url).origin);
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(bytesToSend(request), () => {
      setTimeout(
        () => {
          socket.destroy();
          resolve();
        },
        Math.max(shortestStayMs, stayMs),
      );
    });
  });
}

function bytesToSend(request: WireRequest): Buffer {
  return Buffer.concat([Buffer.from(headOf(request), 'latin1'), request.body ?? Buffer.alloc(0)]);
}

function bytesOf(request: WireRequest, { timeoutMs, sizeBytes: most }: RawLimits, socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let silence: NodeJS.Timeout | undefined;
    let sizeBytes = 0;
    let hasHead = false;
    const deadline = setTimeout(
      () => socket.destroy(new NoAnswer(`no complete answer to ${kindOf(request)} within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const finish = (error?: Error): void => {
      clearTimeout(deadline);
      clearTimeout(silence);
      socket.destroy();
      if (error === undefined) resolve(Buffer.concat(chunks));
      else reject(error);
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.byteLength;
      clearTimeout(silence);
      if (sizeBytes > most) return finish(new NoAnswer(`an answer of more than ${most} bytes was cut off`));
      hasHead ||= headIn(Buffer.concat(chunks)) !== undefined;
      if (hasHead) silence = setTimeout(finish, silenceMs);
    });
    socket.on('error', finish);
    socket.on('end', () => finish());
    socket.on('close', () => finish());
    socket.write(bytesToSend(request));
  });
}

function headOf(request: WireRequest): string {
  const { origin, path } = splitUrl(request.url);
  const isStated = headerIn(request.headers, 'content-length') !== undefined;
  const length = request.body === undefined || isStated ? [] : [`Content-Length: ${request.body.byteLength}`];
  const headers = sentHeaders(request).map(([name, value]) => `${name}: ${value}`);
  return [
    `${request.method} ${path} HTTP/1.1`,
    `Host: ${new URL(origin).host}`,
    'Connection: close',
    ...headers,
    ...length,
    '',
    '',
  ].join('\r\n');
}

/** Where the head of the answer is; interim answers are no answer. */
function headIn(bytes: Buffer): { readonly start: number; readonly end: number } | undefined {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', start);
    if (end === -1) return undefined;
    if (!/^HTTP\/1\.[01] 1\d\d/.test(bytes.toString('latin1', start, end))) return { start, end };
    start = end + 4;
  }
}

function pairOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
