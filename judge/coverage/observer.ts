import { isSuccess } from '../exchange.ts';
import {
  type ContentKind,
  coveredRoutes,
  type CoveredRoute,
  type Caller,
  type CoveredRouteName,
} from '../../contract/coverage/routes.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Sent } from '../client/wire.ts';
import type { LoadedProfile } from '../profile/load.ts';
import type { Secrets } from '../redact/redact.ts';
import type { ReachedLog } from './reached.ts';
import { type Place, RouteFinder } from './route-finder.ts';
import { identitiesIn } from '../service/roles.ts';
import type { IdentityName, Profile } from '../../contract/profile.ts';
import { tokenVariable } from '../curl/variables.ts';
import { decodeSegment, lastSegment } from '../service/requests.ts';
import { secretsOf } from '../redact/profile-secrets.ts';
import { codeOf, isPossible } from '../../contract/coverage/conditions.ts';
import type { Conditions } from '../../contract/coverage/factors.ts';
import { isObject, jsonOf, memberIn } from '../json.ts';

/** Headers of a request that the documents name, by lower-case name. */
type NamedHeaders = ReadonlyMap<string, string>;

const { version, informationFilter, correlationId } = headerNames;
const named: ReadonlySet<string> = new Set(
  ['Authorization', 'Content-Type', 'If-None-Match', 'checksum', version, informationFilter, correlationId].map(
    (name) => name.toLowerCase(),
  ),
);

/** Looks at every exchange of a run and notes which parts of the documents it reaches. It judges nothing. */
export class Observer {
  readonly #finder: RouteFinder;
  readonly #callers: Callers;
  readonly #conditions: ConditionsOf;

  constructor(loaded: LoadedProfile, secrets: Secrets) {
    this.#finder = new RouteFinder(loaded.profile);
    this.#callers = new Callers(loaded, secrets);
    this.#conditions = new ConditionsOf(loaded.profile, this.#finder);
  }

  note(sent: Sent, log: ReachedLog): void {
    const { request, exchange } = sent;
    const { response } = exchange;
    const place = request.arrived === true ? undefined : this.#finder.find(request.method, request.url);
    if (place === undefined || response === undefined) return;
    const headers = namedIn(request.headers);
    const sender = this.#callers.senderOf(headers.get('authorization'), place.query);
    // whoever gets a 401 is not known for whom the credential says
    const who = response.status === 401 && sender.who !== 'nobody' ? 'stranger' : sender.who;
    const kind = contentKindOf(headers.get('content-type'), request.body);
    const key = `${place.route} ${response.status} ${who} ${kind} ${[...headers.keys()].join()}`;
    if (!log.seen.has(key)) {
      log.seen.add(key);
      noteFacts(place, { who, kind, headers, response }, log);
    }
    this.#conditions.note(place, { sent, headers, sender }, log);
  }
}

interface Found {
  readonly who: string;
  readonly kind: ContentKind | 'other';
  readonly headers: NamedHeaders;
  readonly response: NonNullable<Sent['exchange']['response']>;
}

function noteFacts({ route }: Place, { who, kind, headers, response }: Found, log: ReachedLog): void {
  const { asks, gives }: CoveredRoute = coveredRoutes[route];
  log.fact(`${route} ${response.status} ${who}`);
  if (kind !== 'other') log.fact(`${route} sends ${kind}`);
  for (const name of asks) log.fact(`${route} ${headers.has(name.toLowerCase()) ? 'with' : 'without'} ${name}`);
  if (!isSuccess(response.status)) return;
  const given = new Set(response.headers.map(([name]) => name.toLowerCase()));
  for (const name of gives) if (given.has(name.toLowerCase())) log.fact(`${route} gives ${name}`);
}

function namedIn(headers: Sent['request']['headers']): NamedHeaders {
  const found = new Map<string, string>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (named.has(lower)) found.set(lower, value);
  }
  return found;
}

const kinds: Readonly<Record<string, ContentKind>> = {
  [mediaTypes.json]: 'json',
  [mediaTypes.operations]: 'operations',
  [mediaTypes.form]: 'form',
  'multipart/form-data': 'multipart',
  'application/octet-stream': 'file',
};

function contentKindOf(type: string | undefined, body: Uint8Array | undefined): ContentKind | 'other' {
  if (body === undefined && type === undefined) return 'none';
  return kinds[(type ?? '').split(';')[0]?.trim().toLowerCase() ?? ''] ?? 'other';
}

/** Form of a credential. */
type Credential = 'jwt' | 'pat' | 'basic' | 'stranger' | 'none';

/** Who sends a request, as far as its credential shows. */
interface Sender {
  readonly who: Caller;
  readonly credential: Credential;
}

const nobody: Sender = { who: 'nobody', credential: 'none' };
const stranger: Sender = { who: 'stranger', credential: 'stranger' };
const mostRemembered = 1000;

/** Tells by credentials who sends. */
class Callers {
  readonly #secrets: Secrets;
  readonly #byVariable = new Map<string, Sender>();
  readonly #byUser = new Map<string, IdentityName>();
  /** A run uses few credentials, each for many requests. */
  readonly #remembered = new Map<string, Sender>();

  constructor(loaded: LoadedProfile, secrets: Secrets) {
    this.#secrets = secrets;
    const names = identitiesIn(loaded.profile);
    const variables = new Map(secretsOf(loaded).map(({ path, variable }) => [path, variable]));
    for (const who of names) {
      const { username, token } = loaded.profile.identities[who] ?? {};
      this.#byVariable.set(tokenVariable(who), { who, credential: 'jwt' });
      this.#note(variables.get(`identities.${who}.pat`), { who, credential: 'pat' });
      const isJwt = token === undefined || token.split('.').length === 3;
      this.#note(variables.get(`identities.${who}.token`), { who, credential: isJwt ? 'jwt' : 'pat' });
      if (username !== undefined) this.#byUser.set(username, who);
    }
  }

  /** @param authorization value of the header @param query with its question mark */
  senderOf(authorization: string | undefined, query: string): Sender {
    if (authorization !== undefined) return this.#told(authorization);
    const token = /[?&]token=([^&]*)/.exec(query)?.[1];
    return token === undefined ? nobody : this.#told(`Bearer ${decodeSegment(token)}`);
  }

  #told(authorization: string): Sender {
    const known = this.#remembered.get(authorization);
    if (known !== undefined) return known;
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    const sender = this.#lookUp(authorization);
    this.#remembered.set(authorization, sender);
    return sender;
  }

  #lookUp(authorization: string): Sender {
    const [, scheme = '', text = ''] = /^(\S+) +(.*)$/s.exec(authorization) ?? [];
    if (scheme.toLowerCase() === 'basic') {
      const [user = ''] = Buffer.from(text, 'base64').toString().split(':');
      const who = this.#byUser.get(user);
      return who === undefined ? stranger : { who, credential: 'basic' };
    }
    const variable = this.#secrets.nameOf(text) ?? '';
    if (/SIGNATURE|API_KEY/.test(variable)) return { who: 'key', credential: 'stranger' };
    return this.#byVariable.get(variable) ?? stranger;
  }

  #note(variable: string | undefined, sender: Sender): void {
    if (variable !== undefined) this.#byVariable.set(variable, sender);
  }
}

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
class ConditionsOf {
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
    if (!isSuccess(status)) return;
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
