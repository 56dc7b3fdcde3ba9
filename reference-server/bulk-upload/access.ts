import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';

/**
 * Lets a call pass whose path is signed with an administration key; nothing else opens bulk upload.
 * Source: extensions, Authentication 2. @throws {Refusal} 401
 */
export async function requireAdministrationKey(service: Service, call: Call): Promise<void> {
  const { behaviours, store } = service;
  const credentials = behaviours.credentialsOf(call.headers);
  if (credentials === undefined) throw refused('found none');
  if (credentials.scheme !== 'bearer') throw refused('found another scheme');
  const keys = await store.read((reading) => behaviours.administrationKeys(service, reading));
  const path = behaviours.requestPathOf(call);
  const matches = keys.map((key) => behaviours.isSignatureOf(service, key, path, credentials.token));
  if (!matches.includes(true)) throw refused('found another text');
}

function refused(found: string): Refusal {
  return new Refusal(401, `Expected as bearer the signature of the path under an administration key, ${found}.`, {
    headers: { 'WWW-Authenticate': 'Bearer realm="svc-administration"' },
  });
}
