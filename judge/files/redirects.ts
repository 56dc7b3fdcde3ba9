import type { Reply, RequestSpec } from '../exchange.ts';
import type { Target } from '../target.ts';

const redirects = [301, 302, 303, 307, 308];

/** So many are followed. */
const mostRedirects = 3;

/** The answer; to a GET that behind the redirects of the service, which may have its files elsewhere. Source: RFC 9110, 15.4 */
export async function followed(service: Pick<Target, 'send'>, request: RequestSpec): Promise<Reply> {
  let reply = await service.send(request);
  if (request.method !== 'GET') return reply;
  for (let left = mostRedirects; left > 0 && redirects.includes(reply.status); left -= 1) {
    const { location } = reply.headers;
    if (location === undefined || !URL.canParse(location, reply.url)) break;
    reply = await service.send({ ...request, url: new URL(location, reply.url).href });
  }
  return reply;
}
