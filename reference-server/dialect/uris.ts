import { replacing, together, type Fault } from '../faults/fault.ts';
import type { Call } from '../service.ts';
import { changingObjects } from './json.ts';

/** URIs name the host, the one that the client asked: in bodies with the scheme, in Location without it. */
export const absoluteUris: Fault = together(
  changingObjects((object, call) =>
    typeof object['href'] === 'string' ? { ...object, href: absolute(call, object['href']) } : object,
  ),
  replacing('finish', (right) => async (service, call, answer) => {
    const finished = await right(service, call, answer);
    const location = finished.headers?.['Location'];
    if (location === undefined) return finished;
    return { ...finished, headers: { ...finished.headers, Location: absolute(call, location).replace(/^http:/, '') } };
  }),
);

function absolute({ headers: { host } }: Call, href: string): string {
  return host !== undefined && /^\/(?!\/)/.test(href) ? `http://${host}${href}` : href;
}
