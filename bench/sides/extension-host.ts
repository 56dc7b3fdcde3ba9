import { createServer, type Socket } from 'node:net';
import { listen } from '../../fixtures/listening.fixture.ts';
import { answerParent, settingsOf } from '../harness/parent.ts';

/**
 * A host with any number of extensions, each below a path of its own, which knows when its calls came and when it had answered them. It reads
 * just enough HTTP for that: what it burns itself would count as lateness of those who call it.
 */
export interface ExtensionHostSettings {
  /** Answers to the calls of each extension, in turn; the last one goes on for ever. */
  readonly statuses: readonly number[];
}

/** A call, in ms since the epoch, with fractions. */
export interface HostedCall {
  readonly path: string;
  readonly at: number;
  readonly answeredAt: number;
}

const { statuses } = settingsOf<ExtensionHostSettings>();
const record = {
  id: 'event',
  version: '1.0.0',
  name: 'Measured',
  endpoint: 'event',
  extensionType: 'ExternalEvent',
  category: 'bench',
  retryForever: true,
  rateLimitNumberOfExecutions: 1000,
};
let calls: HostedCall[] = [];
let counts = new Map<string, number>();

const host = createServer({ noDelay: true }, (socket) => {
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    const at = now();
    received += chunk.toString('latin1');
    if (isComplete(received)) received = answered(socket, received, at);
  });
});
const { url } = await listen(host);
answerParent(url, async () => process.exit());

function isComplete(request: string): boolean {
  const headEnd = request.indexOf('\r\n\r\n');
  const lengthBytes = Number(/^content-length: (\d+)/im.exec(request)?.[1] ?? 0);
  return headEnd >= 0 && request.length >= headEnd + 4 + lengthBytes;
}

/** @returns what is left of the request: nothing */
function answered(socket: Socket, request: string, at: number): '' {
  const [method, path = ''] = request.split(' ', 2);
  if (path === '/calls') socket.write(answer(200, JSON.stringify(taken())));
  else if (method === 'GET') socket.write(answer(200, JSON.stringify([record])));
  else {
    const count = counts.get(path) ?? 0;
    counts.set(path, count + 1);
    socket.write(answer(statuses[Math.min(count, statuses.length - 1)] ?? 200, ''));
    calls.push({ path, at, answeredAt: now() });
  }
  return '';
}

function answer(status: number, body: string): string {
  return `HTTP/1.1 ${status} Measured\r\nKeep-Alive: timeout=60\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function taken(): readonly HostedCall[] {
  const all = calls;
  calls = [];
  counts = new Map();
  return all;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
