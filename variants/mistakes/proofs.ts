import { access, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonOf } from '../../contract/json.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import type { ExtensionHost } from '../../simulator/extension/host.ts';
import type { Script } from '../../simulator/extension/script.ts';
import { actionPath, always, awaitCalls, callsTo, task } from './hosts.ts';
import {
  at,
  type Client,
  editPath,
  hostKey,
  listAt,
  type Made,
  many,
  movePath,
  operationsPath,
  type Received,
  type Service,
  versionHeader,
} from './service.ts';

/** As many entries of an array as there are numbers from 1 on, each with a name. */
export function named(count: number): readonly { readonly name: string }[] {
  return many(count, (number) => ({ name: `n${number}` }));
}

/** An access token as the token endpoint grants it. */
export async function tokenOf(service: Service, user: string): Promise<string> {
  return String(at((await grant(service, passwordForm(user))).json, '/access_token'));
}

/** What the token endpoint answers to a form that the client of the seed sends, unless the headers name another. */
export function grant(
  { nobody }: Service,
  form: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const authorization = basic('conformance', 'conformance-secret');
  return nobody.post('/auth/token', form, { authorization, 'content-type': mediaTypes.form, ...headers });
}

export function passwordForm(user: string, password = `${user}-password`): string {
  return `grant_type=password&username=${user}&password=${password}&scope=All`;
}

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

/** Claims of the token in the envelope of a call. */
export function claimsIn(entry: Entry | undefined): unknown {
  const [, payload = ''] = (entry?.envelope?.accessToken ?? '').split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null');
}

/** Kinds of entries in the log of deliveries. */
export async function logEntries({ cora }: Service, kind: string): Promise<readonly unknown[]> {
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

/** The call that an endpoint of these fields gets when an event is sent to it. */
export async function callOfEndpoint(
  service: Service,
  fields: object = {},
  { kind = 'externalEndpoint', path = '/hook', content = {} }: EndpointProof = {},
): Promise<Entry | undefined> {
  const host = await service.host([]);
  await registerEndpoint(service, kind, { url: host.url + path, ...fields });
  await service.edda.sendToEndpoint('hook', content);
  const [call] = await awaitCalls(host);
  return call;
}

interface EndpointProof {
  readonly kind?: 'externalEndpoint' | 'trustedExternalEndpoint';
  readonly path?: string;
  readonly content?: unknown;
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
  const body = { apiKey: hostKey, tokenLifeTime: 60, ...fields };
  return cora.put(await extensionPathOf(cora, fields.hostUri), undefined, body);
}

/** Takes the extension at that host out of what is registered. */
export async function removeExtension({ cora }: Service, hostUri: string): Promise<void> {
  await cora.delete(await extensionPathOf(cora, hostUri));
}

/** That of the extension at the host, or of the first one, which may be at another by now. */
async function extensionPathOf(cora: Service['cora'], hostUri: string): Promise<string> {
  const path = '/api/admin/svcExtension';
  const all = listAt((await cora.get(path)).json, '/data');
  const found = all.find((item) => at(item, '/hostUri') === hostUri) ?? all[0];
  return `${path}/${String(at(found, '/id'))}`;
}

/** Whether a file or directory of the host is there. */
export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Schedules a task with an input, and lets its call go out. @returns where its job is */
export async function scheduleTask(service: Service, fields: object = {}): Promise<string> {
  const body = { recordId: 'task', inputPath: 'folder/input.csv', ...fields };
  const job = await service.edda.post('/api/space/main/dx', body);
  await service.pass(1);
  return job.headers.get('location') ?? '';
}

export const profilePath = '/api/collection/user/profile';
export const eventsPath = '/api/space/main/externalEvent';
export const userFiles = '/api/space/main/user/fs/file';
export const participantFiles = '/api/space/main/participant/owner/fs/file';
export const collectionFiles = '/api/collection/fs/file';
export const documentsPath = '/api/space/main/softtype/Document/documentInput';
export const multiCreatePath = '/space/main/softtype';
export const bulkPath = '/admin/fileupload/main';

/** Files of a document, by name and category. */
export function filesOf(count: number, category = 'drawing', name = 'f'): readonly object[] {
  return many(count, (number) => ({ name: `${name}${number}`, category }));
}

export function withFiles(client: Client, count: number, category = 'letter'): Promise<Made> {
  return client.make('Document', {
    title: 'a',
    files: many(count, (number) => ({ name: `file ${number}`, category })),
  });
}

/** A document whose array `contacts` has so many entries, named by their place from 1 on. */
export function withContacts(client: Client, count: number): Promise<Made> {
  return client.make('Document', { title: 't', contacts: many(count, (number) => ({ name: `c${number}` })) });
}

/** A document with one file that has so many revisions, and the path of that array. */
export async function withRevisions(
  { edda }: Service,
  count: number,
): Promise<{ readonly made: Made; readonly port: string }> {
  const revisions = many(count, (number) => ({ text: `r${number}` }));
  const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'drawing', revisions }] });
  const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
  return { made, port: `files/${id}/revisions` };
}

