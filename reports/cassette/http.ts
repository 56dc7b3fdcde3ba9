import type { RecordedExchange, RecordedRun } from '../../judge/cassette/exchanges.ts';
import { textOf, withVariable } from './body.ts';

/** A file of requests as editors send them; known credentials are variables of it. */
export function writeHttp({ exchanges }: RecordedRun): string {
  return `${exchanges.map(requestOf).join('\n\n')}\n`;
}

function requestOf({ part, request, variable, response }: RecordedExchange): string {
  const { method, url, headers, body } = request;
  const text = textOf(body);
  return [
    `### ${part}`,
    ...(response === undefined ? [] : [`# it was answered with ${response.status}`]),
    ...(body !== undefined && text === undefined ? [`# its body of ${body.byteLength} bytes is no text`] : []),
    `${method} ${url}`,
    ...withVariable(headers, variable).map(([name, value]) => `${name}: ${value}`),
    ...(text === undefined || text === '' ? [] : ['', text]),
  ].join('\n');
}
