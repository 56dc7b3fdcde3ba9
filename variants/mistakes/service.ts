import { createHash, createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { type ExtensionHost, startExtensionHost } from '../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import type { Script } from '../../simulator/extension/script.ts';
import type { Variant } from '../breaks.ts';
import { createVariant } from '../create-variant.ts';
import { restartServer } from '../restart.ts';
import { recordOf, tasksLeftAlone } from './hosts.ts';

/** Users of the seed, with their personal access tokens. */
export const tokens = {
  edda: 'svcpat-edda-7d1c0b9e5a',
  emil: 'svcpat-emil-2f8a6c4d1b',
  rita: 'svcpat-rita-9b3e7f5a2c',
  otto: 'svcpat-otto-4c6d8e0f1a',
  nora: 'svcpat-nora-8e2a4b6c0d',
  alma: 'svcpat-alma-1a3c5e7f9b',
  cora: 'svcpat-cora-6f8b0d2e4a',
} as const;
export type UserName = keyof typeof tokens;

/** The first input schema of each definition of the seed, the space that has it, and what an object of it cannot do without. */
const definitions = {
  Document: { input: 'documentInput', space: 'main', needs: { title: 't' } },
  Part: { input: 'partInput', space: 'main', needs: { name: 'p' } },
  Requirement: { input: 'requirementInput', space: 'main', needs: { text: 't' } },
  ChangeRequest: { input: 'changeRequestInput', space: 'main', needs: { subject: 's' } },
  Dossier: { input: 'dossierInput', space: 'depot', needs: { title: 't' } },
} as const;
export type Definition = keyof typeof definitions;

/** Base64 of the key by which calls to the host of a proof are signed. */
export const hostKey = Buffer.alloc(64, 7).toString('base64');

/** Base64 of the key that opens bulk upload in the seed. */
export const administrationKey =
  'YWRtaW5pc3RyYXRpb24ga2V5IG9mIHRoZSBkZW1vbnN0cmF0aW9uLCBwdWJsaWMsIDY0IGJ5dGVzLi4uLi4uLg==';

const emptyFilter = 'e30=';

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a text or bytes. */
  readonly body?: unknown;
}

/** Where a chunk is sent, and how otherwise than usual. */
export interface ChunkSent {
  readonly base?: string;
  readonly mimeType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where the text is no JSON. */
  readonly json: unknown;
}

/** An object as its creator knows it. */
export interface Made {
  readonly definition: Definition;
  readonly oid: string;
  /** Below the base URL. */
  readonly path: string;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** The service as one user asks it. */
export class Client {
  readonly #url: string;
  readonly #user: UserName | undefined;

  constructor(url: string, user: UserName | undefined) {
    this.#url = url;
    this.#user = user;
  }

