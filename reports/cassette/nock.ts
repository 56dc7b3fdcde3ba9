import { jsonOf } from '../../contract/json.ts';
import type { RecordedExchange, RecordedRun } from '../../judge/cassette/exchanges.ts';
import { textOf } from './body.ts';

/** Definitions for `nock.define`: a client's tests meet real answers. What got no answer is left out. */
export function writeNock({ exchanges }: RecordedRun): string {
  return `${JSON.stringify(exchanges.flatMap(definitionsOf), null, 1)}\n`;
}

function definitionsOf({ request, response }: RecordedExchange): readonly object[] {
  if (response === undefined || response.status === 0) return [];
  const { method, url, body } = request;
  const { origin, pathname, search } = new URL(url);
  return [
    {
      scope: origin,
      method,
      path: pathname + search,
      ...(body !== undefined && { body: bodyOf(body) }),
      status: response.status,
      response: bodyOf(response.body),
      rawHeaders: response.headers.flat(),
    },
  ];
}

/** JSON as what it says, another text as it is, bytes as hexadecimal digits. */
function bodyOf(body: Uint8Array): unknown {
  const text = textOf(body);
  if (text === undefined) return Buffer.from(body).toString('hex');
  const value = jsonOf(text);
  return value === undefined ? text : value;
}
