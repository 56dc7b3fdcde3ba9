import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../fixtures/listening.fixture.ts';
import { settingsOf } from '../harness/parent.ts';
import { watchWaking, type Woken } from '../harness/waking.ts';

/**
 * Stands between a load and its target, and times each request by a clock of its own: from its first byte to the last byte of its answer. It
 * passes nothing on while it stalls. One request at a time on a connection, each in one piece.
 */
export interface StallingProxySettings {
  readonly targetPort: number;
  /** Shortest and longest time that an answer is held back, in ms; each gets the next one in between. */
  readonly holdMs: readonly [number, number];
  /** From the first request on, in ms. */
  readonly stallFromMs: number;
  readonly stallMs: number;
}

/** When a request came and when its answer had gone, in ms of the proxy's clock. */
export type Timed = readonly [arrivedAt: number, answeredAt: number];

/** What it tells when it is asked. */
export interface SeenByProxy {
  /** Every request that was answered, in the order of their arrival. */
  readonly timed: readonly Timed[];
  readonly woken: Woken;
}

const { targetPort, holdMs, stallFromMs, stallMs } = settingsOf<StallingProxySettings>();
const [shortest, longest] = holdMs;
const seen: { readonly arrivedAt: number; answeredAt?: number }[] = [];
let stallBegins = Infinity;
const waking = watchWaking();

const server = createServer({ noDelay: true }, (socket) => void passOn(socket));
const { url } = await listen(server);
process.on('message', () => {
  const timed = seen.flatMap(({ arrivedAt, answeredAt }): Timed[] =>
    answeredAt === undefined ? [] : [[arrivedAt, answeredAt]],
  );
  const told: SeenByProxy = { timed, woken: waking.woken() };
  process.send?.(told);
});
process.once('disconnect', () => process.exit());
process.send?.(url);

function passOn(socket: Socket): void {
  const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
  let request: (typeof seen)[number] | undefined;
  let held = Promise.resolve();
  socket.on('data', (bytes: Buffer) => {
    const arrivedAt = performance.now();
    if (seen.length === 0) stallBegins = arrivedAt + stallFromMs;
    request = { arrivedAt };
    seen.push(request);
    const hold = shortest + (seen.length % (longest - shortest + 1));
    held = ask(bytes, hold);
  });
  const ask = async (bytes: Buffer, hold: number): Promise<void> => {
    await whenPassing();
    target.write(bytes);
    await sleep(hold);
  };
  target.on('data', (bytes: Buffer) => {
    const answered = request;
    const answer = async (): Promise<void> => {
      await whenPassing();
      socket.write(bytes);
      if (answered !== undefined) answered.answeredAt = performance.now();
    };
    held = held.then(answer);
  });
  for (const [one, other] of [
    [socket, target],
    [target, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

/** Resolves at once, but at the end of the stall while it lasts. */
async function whenPassing(): Promise<void> {
  const sinceBegin = performance.now() - stallBegins;
  if (sinceBegin >= 0 && sinceBegin < stallMs) await sleep(stallMs - sinceBegin);
}
