import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { at, type Made, type Received, type Service } from '../service.ts';

/** Fails every call. */
export const failing: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

/** Whether a record that validates documents lets one of them be promoted. */
export async function promoteOne({ edda }: Service, query = ''): Promise<{ made: Made; answer: Received }> {
  const made = await edda.make('Document', { title: 'promoted' });
  const path = `/api/space/main/maturityAction/promote/${made.oid}/release/engineering${query}`;
  return { made, answer: await edda.put(path, 1) };
}

export const validator = {
  id: 'validation',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

/** Status of a promote that is validated with this answer. */
export async function promotedWith(service: Service, step: { json?: unknown; text?: string }): Promise<number> {
  await service.host(() => [validator], [{ steps: [{ status: 200, ...step }] }]);
  return (await promoteOne(service)).answer.status;
}

/** Path of a job whose task was acknowledged. */
export async function runningJob({ host, edda, pass }: Service): Promise<string> {
  const script: Script = [{ when: { kind: 'task' }, steps: [{ status: 200 }], afterwards: 'last' }];
  await host(() => [{ id: 'task', extensionType: 'ExternalTask' }], script);
  await edda.upload('input.csv', 'a,b');
  const job = await edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
  await pass(1);
  return job.headers.get('location') ?? '';
}

/** A host that takes keys under /keys. */
export function hostOfKeys({ host }: Service, ...permissions: readonly ('AdministrationAPI' | 'AuthorizationAPI')[]) {
  return host(
    (url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
    [{ when: { path: '/keys' }, steps: [{ status: 200 }], afterwards: 'last' }],
  );
}

export function acquire(
  { cora }: Service,
  host: ExtensionHost,
  permissions: readonly string[],
  id = 'event',
): Promise<Received> {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return cora.post(path, { tokenCallback: `${host.url}/keys`, permissions });
}

/** What the callbacks brought for a permission, in their order. */
export function keysBrought(host: ExtensionHost, permission: string): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map((entry) => at(entry.json, `/${permission}/apiKey`));
}

/** Registers the host once more, otherwise. */
export function registerAgain({ cora }: Service, host: ExtensionHost, fields: object): Promise<Received> {
  return cora.post('/api/admin/svcExtension', { hostUri: host.url, tokenLifeTime: 60, ...fields });
}
