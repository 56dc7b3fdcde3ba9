import type { Exchange } from '../../judge/exchange.ts';
import type { Told } from './told.ts';

type Pairs = readonly (readonly [string, string])[];

/** The exchanges of a script as they were recorded, as an HTTP archive. Source: HAR 1.2 */
export function harFile(told: Told, run: { readonly startedAt: string; readonly suiteVersion: string }): string {
  const { steps } = told.repetition;
  const log = {
    version: '1.2',
    creator: { name: 'svc-conformance', version: run.suiteVersion },
    comment: `${told.rule}: expected ${told.expected}, found ${told.actual}`,
    entries: steps.map(({ exchange }) => entryOf(exchange, Date.parse(run.startedAt))),
  };
  return `${JSON.stringify({ log }, null, 2)}\n`;
}

function entryOf({ request, response, sentAt, durationMs }: Exchange, startedAt: number) {
  const content = response?.body ?? '';
  const headers = response?.headers ?? [];
  return {
    startedDateTime: new Date(startedAt + sentAt).toISOString(),
    time: durationMs,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: named(request.headers),
      queryString: queryOf(request.url),
      ...(request.body !== undefined && {
        postData: { mimeType: typeOf(request.headers), text: request.body },
      }),
      headersSize: -1,
      bodySize: Buffer.byteLength(request.body ?? ''),
    },
    response: {
      status: response?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: named(headers),
      content: { size: Buffer.byteLength(content), mimeType: typeOf(headers), text: content },
      redirectURL: '',
      headersSize: -1,
      bodySize: Buffer.byteLength(content),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  };
}

function named(pairs: Pairs): readonly { readonly name: string; readonly value: string }[] {
  return pairs.map(([name, value]) => ({ name, value }));
}

function typeOf(headers: Pairs): string {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
}

function queryOf(url: string): readonly { readonly name: string; readonly value: string }[] {
  const [, query = ''] = url.split('?');
  return query === '' ? [] : named([...new URLSearchParams(query)]);
}
