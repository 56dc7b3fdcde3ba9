import type { Reply } from './exchange.ts';
import { readTime, sleep } from './time/part-time.ts';

/** How long a removal that is only accepted may take, in ms of real time. */
const longestMs = 5000;
const betweenReadsMs = 100;

/** The answer to a DELETE, once nothing is read any more: a 202 says that it is still to be carried out. Source: RFC 9110, 15.3.3 */
export async function carriedOut(reply: Reply, read: () => Promise<Reply>): Promise<Reply> {
  const until = readTime() + longestMs;
  while (reply.status === 202 && (await read()).status < 300 && readTime() < until) await sleep(betweenReadsMs);
  return reply;
}