/** Path of the first file in an operation. */
export async function firstFile(client: Client, made: Made): Promise<string> {
  return `/files/${String(at(await client.read(made), '/data/files/0/$entryId'))}`;
}

/** Adds one entry after the other to a port. */
export async function append(client: Client, made: Made, version: number, entries: readonly object[]): Promise<number> {
  const operations = entries.map((value) => ({ op: 'add', path: '/files/-', value }));
  const { status, text } = await client.operate(made, version, operations);
  if (status >= 300) throw new Error(`Expected entries to be added, found ${status}: ${text}`);
  return version + 1;
}

export async function promotes(client: Client, made: Made): Promise<boolean> {
  return (await client.move(made, 1)).status < 300;
}

/** Promotes a new document. */
export async function promoteOne({ edda }: Service, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
  const made = await edda.make('Document', { title: 'promoted' });
  return edda.send('PUT', movePath(made), { headers: { ...versionHeader(1), ...headers } });
}

/** Values of one member of the entries of an array. */
export function membersAt(value: unknown, array: string, member: string): readonly unknown[] {
  return listAt(value, array).map((entry) => at(entry, `/${member}`));
}

/** Names of the entries of a page. */
export function namesOn(page: unknown): string {
  return listAt(page, '/data')
    .map((entry) => String(at(entry, '/name')))
    .join();
}

/** Page links of a read response, for one array. */
export function pageLinkIn(read: unknown, section: string): unknown {
  return listAt(read, '/links').find((link) => at(link, '/rel') === 'page' && at(link, '/sectionPath') === section);
}

export async function readPageLink(client: Client, made: Made, query = ''): Promise<unknown> {
  return listAt(await client.read(made, query), '/links').find((link) => at(link, '/rel') === 'page');
}

export function pageLinks(read: unknown): readonly unknown[] {
  return listAt(read, '/links').filter((link) => at(link, '/rel') === 'page');
}

/** As an operation of a batch. */
export function readOf({ path }: Made) {
  return { method: 'GET', href: path };
}

export function mergeOf(made: Made, version: number, body: unknown) {
  return { method: 'PATCH', href: editPath(made), headers: versionHeader(version), body };
}

export function putOf(made: Made, version: number, body: unknown) {
  return { method: 'PUT', href: editPath(made), headers: versionHeader(version), body };
}

export function operationsOf(made: Made, version: number, body: readonly object[]) {
  const headers = { ...versionHeader(version), 'Content-Type': mediaTypes.operations };
  return { method: 'PATCH', href: operationsPath(made), headers, body };
}

export function promoteOf(made: Made, version: number) {
  return { method: 'PUT', href: movePath(made), headers: versionHeader(version) };
}

