import { isObject } from './envelope.ts';
import type { Entry } from './entry.ts';
import type { Step } from './step.ts';
import { withoutSlash } from '../../contract/address.ts';

/** A call that can be worked on. */
export interface Call {
  readonly entry: Entry;
  readonly kind: Entry['kind'];
  readonly id: string;
  /** Empty where the envelope has none. */
  readonly accessToken: string;
  readonly baseAddress: string;
  /** Undefined where the envelope has none. */
  readonly informationFilter: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The call, or the answer to what is none: 405 for another method, 400 for a body that is no envelope. */
export function callOf(entry: Entry): { readonly call: Call } | { readonly refusal: Step } {
  if (entry.method !== 'POST') return { refusal: { status: 405, headers: { Allow: 'POST' } } };
  const { id, payload, accessToken = '', baseAddress = '', informationFilter } = entry.envelope ?? {};
  if (!isObject(entry.json)) return { refusal: badRequest('Expected a JSON object, the envelope of a call.') };
  if (id === undefined || id === '') return { refusal: badRequest('Expected an envelope with "id", a string.') };
  if (payload === undefined) return { refusal: badRequest('Expected an envelope with "payload", an object.') };
  return { call: { entry, kind: entry.kind, id, accessToken, baseAddress, informationFilter, payload } };
}

export function badRequest(message: string): Step {
  return { status: 400, json: { message } };
}

/** What tells one call from another: deliveries of the same one are equal in it. The events of one request have one id of the envelope. */
export function callId({ kind, baseAddress, id, payload }: Call): string {
  return JSON.stringify([kind, baseAddress, id, ...(kind === 'event' ? [payload['id']] : [])]);
}

/** Headers of every request that reports back on a call. Source: extensions, Call envelope, rows id and accessToken */
export function callbackHeaders(id: string, token: string): Readonly<Record<string, string>> {
  return {
    'X-Correlation-Id': id.replaceAll(/[^\x20-\x7e]/g, '?'),
    ...(token !== '' && { Authorization: `Bearer ${token}` }),
  };
}

/** A route below a base address, with one slash at the seam. */
export function joinUrl(base: string, route: string): string {
  return `${withoutSlash(base)}/${route.replace(/^\/+/, '')}`;
}
