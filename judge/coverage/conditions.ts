import { codeOf, isPossible } from '../../contract/coverage/conditions.ts';
import type { Conditions } from '../../contract/coverage/factors.ts';
import type { CoveredRouteName } from '../../contract/coverage/routes.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Sent } from '../client/wire.ts';
import { isObject, jsonOf, memberIn } from '../json.ts';
import { lastSegment } from '../requests.ts';
import type { Sender } from './callers.ts';
import type { ReachedLog } from './reached.ts';
import type { Place, RouteFinder } from './route-finder.ts';

const actions: Readonly<Partial<Record<CoveredRouteName, Conditions['action']>>> = {
  instanceShort: 'read',
  instanceLong: 'read',
  page: 'page',
  create: 'create',
  merge: 'merge',
  operations: 'operations',
  put: 'put',
  delete: 'delete',
  promote: 'promote',
  demote: 'demote',
  multiCreate: 'multi-create',
};

const roles: Readonly<Record<Sender['who'], Conditions['role'] | undefined>> = {
  nobody: 'nobody',
  stranger: 'nobody',
  key: undefined,
  editor: 'editor',
  secondEditor: 'editor',
  spaceAdministrator: 'editor',
  reader: 'reader',
  outsider: 'outside',
  noRole: 'outside',
  administrator: 'outside',
};

const versionHeader = headerNames.version.toLowerCase();
const filterHeader = headerNames.informationFilter.toLowerCase();

interface Asked {
  readonly sent: Sent;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly sender: Sender;
}

/** One request about a SoftType, sent by itself or as an operation of a batch. */
interface Request {
  readonly place: Place;
  readonly status: number | undefined;
  readonly version: string | undefined;
  readonly media: Conditions['media'] | undefined;
  /** Where the answer says that its object is, and which version it has. */
  readonly location: string | undefined;
  readonly newVersion: string | undefined;
  readonly carriage: Conditions['carriage'];
}

/** Tells under which conditions requests about SoftTypes are sent. Versions and locks are those that the answers so far have told. */
export class ConditionsOf {
  readonly #finder: RouteFinder;
  readonly #usualFilter: string;
  readonly #versions = new Map<string, string>();
  readonly #possible = new Map<string, boolean>();
  readonly #locks = new Map<string, Sender['who']>();

  constructor(profile: Profile, finder: RouteFinder) {
    this.#finder = finder;
    this.#usualFilter = Buffer.from(JSON.stringify(profile.informationFilter?.default ?? {})).toString('base64');
  }

  note(place: Place, asked: Asked, log: ReachedLog): void {
    if (place.route === 'batch') {
      for (const request of this.#operationsOf(asked.sent)) this.#noteOne(request, asked, log);
    } else this.#noteOne(singleRequest(place, asked), asked, log);
  }

  #noteOne(request: Request, { headers, sender }: Asked, log: ReachedLog): void {
    const { place } = request;
    const action = actions[place.route];
    if (action !== undefined) {
      const code = codeOf({
        action,
        credential: sender.who === 'stranger' ? 'stranger' : sender.credential,
        role: roles[sender.who],
        filter: this.#filterOf(headers.get(filterHeader)),
        search: searchIn(place.query),
        page: pageOf(place),
        version: this.#versionOf(request),
        media: request.media,
        lock: this.#lockOf(place, sender),
        carriage: request.carriage,
      });
      if (code !== undefined && this.#isPossible(code)) log.conditions(code);
    }
    this.#learn(request, sender);
  }

  /** A run asks of few codes, of each many times. */
  #isPossible(code: string): boolean {
    const known = this.#possible.get(code) ?? isPossible(code);
    this.#possible.set(code, known);
    return known;
  }

