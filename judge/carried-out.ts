import type { Reply } from './exchange.ts';
import { readTime, sleep } from './time/part-time.ts';

/** How long what is only accepted may take, in ms of real time. */
const longestMs = 5000;
const betweenReadsMs = 100;

/** The answer to a DELETE, once nothing is read any more: a 202 says that it is still to be carried out. Source: RFC 9110, 15.3.3 */
export function carriedOut(reply: Reply, read: () => Promise<Reply>): Promise<Reply> {
  return untilRead(reply, read, (status) => status >= 300);
}

/** The answer to an upload, once what came by it is read. */
export function takenIn(reply: Reply, read: () => Promise<Reply>): Promise<Reply> {
  return untilRead(reply, read, (status) => status < 300);
}

async function untilRead(
  reply: Reply,
  read: () => Promise<Reply>,
  isDone: (status: number) => boolean,
): Promise<Reply> {
  const until = readTime() + longestMs;
  while (reply.status === 202 && !isDone((await read()).status) && readTime() < until) await sleep(betweenReadsMs);
  return reply;
}
