import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { Entry } from '../../../simulator/extension/entry.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { at, type Client, listAt, md5, type Received, type Service, spaceFiles } from '../service.ts';
import { callsTo, named } from '../proofs.ts';

/** The same, that the filter of the seed admits. */
export function draws(count: number): readonly object[] {
  return named(count).map((entry) => ({ ...entry, category: 'drawing' }));
}

/** Names of the items of an array. */
export function namesAt(value: unknown, pointer: string): readonly unknown[] {
  return listAt(value, pointer).map((item) => at(item, '/name'));
}

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

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

/** A validator of definitions. */
export function validator(id: string, ...softTypes: readonly string[]) {
  const capabilities = [
    { capabilityType: 'SoftType', capabilities: softTypes.length === 0 ? ['Document'] : softTypes },
  ];
  return { id, extensionType: 'ExternalValidation', capabilities } as const;
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

/** What keys one permission has, one acquisition after another. */
export async function keysOf(service: Service, count: number, seconds: number): Promise<readonly unknown[]> {
  const host = await keyHost(service, ['SnapshotAPI'], {});
  for (let left = count; left > 0; left -= 1) {
    await askForKeys(service, host, ['SnapshotAPI'], '');
    await service.pass(seconds);
  }
  return callsTo(host).map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
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

/** One chunk of a text of ASCII that is cut every `size` characters. */
export async function sendPiece(
  client: Client,
  path: string,
  text: string,
  size: number,
  number: number,
  base = spaceFiles,
): Promise<Received> {
  const piece = text.slice((number - 1) * size, number * size);
  const form = new FormData();
  const parts = {
    resumableTotalSize: text.length,
    resumableChunkNumber: number,
    resumableChunkSize: size,
    resumableCurrentChunkSize: piece.length,
    resumableTotalChunks: Math.ceil(text.length / size),
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  for (const [name, value] of Object.entries(parts)) form.set(name, String(value));
  form.set('file', new Blob([piece]), path);
  const request = new Response(form);
  const type = request.headers.get('content-type') ?? '';
  return client.post(base, await request.bytes(), { 'content-type': type, checksum: md5(piece) });
}
