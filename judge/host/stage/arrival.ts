import type { Reply } from '../../exchange.ts';

/** What a request of the host is to the service that the suite plays. */
export type ArrivalKind =
  | 'status'
  | 'progress'
  | 'download'
  | 'directory'
  | 'upload'
  | 'chunk'
  | 'acquire'
  | 'keyed'
  | 'object'
  | 'other';

/** A request of the host. Times in ms of the clock of the host. */
export interface Arrival {
  readonly kind: ArrivalKind;
  readonly method: string;
  /** Path and query as on the request line. */
  readonly target: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
  readonly json: unknown;
  readonly bytes: Uint8Array;
  readonly arrivedAt: number;
  /** The token it carried and where. */
  readonly token: CarriedToken | undefined;
  /** Id of the envelope whose token it carried. */
  readonly callId: string | undefined;
  /** Port it arrived at. */
  readonly port: number;
  /** As the report shows it; its status is that of the answer, 0 while there is none. */
  readonly seen: Reply;
}

export interface CarriedToken {
  readonly text: string;
  readonly in: 'header' | 'query';
}

/** Value of a header, without regard to case; several are joined. */
export function headerOf({ headers }: Pick<Arrival, 'headers'>, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** The bearer value of a request, else the token of its query. */
export function tokenOf(headers: Arrival['headers'], target: string): CarriedToken | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headerOf({ headers }, 'authorization') ?? '')?.[1];
  if (bearer !== undefined) return { text: bearer, in: 'header' };
  const query = new URLSearchParams(target.split('?').slice(1).join('?'));
  const text = query.get('token') ?? query.get('access_token');
  return text === null || text === '' ? undefined : { text, in: 'query' };
}

const kinds: readonly (readonly [ArrivalKind, RegExp])[] = [
  ['status', /^PUT .*\/dx\/[^/]+\/status(?:\/|$)/],
  ['progress', /^PUT .*\/dx\/[^/]+\/progress\/?$/],
  ['acquire', /^POST .*\/externalExtension\/acquireAccessToken\/[^/]+\/?$/],
  ['keyed', /^POST .*\/admin\/fileupload(?:\/|$)/],
  ['directory', /^GET .*\/fs\/dir(?:\/|$)/],
  ['upload', /^POST .*\/fs\/file\/stream\//],
  ['chunk', /^POST .*\/fs\/file\/?$/],
  ['download', /^GET .*\/fs\/file\//],
  ['object', /^(?:GET|POST|PUT|PATCH|DELETE) .*\/space\//],
];

/** What a request is, by method and path. */
export function kindOf(method: string, path: string): ArrivalKind {
  return kinds.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0] ?? 'other';
}
