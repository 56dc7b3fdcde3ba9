import { access } from 'node:fs/promises';
import { mediaTypes } from '../../contract/names.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../simulator/extension/host.ts';
import type { Script } from '../../simulator/extension/script.ts';
import type { Step } from '../../simulator/extension/step.ts';
import { at, hostKey, listAt, many, type Received, type Service } from './service.ts';

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

/** Registers an endpoint, which is called `hook` unless the fields say otherwise. */
export function registerEndpoint(
  { cora }: Service,
  kind: 'externalEndpoint' | 'trustedExternalEndpoint',
  fields: object,
): Promise<Received> {
  return cora.post(`/api/admin/${kind}`, {
    id: 'hook',
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: mediaTypes.json }],
    ...(kind === 'trustedExternalEndpoint' && { tokenLifeTime: 60 }),
    ...fields,
  });
}

/** Changes the registration of the host with this address, or else of the first one: what is left out is as at first. */
export async function changeExtension(
  { cora }: Service,
  fields: {
    readonly hostUri: string;
    readonly apiKey?: string;
    readonly tokenLifeTime?: number;
    readonly active?: boolean;
  },
): Promise<Received> {
  const path = '/api/admin/svcExtension';
  const all = listAt((await cora.get(path)).json, '/data');
  const found = all.find((item) => at(item, '/hostUri') === fields.hostUri) ?? all[0];
  return cora.put(`${path}/${String(at(found, '/id'))}`, undefined, { apiKey: hostKey, tokenLifeTime: 60, ...fields });
}

/** Calls that reached the host, once there are so many, or too much time has passed for any that needs none of the service's clock. */
export function reached(host: ExtensionHost, count: number, patienceMs = 4000): Promise<readonly Entry[]> {
  return host.await(({ kind }) => kind !== 'metadata', count, AbortSignal.timeout(patienceMs));
}

/** Calls of a kind that reached the host. */
export function callsOf(host: ExtensionHost, kind: Entry['kind']): readonly Entry[] {
  return host.entries((entry) => entry.kind === kind);
}

/** Whether a file or directory of the host is there. */
export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** One answer for every call. */
export function always(step: Step): Script {
  return [{ steps: [step], afterwards: 'last' }];
}

/** Schedules a task with an input, and lets its call go out. @returns where its job is */
export async function scheduleTask(service: Service, fields: object = {}): Promise<string> {
  const body = { recordId: 'task', inputPath: 'folder/input.csv', ...fields };
  const job = await service.edda.post('/api/space/main/dx', body);
  await service.pass(1);
  return job.headers.get('location') ?? '';
}
