import type { Exchange } from '../exchange.ts';
import type { Received } from './receive.ts';
import type { WireRequest } from './wire.ts';

const longestBody = 262_144;

interface End {
  readonly received?: Received;
  readonly error?: string;
  readonly sentAt: number;
  readonly durationMs: number;
}

/** What went over the wire, bodies as text cut to a limit. */
export function exchangeOf(request: WireRequest, { received, error, sentAt, durationMs }: End): Exchange {
  return {
    request: {
      method: request.method,
      url: request.url,
      headers: request.headers,
      ...(request.body && { body: bodyText(request.body) }),
    },
    ...(received && {
      response: { status: received.status, headers: received.headers, body: bodyText(received.bytes) },
    }),
    ...(error !== undefined && { error }),
    sentAt,
    durationMs,
  };
}

function bodyText(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, longestBody));
  return bytes.byteLength > longestBody ? `${text}… (cut; ${bytes.byteLength} bytes)` : text;
}
