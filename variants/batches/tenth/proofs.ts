import { setTimeout as wait } from 'node:timers/promises';
import type { Entry } from '../../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import { at, type Client, md5, type Received, type Service, spaceFiles } from '../service.ts';
import { callsTo } from '../proofs.ts';

/** Waits until the host has had so many calls, or for a second. */
export async function reached(host: ExtensionHost, count: number): Promise<readonly Entry[]> {
  for (let left = 100; left > 0 && callsTo(host).length < count; left -= 1) await wait(10);
  return callsTo(host);
}

export function sendEvent(client: Client, recordId: string, space = 'main', filter = ''): Promise<Received> {
  return client.post(
    `/api/space/${space}/externalEvent`,
    { recordId, contentPayload: { text: 'an event' } },
    filter === '' ? {} : { 'Svc-InformationFilter': filter },
  );
}

/** A validator of documents, and what it answers first. */
export function validator(recordId: string): object {
  return {
    id: recordId,
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
  };
}

/** The extension that was registered, as it is sent to be registered anew, with changes. */
export async function changeExtension({ cora }: Service, body: object): Promise<Received> {
  const listed = await cora.get('/api/admin/svcExtension');
  return cora.put(`/api/admin/svcExtension/${String(at(listed.json, '/data/0/id'))}`, undefined, body);
}

/** One chunk of a text that is cut every `size` characters, which are ASCII. */
export async function sendChunk(
  client: Client,
  path: string,
  text: string,
  size: number,
  number: number,
  base = spaceFiles,
): Promise<Received> {
  const piece = text.slice((number - 1) * size, number * size);
  const name = path.split('/').at(-1) ?? '';
  const form = new FormData();
  form.set('resumableTotalSize', String(text.length));
  form.set('resumableChunkNumber', String(number));
  form.set('resumableChunkSize', String(size));
  form.set('resumableCurrentChunkSize', String(piece.length));
  form.set('resumableTotalChunks', String(Math.ceil(text.length / size)));
  form.set('resumableType', 'text/plain');
  form.set('resumableFilename', name);
  form.set('resumableRelativePath', path);
  form.set('file', new Blob([piece]), name);
  const request = new Response(form);
  return client.post(base, await request.bytes(), {
    'content-type': request.headers.get('content-type') ?? '',
    checksum: md5(piece),
  });
}
