import type { Envelope } from './envelope.ts';
import type { ReceivedKind } from './metadata.ts';
import type { SignatureCheck } from './signature.ts';
import type { Step } from './step.ts';

/** How a request ended: with an answer, cut by the script, given up by the caller, or refused as too large. */
export type Ending = 'answered' | 'cut' | 'abandoned';

/** A request that arrived. The last four members are set as it is answered. Times in ms of the host's clock. */
export interface Entry {
  /** Order of arrival at the listener, from 1. */
  readonly number: number;
  /** Path of hostUri at which the extension stands; empty at the root. */
  readonly base: string;
  readonly kind: ReceivedKind;
  /** Record whose endpoint was called. */
  readonly recordId?: string;
  readonly arrivedAt: number;
  /** RFC 3339, in UTC. */
  readonly arrivedWall: string;
  readonly method: string;
  /** Path and query as on the request line. */
  readonly target: string;
  /** Raw path below the base, without query. */
  readonly path: string;
  /** As sent, in their order and spelling. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** The body was longer than the host keeps. */
  readonly cutShort: boolean;
  readonly json: unknown;
  readonly envelope?: Envelope;
  /** Id of the envelope, else the X-Correlation-Id header. */
  readonly correlationId?: string;
  readonly signature?: SignatureCheck;
  /** What was done with it. */
  step?: Step;
  /** Status that was sent. */
  status?: number;
  endedAt?: number;
  ending?: Ending;
}

/** The metadata exchange is no call, nor is what nobody was told of. */
export function isCallOfKind(kind: ReceivedKind): boolean {
  return kind !== 'metadata' && kind !== 'other';
}

/** Values of a header, by name without regard to case. */
export function headerValues(entry: Pick<Entry, 'headers'>, name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return entry.headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/** The entry as one line of JSON: the body as text where it is UTF-8, else as Base64. */
export function entryLine(entry: Entry): string {
  const { body, json: _json, step: _step, ...rest } = entry;
  const text = textOf(body);
  return JSON.stringify({
    ...rest,
    ...(text === undefined ? { bodyBase64: Buffer.from(body).toString('base64') } : { body: text }),
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined where the bytes are no UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
