import { withoutSlash } from '../../contract/address.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import type { RequestTemplate, TriggerRequest } from '../../contract/profile/calls-out.ts';
import { routes } from '../../contract/routes.ts';
import { originOf, type WireRequest } from '../client/wire.ts';
import { type Changes, type Reply, type RequestSpec, statedHeader } from '../exchange.ts';
import { pointer, valueAt } from '../json.ts';
import { type BoundProfile, portOf } from '../profile.ts';
import type { Port, Thing } from '../things.ts';
import { ownsCorrelation } from '../case/trace.ts';
import { NoReference, NotOffered, UnfitProfile } from '../violation.ts';

/** What browsers and libraries say by themselves: JSON rather than others, and packed where that is possible. */
export const usualHeaders = { Accept: 'application/json, text/plain, */*', 'Accept-Encoding': 'gzip' };

/** Makes requests of the documented routes without sending them; the sender is the editor, version and filter are valid. */
export interface Requests {
  /** GET by the short route, or by the long one where the profile says that the short one applies another output schema. */
  read(thing: Thing): RequestSpec;
  /** GET by the short route, whatever it shows. */
  readShort(thing: Thing): RequestSpec;
  /** GET by the long route, with the output schema of the profile unless another is named. */
  readLong(thing: Thing, outputSchemaId?: string): RequestSpec;
  page(thing: Thing, pageNumber: number | string, port?: Port): RequestSpec;
  create(body: unknown, thing?: Pick<Thing, 'type' | 'space'>): RequestSpec;
  /** @throws {NotOffered} the deployment does without */
  merge(thing: Thing, body: unknown, version?: number): RequestSpec;
  /** A merge; by operations, member by member, where the deployment does without merges. What the thing was made with is replaced. */
  edit(thing: Thing, body: Readonly<Record<string, unknown>>, version?: number): RequestSpec;
  operations(thing: Thing, operations: unknown, version?: number): RequestSpec;
  /** Needs `put-route`. */
  put(thing: Thing, body: unknown, version?: number): RequestSpec;
  /** Needs `delete-route`. */
  remove(thing: Thing): RequestSpec;
  /** Needs `maturity`. */
  promote(thing: Thing, version?: number): RequestSpec;
  /** Needs `demote-route` and `maturity`. */
  demote(thing: Thing, version?: number): RequestSpec;
  batch(operations: readonly object[]): RequestSpec;
  multiCreate(items: readonly object[]): RequestSpec;
  openApi(): RequestSpec;
  /** Any GET; `uri` may be relative to `base`. */
  get(uri: string, base?: Reply): RequestSpec;
}

