import type { Reply } from '../exchange.ts';
import { decodeSegment } from '../service/requests.ts';

/** What a request of the host is to the service that the suite plays. */
export type ArrivalKind =
  | 'status'
  | 'progress'
  | 'download'
  | 'directory'
  | 'upload'
  | 'chunk'
  | 'deletion'
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
  /** Resolves when whoever sent it has gone; a cassette does not tell. */
  readonly gone?: Promise<void>;
  /** The token it carried and where. */
  readonly token: CarriedToken | undefined;
  /** Id of the envelope whose token it carried. */
  readonly callId: string | undefined;
  /** Whether it has the token or the key that what it asks for takes. */
  readonly isAllowed: boolean;
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

/** The bearer value of a request, else the token of its query. Source: extensions, File routes and Authentication, rule 1 */
export function tokenOf(headers: Arrival['headers'], target: string): CarriedToken | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headerOf({ headers }, 'authorization') ?? '')?.[1];
  if (bearer !== undefined) return { text: bearer, in: 'header' };
  const query = new URLSearchParams(target.split('?').slice(1).join('?'));
  const text = query.get('token');
  return text === null || text === '' ? undefined : { text, in: 'query' };
}

const kinds: readonly (readonly [ArrivalKind, RegExp])[] = [
  ['status', /^PUT .*\/dx\/[^/]+\/status(?:\/|$)/],
  ['progress', /^[A-Z]+ .*\/dx\/[^/]+\/progress\/?$/],
  ['acquire', /^[A-Z]+ .*\/externalExtension\/acquireAccessToken(?:\/|$)/],
  ['keyed', /^(?:POST|PUT|PATCH) .*\/admin\/fileupload(?:\/|$)/],
  ['directory', /^GET .*\/fs\/dir(?:\/|$)/],
  ['upload', /^(?:POST|PUT|PATCH) .*\/fs\/file\/stream\//],
  ['chunk', /^(?:POST|PUT|PATCH) .*\/fs\/file\/?$/],
  ['download', /^GET .*\/fs\/file\//],
  ['deletion', /^DELETE .*\/fs\/file\//],
  ['object', /^(?:GET|POST|PUT|PATCH|DELETE) .*\/space\//],
];

/** What a request is, by method and path. */
export function kindOf(method: string, path: string): ArrivalKind {
  return kinds.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0] ?? 'other';
}

/** The GET that a HEAD asks about, else the request itself. */
export function askedBy(arrival: Arrival): Arrival {
  return arrival.method === 'HEAD' ? { ...arrival, method: 'GET', kind: kindOf('GET', arrival.path) } : arrival;
}

/** Source: extensions, Callbacks from an external task */
export const finalStatuses: readonly string[] = ['Completed', 'Canceled', 'Failed'];

/** One call of a chunk upload, as far as it can be read. Source: extensions, File routes, chunk table */
export interface ReadChunk {
  /** resumableRelativePath, else the file name. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly number: number;
  /** Name that the part of the file has for it; undefined where it has none. */
  readonly fileName: string | undefined;
  /** The text parts, by name. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The chunk in a request; undefined where it holds none. */
export function chunkOf(arrival: Arrival): ReadChunk | undefined {
  return chunkIn(arrival.bytes, headerOf(arrival, 'content-type'));
}

/** The chunk in a multipart body; undefined where it is none. */
function chunkIn(body: Uint8Array, contentType: string | undefined): ReadChunk | undefined {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1];
  if (boundary === undefined) return undefined;
  const parts = partsOf(Buffer.from(body), boundary);
  const file = parts.get('file');
  const texts = new Map(
    [...parts].filter(([name]) => name !== 'file').map(([name, { bytes }]) => [name, String(bytes)]),
  );
  const path = texts.get('resumableRelativePath') ?? texts.get('resumableFilename');
  if (file === undefined || path === undefined) return undefined;
  const { bytes, fileName } = file;
  const number = Number(texts.get('resumableChunkNumber') ?? 1);
  return { path: path.replace(/^\/+/, ''), bytes, number, fileName, texts };
}

interface FormPart {
  readonly bytes: Buffer;
  readonly fileName: string | undefined;
}

function partsOf(body: Buffer, boundary: string): ReadonlyMap<string, FormPart> {
  const parts = new Map<string, FormPart>();
  const mark = Buffer.from(`--${boundary}`);
  let start = body.indexOf(mark);
  for (let end = next(body, mark, start); start !== -1 && end !== -1; start = end, end = next(body, mark, start)) {
    const part = body.subarray(start + mark.length + 2, end - 2);
    const headEnd = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, Math.max(0, headEnd)).toString('utf8');
    const name = /[;\s]name="?([^";\r\n]*)/i.exec(head)?.[1];
    const plain = /[;\s]filename="?([^";\r\n]*)/i.exec(head)?.[1];
    const coded = /[;\s]filename\*="?[\w-]*'[\w-]*'([^";\s]*)/i.exec(head)?.[1];
    // what has both has the plain one for those who do not read the other. Source: RFC 6266 section 4.3
    const fileName = coded === undefined ? plain : decodeSegment(coded);
    if (headEnd !== -1 && name !== undefined) parts.set(name, { bytes: part.subarray(headEnd + 4), fileName });
  }
  return parts;
}

function next(body: Buffer, mark: Buffer, from: number): number {
  return body.indexOf(mark, from + mark.length);
}
