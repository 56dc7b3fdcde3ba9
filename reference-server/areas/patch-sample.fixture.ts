import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import { carryOut } from './carry-out.fixture.ts';
import type { Route } from '../http/route.ts';
import { type AreaClasses, composeAreas, rightAreas } from '../areas.ts';
import { Outgoing } from '../ports/outgoing.ts';
import { loadConfiguration } from '../load-configuration.ts';
import { openFileStore } from '../ports/disk.ts';
import { Refusal } from '../http/refusal.ts';
import type { Answer, Log, SpaceCall } from '../http/call.ts';
import type { Areas } from '../areas.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import type { Content, StoredEntry } from '../ports/store.ts';

/** The handlers of the bundled configuration over a store in memory, for tests of the writing side. */
export interface Sample {
  readonly service: Areas;
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

type Handled = readonly [method: Route['method'], path: string];

/** @param classes those of its areas, the right ones unless given */
export function sample(classes: AreaClasses = rightAreas): Sample {
  const service: Areas = composeAreas(classes, {
    store: openSqliteStore(),
    fileStore: openFileStore(),
    clock: { now: () => nowMs, monotonic: () => 0, sleep: async () => undefined },
    configuration: loadConfiguration(),
    log,
    outgoing: new Outgoing(),
  });
  const write = async (handled: Handled, objectId: string, body: unknown, request: Request = {}): Promise<Answer> => {
    const object = await service.store.read((reading) => reading.object('main', objectId));
    const call = callOf(service, objectId, body, { version: object?.version ?? 1, ...request });
    return carryOut(service, ...handled, call);
  };
  const edit = (handled: Handled, oid: string, body: unknown, request?: Request) =>
    write(handled, oid, body, request).then(outcome, makeRefusal);
  return {
    service,
    async create(body, request) {
      const answer = await write(['POST', routes.create], '', body, {
        version: null,
        ...request,
      });
      return answer.headers?.Location?.split('/').at(-1) ?? '';
    },
    merge: (oid, body, request) => edit(['PATCH', routes.merge], oid, body, request),
    put: (oid, body, request) => edit(['PUT', routes.merge], oid, body, request),
    operate: (oid, body, request) =>
      edit(['PATCH', routes.operations], oid, body, {
        contentType: mediaTypes.operations,
        ...request,
      }),
    remove: (oid, request) =>
      edit(['DELETE', routes.instanceShort], oid, undefined, {
        version: null,
        ...request,
      }),
    stored: (oid) => stored(service, oid),
    async read(objectId) {
      const call = callOf(service, objectId, undefined, { version: null });
      const answer = await carryOut(service, 'GET', routes.instanceShort, call);
      return JSON.parse(answer.raw?.toString() ?? JSON.stringify(answer.body)).data;
    },
  };
}

/** A call by the editor of the main space. */
export function callOf({ configuration }: Areas, objectId: string, body: unknown, request: Request): SpaceCall {
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

function makeRefusal(error: unknown): Outcome {
  if (!(error instanceof Refusal)) throw error;
  return { status: error.status, pointer: error.pointer, detail: error.message };
}

async function stored({ store, configuration }: Areas, oid: string): Promise<Stored | undefined> {
  return store.read(async (reading) => {
    const object = await reading.object('main', oid);
    if (object === undefined) return undefined;
    const members = configuration.spaces.get('main')?.template.softTypes.get(object.softType)?.members ?? new Map();
    const arrays: Record<string, readonly StoredEntry[]> = {};
    for (const port of members.keys()) arrays[port] = await reading.entries(oid, port, everything);
    return { version: object.version, content: object.content, arrays };
  });
}
