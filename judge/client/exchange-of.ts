import type { Exchange } from '../exchange.ts';
import type { Received } from './receive.ts';
import { sentHeaders, type WireRequest } from './wire.ts';

const longestBody = 262_144;
/** What is shown of a body that is no text, in bytes. */
const longestBinary = 2048;

interface Shown {
  readonly bytes: Uint8Array;
  /** Of all of it. */
  readonly byteLength: number;
}

interface End {
  readonly received?: Received;
  readonly error?: string;
  readonly sentAt: number;
  readonly durationMs: number;
}

/** What went over the wire, bodies as text cut to a limit; the text is made when somebody looks at it, as of few exchanges anybody does. */
export function exchangeOf(request: WireRequest, { received, error, sentAt, durationMs }: End): Exchange {
  return {
    request: sentPart(request),
    ...(received && { response: receivedPart(received) }),
    ...(error !== undefined && { error }),
    sentAt,
    durationMs,
  };
}

/** The part of a body that is shown: a record of many exchanges would hold all of each otherwise. */
function shownOf(bytes: Uint8Array): Shown {
  const { byteLength } = bytes;
  return { bytes: byteLength > longestBody ? Buffer.from(bytes.subarray(0, longestBody)) : bytes, byteLength };
}

function sentPart(request: WireRequest): Exchange['request'] {
  const { method, url, body } = request;
  const headers = sentHeaders(request);
  if (body === undefined) return { method, url, headers };
  let text: string | undefined;
  const shown = shownOf(body);
  return {
    method,
    url,
    headers,
    get body() {
      text ??= bodyText(shown);
      return text;
    },
  };
}

function receivedPart({ status, headers, bytes }: Received): NonNullable<Exchange['response']> {
  let text: string | undefined;
  const shown = shownOf(bytes);
  return {
    status,
    headers,
    get body() {
      text ??= bodyText(shown);
      return text;
    },
  };
}

function bodyText(shown: Shown): string {
  const text = textOf(shown.bytes);
  if (text === undefined) return binaryText(shown);
  return shown.byteLength > longestBody ? `${text}… (cut; ${shown.byteLength} bytes)` : text;
}

/** Undefined where the bytes are no UTF-8; a character cut at the end is. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** ASCII as it is, anything else as `\xff`. */
function binaryText({ bytes, byteLength }: Shown): string {
  const shown = Buffer.from(bytes.subarray(0, longestBinary)).toString('latin1');
  const text = shown.replaceAll(
    /[^\r\n\t\x20-\x7e]/g,
    (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `${text}… (${byteLength} bytes that are no text)`;
}
