import { isObject } from '../envelope.ts';
import type { Entry } from '../entry.ts';
import type { MetadataRecord } from '../metadata.ts';
import type { Step } from '../step.ts';
import type { Outgoing } from '../work/client.ts';
import type { WorkingHost } from '../working-host.ts';
import { joined } from '../calls/event.ts';
import { signatureOf } from '../signature.ts';

/** API keys by permission, Base64. */
export type KeysByPermission = ReadonlyMap<string, string>;

/** The record that asks for keys, where it does. */
export interface Asking {
  readonly id: string;
  readonly tokenCallback: string;
  readonly permissions: readonly string[];
}

const keyLifetimeHours = 24;

/** The records that ask for keys; what a record holds beside its type is not trusted. */
export function askingIn(records: readonly MetadataRecord[]): readonly Asking[] {
  return records.flatMap((record: unknown) => {
    if (!isObject(record) || typeof record['id'] !== 'string' || !isObject(record['permissions'])) return [];
    const { tokenCallback, permissions } = record['permissions'];
    if (typeof tokenCallback !== 'string' || !Array.isArray(permissions)) return [];
    return [{ id: record['id'], tokenCallback, permissions: permissions.filter((name) => typeof name === 'string') }];
  });
}

/** Names to ask for: those of the metadata. Source: extensions, Acquiring API keys */
export function permissionsAsked({ permissions }: Asking): readonly string[] {
  return permissions;
}

/** The request by which a record comes by its keys. Source: extensions, Acquiring API keys */
export function acquireRequest(host: WorkingHost, baseAddress: string, asking: Asking): Outgoing {
  const route = `/api/collection/externalExtension/acquireAccessToken/${encodeURIComponent(asking.id)}`;
  const body = { tokenCallback: asking.tokenCallback, permissions: host.behaviours.permissionsAsked(asking) };
  return signedPost(host.apiKey, joined(baseAddress, route), body);
}

/** A POST that is signed with a key over the path of its address. Source: extensions, Authentication 2 */
export function signedPost(key: string | undefined, url: string, body: unknown): Outgoing {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const signed = key === undefined ? {} : { Authorization: `Bearer ${signatureOf(key, path)}` };
  return {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json', ...signed },
    body: JSON.stringify(body ?? {}),
  };
}

/** The keys of a callback; undefined where a member is none. */
export function keysFrom(json: unknown): KeysByPermission | undefined {
  if (!isObject(json)) return undefined;
  const keys = new Map<string, string>();
  for (const [permission, value] of Object.entries(json)) {
    const key = isObject(value) ? value['apiKey'] : undefined;
    if (typeof key !== 'string' || key === '') return undefined;
    keys.set(permission, key);
  }
  return keys;
}

/** Takes the keys that the service brings. Source: extensions, Acquiring API keys */
export function keysAnswer(host: WorkingHost, entry: Entry): Step {
  if (entry.method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
  const keys = keysFrom(entry.json);
  if (keys === undefined)
    return {
      status: 400,
      json: { message: 'Expected a JSON object of permission names, each with an object that has "apiKey".' },
    };
  host.keys.take(keys);
  return { status: 200 };
}

/** How long a key is used before another is asked for, in ms. Source: extensions, Limits, permission key rotation */
export function keyLifetimeMs(): number {
  return keyLifetimeHours * 3_600_000;
}

/** Whether this answer to a request that was signed with a key says that the key is over. */
export function isKeyRefused(status: number): boolean {
  return status === 401 || status === 403;
}

export const keysBehaviours = { permissionsAsked, keysAnswer, keyLifetimeMs, isKeyRefused };
