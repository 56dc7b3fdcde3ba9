import type { Entry } from '../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../simulator/extension/host.ts';
import { at, listAt, many, type Service } from './service.ts';

/** As many entries of an array as there are numbers from 1 on, each with a name. */
export function named(count: number): readonly { readonly name: string }[] {
  return many(count, (number) => ({ name: `n${number}` }));
}

/** Calls that reached the host, in their order. */
export function callsTo(host: ExtensionHost): readonly Entry[] {
  return host.entries(({ kind }) => kind !== 'metadata');
}

/** An access token as the token endpoint grants it. */
export async function tokenOf({ nobody }: Service, user: string): Promise<string> {
  const answer = await nobody.post(
    '/auth/token',
    `grant_type=password&username=${user}&password=${user}-password&scope=All`,
    {
      authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  );
  return String(at(answer.json, '/access_token'));
}

/** Claims of the token in the envelope of a call. */
export function claimsIn(entry: Entry | undefined): unknown {
  const [, payload = ''] = (entry?.envelope?.accessToken ?? '').split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null');
}

/** Kinds of entries in the log of deliveries. */
export async function logged({ cora }: Service, kind: string): Promise<readonly unknown[]> {
  const log = await cora.get('/api/admin/log');
  return listAt(log.json, '/data').filter((entry) => at(entry, '/kind') === kind);
}