/** Makes requests of the documented routes and of those that the profile binds. */
export function requestsOf(profile: BoundProfile): Requests {
  const { all } = profile;
  const spaceId = all.space;
  const by = (
    method: string,
    template: string,
    values: { readonly spaceId: string } & Readonly<Record<string, string | number>>,
    more: Partial<RequestSpec> = {},
  ): RequestSpec => ({
    method,
    url: absoluteUrl(all, fillTemplate(template, values)),
    as: profile.asker(values.spaceId),
    ...more,
  });

  const requests: Requests = {
    read: (thing) => by('GET', hasShortRoute(thing.type) ? routes.instanceShort : routes.instanceLong, idsOf(thing)),
    readShort: (thing) => by('GET', routes.instanceShort, idsOf(thing)),
    readLong: (thing, outputSchemaId) =>
      by('GET', routes.instanceLong, { ...idsOf(thing), ...(outputSchemaId !== undefined && { outputSchemaId }) }),
    page: (thing, pageNumber, port) =>
      by('GET', routes.page, { ...idsOf(thing), arrayPortId: portIdOf(thing, port), pageNumber }),
    create: (body, of) => by('POST', routes.create, typeIds(of ?? { type: profile.primary, space: spaceId }), { body }),
    merge: (thing, body, version = thing.version) => {
      if (!profile.offers('merge')) throw new NotOffered('merge');
      return by('PATCH', routes.merge, idsOf(thing), { body, version });
    },
    edit: (thing, body, version) =>
      profile.offers('merge') || !profile.offers('operations')
        ? requests.merge(thing, body, version)
        : requests.operations(thing, operationsOf(thing, body), version),
    operations: (thing, operations, version = thing.version) =>
      by('PATCH', routes.operations, idsOf(thing), {
        body: operations,
        version,
        headers: { 'Content-Type': mediaTypes.operations },
      }),
    put: (thing, body, version = thing.version) =>
      by('PUT', bound(all.routes?.softTypePut, 'softTypePut'), idsOf(thing), { body, version }),
    remove: (thing) => by('DELETE', bound(all.routes?.softTypeDelete, 'softTypeDelete'), idsOf(thing)),
    promote: (thing, version = thing.version) =>
      by('PUT', routes.promote, { ...idsOf(thing), ...levelIds(profile) }, { version }),
    demote: (thing, version = thing.version) =>
      by('PUT', bound(all.routes?.demote, 'demote'), { ...idsOf(thing), ...levelIds(profile) }, { version }),
    batch: (operations) => by('POST', routes.batch, { spaceId }, { body: operations, mayFail: true }),
    multiCreate: (items) => by('POST', all.routes?.multiCreate ?? routes.multiCreate, { spaceId }, { body: items }),
    openApi: () => by('GET', all.routes?.openApiDynamic ?? routes.openApiDynamic, { spaceId }),
    get: (uri, base) => {
      if (base !== undefined && !URL.canParse(uri, base.url)) throw new NoReference(uri, base);
      const url = base === undefined ? absoluteUrl(all, uri) : new URL(uri, base.url).href;
      return { method: 'GET', url, as: profile.asker(spaceId) };
    },
  };
  return requests;
}

/** The operations that do to these members what a merge would. */
function operationsOf({ body: there }: Thing, body: Readonly<Record<string, unknown>>): readonly object[] {
  return Object.entries(body).map(([name, value]) => ({
    op: Object.hasOwn(there, name) ? 'replace' : 'add',
    path: pointer(name),
    value,
  }));
}

/** Whether the short route shows the members of the output schema in the profile. */
export function hasShortRoute({ shortRouteSchemaId, outputSchemaId }: Thing['type']): boolean {
  return shortRouteSchemaId === undefined || shortRouteSchemaId === outputSchemaId;
}

interface Ids {
  readonly spaceId: string;
  readonly [name: string]: string;
}

function idsOf(thing: Thing): Ids {
  return { ...typeIds(thing), objectId: thing.oid };
}

function typeIds({ type, space }: Pick<Thing, 'type' | 'space'>): Ids {
  const { definitionId, inputSchemaId, outputSchemaId } = type;
  return { spaceId: space, definitionId, softTypeId: definitionId, inputSchemaId, outputSchemaId };
}

function levelIds({ all }: BoundProfile): Record<string, string> {
  const { processId, levelId } = bound(all.maturity, 'maturity');
  return { processId, levelId };
}

function portIdOf(thing: Thing, port?: { readonly portId: string }): string {
  return port?.portId ?? portOf(bound(thing.type.arrayPort, 'arrayPort')).portId;
}

function bound<T>(value: T | undefined, key: string): T {
  if (value === undefined)
    throw new Error(`the case uses ${key}, which the profile does not bind: its rule does not name the need`);
  return value;
}