  #filterOf(text: string | undefined): Conditions['filter'] {
    if (text === undefined) return 'absent';
    return text === this.#usualFilter ? 'usual' : 'other';
  }

  /** What nobody has told counts as current unless the answer says otherwise. */
  #versionOf({ place, version, status }: Request): Conditions['version'] {
    if (version === undefined) return 'absent';
    const current = this.#versions.get(place.objectId ?? '');
    const isStale = current === undefined ? status === 409 : current !== version;
    return isStale ? 'stale' : 'current';
  }

  #lockOf({ objectId = '' }: Place, { who }: Sender): Conditions['lock'] {
    const holder = this.#locks.get(objectId);
    if (holder === undefined) return 'free';
    return holder === who ? 'own' : 'another';
  }

  #learn({ place, status = 0, newVersion, location }: Request, { who }: Sender): void {
    if (status < 200 || status >= 300) return;
    const objectId = place.objectId ?? (location === undefined ? undefined : lastSegment(location));
    if (objectId === undefined) return;
    if (place.route === 'lockTake') this.#locks.set(objectId, who);
    if (place.route === 'lockFree' || place.route === 'delete') this.#locks.delete(objectId);
    if (newVersion !== undefined) this.#versions.set(objectId, newVersion);
  }

  #operationsOf({ request, exchange }: Sent): readonly Request[] {
    const operations = request.body === undefined ? undefined : jsonOf(Buffer.from(request.body).toString());
    if (!Array.isArray(operations)) return [];
    const results = jsonOf(exchange.response?.body ?? '');
    return operations.flatMap((operation: unknown, index): readonly Request[] => {
      if (!isObject(operation) || typeof operation['href'] !== 'string') return [];
      const place = this.#finder.find(String(operation['method']), operation['href']);
      return place === undefined
        ? []
        : [operationRequest(place, operation, Array.isArray(results) ? results[index] : {})];
    });
  }
}

function singleRequest(place: Place, { sent: { request, exchange }, headers }: Asked): Request {
  const { headers: given = [] } = exchange.response ?? {};
  const valueOf = (wanted: string): string | undefined =>
    given.findLast(([name]) => name.length === wanted.length && name.toLowerCase() === wanted)?.[1];
  return {
    place,
    status: exchange.response?.status,
    version: headers.get(versionHeader),
    media: mediaOf(headers.get('content-type'), request.body),
    location: valueOf('location'),
    newVersion: valueOf(versionHeader),
    carriage: 'single',
  };
}

function operationRequest(place: Place, operation: Readonly<Record<string, unknown>>, result: unknown): Request {
  const headers = new Map(
    Object.entries(isObject(operation['headers']) ? operation['headers'] : {}).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]),
  );
  const body = isObject(result) && isObject(result['body']) ? result['body'] : {};
  const status = memberIn(result, 'statusCode');
  return {
    place,
    status: typeof status === 'number' ? status : undefined,
    version: headers.get(versionHeader),
    media: mediaOf(headers.get('content-type'), operation['body']),
    location: typeof body['href'] === 'string' ? body['href'] : undefined,
    newVersion: body['version'] === undefined ? undefined : String(body['version']),
    carriage: 'batch',
  };
}

/** Content without a type is JSON in a batch, and nothing that the table knows elsewhere. */
function mediaOf(type: string | undefined, body: unknown): Conditions['media'] | undefined {
  if (body === undefined) return 'none';
  if (type?.startsWith(mediaTypes.operations)) return 'operations';
  const isJson = type === undefined ? !(body instanceof Uint8Array) : type.startsWith(mediaTypes.json);
  return isJson ? 'json' : undefined;
}

function searchIn(query: string): Conditions['search'] {
  if (!query.includes('softTypeFilter')) return 'none';
  return /[?&][^=&]*\.[^=&]*=/.test(query) ? 'value' : 'fixed';
}

function pageOf({ pageNumber }: Place): Conditions['page'] | undefined {
  if (pageNumber === undefined) return 'none';
  if (!/^\d+$/.test(pageNumber)) return undefined;
  return Number(pageNumber) === 0 ? 'first' : 'later';
}
