import { AsyncLocalStorage } from 'node:async_hooks';
import { IncomingMessage, Server } from 'node:http';
import { headerNames, mediaTypes } from '../../contract/names.ts';

/** A request to what is judged, as far as it has come, and what it led to. */
interface Met {
  readonly path: string;
  readonly query: string;
  readonly user: string;
  readonly headers: IncomingMessage['headers'];
  /** Same method and address, sent before to a server of this process. */
  readonly isRepeated: boolean;
  /** Writes to this path before it. */
  readonly writesBefore: number;
  /** Another one was under way when it came. */
  readonly isAccompanied: boolean;
  /** What came of its body. */
  readonly chunks: Buffer[];
  /** Mutants whose code ran for it. */
  readonly ran: Set<string>;
  /** The circumstances that hold by so many chunks of the body. */
  known?: { readonly chunks: number; readonly bits: number };
}

/** Longest part of a body that is looked at, in bytes. */
const lookedAt = 20_000;

const filterHeader = headerNames.informationFilter.toLowerCase();
/** `{}` in Base64, with its padding. */
const longestEmptyFilter = 4;

/** Where alone a mistake may show, as one request tells it. */
const byRequest = {
  'for another user': ({ user }) => user !== '' && user !== 'edda',
  'in another space': ({ path }) => /^\/api\/space\/(?!main(\/|$))/.test(path),
  'of another SoftType': ({ path }) => /\/softtype\/(?:page\/)?(?!Document\/)[A-Z]\w+\//.test(path),
  'in a batch': ({ path }) => path.endsWith('/batch'),
  'by Basic credentials': ({ headers }) => /^basic /i.test(headers.authorization ?? ''),
  'with an information filter': ({ headers }) => (headers[filterHeader]?.length ?? 0) > longestEmptyFilter,
  'with a list of operations': ({ headers }) => headers['content-type']?.startsWith(mediaTypes.operations) === true,
  'with more than ten objects': (_met, body) => body.split('{').length > 12,
  'beside a query': ({ query }) => query !== '',
  'at a path with an escape': ({ path }) => path.includes('%'),
  'with a long body': (_met, body) => body.length > 2000,
  'with a deep body': (_met, body) => /(?:[[{][^\]}]*){5}/.test(body),
  'with text beyond ASCII': (_met, body) => /[^\u{0}-\u{7F}]|\\u[0-9a-f]{4}/iu.test(body),
  'with an empty value': (_met, body) => /[:[,]\s*(?:""|0|false|null|\[\]|\{\})\s*[,}\]]/.test(body),
  'after other writes to its path': ({ writesBefore }) => writesBefore >= 3,
  'sent before': ({ isRepeated }) => isRepeated,
  'beside another request': ({ isAccompanied }) => isAccompanied,
} as const satisfies Record<string, (met: Met, body: string) => boolean>;

const again = 'the second time for one request';

export type Circumstance = keyof typeof byRequest | typeof again;

export const circumstances = [...(Object.keys(byRequest) as (keyof typeof byRequest)[]), again] as const;

const underWay = new AsyncLocalStorage<Met>();
const sent = new Set<string>();
const writes = new Map<string, number>();
let open = 0;

/** Lets every server of this process note what it is asked, from here on. */
export function watchRequests(): void {
  const { emit } = Server.prototype;
  Server.prototype.emit = function (this: Server, name: string | symbol, ...given: unknown[]): boolean {
    const [request] = given;
    if (name !== 'request' || !(request instanceof IncomingMessage)) return Reflect.apply(emit, this, [name, ...given]);
    return underWay.run(metBy(request), () => Reflect.apply(emit, this, [name, ...given]));
  };
}

/** In which of the circumstances the code of that mutant runs now, a bit for each in their order. It counts as one run. */
export function circumstancesOf(mutant: string): number {
  const met = underWay.getStore();
  if (met === undefined) return 0;
  const bits = bitsOf(met) | (met.ran.has(mutant) ? bitOf(again) : 0);
  met.ran.add(mutant);
  return bits;
}

export function bitOf(circumstance: Circumstance): number {
  return 1 << circumstances.indexOf(circumstance);
}

/** Forgets what was sent: the next server has not met it. */
export function forgetRequests(): void {
  sent.clear();
  writes.clear();
}

function bitsOf(met: Met): number {
  const { chunks, known } = met;
  if (known?.chunks === chunks.length) return known.bits;
  const body = Buffer.concat(chunks).subarray(0, lookedAt).toString();
  const bits = Object.values(byRequest).reduce((sum, isSo, place) => (isSo(met, body) ? sum | (1 << place) : sum), 0);
  met.known = { chunks: chunks.length, bits };
  return bits;
}

function metBy(request: IncomingMessage): Met {
  const { method = '', url = '', headers } = request;
  const [path = '', query = ''] = url.split('?');
  const key = `${method} ${url}`;
  const chunks: Buffer[] = [];
  const push = request.push.bind(request);
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    return push(chunk, encoding);
  };
  const met: Met = {
    path,
    query,
    user: userOf(headers.authorization),
    headers,
    isRepeated: sent.has(key),
    writesBefore: writes.get(path) ?? 0,
    isAccompanied: open > 0,
    chunks,
    ran: new Set(),
  };
  sent.add(key);
  if (method !== 'GET') writes.set(path, met.writesBefore + 1);
  open += 1;
  request.once('close', () => (open -= 1));
  return met;
}

/** The name in a token, or before a password; nothing where there is neither. */
function userOf(authorization = ''): string {
  const [scheme = '', value = ''] = authorization.split(' ');
  const [, payload = ''] = value.split('.');
  if (scheme.toLowerCase() === 'basic') return Buffer.from(value, 'base64').toString().split(':')[0] ?? '';
  return /"sub":"([^"]*)"/.exec(Buffer.from(payload, 'base64url').toString())?.[1] ?? '';
}
