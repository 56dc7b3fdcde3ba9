import { type ContentKind, coveredRoutes, type CoveredRoute } from '../../contract/coverage/routes.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Sent } from '../client/wire.ts';
import type { LoadedProfile } from '../profile/load.ts';
import type { Secrets } from '../redact.ts';
import { Callers } from './callers.ts';
import { ConditionsOf } from './conditions.ts';
import type { ReachedLog } from './reached.ts';
import { type Place, RouteFinder } from './route-finder.ts';

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
  if (response.status >= 300) return;
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
