import type { Exchange, Headers } from '../exchange.ts';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Absolute; the path is sent as it stands here. */
  readonly url: string;
  readonly headers: Headers;
  readonly body?: Uint8Array;
  /** What says on whose behalf it is sent; sent behind the headers, and nothing that the case asks. */
  readonly trace?: Headers;
  /** The case says itself what stands in X-Correlation-Id, or that nothing does. */
  readonly ownsCorrelation?: true;
  /** Id of the link that it follows: several may lead to one address. */
  readonly link?: string;
  /** Path that its signature is over, where it is one to an extension host. */
  readonly signedPath?: string;
  /** It is sent below any HTTP client, which might hide what follows the head of the answer. */
  readonly raw?: true;
  /** No request of the case: so much time passes there for the service, in ms. */
  readonly passMs?: number;
  /** No request of the case: it restarts the service. */
  readonly restarts?: true;
  /** Of a script: its answer is not waited for. */
  readonly unanswered?: true;
  /** Of a script: so long it takes until what it states is put to use, in ms. */
  readonly settlesMs?: number;
  /** Of a script: it is sent at one moment with those beside it that are so as well. */
  readonly atOnce?: true;
  /** Of a script: the url is a token, which is looked at. */
  readonly isOfToken?: true;
  /** The host under test sent it and the suite answered. */
  readonly arrived?: true;
}

export function sentHeaders({ headers, trace }: WireRequest): Headers {
  return trace === undefined ? headers : [...headers, ...trace];
}

/** Its body goes out without its length. */
export function isChunked(request: WireRequest): boolean {
  return request.headers.some(isCoding);
}

/** A header that says how the body is put on the wire. */
export function isCoding([name]: readonly [string, string]): boolean {
  return name.toLowerCase() === 'transfer-encoding';
}

export const answerSizeLimitBytes = 16 * 1024 * 1024;

/** An exchange with the request as it went out, uncut. */
export interface Sent {
  readonly request: WireRequest;
  readonly exchange: Exchange;
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** As spelled by the target, in its order. */
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly exchange: Exchange;
}

/** Scheme, host and port of a URL, lower case, and the rest as it stands. */
export function splitUrl(url: string): { readonly origin: string; readonly path: string } {
  const match = /^(https?:\/\/[^/?#]+)([^#]*)/i.exec(url);
  if (match?.[1] === undefined) throw new TypeError(`"${url}" is no absolute http address`);
  const rest = match[2] ?? '';
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { origin: originOf(match[1]), path: path.replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent) };
}

/** Scheme, host and port, without the port that the scheme implies; of what is no address nothing that another one has. */
export function originOf(url: string): string {
  const written = /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? url;
  const known = origins.get(written);
  if (known !== undefined) return known;
  const origin = URL.canParse(written) ? new URL(written).origin : written;
  if (origins.size >= mostOrigins) origins.clear();
  origins.set(written, origin);
  return origin;
}

/** The few origins of a run, by the way they are written: a request asks for its own many times. */
const origins = new Map<string, string>();
const mostOrigins = 1000;
