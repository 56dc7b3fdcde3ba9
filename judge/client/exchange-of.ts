import type { Exchange } from '../exchange.ts';
import type { Received } from './receive.ts';
import type { WireRequest } from './wire.ts';

const longestBody = 262_144;
/** What is shown of a body that is no text, in bytes. */
const longestBinary = 2048;

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

function sentPart({ method, url, headers, body }: WireRequest): Exchange['request'] {
  if (body === undefined) return { method, url, headers };
  let text: string | undefined;
  return {
    method,
    url,
    headers,
    get body() {
      text ??= bodyText(body);
      return text;
    },
  };
}

function receivedPart({ status, headers, bytes }: Received): NonNullable<Exchange['response']> {
  let text: string | undefined;
  return {
    status,
    headers,
    get body() {
      text ??= bodyText(bytes);
      return text;
    },
  };
}

function bodyText(bytes: Uint8Array): string {
  const text = textOf(bytes.subarray(0, longestBody));
  if (text === undefined) return binaryText(bytes);
  return bytes.byteLength > longestBody ? `${text}… (cut; ${bytes.byteLength} bytes)` : text;
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
function binaryText(bytes: Uint8Array): string {
  const shown = Buffer.from(bytes.subarray(0, longestBinary)).toString('latin1');
  const text = shown.replaceAll(
    /[^\r\n\t\x20-\x7e]/g,
    (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `${text}… (${bytes.byteLength} bytes that are no text)`;
}
