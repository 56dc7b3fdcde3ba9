import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import type { Received, Service } from '../service.ts';
import { callsTo } from '../proofs.ts';

/** Moves the clock on by so many seconds until the host has had so many calls, sixty times at most. */
export async function callsAfter(
  { pass }: Service,
  host: ExtensionHost,
  count: number,
  seconds: number,
): Promise<readonly Entry[]> {
  for (let left = 60; left > 0 && callsTo(host).length < count; left -= 1) await pass(seconds);
  return callsTo(host);
}

/** A reference inside a multi-create. */
export function refersTo($id: string, softTypeId: string): object {
  return { id: `to ${$id}`, value: { instanceRef: $id, softTypeId } };
}

/** Takes whatever is brought to an address that is no endpoint of a record. */
const takesKeys: Script = [{ when: { kind: 'other' }, steps: [{ status: 200 }], afterwards: 'last' }];

/** A host whose record may have the keys, and an acquisition that asks for them. */
export async function acquire(
  service: Service,
  permissions: readonly string[],
  more: object = {},
  query = '',
): Promise<Received> {
  const host = await keyHost(service, permissions, more);
  return askForKeys(service, host, permissions, query);
}

function keyHost({ host }: Service, permissions: readonly string[], more: object): Promise<ExtensionHost> {
  return host(
    (url) => [{ id: 'holder', ...more, permissions: { tokenCallback: `${url}/keys`, permissions } }],
    takesKeys,
  );
}

function askForKeys(
  { cora }: Service,
  host: ExtensionHost,
  permissions: readonly string[],
  query: string,
): Promise<Received> {
  const body = { tokenCallback: `${host.url}/keys${query}`, permissions };
  return cora.post('/api/collection/externalExtension/acquireAccessToken/holder', body);
}
