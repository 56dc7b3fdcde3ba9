import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import { type Client, type Made, type Service, at, listAt, many } from '../service.ts';
import { callsTo, reached } from '../proofs.ts';

/** How long something may take that needs no time of the service's clock. */
const patienceMs = 4000;

/** Files of a document, by name and category. */
export function filesOf(count: number, category = 'drawing', name = 'f'): readonly object[] {
  return many(count, (number) => ({ name: `${name}${number}`, category }));
}

/** Page links of a read response, for one array. */
export function pageLinkOf(read: unknown, section: string): unknown {
  return listAt(read, '/links').find((link) => at(link, '/rel') === 'page' && at(link, '/sectionPath') === section);
}

/** Where a link of a relation leads. */
export function linkHref(read: unknown, rel: string): unknown {
  return at(
    listAt(read, '/links').find((link) => at(link, '/rel') === rel),
    '/href',
  );
}

/** Values of one member of the entries of an array. */
export function membersAt(value: unknown, array: string, member: string): readonly unknown[] {
  return listAt(value, array).map((entry) => at(entry, `/${member}`));
}

/** Adds one entry after the other to a port. */
export async function append(client: Client, made: Made, version: number, entries: readonly object[]): Promise<number> {
  const operations = entries.map((value) => ({ op: 'add', path: '/files/-', value }));
  const { status, text } = await client.operate(made, version, operations);
  if (status >= 300) throw new Error(`Expected entries to be added, found ${status}: ${text}`);
  return version + 1;
}

/** An event, whose id is told; what was answered else ends the proof. */
export async function sendEvent(
  client: Client,
  body: object,
  {
    headers = {},
    space = 'main',
  }: { readonly headers?: Readonly<Record<string, string>>; readonly space?: string } = {},
): Promise<string> {
  const { status, text, json } = await client.post(`/api/space/${space}/externalEvent`, body, headers);
  if (status !== 201) throw new Error(`Expected an event, found ${status}: ${text}`);
  return String(at(json, '/id'));
}

/** Sends an event under a correlation id, lets it fail and moves the clock by each of these seconds, waiting for the call that each brings. */
export async function failingEvent(
  service: Service,
  host: ExtensionHost,
  correlationId: string,
  waits: readonly number[],
): Promise<void> {
  await sendEvent(
    service.as('edda'),
    { recordId: 'e', contentPayload: {} },
    { headers: { 'X-Correlation-Id': correlationId } },
  );
  const before = callsTo(host).length;
  await reached(host, Math.max(before, 1));
  for (const [index, seconds] of waits.entries()) {
    await logged(service, correlationId, 'transient-error', index + 1);
    await service.pass(seconds);
    await reached(host, index + 2);
  }
}

/** Entries of a kind that the log of deliveries has of a call, once there are so many, or too much time has passed. */
export async function logged(
  { cora }: Service,
  correlationId: string,
  kind: string,
  count: number,
): Promise<readonly unknown[]> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const { json } = await cora.get(`/api/admin/log?envelopeId=${encodeURIComponent(correlationId)}`);
    const found = listAt(json, '/data').filter((entry) => at(entry, '/kind') === kind);
    if (found.length >= count || Date.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A record for events that is called `e`. */
export function events(record: Partial<MetadataRecord> = {}): Partial<MetadataRecord> {
  return { id: 'e', endpoint: '/e', ...record };
}

/** Registers an endpoint; `trusted` ones have a token. */
export async function endpoint({ cora }: Service, body: object, trusted = false): Promise<void> {
  const kind = trusted ? 'trustedExternalEndpoint' : 'externalEndpoint';
  const all = {
    method: 'POST',
    category: 'proof',
    headers: [{ name: 'content-type', value: 'application/json' }],
    rateLimitNumberOfExecutions: 1000,
    ...(trusted && { tokenLifeTime: 60 }),
    ...body,
  };
  const answer = await cora.post(`/api/admin/${kind}`, all);
  if (answer.status !== 201) throw new Error(`Expected an endpoint, found ${answer.status}: ${answer.text}`);
}