  /** With the token of the user and an empty information filter, unless the headers say otherwise; one that is empty is left out. */
  async send(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Received> {
    const isStream = body instanceof ReadableStream;
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || isStream;
    const all = new Headers({
      ...(this.#user !== undefined && { authorization: `Bearer ${tokens[this.#user]}` }),
      [headerNames.informationFilter]: emptyFilter,
      ...(body !== undefined && !isRaw && { 'content-type': mediaTypes.json }),
    });
    for (const [name, value] of Object.entries(headers)) {
      if (value === '') all.delete(name);
      else all.set(name, value);
    }
    const content = contentOf(body);
    const answer = await fetch(new URL(path, this.#url), {
      method,
      headers: all,
      redirect: 'manual',
      ...(content !== undefined && { body: content }),
      ...(isStream && { duplex: 'half' }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: jsonOf(text) };
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.send('GET', path, { headers });
  }

  post(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.send('POST', path, { headers, body });
  }

  /** PUT of an edit made for a version; without one the header is left out. */
  put(path: string, version: number | undefined, body?: unknown): Promise<Received> {
    return this.send('PUT', path, { headers: versionHeader(version), body });
  }

  delete(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
    return this.send('DELETE', path, { headers });
  }

  /** With what it needs, unless the body says otherwise. @throws {Error} it is not created */
  async make(definition: Definition, body: object = {}): Promise<Made> {
    const { input, space, needs } = definitions[definition];
    const answer = await this.post(`/api/space/${space}/softtype/${definition}/${input}`, { ...needs, ...body });
    const path = answer.headers.get('location') ?? '';
    if (answer.status !== 201) throw new Error(`Expected a new ${definition}, found ${answer.status}: ${answer.text}`);
    return { definition, oid: path.split('/').at(-1) ?? '', path };
  }

  /** A file of the space area. */
  upload(path: string, content: string | Uint8Array, base = spaceFiles): Promise<Received> {
    return this.post(`${base}/stream/${path}`, content, { checksum: md5(content), 'content-type': 'text/plain' });
  }

  /** The chunk with this number, from 1 on, of a file that is cut into these pieces. */
  async sendChunk(
    path: string,
    pieces: readonly string[],
    number = 1,
    { base = spaceFiles, mimeType = 'text/plain', headers = {} }: ChunkSent = {},
  ): Promise<Received> {
    const all = pieces.map((piece) => Buffer.from(piece));
    const piece = all[number - 1] ?? Buffer.alloc(0);
    const texts = {
      resumableTotalSize: Buffer.concat(all).length,
      resumableChunkNumber: number,
      resumableChunkSize: all[0]?.length ?? 0,
      resumableCurrentChunkSize: piece.length,
      resumableTotalChunks: all.length,
      resumableType: mimeType,
      resumableFilename: path.split('/').at(-1) ?? '',
      resumableRelativePath: path,
    };
    const form = new FormData();
    for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
    form.set('file', new Blob([piece]), texts.resumableFilename);
    const request = new Response(form);
    const type = request.headers.get('content-type') ?? '';
    return this.post(base, await request.bytes(), { checksum: md5(piece), 'content-type': type, ...headers });
  }

  /** A file in so many chunks, one after the other. */
  async sendChunks(path: string, pieces: readonly string[], base = spaceFiles): Promise<void> {
    for (const index of pieces.keys()) await this.sendChunk(path, pieces, index + 1, { base });
  }

  /** Body of the read response. */
  async read({ path }: Made, query = ''): Promise<unknown> {
    return (await this.get(path + query)).json;
  }

  merge(made: Made, version: number | undefined, body: unknown): Promise<Received> {
    return this.send('PATCH', editPath(made), { headers: versionHeader(version), body });
  }

  replace(made: Made, version: number | undefined, body: unknown): Promise<Received> {
    return this.put(editPath(made), version, body);
  }

  operate(
    made: Made,
    version: number | undefined,
    operations: readonly Operation[],
    filter: object = {},
  ): Promise<Received> {
    const headers = {
      ...versionHeader(version),
      'content-type': mediaTypes.operations,
      [headerNames.informationFilter]: encoded(filter),
    };
    return this.send('PATCH', operationsPath(made), { headers, body: JSON.stringify(operations) });
  }

  move(made: Made, version: number, action = 'promote', level = 'engineering'): Promise<Received> {
    return this.put(movePath(made, action, level), version);
  }

  batch(operations: readonly object[], space = 'main'): Promise<Received> {
    return this.post(`/api/space/${space}/batch`, operations);
  }

  multiCreate(items: readonly object[], space = 'main'): Promise<Received> {
    return this.post(`/space/${space}/softtype`, items);
  }

  /** An event for what is registered under this id. */
  sendEvent(
    recordId = 'event',
    contentPayload: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Received> {
    return this.post('/api/space/main/externalEvent', { recordId, contentPayload }, headers);
  }

  /** One for a registered endpoint. */
  sendToEndpoint(endpointId = 'hook', contentPayload: unknown = {}): Promise<Received> {
    return this.post('/api/space/main/externalEvent', { endpointId, contentPayload });
  }

  page(made: Made, port: string, number: number, query = ''): Promise<Received> {
    return this.get(pagePath(made, port, number) + query);
  }
}

export const spaceFiles = '/api/space/main/fs/file';

/** Of a host; what a record leaves out is filled in. */
export type Records = readonly Partial<MetadataRecord>[];

/** A running service, right or wrong, and all that a proof needs beside it. */
export interface Service extends Readonly<Record<UserName, Client>> {
  readonly url: string;
  as(user: UserName): Client;
  /** Whoever says nothing of himself. */
  readonly nobody: Client;
  /** Moves its clock; so many times where it goes step by step, so that what one step leads to is due in the next. */
  pass(seconds: number, times?: number): Promise<void>;
  /** Ends it and starts it again over the same store. */
  restart(): Promise<void>;
  /** An empty directory of its host. */
  directory(): Promise<string>;
  /** A bulk upload, signed as it has to be. */
  bulk(path: string, body: object): Promise<Received>;
  /** Lines of its log about a request, as text. */
  log(correlationId: string): Promise<string>;
  /** An extension host, registered with these records. */
  host(records: Records | ((url: string) => Records), script?: Script): Promise<ExtensionHost>;
}

/** Plays a proof to a service with the variant in it, or to the right one. */
export async function playOn<T>(variant: Variant | undefined, play: (service: Service) => Promise<T>): Promise<T> {
  await using left = new AsyncDisposableStack();
  const server = createVariant({ ...(variant && { faults: [variant] }), control: true });
  left.defer(() => server.close());
  const url = await server.listen();
  const as = (user: UserName) => new Client(url, user);
  const nobody = new Client(url, undefined);
  const control = { authorization: `Bearer ${server.controlToken}` };
  return await play({
    url,
    as,
    edda: as('edda'),
    emil: as('emil'),
    rita: as('rita'),
    otto: as('otto'),
    nora: as('nora'),
    alma: as('alma'),
    cora: as('cora'),
    nobody,
    async pass(seconds, times = 1) {
      for (let left = times; left > 0; left -= 1) {
        const { status, text } = await nobody.post('/_control/clock', { by: seconds * 1000 }, control);
        if (status !== 200) throw new Error(`Expected the clock to move, found ${status}: ${text}`);
      }
    },
    restart: async () => void (await restartServer(url, control)),
    async directory() {
      const path = await mkdtemp(join(tmpdir(), 'svc-conformance-mistake-'));
      left.defer(() => rm(path, { recursive: true, force: true }));
      return path;
    },
    bulk: (path, body) =>
      nobody.post(path, body, { authorization: `Bearer ${signatureOver(path, administrationKey)}` }),
    log: async (correlationId) => (await nobody.get(`/_control/log?correlationId=${correlationId}`, control)).text,
    async host(records, script = tasksLeftAlone) {
      const host = left.use(await startExtensionHost({ apiKey: hostKey, script }));
      const all = typeof records === 'function' ? records(host.url) : records;
      host.setRecords(all.map((record) => ({ ...recordOf(randomUUID()), ...record })));
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 };
      const { status, text } = await as('cora').post('/api/admin/svcExtension', body);
      if (status !== 201) throw new Error(`Expected the host to be registered, found ${status}: ${text}`);
      return host;
    },
  });
}

export function editPath({ definition, oid }: Made): string {
  const { input, space } = definitions[definition];
  return `/api/space/${space}/softtype/${definition}/${input}/${oid}`;
}

export function operationsPath({ definition, oid }: Made): string {
  return `/api/space/${definitions[definition].space}/softtype/${definition}/${oid}`;
}

export function movePath({ definition, oid }: Made, action = 'promote', level = 'engineering'): string {
  return `/api/space/${definitions[definition].space}/maturityAction/${action}/${oid}/release/${level}`;
}

export function pagePath({ definition, oid }: Made, port: string, number: number): string {
  const output = `${definition.charAt(0).toLowerCase()}${definition.slice(1)}Full`;
  const { space } = definitions[definition];
  return `/api/space/${space}/softtype/page/${definition}/${output}/${encodeURIComponent(port)}/${oid}/${number}`;
}

/** The value at a JSON Pointer; undefined where there is none. */
export function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return found;
}

/** The array at a JSON Pointer; an empty one where there is none. */
export function listAt(value: unknown, pointer: string): readonly unknown[] {
  const found = at(value, pointer);
  return Array.isArray(found) ? found : [];
}

export function versionHeader(version: number | undefined): Readonly<Record<string, string>> {
  return version === undefined ? {} : { [headerNames.version]: String(version) };
}

/** Base64 of the JSON of an information filter. */
export function encoded(filter: object): string {
  return Buffer.from(JSON.stringify(filter)).toString('base64');
}

export function md5(content: string | Uint8Array): string {
  return createHash('md5').update(content).digest('hex');
}

/** Source: extensions, Authentication 2 */
export function signatureOver(path: string, key: string): string {
  return createHmac('sha512', Buffer.from(key, 'base64')).update(path).digest('base64url');
}

/** As many values as there are numbers from 1 on. */
export function many<T>(count: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}

function contentOf(body: unknown): string | Blob | ReadableStream | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof ReadableStream) return body;
  return body instanceof Uint8Array ? new Blob([new Uint8Array(body)]) : JSON.stringify(body);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
