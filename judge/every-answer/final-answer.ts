import { isSuccess, type Reply, type RequestSpec } from '../exchange.ts';
import { readTime, sleep } from '../time/real-time.ts';

/** How long what is only accepted may take, in ms of real time. */
const longestMs = 5000;
const betweenReadsMs = 100;

/** The answer to a DELETE, once nothing is read any more: a 202 says that it is still to be carried out. Source: RFC 9110, 15.3.3 */
export function carriedOut(reply: Reply, read: () => Promise<Reply>): Promise<Reply> {
  return untilRead(reply, read, (status) => !isSuccess(status));
}

/** The answer to an upload, once what came by it is read. */
export function takenIn(reply: Reply, read: () => Promise<Reply>): Promise<Reply> {
  return untilRead(reply, read, isSuccess);
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

const redirects = [301, 302, 303, 307, 308];

/** So many are followed. */
const mostRedirects = 3;

/** The answer; to a GET that behind the redirects of the service, which may have its files elsewhere. Source: RFC 9110, 15.4 */
export async function followed(
  service: { readonly send: (request: RequestSpec) => Promise<Reply> },
  request: RequestSpec,
): Promise<Reply> {
  let reply = await service.send(request);
  if (request.method !== 'GET') return reply;
  for (let left = mostRedirects; left > 0 && redirects.includes(reply.status); left -= 1) {
    const { location } = reply.headers;
    if (location === undefined || !URL.canParse(location, reply.url)) break;
    reply = await service.send({ ...request, url: new URL(location, reply.url).href });
  }
  return reply;
}