export function multiCreateOf(body: readonly object[]) {
  return { method: 'POST', href: multiCreatePath, body };
}

/** An item of a multi-create that is referred to. */
export function part($id: string, name: unknown = $id) {
  return { $id, $softType: 'Part', data: { name } };
}

/** A reference to another item of the same request. */
export function reference(instanceRef: string, softTypeId = 'Part') {
  return { id: instanceRef, value: { instanceRef, softTypeId } };
}

/** An item of a multi-create that refers to parts. */
export function documentOf($id: string, parts: readonly string[]) {
  return { $id, $softType: 'Document', data: { title: $id, describes: parts.map((id) => reference(id)) } };
}

export function pair($id: string): readonly object[] {
  return [
    { $id, $softType: 'Part', data: { name: $id } },
    { $softType: 'Document', data: { title: $id, describes: [reference($id)] } },
  ];
}

/** Read of the object that a multi-create answered with at that place. */
export async function readCreated(client: Client, answer: unknown, index: number): Promise<unknown> {
  return (await client.get(String(at(answer, `/${index}/href`)))).json;
}

/** Claims of a token. */
export function claimsOf(token: unknown): unknown {
  const [, payload = ''] = String(token).split('.');
  return jsonOf(Buffer.from(payload, 'base64url').toString());
}

/** The token in the query of a call. */
export function tokenIn(call: Entry | undefined): string {
  return new URL(call?.target ?? '/', 'http://host.invalid').searchParams.get('access_token') ?? '';
}

/** A record whose callback is on the same host, and may be brought keys for these permissions. */
export function holderAt(url: string, ...permissions: readonly string[]) {
  return { id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions } };
}

/** A host that takes keys, whose only record may have them for these permissions. */
export function keyHost(service: Service, ...permissions: readonly string[]): Promise<ExtensionHost> {
  return service.host((url) => [holderAt(url, ...permissions)], always(200));
}

/** Asks for keys, to be brought to the host. */
export function askForKeys(
  { cora }: Service,
  { url }: ExtensionHost,
  permissions: readonly string[],
  id = 'keys',
): Promise<Received> {
  return cora.post(acquirePath(id), { tokenCallback: `${url}/keys`, permissions });
}

export function acquirePath(id: string): string {
  return `/api/collection/externalExtension/acquireAccessToken/${id}`;
}

/** The keys that the host was brought, one body a call. */
export function keysBroughtTo(host: ExtensionHost): readonly unknown[] {
  return host.entries(({ path }) => path === '/keys').map(({ json }) => json);
}

/** The keys that are brought to the host when it asks. */
export async function acquireKeys(
  service: Service,
  host: ExtensionHost,
  permissions: readonly string[],
  id = 'keys',
): Promise<unknown> {
  await askForKeys(service, host, permissions, id);
  return keysBroughtTo(host).at(-1);
}

/** Path of the job. */
export async function scheduleInput({ edda }: Service, inputPath: string, timeout = 600): Promise<string> {
  const answer = await edda.post('/api/space/main/dx', { recordId: task.id, inputPath, timeout });
  return answer.headers.get('location') ?? '';
}

/** A job whose task was acknowledged, of a host that is registered by now. */
export async function runningJob(service: Service): Promise<string> {
  const job = await scheduleTask(service);
  for (let left = 50; left > 0; left -= 1) {
    if (at((await service.edda.get(job)).json, '/state') !== 'Scheduled') break;
    await service.pass(1);
  }
  return job;
}

export function runAction({ edda }: Service, body: object): Promise<Received> {
  return edda.post(actionPath, body);
}

/** Sends events, and lets those go out that may. */
export async function sendEvents({ edda, pass }: Service, count = 1, payload: unknown = {}): Promise<void> {
  for (let left = count; left > 0; left -= 1) await edda.sendEvent('event', payload);
  await pass(1);
}

