import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import type { Roles } from './roles.ts';

/** Kinds of answers; what two answers of one kind look like is compared once, whatever was asked. */
export type AnswerKind =
  | 'instance read'
  | 'page'
  | 'create'
  | 'edit'
  | 'delete'
  | 'refusal'
  | 'refusal without token'
  | 'batch'
  | 'failed batch'
  | 'multi-create'
  | 'other answer';

/** What an answer looks like: place -> what is there, ids and URIs as roles, texts and numbers as kinds of values. */
export type Looks = ReadonlyMap<string, string>;

/** Headers that tell of the connection, the machine or the moment. */
const ofTheWire: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'retry-after',
  'server',
  'set-cookie',
  'transfer-encoding',
  'vary',
  'via',
]);
const deepest = 6;

/** What the answer looks like, its status aside. */
export function looksOf(reply: Reply, kind: AnswerKind, roles: Roles): Looks {
  const looks = new Map<string, Set<string>>();
  const see = (place: string, what: string): void =>
    void (looks.get(place) ?? looks.set(place, new Set()).get(place))?.add(what);
  for (const [name, value = ''] of Object.entries(reply.headers))
    if (!ofTheWire.has(name)) see(`header ${name}`, headerLook(name, value, reply, roles, see));
  if (kind.startsWith('refusal')) see('body', refusalLook(reply));
  else if (reply.bytes.byteLength === 0) see('body', 'none');
  else walk(reply.json, 'body', 0, { roles, see, from: reply.url, isData: false });
  return new Map([...looks].map(([place, seen]) => [place, [...seen].toSorted().join(' or ')]));
}

type See = (place: string, what: string) => void;

function headerLook(name: string, value: string, reply: Reply, roles: Roles, see: See): string {
  if (name === 'content-type') return value.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (name === 'location') return uriLook(value, reply.url, roles, see);
  if (name === 'etag') return value.startsWith('W/') ? 'weak' : 'strong';
  if (name === 'cache-control' || name === 'allow' || name === 'www-authenticate') return oneOrder(value);
  return 'there';
}

/** Directives in one order; what stands in quotes is left out. */
function oneOrder(value: string): string {
  return value
    .replaceAll(/"[^"]*"/g, '"…"')
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .toSorted()
    .join(', ');
}

function refusalLook(reply: Reply): string {
  if (reply.bytes.byteLength === 0) return 'none';
  if (!isObject(reply.json)) return reply.json === undefined ? 'no JSON' : typeLook(reply.json);
  return `members ${Object.keys(reply.json).toSorted().join(', ') || 'none'}`;
}

interface Walk {
  readonly roles: Roles;
  readonly see: See;
  /** Address against which references resolve. */
  readonly from: string;
  /** Whether the members are those of a SoftType. */
  readonly isData: boolean;
}

function walk(value: unknown, place: string, depth: number, on: Walk): void {
  if (Array.isArray(value)) return walkArray(value, place, depth, on);
  if (!isObject(value)) return on.see(place, scalarLook(value, place, on));
  on.see(place, Object.keys(value).length === 0 ? 'an empty object' : 'an object');
  // what a read inside a batch shows is what a read shows
  if (depth >= deepest || place.endsWith('.schema') || place === 'body[].body.data') return;
  for (const [name, member] of Object.entries(value)) {
    const isData = name === 'data' || on.isData;
    const role = on.isData ? on.roles.memberOf(name) : name;
    if (role !== undefined) walk(member, `${place}.${role}`, depth + 1, { ...on, isData });
  }
}

function walkArray(items: readonly unknown[], place: string, depth: number, on: Walk): void {
  on.see(place, items.length === 0 ? 'an empty array' : 'an array');
  if (place === 'body[].body.links') return;
  for (const item of items) {
    const rel =
      isObject(item) && typeof item['rel'] === 'string' && place.endsWith('.links') ? `[rel ${item['rel']}]` : '[]';
    walk(item, place + rel, depth + 1, on);
  }
}

function scalarLook(value: unknown, place: string, { roles, see, from }: Walk): string {
  if (typeof value !== 'string') return typeLook(value);
  if (isUri(value) && URL.canParse(value, from)) return uriLook(value, from, roles, see);
  if (roles.isOid(value)) return 'the id of the object';
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return 'a time';
  return place.endsWith('.method') || place.endsWith('.rel') || place.endsWith('.op') ? value : 'a text';
}

function isUri(text: string): boolean {
  return /^(?:https?:\/\/|\/[\w{(-]+\/)\S*$/i.test(text);
}

function uriLook(uri: string, from: string, roles: Roles, see: See): string {
  if (!URL.canParse(uri, from)) return 'no URI';
  const { route, form } = roles.routeOf(uri, from);
  see('form of URIs', form);
  return `URI ${route}`;
}

function typeLook(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a number';
  return typeof value === 'boolean' ? 'a truth value' : `a ${typeof value}`;
}
