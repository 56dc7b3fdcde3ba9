import type { Reply, RequestSpec } from './exchange.ts';
import { isObject } from './json.ts';

/** The objects that a case has read so far, by the request that showed each. */
export class KnownReads {
  readonly #shown = new Set<string>();
  /** Whether the case has asked for something to be deleted, which may be any of them. */
  #mayBeGone = false;

  /** Whether the same request showed an object before, and this answer shows none. */
  isLost(spec: RequestSpec, url: string, reply: Reply): boolean {
    if (deletes(spec)) this.#mayBeGone = true;
    // with further headers another answer may be right
    if (this.#mayBeGone || spec.method !== 'GET' || Object.keys(spec.headers ?? {}).length > 0) return false;
    const request = `${spec.as ?? ''} ${url} ${JSON.stringify(spec.filter)}`;
    const isKnown = this.#shown.has(request);
    if (showsObject(reply)) this.#shown.add(request);
    else if (isKnown) return [200, 404, 410].includes(reply.status);
    return false;
  }
}

/** Whether the request is a DELETE, or a batch with one. */
function deletes({ method, body }: RequestSpec): boolean {
  if (method === 'DELETE') return true;
  return (
    Array.isArray(body) && body.some((operation: unknown) => isObject(operation) && operation['method'] === 'DELETE')
  );
}

/** Whether the answer is a read response, in whose `data` the content stands; that of a page is an array. */
function showsObject({ status, json }: Reply): boolean {
  return status === 200 && isObject(json) && isObject(json['data']);
}
