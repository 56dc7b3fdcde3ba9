import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';

export interface Weather {
  /** Each piece of bytes is late by this, in ms. */
  readonly delayMs: () => number;
  /** Whether this piece ends the connection instead. */
  readonly resets: () => boolean;
}

/** A way to a port of this machine on which bytes are late and connections are lost. */
export interface Proxy extends Listening {
  leadTo(port: number): void;
}

export async function openProxy({ delayMs, resets }: Weather): Promise<Proxy> {
  let port = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      // one after another, so that no piece overtakes the one before
      let turn = Promise.resolve();
      const inTurn = (work: () => void): void => {
        turn = turn.then(() => sleep(delayMs())).then(work);
      };
      from.on('data', (piece: Buffer) => inTurn(() => (resets() ? near.resetAndDestroy() : void to.write(piece))));
      from.on('end', () => inTurn(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => inTurn(() => to.destroy()));
    }
  });
  return {
    ...(await listen(server)),
    leadTo: (to) => {
      port = to;
    },
  };
}
