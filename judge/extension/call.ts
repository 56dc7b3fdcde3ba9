import { type Ending, type Entry, headerValues, textOf } from '../../simulator/extension/entry.ts';
import type { Envelope } from '../../simulator/extension/envelope.ts';
import type { ReceivedKind } from '../../simulator/extension/metadata.ts';
import type { SignedOver } from '../../simulator/extension/signature.ts';
import { decodeSegment } from '../service/requests.ts';
import { mistakenFor } from '../service/signature.ts';

/** Types of records that the service calls in a way that the documents show. */
export type CalledType = 'ExternalEvent' | 'ExternalValidation' | 'ExternalTask' | 'Email' | 'ExternalAction';

/** A request that the service made to the suite. Times in ms of the clock that the case lives in. */
export interface Call {
  /** What it is by method and path: `metadata`, a kind of call, or `other` for what nobody registered. */
  readonly kind: ReceivedKind;
  /** Record whose endpoint was called. */
  readonly recordId: string | undefined;
  readonly arrivedAt: number;
  /** Undefined while it is being answered. */
  readonly endedAt: number | undefined;
  /** `abandoned`: the service went away before it had an answer. */
  readonly ending: Ending | undefined;
  /** RFC 3339, always real time. */
  readonly arrivedWall: string;
  readonly method: string;
  /** Path and query as on the request line. */
  readonly target: string;
  /** Raw path below the base of the registration, without query. */
  readonly path: string;
  /** Parameters of the query, percent-decoded, in their order. */
  readonly query: readonly (readonly [string, string])[];
  /** As sent, in their order and spelling. */
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
  /** The body as text, empty where it is no UTF-8. */
  readonly text: string;
  readonly json: unknown;
  /** Documented members of the envelope that have their type. */
  readonly envelope: Envelope;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Every form of the path over which the Authorization header verifies with the registered key; `[]` when none. */
  readonly signedOver: readonly SignedOver[];
  /** What it is signed over instead, where it is one of what is mistaken for that. */
  readonly mistaken: string | undefined;
  /** The one Bearer value of the Authorization header. */
  readonly bearer: string | undefined;
  /** Status that the suite answered. */
  readonly answered: number | undefined;
  /** Values of a header, by name without regard to case. */
  header(name: string): readonly string[];
}

/** Which calls are meant; everything that is stated has to fit. `about`: the marker of a trigger stands in the body, whole. */
export interface CallFilter {
  readonly kind?: ReceivedKind;
  readonly recordId?: string;
  readonly path?: string;
  readonly method?: string;
  readonly objectId?: string;
  readonly correlationId?: string;
  readonly about?: { readonly marker: string };
  readonly where?: (call: Call) => boolean;
}

const calls = new WeakMap<Entry, Call>();

/** The call behind an entry of the journal: always the same one. @param apiKey with which it should be signed, where it is not known yet */
export function callOf(entry: Entry, apiKey?: string): Call {
  const call = calls.get(entry) ?? newCall(entry, apiKey);
  calls.set(entry, call);
  return call;
}

function newCall(entry: Entry, apiKey: string | undefined): Call {
  const text = textOf(entry.body) ?? '';
  const envelope = entry.envelope ?? {};
  const { kind, recordId, arrivedAt, arrivedWall, method, target, path, headers, body: bytes, json } = entry;
  return {
    kind,
    recordId,
    arrivedAt,
    arrivedWall,
    method,
    target,
    path,
    headers,
    bytes,
    text,
    json,
    envelope,
    payload: envelope.payload ?? {},
    query: [...new URLSearchParams(target.split('?').slice(1).join('?'))],
    signedOver: entry.signature?.over ?? [],
    get mistaken() {
      const [authority = ''] = headerValues(entry, 'Host');
      const request = { path: target.split('?')[0] ?? '', target, authority };
      return apiKey === undefined ? undefined : mistakenFor(entry.signature?.presented, request, [apiKey]);
    },
    bearer: entry.signature?.presented,
    header: (name) => headerValues(entry, name),
    get endedAt() {
      return entry.endedAt;
    },
    get ending() {
      return entry.ending;
    },
    get answered() {
      return entry.status;
    },
  };
}

/** Path and parameters of a request line, or of an address without its host, the same however characters are percent-encoded. */
export function decodedTarget(target: string): Pick<Call, 'path' | 'query'> {
  const [path = '', ...query] = target.split('?');
  return { path: path.split('/').map(respelled).join('/'), query: [...new URLSearchParams(query.join('?'))] };
}

/** In one spelling: a slash within a segment divides nothing. */
function respelled(segment: string): string {
  return encodeURIComponent(decodeSegment(segment));
}

/** Whether the marker stands in the text and is no part of a longer one, as `event-1` is of `event-12`. */
export function holdsWhole(text: string, marker: string): boolean {
  const parts = text.split(marker);
  return parts.some((part, index) => index > 0 && !/^[a-z\d]/i.test(part) && !/[a-z\d]$/i.test(parts[index - 1] ?? ''));
}

/** Whether the marker stands in the body of a call, whatever of it is written as an escape of JSON, and is no part of a longer one. */
export function tells({ text, json }: Pick<Call, 'text' | 'json'>, marker: string): boolean {
  if (holdsWhole(text, marker)) return true;
  return text.includes('\\') && holdsWhole(JSON.stringify(json ?? null), JSON.stringify(marker).slice(1, -1));
}

export function fits(call: Call, filter: CallFilter): boolean {
  const { kind, recordId, path, method, objectId, correlationId, about, where = () => true } = filter;
  return (
    isSame(kind, call.kind) &&
    isSame(recordId, call.recordId) &&
    isSame(path, call.path) &&
    isSame(method, call.method) &&
    isSame(objectId, call.payload['objectId']) &&
    isSame(correlationId, call.envelope.id) &&
    (about === undefined || tells(call, about.marker)) &&
    where(call)
  );
}

function isSame(wanted: string | undefined, found: unknown): boolean {
  return wanted === undefined || wanted === found;
}
