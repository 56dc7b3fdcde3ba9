import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import { originOf, type WireRequest } from '../client/wire.ts';
import type { Changes, RequestSpec } from '../exchange.ts';
import { absoluteUrl } from './absolute-url.ts';

type Headers = Readonly<Record<string, string | null>>;

/** A request with the changes of a case; headers are joined without regard to case. */
export function changed(request: RequestSpec, changes: Changes = {}): RequestSpec {
  const { headers, ...rest } = changes;
  return { ...request, ...rest, headers: joined(request.headers ?? {}, headers ?? {}) };
}

/** The request as it goes over the wire. The token and the filter of the profile go to the base URL only. */
export function prepared(request: RequestSpec, token: string | null, profile: Profile): WireRequest {
  const url = absoluteUrl(profile, request.url);
  const home = originOf(url) === originOf(profile.baseUrl);
  const filter =
    request.filter === undefined && !home ? null : filterText(request.filter ?? defaultFilter(request, profile));
  const stated: Headers = {
    Authorization: token !== null && home ? `Bearer ${token}` : null,
    [headerNames.informationFilter]: filter,
    [headerNames.version]: request.version === undefined || request.version === null ? null : String(request.version),
    'Content-Type': request.body === undefined ? null : mediaTypes.json,
  };
  const all = Object.entries(joined(stated, request.headers ?? {})).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  const headers = isTrusted(url, profile) ? all : all.filter(([name]) => name.toLowerCase() !== 'authorization');
  const body = bytesOf(request.body);
  return { method: request.method, url, headers, ...(body && { body }) };
}

function defaultFilter(request: RequestSpec, profile: Profile): object | null {
  return request.filter === null ? null : (profile.informationFilter?.default ?? {});
}

function filterText(filter: object | string | null): string | null {
  return typeof filter === 'object' && filter !== null
    ? Buffer.from(JSON.stringify(filter)).toString('base64')
    : filter;
}

/** Credentials go to the base URL, the base address and the token endpoint, whatever the target says. */
export function isTrusted(url: string, profile: Profile): boolean {
  const trusted = trustedOrigins.get(profile) ?? originsTrustedBy(profile);
  trustedOrigins.set(profile, trusted);
  return trusted.has(originOf(url));
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
function joined(first: Headers, second: Headers): Headers {
  const replaced = new Set(Object.keys(second).map((name) => name.toLowerCase()));
  const kept = Object.entries(first).filter(([name]) => !replaced.has(name.toLowerCase()));
  return Object.fromEntries([...kept, ...Object.entries(second)]);
}
