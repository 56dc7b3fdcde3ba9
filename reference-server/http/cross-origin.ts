import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a browser may keep what it was told about a route, in s. */
const keptSeconds = '600';

/**
 * Lets pages of other origins read the answers, as browsers ask for it. The documents know nothing of it, so it is nobody's unless it is asked for.
 * @param allowed origins, as `https://app.example`; `*` for any
 * @returns whether that answered the request, which was a browser's question and no request to the service
 */
export function crossOrigin(
  allowed: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const any = allowed.includes('*');
  return ({ method, headers }, response) => {
    const { origin } = headers;
    if (origin === undefined || allowed.length === 0) return false;
    if (!any) response.setHeader('Vary', 'Origin');
    if (!any && !allowed.includes(origin)) return false;
    response.setHeader('Access-Control-Allow-Origin', any ? '*' : origin);
    response.setHeader('Access-Control-Expose-Headers', '*');
    const asked = headers['access-control-request-method'];
    if (method !== 'OPTIONS' || asked === undefined) return false;
    response.setHeader('Access-Control-Allow-Methods', asked);
    response.setHeader('Access-Control-Allow-Headers', headers['access-control-request-headers'] ?? '');
    if (headers['access-control-request-private-network'] === 'true')
      response.setHeader('Access-Control-Allow-Private-Network', 'true');
    response.setHeader('Access-Control-Max-Age', keptSeconds);
    response.writeHead(204).end();
    return true;
  };
}
