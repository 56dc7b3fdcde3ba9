import { headerNames, mediaTypes } from '../../contract/names.ts';
import { behaviours, type Behaviours } from '../behaviours.ts';
import { loadConfiguration } from '../configuration/load.ts';
import { openFileStore } from '../files/disk/disk.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Log, Service, SpaceCall, WriteHandler } from '../service.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import type { Content, StoredEntry } from '../store/store.ts';

/** The handlers of the bundled configuration over a store in memory, for tests of the writing side. */
export interface Sample {
  readonly service: Service;
  create(body: unknown, request?: Request): Promise<string>;
  merge(oid: string, body: unknown, request?: Request): Promise<Outcome>;
  put(oid: string, body: unknown, request?: Request): Promise<Outcome>;
  operate(oid: string, body: unknown, request?: Request): Promise<Outcome>;
  remove(oid: string, request?: Request): Promise<Outcome>;
  /** What is stored, arrays included; undefined when the object is gone. */
  stored(oid: string): Promise<Stored | undefined>;
  /** `data` of a read. */
  read(oid: string): Promise<Content>;
}

export interface Request {
  /** That of the object unless given; null for no header. */
  readonly version?: number | string | null;
  readonly filter?: object;
  readonly definitionId?: string;
  readonly inputSchemaId?: string;
  readonly contentType?: string;
}

export interface Outcome {
  readonly status: number;
  readonly version?: string | undefined;
  readonly pointer?: string | undefined;
  readonly detail?: string;
}

export interface Stored {
  readonly version: number;
  readonly content: Content;
  readonly arrays: Readonly<Record<string, readonly StoredEntry[]>>;
}

/** 1970-01-01T00:00:01Z */
const nowMs = 1000;
const everything = { from: 0, to: 1_000_000 };
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

type Handler = WriteHandler<SpaceCall>;

/** @param wrong turns the record of behaviours into the one this service has */
export function sample(wrong: (right: Behaviours) => Behaviours = (right) => right): Sample {
  const service: Service = {
    behaviours: wrong(behaviours),
    store: openSqliteStore(),
    files: openFileStore(),
    clock: { now: () => nowMs, monotonic: () => 0, sleep: async () => undefined },
    configuration: loadConfiguration(),
    log,
  };
  const write = async (handle: Handler, objectId: string, body: unknown, request: Request = {}): Promise<Answer> => {
    const object = await service.store.read((reading) => reading.object('main', objectId));
    const call = callOf(service, objectId, body, { version: object?.version ?? 1, ...request });
    return service.store.change((writing) => handle(service, call, writing));
  };
  const edit = (handle: Handler, oid: string, body: unknown, request?: Request) =>
    write(handle, oid, body, request).then(outcome, refused);
  return {
    service,
    async create(body, request) {
      const answer = await write(service.behaviours.createObject, '', body, { version: null, ...request });
      return answer.headers?.Location?.split('/').at(-1) ?? '';
    },
    merge: (oid, body, request) => edit(service.behaviours.mergeObject, oid, body, request),
    put: (oid, body, request) => edit(service.behaviours.putObject, oid, body, request),
    operate: (oid, body, request) =>
      edit(service.behaviours.operateObject, oid, body, { contentType: mediaTypes.operations, ...request }),
    remove: (oid, request) => edit(service.behaviours.deleteObject, oid, undefined, { version: null, ...request }),
    stored: (oid) => stored(service, oid),
    async read(objectId) {
      const call = callOf(service, objectId, undefined, { version: null });
      const answer = await service.store.read((reading) => service.behaviours.readInstance(service, call, reading));
      return JSON.parse(answer.raw?.toString() ?? JSON.stringify(answer.body)).data;
    },
  };
}

/** A call by the editor of the main space. */
export function callOf({ configuration }: Service, objectId: string, body: unknown, request: Request): SpaceCall {
  const {
    version = null,
    filter = {},
    definitionId = 'Document',
    inputSchemaId = 'documentInput',
    contentType = mediaTypes.json,
  } = request;
  const [space, user] = [configuration.spaces.get('main'), configuration.users.get('edda')];
  if (space === undefined || user === undefined) throw new Error('The bundled seed has no space main or no user edda.');
  return {
    method: '',
    url: '/',
    params: {
      spaceId: 'main',
      ...(objectId === '' ? {} : { objectId }),
      ...(body === undefined ? {} : { definitionId, inputSchemaId }),
    },
    query: new URLSearchParams(),
    headers: {
      [headerNames.informationFilter.toLowerCase()]: Buffer.from(JSON.stringify(filter)).toString('base64'),
      'content-type': contentType,
      ...(version === null ? {} : { [headerNames.version.toLowerCase()]: String(version) }),
    },
    body: body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    correlationId: '1',
    correlationGiven: false,
    log,
    space,
    user,
  };
}

function outcome({ status, headers }: Answer): Outcome {
  return { status, version: headers?.[headerNames.version] };
}

function refused(error: unknown): Outcome {
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, pointer: error.pointer, detail: error.message };
}

async function stored({ store, configuration }: Service, oid: string): Promise<Stored | undefined> {
  return store.read(async (reading) => {
    const object = await reading.object('main', oid);
    if (object === undefined) return undefined;
    const members = configuration.spaces.get('main')?.template.softTypes.get(object.softType)?.members ?? new Map();
    const arrays: Record<string, readonly StoredEntry[]> = {};
    for (const port of members.keys()) arrays[port] = await reading.entries(oid, port, everything);
    return { version: object.version, content: object.content, arrays };
  });
}
