import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { CallOutcome, OutgoingRequest } from '../delivery/delivery.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Call, Service } from '../service.ts';
import type { KeyHolder } from './holder.ts';
import type { AcquiredKey } from './issue.ts';
import type { AcquireRequest } from './request.ts';

/** Brings the keys to the callback in one attempt, and answers when they are there. Source: ledger acquire-callback-details. @throws {Refusal} 502 */
export async function bringKeys(
  service: Service,
  call: Call,
  holder: KeyHolder,
  { tokenCallback }: AcquireRequest,
  keys: readonly AcquiredKey[],
): Promise<Answer> {
  const request = service.behaviours.callbackRequest(service, call, holder, tokenCallback, keys);
  const outcome = await service.behaviours.call(service, request);
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) return { status: 204 };
  throw new Refusal(502, `The tokenCallback did not take the keys: ${textOf(outcome)}. Nothing was issued; ask again.`);
}

/** A POST of the keys, signed where the holder has a key to check it with. Source: extensions, Acquiring API keys */
export function callbackRequest(
  service: Service,
  { correlationId }: Call,
  { apiKey, timeoutMs }: KeyHolder,
  url: string,
  keys: readonly AcquiredKey[],
): OutgoingRequest {
  const { signatureHeaders, keysBody } = service.behaviours;
  const headers = {
    ...(apiKey !== undefined && signatureHeaders(service, apiKey, url)),
    'Content-Type': `${mediaTypes.json}; charset=utf-8`,
    [headerNames.correlationId]: correlationId,
  };
  return { method: 'POST', url, headers, body: JSON.stringify(keysBody(service, keys)), timeoutMs };
}

/** An object with a member for each permission. */
export function keysBody(service: Service, keys: readonly AcquiredKey[]): object {
  return Object.fromEntries(keys.map(({ permission, key }) => [permission, service.behaviours.keyMember(key)]));
}

export function keyMember(key: string): unknown {
  return { apiKey: key };
}

/** Where keys can be brought to. @throws {Refusal} 422 */
export function requireAbsolute({ tokenCallback }: AcquireRequest): void {
  const url = URL.parse(tokenCallback);
  if (url !== null && /^https?:$/.test(url.protocol)) return;
  const detail = 'Expected an absolute http or https address; the configured tokenCallback has to be changed first.';
  throw new Refusal(422, detail, { pointer: '/tokenCallback' });
}

function textOf(outcome: CallOutcome): string {
  if (outcome.kind === 'answered') return `it answered ${outcome.status}`;
  if (outcome.kind === 'timeout') return `no complete answer within ${outcome.waitedMs / 1000} s`;
  return outcome.reason;
}
