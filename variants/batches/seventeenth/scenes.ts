import type { Script } from '../../../simulator/extension/script.ts';
import type { Client, Received, Service } from '../service.ts';
import { md5, spaceFiles, many } from '../service.ts';

/** Answers everything with this status, for ever. */
export function always(status: number): Script {
  return [{ steps: [{ status }], afterwards: 'last' }];
}

/** Small steps, so that what a call leads to is due in the next one. */
export async function passSteps(service: Service, count: number, seconds = 1): Promise<void> {
  for (let step = 0; step < count; step += 1) await service.pass(seconds);
}

export function sendEvent(service: Service, recordId = 'event', contentPayload: unknown = {}): Promise<Received> {
  return service.edda.post('/api/space/main/externalEvent', { recordId, contentPayload });
}

export async function promoteOne(service: Service, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
  const edda = service.edda;
  const { oid } = await edda.make('Document', { title: 't' });
  const path = `/api/space/main/maturityAction/promote/${oid}/release/engineering`;
  return edda.send('PUT', path, { headers: { 'Svc-UOIVersion': '1', ...headers } });
}

/** A record that validates these SoftTypes. */
export function validator(id: string, capabilities: readonly string[] = ['Document']) {
  return {
    id,
    extensionType: 'ExternalValidation' as const,
    capabilities: [{ capabilityType: 'SoftType', capabilities: [...capabilities] }],
  };
}

/** The path of the job. */
export async function scheduled(service: Service, job: object): Promise<string> {
  const answer = await service.edda.post('/api/space/main/dx', { recordId: 'task', ...job });
  return answer.headers.get('location') ?? '';
}

/** A reference to another item of the same request. */
export function referenceTo(instanceRef: string, softTypeId: string) {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}

/** A file of the space area in chunks of four bytes. @returns the last answer */
export async function sendChunks(client: Client, name: string, content: string): Promise<Received> {
  const totalChunks = Math.ceil(content.length / 4);
  let last: Received | undefined;
  for (const number of many(totalChunks, (index) => index)) {
    const piece = content.slice((number - 1) * 4, number * 4);
    const texts = {
      resumableTotalSize: content.length,
      resumableChunkNumber: number,
      resumableChunkSize: 4,
      resumableCurrentChunkSize: piece.length,
      resumableTotalChunks: totalChunks,
      resumableType: 'text/plain',
      resumableFilename: name,
      resumableRelativePath: name,
    };
    const parts = Object.entries(texts).map(([part, text]) => partOf(`name="${part}"`, String(text)));
    const body = [...parts, partOf(`name="file"; filename="${name}"`, piece), '--edge--\r\n'].join('');
    const headers = { checksum: md5(piece), 'content-type': 'multipart/form-data; boundary=edge' };
    last = await client.post(spaceFiles, body, headers);
  }
  if (last === undefined) throw new Error('Expected content, found none.');
  return last;
}

function partOf(about: string, content: string): string {
  return `--edge\r\nContent-Disposition: form-data; ${about}\r\n\r\n${content}\r\n`;
}
