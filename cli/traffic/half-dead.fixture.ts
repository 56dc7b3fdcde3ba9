import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that answers as another one does, except where it never answers at all. */
export interface HalfDead extends AsyncDisposable {
  readonly url: string;
  /** From now on it answers nothing; resolves with the first request that stays without an answer. */
  die(): Promise<void>;
}

/** @param isDead whether a request is never answered */
export async function halfDead(
  behind: string,
  isDead: (asked: IncomingMessage) => boolean = () => false,
): Promise<HalfDead> {
  let isAllDead = false;
  const unanswered = Promise.withResolvers<void>();
  const server = createServer((asked, answer) => {
    if (isAllDead) unanswered.resolve();
    if (isAllDead || isDead(asked)) return void asked.resume();
    const { method, headers } = asked;
    const forwarded = request(behind + (asked.url ?? ''), { method, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    asked.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    die: () => {
      isAllDead = true;
      return unanswered.promise;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
