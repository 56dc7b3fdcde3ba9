import { createServer, request, type IncomingMessage } from 'node:http';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';

/** A service that answers as another one does, except where it never answers at all. */
export interface HalfDead extends Listening {
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
  });
  return {
    ...(await listen(server)),
    die: () => {
      isAllDead = true;
      return unanswered.promise;
    },
  };
}
