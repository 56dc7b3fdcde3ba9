import type { RecordedExchange, RecordedRun } from '../../judge/cassette/exchanges.ts';
import { base64Of, textOf } from './body.ts';

/** An exchange as an archive holds it; the part that it belongs to, where there are several. */
export type HarExchange = Omit<RecordedExchange, 'part' | 'variable'> & Partial<Pick<RecordedExchange, 'part'>>;

export function writeHar({ about, exchanges }: RecordedRun): string {
  return harText(exchanges, about);
}

/** An HTTP archive. Source: HAR 1.2 */
export function harText(
  exchanges: readonly HarExchange[],
  { suiteVersion, comment }: { readonly suiteVersion: string; readonly comment?: string },
): string {
  const creator = { name: 'svc-conformance', version: suiteVersion };
  const log = { version: '1.2', creator, ...(comment !== undefined && { comment }), entries: exchanges.map(entryOf) };
  return `${JSON.stringify({ log }, null, 1)}\n`;
}

function entryOf({ part, startedAt, durationMs, request, response, error }: HarExchange): object {
  const { method, url, headers, body } = request;
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time: durationMs,
    ...(part !== undefined && { comment: part }),
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(headers),
      queryString: pairs([...(URL.parse(url)?.searchParams ?? [])]),
      ...(body !== undefined && { postData: postData(headers, body) }),
      headersSize: -1,
      bodySize: body?.byteLength ?? 0,
    },
    response: {
      status: response?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(response?.headers ?? []),
      content: contentOf(response),
      redirectURL: valueOf(response?.headers ?? [], 'location') ?? '',
      headersSize: -1,
      bodySize: response?.body.byteLength ?? -1,
      ...(error !== undefined && { comment: error }),
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
  };
}

/** The format has no place for bytes in a request but a comment. */
function postData(headers: Headers, body: Uint8Array): object {
  const mimeType = valueOf(headers, 'content-type') ?? '';
  const text = textOf(body);
  return text === undefined
    ? { mimeType, params: [], text: base64Of(body), comment: 'Base64 of the bytes' }
    : { mimeType, params: [], text };
}

function contentOf(response: RecordedExchange['response']): object {
  if (response === undefined) return { size: 0, mimeType: 'x-unknown' };
  const { headers, body } = response;
  const mimeType = valueOf(headers, 'content-type') ?? 'x-unknown';
  const text = textOf(body);
  return text === undefined
    ? { size: body.byteLength, mimeType, text: base64Of(body), encoding: 'base64' }
    : { size: body.byteLength, mimeType, text };
}

type Headers = readonly (readonly [string, string])[];

function pairs(headers: Headers): readonly object[] {
  return headers.map(([name, value]) => ({ name, value }));
}

function valueOf(headers: Headers, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}