/** An address that is absolute, names another host by the same scheme (`//host/…`), or stands from the base URL on. */
export function absoluteUrl(profile: Pick<Profile, 'baseUrl'>, url: string): string {
  if (/^https?:\/\//i.test(url)) return url;
  if (url.startsWith('//') && URL.canParse(url, profile.baseUrl)) return new URL(url, profile.baseUrl).href;
  const base = withoutSlash(profile.baseUrl);
  return url.startsWith('/') ? base + url : `${base}/${url}`;
}

/** The address that a reference of an answer stands for; undefined where it is no reference, or nothing that HTTP leads to. */
export function addressBehind(reference: string, base: string): URL | undefined {
  const url = URL.parse(reference, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** A path template with its names replaced by percent-encoded segments. @throws {Error} for a name without a value */
export function fillTemplate(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the path template ${template} asks for {${name}}, which is not known`);
    return encodeURIComponent(String(value).toWellFormed());
  });
}

type StatedHeaders = NonNullable<RequestSpec['headers']>;

/** A request with the changes of a case; headers are joined without regard to case. */
export function withChanges(request: RequestSpec, changes: Changes = {}): RequestSpec {
  const { headers, ...rest } = changes;
  return { ...request, ...rest, headers: joined(request.headers ?? {}, headers ?? {}) };
}

/** The request as it goes over the wire. The token and the filter of the profile go to the service only, under whatever name of its. */
export function prepareRequest(request: RequestSpec, token: string | null, profile: Profile): WireRequest {
  // what an address has behind a number sign is for whoever reads the answer
  const [url = ''] = absoluteUrl(profile, request.url).split('#', 1);
  const home = isOfService(url, profile);
  const filter =
    request.filter === undefined && !home ? null : filterText(request.filter ?? defaultFilter(request, profile));
  const stated: StatedHeaders = {
    Authorization: token !== null && home ? `Bearer ${token}` : null,
    [headerNames.informationFilter]: filter,
    [headerNames.version]: request.version === undefined || request.version === null ? null : String(request.version),
    'Content-Type': request.body === undefined ? null : mediaTypes.json,
  };
  const headers = Object.entries(joined(stated, request.headers ?? {})).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  const body = bytesOf(request.body);
  const isOwn = ownsCorrelation(request.headers);
  const { method, link } = request;
  return {
    method,
    url,
    headers,
    ...(body && { body }),
    ...(isOwn && { ownsCorrelation: true }),
    ...(link !== undefined && { link }),
  };
}

function defaultFilter(request: RequestSpec, profile: Profile): object | null {
  return request.filter === null ? null : (profile.informationFilter?.default ?? {});
}

function filterText(filter: object | string | null): string | null {
  return typeof filter === 'object' && filter !== null
    ? Buffer.from(JSON.stringify(filter)).toString('base64')
    : filter;
}

/**
 * Whether an address is on the host of the base URL or of the base address that the service was set up with, or on one that the profile allows;
 * never in plain text where the base URL is not.
 */
export function isOfService(
  url: string,
  { baseUrl, baseAddress = baseUrl, allowHosts = [] }: Pick<Profile, 'baseUrl' | 'baseAddress' | 'allowHosts'>,
): boolean {
  const origin = originOf(url);
  if (origin === originOf(baseUrl)) return true;
  const isPlain = origin.startsWith('http:');
  if (isPlain && !/^http:/i.test(baseUrl)) return false;
  if (origin === originOf(baseAddress)) return true;
  return allowHosts.some((host) => originOf(`${isPlain ? 'http' : 'https'}://${host}`) === origin);
}

/** Requests and credentials go to the service, the base address and the token endpoint, whatever the target says. */
export function isTrusted(url: string, profile: Profile): boolean {
  const trusted = trustedOrigins.get(profile) ?? originsTrustedBy(profile);
  trustedOrigins.set(profile, trusted);
  return trusted.has(originOf(url)) || isOfService(url, profile);
}

/** Asked of every request, and the same for a whole run. */
const trustedOrigins = new WeakMap<Profile, ReadonlySet<string>>();

function originsTrustedBy(profile: Profile): ReadonlySet<string> {
  const { tokenUrl = '/', idTokenExchange } = profile.auth ?? {};
  const trusted = [
    profile.baseUrl,
    profile.baseAddress ?? '/',
    tokenUrl,
    idTokenExchange?.url ?? '/',
    profile.probes?.log?.url ?? '/',
  ];
  return new Set(trusted.map((known) => originOf(absoluteUrl(profile, known))));
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Later headers take the place of earlier ones of the same name, in their spelling. */
function joined(first: StatedHeaders, second: StatedHeaders): StatedHeaders {
  const replaced = new Set(Object.keys(second).map((name) => name.toLowerCase()));
  if (replaced.size === 0) return first;
  const kept = Object.entries(first).filter(([name]) => !replaced.has(name.toLowerCase()));
  return Object.fromEntries([...kept, ...Object.entries(second)]);
}

/** Values by the name of their placeholder; undefined ones count as absent. */
export type PlaceholderValues = Readonly<Record<string, unknown>>;

const placeholder = /\{\{(\w+)\}\}/g;

/** The request of a template. @throws {Error} where path or headers ask for a value that is absent */
export function requestFrom(template: RequestTemplate, values: PlaceholderValues): RequestSpec {
  const { method, path, as = 'editor', headers, body } = template;
  const content = asContent(withValues(body, values), headers);
  return {
    method,
    url: texted(path, values, (value) => encodeURIComponent(value.toWellFormed())),
    as,
    ...(headers && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, texted(value, values)])),
    }),
    ...(content !== undefined && { body: content }),
  };
}

