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
    if (showsObject(reply)) {
      this.#shown.add(request);
      return false;
    }
    const isNone = reply.status === 404 || reply.status === 410 || reply.status === 200;
    return isNone && this.#shown.has(request);
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
function showsObject({ status, headers, json }: Reply): boolean {
  if (status !== 200 || headers['content-type']?.includes('json') !== true) return false;
  return isObject(json) && isObject(json['data']);
}
