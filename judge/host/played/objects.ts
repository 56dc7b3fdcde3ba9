import { entriesPerPage, instancesPerMultiCreate } from '../../../contract/limits.ts';
import { headerNames, mediaTypes, pageNumberTemplate } from '../../../contract/names.ts';
import { withoutSlash } from '../../../contract/address.ts';
import type { Reply } from '../../exchange.ts';
import { isObject, objectsIn } from '../../json.ts';
import { decodeSegment } from '../../service/requests.ts';
import { type Arrival, headerOf } from '../arrival.ts';
import type { StageAnswer } from '../stage-server.ts';
import { type Content, type EntryIds, operate, type Refused } from './content.ts';

/** An edit of an object, by itself or in a batch. */
export interface Edit {
  readonly method: string;
  readonly path: string;
  readonly isInBatch: boolean;
  /** Of the call whose token it carried. */
  readonly callId: string | undefined;
  /** As it was sent; undefined where none was. */
  readonly version: string | undefined;
  /** Versions of the object that were told before: since that call was told of it, where it was. */
  readonly told: readonly number[];
  readonly seen: Reply;
  /** What its operations lead to. */
  readonly pointers: readonly string[];
  /** What it would have added although it was there, and had been read: the pointer to it. */
  readonly addedAgain?: string;
  /** What it leads to in an array, in which no entry has that id: the pointer. */
  readonly byPosition?: string;
  /** What it leads to by way of the data of a read: the pointer. */
  readonly inData?: string;
  /** The definition that it is about in the place of the object, whose id stands before that. */
  readonly ofDefinition?: string;
}

/** An object that was created, by itself, in a batch or beside others. */
export interface Creation {
  readonly oid: string;
  /** As it was sent. */
  readonly content: Content;
  /** Of the call whose token the request carried. */
  readonly callId: string | undefined;
}

interface PlayedObject {
  version: number;
  readonly softType: string;
  content: Content;
  /** Members that the profile tells of. */
  readonly stated: readonly string[];
  /** Nobody told what it holds. */
  isMadeUp: boolean;
}

interface Told {
  readonly oid: string;
  readonly version: number;
  readonly callId: string | undefined;
}

/** A request of a SoftType route, by itself or in a batch. */
interface ObjectRequest {
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly query: string;
  readonly version: string | undefined;
  readonly isOperations: boolean;
  readonly body: unknown;
  readonly isInBatch: boolean;
  readonly callId: string | undefined;
  readonly seen: Reply;
}

const usualSoftType = 'Object';

const noSuchObject: StageAnswer = { status: 404, body: { title: 'There is no such object' } };

/** The objects of the service that the suite plays, in whichever space they are asked for. Source: core, Endpoint table */
export class PlayedObjects {
  readonly edits: Edit[] = [];
  /** Oldest first. */
  readonly creations: Creation[] = [];
  readonly #ids: EntryIds;
  /** Whether every id can be read. */
  readonly #isOpen: boolean;
  #objects = new Map<string, PlayedObject>();
  readonly #told: Told[] = [];
  /** Version at which each object was read last. */
  readonly #read = new Map<string, number>();
  readonly #removed = new Set<string>();
  #created = 0;

  /** @param known members of the objects that can be read, by their id; undefined where any id can */
  constructor(known: Readonly<Record<string, unknown>> | undefined, ids: EntryIds) {
    this.#ids = ids;
    this.#isOpen = known === undefined;
    for (const [oid, members] of Object.entries(known ?? {})) this.#objects.set(oid, this.#stated(members));
  }

  answer(arrival: Arrival): StageAnswer {
    const { method, json, path } = arrival;
    if (method === 'POST' && isBatch(path)) return this.#batch(arrival, Array.isArray(json) ? json : []);
    return this.#one(requestOf(arrival));
  }