/** The body as it is sent: JSON throughout, a text alone as well, unless the template names another type for it. */
function asContent(content: unknown, headers: RequestTemplate['headers']): unknown {
  if (typeof content !== 'string') return content;
  const type = statedHeader(headers, 'content-type') ?? mediaTypes.json;
  return /[/+]json\b/i.test(type) ? JSON.stringify(content) : content;
}

/** A text that is one placeholder becomes the value itself; members and items whose value is absent are left out. */
function withValues(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') {
    const [whole] = template.matchAll(/^\{\{(\w+)\}\}$/g);
    return whole === undefined ? texted(template, values) : values[whole[1] ?? ''];
  }
  if (Array.isArray(template))
    return template.map((item) => withValues(item, values)).filter((item) => item !== undefined);
  if (typeof template !== 'object' || template === null) return template;
  const members = Object.entries(template).map(([name, value]) => [name, withValues(value, values)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function texted(
  template: string,
  values: PlaceholderValues,
  encode: (text: string) => string = (text) => text,
): string {
  return template.replaceAll(placeholder, (_all, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new UnfitProfile(`a value for {{${name}}}, for which ${template} of the profile asks: there is none here`);
    return encode(typeof value === 'object' ? JSON.stringify(value) : String(value));
  });
}

/** What a request of several takes from its answer for those after it. */
export function takenFrom(reply: Reply, take: TriggerRequest['take'] = {}): PlaceholderValues {
  return Object.fromEntries(
    Object.entries(take).map(([name, place]) => [
      name,
      place === 'Location' ? lastOfLocation(reply) : valueAt(reply.json, place),
    ]),
  );
}

/** The last segment of Location; undefined without one. */
export function lastOfLocation({ headers }: Pick<Reply, 'headers'>): string | undefined {
  const location = headers['location']?.split(/[?#]/)[0];
  return location === undefined ? undefined : (lastSegment(location) ?? '');
}

/** A correlation id for a request; null sends none. */
export function withCorrelationId(id: string | null): { headers: Record<string, string | null> } {
  return { headers: { [headerNames.correlationId]: id } };
}

/** Has the body sent in the chunked coding, without its length. Source: RFC 9112 section 7.1 */
export const inChunks: { readonly headers: Readonly<Record<string, string>> } = {
  headers: { 'Transfer-Encoding': 'chunked' },
};

/** Value of an Authorization header. Source: extensions, Authentication 1; RFC 7617 */
export function basicAuthorization(user: string, secret: string): string {
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
}

/** A segment of a path with its escapes undone; as it stands where they are none. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The last segment of a path that holds something, decoded; undefined where none does. */
export function lastSegment(path: string): string | undefined {
  const segment = path.split('/').findLast((part) => part !== '');
  return segment === undefined ? undefined : decodeSegment(segment);
}
