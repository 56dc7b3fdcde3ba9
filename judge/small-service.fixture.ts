import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { endWithTest } from '../fixtures/end-with-test.fixture.ts';
import { listen, type Listening } from '../fixtures/listening.fixture.ts';
import { type LoadedProfile, profileFrom } from './profile/load.ts';

/** What arrived at a small service. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Ends with its test, or before. */
export interface SmallService extends Listening {
  readonly arrived: readonly Arrived[];
  /** Number of connections opened so far. */
  connections(): number;
}

export type Handle = (request: Arrived, response: ServerResponse, message: IncomingMessage) => void | Promise<void>;

/** A server on a free port of the loopback that answers as it is told. */
export async function smallService(handle: Handle): Promise<SmallService> {
  const arrived: Arrived[] = [];
  let connections = 0;
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await receivedFrom(message);
    arrived.push(request);
    await handle(request, response, message);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    void answer(message, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const listening = await listen(server);
  endWithTest(() => listening[Symbol.asyncDispose]());
  return { ...listening, arrived, connections: () => connections };
}

async function receivedFrom(message: IncomingMessage): Promise<Arrived> {
  const raw = message.rawHeaders;
  const headers = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
  return { method: message.method ?? '', url: message.url ?? '', headers, body: await buffer(message) };
}

/** A profile for a small service; further YAML lines are put in as they are. */
export function smallProfile(url: string, more = '', editor = '{ token: editor-token-0815 }'): LoadedProfile {
  return profileFrom(
    `profileVersion: 1
implementation: small
baseUrl: ${url}
space: main
identities:
  editor: ${editor}
softTypes:
  primary:
    definitionId: Document
    inputSchemaId: in
    outputSchemaId: out
    body: { title: 'Document {{unique}}' }
    scalars: [note, remark]
    arrayPort: { member: files, entry: { name: 'file {{unique}}' }, text: comment }
routes:
  softTypeDelete: /api/space/{spaceId}/softtype/{objectId}
${more}`,
    'small.yaml',
  );
}

/** Keeps objects well enough for create, read, page and merge. */
export function objectStore(): Handle {
  const objects = new Map<string, { version: number; data: Record<string, unknown> }>();
  return ({ method, url, body }, response) => {
    const segments = new URL(url, 'http://x').pathname.split('/').slice(1);
    if (method === 'POST') return create(objects, JSON.parse(body.toString()), response);
    const isPage = segments[4] === 'page';
    const object = objects.get(segments.at(isPage ? -2 : -1) ?? '');
    if (object === undefined) return void response.writeHead(404).end();
    if (isPage) return sendPage(object, Number(segments.at(-1)), response);
    if (method === 'GET') return sendObject(object, segments.at(-1) ?? '', response);
    Object.assign(object.data, JSON.parse(body.toString()));
    object.version += 1;
    return void response.writeHead(204, { 'Svc-UOIVersion': object.version }).end();
  };
}

type StoredObject = { version: number; data: Record<string, unknown> };

function create(objects: Map<string, StoredObject>, data: Record<string, unknown>, response: ServerResponse): void {
  const oid = `o-${objects.size + 1}`;
  const files = (data['files'] as object[] | undefined) ?? [];
  objects.set(oid, {
    version: 1,
    data: { ...data, files: files.map((file, index) => ({ ...file, $entryId: index + 100 })) },
  });
  response.writeHead(201, { Location: `/api/space/main/softtype/${oid}`, 'Svc-UOIVersion': 1 }).end();
}

function sendObject({ version, data }: StoredObject, oid: string, response: ServerResponse): void {
  const files = data['files'] as object[];
  const link = {
    rel: 'page',
    href: '/p/{pageNumber}',
    method: 'GET',
    sectionPath: 'data/files',
    pages: Math.ceil(files.length / 10),
    totalNumber: files.length,
  };
  const body = {
    href: `/api/space/main/softtype/${oid}`,
    data: { ...data, files: files.slice(0, 10), $oid: oid, $version: version, $softType: 'Document' },
    version,
    links: files.length > 10 ? [link] : [],
    schema: {},
  };
  sendJson(body, response);
}

function sendPage({ version, data }: StoredObject, page: number, response: ServerResponse): void {
  sendJson({ href: '/p', data: (data['files'] as object[]).slice(page * 10, page * 10 + 10), version }, response);
}

export function sendJson(body: unknown, response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