/** Whether it becomes so before too long. */
export async function becomes(isSo: () => Promise<boolean>, patienceMs = 4000): Promise<boolean> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 25)))
    if (await isSo()) return true;
  return isSo();
}

/** What came, once the service has had time for whatever is due. */
export async function callsOnceDue({ pass }: Service, host: Parameters<typeof awaitCalls>[0]) {
  await pass(0.001);
  return awaitCalls(host, 0);
}

/** What one event leads to while the clock moves by these gaps. */
export async function attempts(service: Service, script: Script, gaps: readonly number[] = [3], most = 2) {
  const host = await service.host([{ id: 'taken' }]);
  host.setScript(script);
  await service.edda.sendEvent('taken');
  for (const [index, seconds] of gaps.entries()) {
    await awaitCalls(host, Math.min(index + 1, most - 1));
    await service.pass(seconds);
  }
  return { entries: await callsOnceDue(service, host) };
}

/** Lets the retries of one call come, so many. */
export async function waitForRetries(
  service: Service,
  host: Parameters<typeof awaitCalls>[0],
  count: number,
): Promise<void> {
  for (let retry = 1; retry <= count; retry += 1) {
    await awaitCalls(host, retry);
    await service.pass(1, 2 ** retry);
  }
  await awaitCalls(host, count + 1);
}

/** Sends an event under a correlation id, lets it fail and moves the clock by each of these seconds, waiting for the call that each brings. */
export async function failingEvent(
  service: Service,
  host: ExtensionHost,
  correlationId: string,
  waits: readonly number[],
): Promise<void> {
  await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': correlationId });
  const before = callsTo(host).length;
  await awaitCalls(host, Math.max(before, 1));
  for (const [index, seconds] of waits.entries()) {
    await logEntriesOf(service, correlationId, 'transient-error', index + 1);
    await service.pass(seconds);
    await awaitCalls(host, index + 2);
  }
}

/** Lets an event fail so many times, its first attempt included, with the waits before the next ones. */
export async function failTimes(service: Service, host: ExtensionHost, times: number): Promise<void> {
  for (let count = 1; count <= times; count += 1) {
    await awaitCalls(host, count);
    await becomes(async () => (await logEntries(service, 'transient-error')).length >= count);
    await service.pass(Math.min(2 ** count, 300));
  }
}

/** Whether no event reaches the record. */
export async function isUncalled(service: Service, record: object): Promise<boolean> {
  const host = await service.host([{ id: 'event', ...record }]);
  const answer = await service.edda.sendEvent('event');
  await service.pass(1);
  return answer.status !== 201 || (await awaitCalls(host, 1, 1000)).length === 0;
}

/** Entries of a kind that the log of deliveries has of a call, once there are so many, or too much time has passed. */
export async function logEntriesOf(
  { cora }: Service,
  correlationId: string,
  kind: string,
  count: number,
): Promise<readonly unknown[]> {
  const end = Date.now() + 4000;
  for (;;) {
    const { json } = await cora.get(`/api/admin/log?envelopeId=${encodeURIComponent(correlationId)}`);
    const found = listAt(json, '/data').filter((entry) => at(entry, '/kind') === kind);
    if (found.length >= count || Date.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A bulk upload of these files, without a log unless the settings say so. @returns where they came from */
export async function bulkUpload(
  service: Service,
  files: Readonly<Record<string, string>>,
  settings: object = {},
  path = bulkPath,
): Promise<string> {
  const sourceDirectory = await sourceOf(service, files);
  await service.bulk(path, { sourceDirectory, writeLog: false, ...settings });
  return sourceDirectory;
}

/** Names of the logs of bulk uploads. */
export async function logsIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith('FileUpload_'));
}

/** A directory of the host with these files in it. */
export async function sourceOf(service: Service, files: Readonly<Record<string, string>>, name = ''): Promise<string> {
  const source = join(await service.directory(), name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(source, path, '..'), { recursive: true });
    await writeFile(join(source, path), content);
  }
  return source;
}