  /** The service tells a version of an object in a call, which is that of the object unless it was used. */
  tell(oid: string, version: number): void {
    const object = this.#find(oid);
    if (object === undefined || this.#told.some((told) => told.oid === oid)) return;
    object.version = version;
    this.#told.push({ oid, version, callId: undefined });
  }

  /** All objects get another version, as by so many edits of others. */
  editElsewhere(edits: number): void {
    for (const object of this.#objects.values()) object.version += edits;
  }

  /** Others make an object like a model, or edit it so; whether it is told what the model holds. */
  makeLike(oid: string, model: string): boolean {
    const like = this.#objects.get(model);
    if (like === undefined || like.isMadeUp) return false;
    const version = (this.#objects.get(oid)?.version ?? 0) + 1;
    this.#objects.set(oid, { ...like, version });
    return true;
  }

  #stated(stated: unknown): PlayedObject {
    const { $version, $softType, $oid: _oid, ...members } = isObject(stated) ? stated : {};
    return {
      version: typeof $version === 'number' ? $version : 1,
      softType: typeof $softType === 'string' ? $softType : usualSoftType,
      content: this.#ids.of(members),
      stated: Object.keys(members),
      isMadeUp: false,
    };
  }

  #find(oid: string): PlayedObject | undefined {
    const there = this.#objects.get(oid);
    if (there !== undefined || !this.#isOpen || this.#removed.has(oid)) return there;
    const madeUp = { version: 1, softType: usualSoftType, content: {}, stated: [], isMadeUp: true };
    this.#objects.set(oid, madeUp);
    return madeUp;
  }

  /** One change set: where an operation fails, nothing is as if any had been. Source: core, Batch rules 1 and 3 */
  #batch(arrival: Arrival, items: readonly unknown[]): StageAnswer {
    const before = structuredClone(this.#objects);
    const createdBefore = this.creations.length;
    const results = items.map((item) => {
      const request = operationOf(item, arrival);
      return { request, answer: this.#one(request) };
    });
    const isRefused = results.some(({ answer }) => answer.status >= 400);
    if (isRefused) {
      this.#objects = before;
      this.creations.length = createdBefore;
    }
    return {
      status: isRefused ? 500 : 200,
      body: results.map(({ request, answer }) => resultOf(request, answer)),
    };
  }

  #one(request: ObjectRequest): StageAnswer {
    const { method, path } = request;
    if (/\.openApi$/i.test(path)) return this.#definitions(request);
    // as those of locks, which are not shown
    if (!isDocumented(path) && method !== 'GET') return { status: 204 };
    if (method === 'POST') return Array.isArray(request.body) ? this.#createAll(request) : this.#create(request);
    const oid = oidOf(path);
    const object = this.#find(oid);
    if (method === 'PUT' || method === 'PATCH') return this.#edit(request, oid, object);
    if (object === undefined) return noSuchObject;
    if (method === 'DELETE') {
      this.#objects.delete(oid);
      this.#removed.add(oid);
      return { status: 204 };
    }
    this.#tell(request, oid, object);
    this.#read.set(oid, object.version);
    return isPage(path) ? pageAnswer(request, object) : readAnswer(request, oid, object);
  }

  #definitions({ method, path }: ObjectRequest): StageAnswer {
    if (method !== 'GET') return { status: 405, headers: { Allow: 'GET' } };
    const softTypes = new Set([...this.#objects.values()].map(({ softType }) => softType));
    return { status: 200, body: /\/dynamic\//i.test(path) ? dynamicDefinitions([...softTypes]) : staticDefinitions() };
  }

  #create(request: ObjectRequest): StageAnswer {
    const { path, body } = request;
    if (!isObject(body)) return { status: 400, body: { title: 'This is no content of an object' } };
    const oid = this.#add(request, softTypeIn(path), body);
    return { status: 201, headers: { ...versionHeader(1), Location: `${withoutSlash(path)}/${oid}` } };
  }

  /** Source: core, Multi-create rules */
  #createAll(request: ObjectRequest): StageAnswer {
    const items = (request.body as readonly unknown[]).map((item) => (isObject(item) ? item : {}));
    const ids = items.map(({ $id }) => $id);
    const isWhole = items.every(
      ({ $softType, data }) =>
        typeof $softType === 'string' &&
        (data === undefined || isObject(data)) &&
        referencesIn(data).every((to) => ids.includes(to)),
    );
    if (!isWhole || items.length === 0 || items.length > instancesPerMultiCreate)
      return { status: 400, body: { title: 'These items cannot be created' } };
    const space = /^.*\/space\/[^/]+/.exec(request.path)?.[0] ?? '';
    const results = items.map(({ $id, $softType, data }) => {
      const oid = this.#add(request, String($softType), isObject(data) ? data : {});
      return { $id, href: `${space.replace(/(?<!\/api)(?=\/space\/)/, '/api')}/softtype/${oid}`, version: 1 };
    });
    return { status: 201, body: results };
  }

  #add(request: ObjectRequest, softType: string, content: Content): string {
    let oid = '';
    do {
      this.#created += 1;
      oid = `${this.#created}`.padStart(8, '0');
    } while (this.#objects.has(oid));
    const created = { version: 1, softType, content: this.#ids.of(content), stated: [], isMadeUp: false };
    this.#objects.set(oid, created);
    this.creations.push({ oid, content, callId: request.callId });
    this.#tell(request, oid, created);
    return oid;
  }

  #edit(request: ObjectRequest, oid: string, object: PlayedObject | undefined): StageAnswer {
    const { method, path, isInBatch, callId, version, seen } = request;
    const told = this.#versionsTold(oid, callId);
    const changed = object === undefined ? undefined : changedBy(request, object);
    const refused: Partial<Refused> = changed !== undefined && 'refused' in changed ? changed : {};
    const { existing, position, inData } = refused;
    // who tells the version that was read last knows what others made of the object
    const isCurrent =
      object !== undefined && [Number(version), this.#read.get(oid)].every((at) => at === object.version);
    const isStated = object?.stated.some((name) => existing?.split('/')[1] === name) === true && this.#read.has(oid);
    const edit = { method, path, isInBatch, callId, version, seen, told, pointers: pointersIn(request.body) };
    this.edits.push({
      ...edit,
      ...((isStated || isCurrent) && existing !== undefined && { addedAgain: existing }),
      ...(isCurrent && position !== undefined && { byPosition: position }),
      ...(inData !== undefined && { inData }),
      ...(object === undefined && this.#isSwapped(path) && { ofDefinition: oid }),
    });
    if (object === undefined || changed === undefined) return noSuchObject;
    if (version === undefined) return { status: 412, body: { title: `${headerNames.version} is missing` } };
    // what nobody was told of has the version that whoever edits it knows
    if (object.isMadeUp && told.length === 0 && Number.isInteger(Number(version))) object.version = Number(version);
    if (Number(version) !== object.version) return { status: 409, body: { title: 'The version is another' } };
    if ('refused' in changed) return { status: 400, body: { title: changed.refused } };
    object.content = this.#ids.of(changed.content);
    object.isMadeUp &&= method !== 'PUT' || isMaturityAction(path);
    // who had read what it edited knows what that has become
    if (this.#read.get(oid) === object.version) this.#read.set(oid, object.version + 1);
    object.version += 1;
    this.#tell(request, oid, object);
    return { status: 204, headers: versionHeader(object.version) };
  }

  /** Whether a route ends with the SoftType of the object whose id stands before it. */
  #isSwapped(path: string): boolean {
    const [oid = '', softType = ''] = withoutSlash(path).split('/').slice(-2).map(decodeSegment);
    return !isMaturityAction(path) && this.#objects.get(oid)?.softType === softType;
  }

  #tell({ callId }: ObjectRequest, oid: string, { version }: PlayedObject): void {
    this.#told.push({ oid, version, callId });
  }

  #versionsTold(oid: string, callId: string | undefined): readonly number[] {
    const ofObject = this.#told.filter((one) => one.oid === oid);
    const first = ofObject.findIndex((one) => one.callId === callId);
    // calls may share what they learn
    return [...new Set(ofObject.slice(Math.max(0, first)).map(({ version }) => version))];
  }
}

function pointersIn(body: unknown): readonly string[] {
  return objectsIn(body).flatMap(({ path }) => (typeof path === 'string' ? [path] : []));
}

/** What an edit makes of an object. Source: core, Endpoint table, rows PUT and PATCH */
function changedBy({ method, path, body, isOperations }: ObjectRequest, object: PlayedObject) {
  const { content } = object;
  if (isMaturityAction(path)) return { content };
  if (method === 'PATCH' && isOperations) return operate(content, body, object);
  if (!isObject(body)) return { refused: 'This is no content of an object' };
  const { $version: _version, $oid: _oid, $softType: _softType, ...members } = body;
  return { content: method === 'PUT' ? members : { ...content, ...members } };
}

function readAnswer({ path, query }: ObjectRequest, oid: string, object: PlayedObject): StageAnswer {
  const { version, softType, content } = object;
  const [whole, pagesLinks] = [{ ...content }, [] as object[]];
  for (const [name, entries] of Object.entries(content)) {
    if (!isPaged(entries)) continue;
    whole[name] = entries.slice(0, entriesPerPage);
    pagesLinks.push(pageLink({ path, query, oid, softType }, name, entries.length));
  }
  const data = { $version: version, $oid: oid, $softType: softType, ...whole };
  return {
    status: 200,
    headers: versionHeader(version),
    body: { href: path, data, version, links: pagesLinks, schema: {} },
  };
}

/** Of an array of entries that one read does not hold. Source: core, Server side paging 1 and 2 */
function isPaged(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > entriesPerPage && value.every(isObject);
}

function pageLink(
  {
    path,
    query,
    oid,
    softType,
  }: { readonly path: string; readonly query: string; readonly oid: string; readonly softType: string },
  name: string,
  totalNumber: number,
): object {
  const [space = ''] = /^.*\/softtype(?=\/)/i.exec(path) ?? [];
  const [, definition = softType, schema = 'default'] = /\/softtype\/([^/]+)\/([^/]+)\/[^/]+\/?$/i.exec(path) ?? [];
  const route = [definition, schema, encodeURIComponent(name), encodeURIComponent(oid), pageNumberTemplate].join('/');
  return {
    rel: 'page',
    href: `${space}/page/${route}${query.replace('softTypeFilterId=', 'softTypeFilter=')}`,
    method: 'GET',
    sectionPath: name,
    pages: Math.ceil(totalNumber / entriesPerPage),
    totalNumber,
  };
}

function pageAnswer({ path }: ObjectRequest, { content, version }: PlayedObject): StageAnswer {
  const [name = '', , number = ''] = withoutSlash(path).split('/').slice(-3).map(decodeSegment);
  const entries = content[name];
  const from = Number(number) * entriesPerPage;
  const isThere = /^\d+$/.test(number) && Array.isArray(entries) && from < Math.max(1, entries.length);
  if (!isThere) return { status: 404, body: { title: 'There is no such page' } };
  return { status: 200, body: { href: path, data: entries.slice(from, from + entriesPerPage), version } };
}

function requestOf(arrival: Arrival): ObjectRequest {
  const { method, target, path, json, callId, seen } = arrival;
  return {
    method,
    path: withoutSlash(path),
    query: target.slice(path.length),
    version: headerOf(arrival, headerNames.version),
    isOperations: (headerOf(arrival, 'content-type') ?? '').toLowerCase().startsWith(mediaTypes.operations),
    body: json,
    isInBatch: false,
    callId,
    seen,
  };
}

/** Source: core, Batch operation */
function operationOf(item: unknown, { callId, seen }: Arrival): ObjectRequest {
  const { method, href, headers, body } = isObject(item) ? item : {};
  const target = typeof href === 'string' ? href.replace(/^https?:\/\/[^/]*/i, '') : '';
  const [path = ''] = target.split('?');
  const named = (name: string): string | undefined => {
    const found = Object.entries(isObject(headers) ? headers : {}).find(([key]) => key.toLowerCase() === name);
    return found === undefined ? undefined : String(found[1]);
  };
  return {
    method: typeof method === 'string' ? method.toUpperCase() : 'GET',
    path: withoutSlash(path),
    query: target.slice(path.length),
    version: named(headerNames.version.toLowerCase()),
    isOperations: Array.isArray(body) || named('content-type')?.startsWith(mediaTypes.operations) === true,
    body,
    isInBatch: true,
    callId,
    seen,
  };
}

/** Source: core, Batch result */
function resultOf({ method, path }: ObjectRequest, { status, headers = {}, body }: StageAnswer): object {
  if (method === 'GET' || status >= 400 || Array.isArray(body)) return { statusCode: status, body };
  const version = headers[headerNames.version];
  const written = { href: headers['Location'] ?? path, ...(version !== undefined && { version: Number(version) }) };
  return { statusCode: status, body: written };
}

function versionHeader(version: number): Readonly<Record<string, string>> {
  return { [headerNames.version]: String(version) };
}

/** What references inside a multi-create lead to. Source: core, Multi-create item */
function referencesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return 'instanceRef' in value ? [value['instanceRef']] : Object.values(value).flatMap(referencesIn);
}

function softTypeIn(path: string): string {
  return decodeSegment(/\/softtype\/([^/]+)/i.exec(path)?.[1] ?? usualSoftType);
}

/** Id of the object that a route is about. Source: core, Endpoint table */
function oidOf(path: string): string {
  const segments = withoutSlash(path).split('/').map(decodeSegment);
  const action = segments.indexOf('maturityAction');
  return (action === -1 ? segments.at(isPage(path) ? -2 : -1) : segments[action + 2]) ?? '';
}

function isPage(path: string): boolean {
  return /\/softtype\/page\//i.test(path);
}

function isBatch(path: string): boolean {
  return /\/batch\/?$/.test(path);
}

function isDocumented(path: string): boolean {
  return /\/softtype(?:\/|$)/i.test(path) || isMaturityAction(path);
}

function isMaturityAction(path: string): boolean {
  return path.includes('/maturityAction/');
}

/** Definitions of all SoftTypes that the service that the suite plays has. Source: core, Endpoint table, last row */
function dynamicDefinitions(softTypes: readonly string[]): object {
  const paths = softTypes.map((softType) => {
    const name = encodeURIComponent(softType);
    return [
      [`/api/space/{spaceId}/softtype/${name}/{inputSchemaId}`, pathItem(['post'])],
      [`/api/space/{spaceId}/softtype/${name}/{inputSchemaId}/{objectId}`, pathItem(['get', 'put', 'patch'])],
      [`/api/space/{spaceId}/softtype/${name}/{objectId}`, pathItem(['patch'])],
    ];
  });
  return definitions('SoftTypes', Object.fromEntries(paths.flat()));
}

/** Definitions of what each service has. Source: core, Endpoint table */
function staticDefinitions(): object {
  return definitions('Space', {
    '/api/space/{spaceId}/softtype/{objectId}': pathItem(['get']),
    '/api/space/{spaceId}/batch': pathItem(['post']),
  });
}

function definitions(title: string, paths: object): object {
  return { openapi: '3.0.3', info: { title, version: '1.0.0' }, paths };
}

function pathItem(methods: readonly string[]): object {
  return Object.fromEntries(
    methods.map((method) => [method, { responses: { default: { description: 'An answer' } } }]),
  );
}
