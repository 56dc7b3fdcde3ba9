import { isDeepStrictEqual } from 'node:util';
import { type Entry, pageLinksOf } from '../../contract/judge-read.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import type { IdentityName, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { carriedOut } from '../every-answer/final-answer.ts';
import type { Patience } from '../client/client.ts';
import type { Changes, Leave, Reply, RequestSpec } from '../exchange.ts';
import type { Post, RawReply } from '../client/post.ts';
import { portOf } from '../profile.ts';
import { hasShortRoute, type Requests, requestsOf } from './requests.ts';
import type { Port, Thing } from '../things.ts';
import { assertNotLost, PreconditionFailed } from '../violation.ts';
import { isObject, memberIn, ownMembers } from '../json.ts';
import { referencesIn } from './soft-types.ts';

/** The implementation under test. Every method of `requests` can be sent at once: `service.read(thing, { as: 'reader' })`. */
export interface Target {
  readonly requests: Requests;
  send(request: RequestSpec, changes?: Changes): Promise<Reply>;
  read(thing: Thing, changes?: Changes): Promise<Reply>;
  readShort(thing: Thing, changes?: Changes): Promise<Reply>;
  readLong(thing: Thing, changes?: Changes & { readonly outputSchemaId?: string }): Promise<Reply>;
  page(thing: Thing, pageNumber: number | string, changes?: Changes & { readonly port?: Port }): Promise<Reply>;
  create(body: unknown, changes?: Changes & { readonly of?: Pick<Thing, 'type' | 'space'> }): Promise<Reply>;
  /** `version` in `changes` takes the place of `thing.version`; an accepted write does not change `thing`. */
  merge(thing: Thing, body: unknown, changes?: Changes): Promise<Reply>;
  /** By operations where the deployment does without merges. */
  edit(thing: Thing, body: Readonly<Record<string, unknown>>, changes?: Changes): Promise<Reply>;
  operations(thing: Thing, operations: unknown, changes?: Changes): Promise<Reply>;
  put(thing: Thing, body: unknown, changes?: Changes): Promise<Reply>;
  remove(thing: Thing, changes?: Changes): Promise<Reply>;
  promote(thing: Thing, changes?: Changes): Promise<Reply>;
  demote(thing: Thing, changes?: Changes): Promise<Reply>;
  batch(operations: readonly object[], changes?: Changes): Promise<Reply>;
  multiCreate(items: readonly object[], changes?: Changes): Promise<Reply>;
  openApi(changes?: Changes): Promise<Reply>;
  get(uri: string, changes?: Changes & { readonly base?: Reply }): Promise<Reply>;
  /**
   * The state of an object as far as the profile knows its members: version and data with all pages of both array ports, read as
   * the editor. Two snapshots are deeply equal exactly when nothing changed. Throws PreconditionFailed where it cannot be read.
   */
  snapshot(thing: Thing): Promise<Snapshot>;
  /**
   * As send, on a connection of its own and below any HTTP client: `body` holds every byte between the head and the end of the
   * connection, so that a 204 or 304 with content shows.
   */
  raw(request: RequestSpec, changes?: Changes): Promise<RawReply>;
  /** Sends the request whole and cuts the connection before an answer can arrive. */
  abandon(request: RequestSpec, changes?: Leave): Promise<void>;
  /** Every 429 and 503 of the run so far that made the suite wait. */
  patience(): readonly Patience[];
  /** Access token of an identity (password grant, or as the profile gives it); null where there is none. */
  token(identity: IdentityName): Promise<string | null>;
}

export interface Snapshot {
  readonly version: number;
  readonly oid: string;
  /** Known root members that are not array ports; absent members left out. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Entries of all pages, per array port member: known members and `$entryId` as text. */
  readonly arrays: Readonly<Record<string, readonly Entry[]>>;
  readonly reply: Reply;
}

type Reader = Pick<Post, 'profile' | 'leanOn'>;

/** The implementation under test, as the cases see it. */
export function openTarget(post: Post): Target {
  const requests = requestsOf(post.profile);
  const send = (request: RequestSpec, changes?: Changes): Promise<Reply> => post.send(request, changes);
  const target: Target = {
    requests,
    send,
    read: (thing, changes) => send(requests.read(thing), changes),
    readShort: (thing, changes) => send(requests.readShort(thing), changes),
    readLong: (thing, { outputSchemaId, ...changes } = {}) => send(requests.readLong(thing, outputSchemaId), changes),
    page: (thing, pageNumber, { port, ...changes } = {}) => send(requests.page(thing, pageNumber, port), changes),
    create: (body, { of, ...changes } = {}) => send(requests.create(body, of), changes),
    merge: (thing, body, changes) => send(requests.merge(thing, body), changes),
    edit: (thing, body, changes) => send(requests.edit(thing, body), changes),
    operations: (thing, operations, changes) => send(requests.operations(thing, operations), changes),
    put: (thing, body, changes) => send(requests.put(thing, body), changes),
    remove: async (thing, changes) =>
      carriedOut(await send(requests.remove(thing), changes), () => send(requests.read(thing))),
    promote: (thing, changes) => send(requests.promote(thing), changes),
    demote: (thing, changes) => send(requests.demote(thing), changes),
    batch: (operations, changes) => send(requests.batch(operations), changes),
    multiCreate: (items, changes) => send(requests.multiCreate(items), changes),
    openApi: (changes) => send(requests.openApi(), changes),
    get: async (uri, { base, ...changes } = {}) => send(requests.get(uri, base), changes),
    snapshot: (thing) => snapshotOf(target, thing, post),
    raw: (request, changes) => post.raw(request, changes),
    abandon: (request, changes) => post.abandon(request, changes),
    patience: () => post.patience(),
    token: (identity) => post.token(identity),
  };
  return target;
}

/** Reads an object and all pages of its array ports. */
async function snapshotOf(target: Target, thing: Thing, post: Reader): Promise<Snapshot> {
  const reply = await instanceOf(target, thing);
  const data = dataOf(reply);
  const arrays: Record<string, Snapshot['arrays'][string]> = {};
  for (const port of portsOf(thing.type)) {
    const raw = await readAllEntries(target, thing, port, reply);
    if (raw.length > entriesPerPage) post.leanOn('paging.page-one.holds-the-rest', 'paging.pages.cover-array-once');
    const known = entryMembersOf(thing, port, post.profile.all);
    arrays[port.member] = raw.map((entry) => entryOf(entry, known, port));
  }
  return {
    version: versionOf(reply, data),
    oid: String(data['$oid'] ?? thing.oid),
    members: rootMembers(data, thing),
    arrays: { ...arrays, ...references(data, thing) },
    reply,
  };
}

/** The read response by the short route, by the long one where the short one applies another schema or is not served. */
async function instanceOf(target: Target, thing: Thing): Promise<Reply> {
  const short = hasShortRoute(thing.type) ? await target.readShort(thing) : undefined;
  if (short?.status === 200 && isObject(short.json)) return short;
  const reply = await target.readLong(thing);
  if (reply.status === 200 && isObject(reply.json)) return reply;
  for (const read of [short, reply]) if (read !== undefined) assertNotLost(read);
  throw new PreconditionFailed(`to read the object ${thing.oid}`, reply, [
    'reading.instance.short-route-served',
    'reading.instance.long-route-served',
  ]);
}

function dataOf(reply: Reply): Readonly<Record<string, unknown>> {
  const data = memberIn(reply.json, 'data');
  if (isObject(data)) return ownMembers(data);
  assertNotLost(reply);
  throw new PreconditionFailed('a read response with an object in data', reply, ['reading.body.data-is-object']);
}

function versionOf(reply: Reply, data: Readonly<Record<string, unknown>>): number {
  const version = plainInteger(memberIn(reply.json, 'version')) ?? plainInteger(data['$version']);
  if (version !== undefined) return version;
  throw new PreconditionFailed('a read response with an integer version', reply, ['reading.body.version-is-integer']);
}

function rootMembers(data: Readonly<Record<string, unknown>>, thing: Thing): Record<string, unknown> {
  const members = pickMembers(data, rootMembersOf(thing));
  const { object } = thing.type;
  const inner = object === undefined ? undefined : members[object.member];
  if (object === undefined || !isObject(inner)) return members;
  const sent = thing.body[object.member];
  const known = [...object.scalars, ...namesIn(object.body), ...namesIn(sent)];
  return ownMembers(members, { [object.member]: pickMembers(inner, known) });
}

/** The references that the read itself shows. */
function references(data: Readonly<Record<string, unknown>>, thing: Thing): Snapshot['arrays'] {
  const member = thing.type.reference?.port;
  const shown = member === undefined ? undefined : data[member];
  if (member === undefined || typeof shown !== 'object' || shown === null) return {};
  return { [member]: referencesIn(shown).map((entry) => entryOf(entry, ['id', 'value'])) };
}

/** Array ports of a SoftType that hold entries with known members. */
function portsOf(type: SoftTypeProfile): readonly Port[] {
  return [type.arrayPort, type.secondArrayPort].flatMap((port) => (port === undefined ? [] : [portOf(port)]));
}

/** Root members that the profile or the body of the thing names, by their names in the output, array ports left out. */
function rootMembersOf(thing: Thing): readonly string[] {
  const { type, body } = thing;
  const arrays = new Set([...portsOf(type).map((port) => port.member), type.reference?.port, type.renamed?.input]);
  const named = [
    ...Object.keys(type.body),
    ...Object.keys(body),
    ...(type.scalars ?? []),
    ...(type.numbers ?? []),
    ...(type.flags ?? []),
    type.object?.member,
    type.scalarList,
    type.renamed?.output,
    type.escaped,
    ...Object.keys(type.dated?.value ?? {}),
  ];
  return [...new Set(named)].filter((name): name is string => name !== undefined && !arrays.has(name));
}

/** Members of the entries of a port that the profile or the body of the thing names. */
function entryMembersOf(thing: Thing, port: Port, profile: Profile): readonly string[] {
  const { fixed, withValue } = profile.filters ?? {};
  const sent = thing.body[port.member];
  const sentNames = Array.isArray(sent) ? sent.flatMap((entry: unknown) => namesIn(entry)) : [];
  const filtered = [...namesIn(fixed?.matching), ...namesIn(fixed?.other), withValue?.member];
  const named = [...Object.keys(port.entry), port.text, port.mandatory, ...sentNames, ...filtered];
  return [...new Set(named)].filter((name): name is string => name !== undefined && name !== port.nested?.member);
}

function namesIn(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

const mostPages = 1000;

/** The entries of one array port: those of the first read and, where it does not hold all, those of the further pages. */
async function readAllEntries(target: Target, thing: Thing, port: Port, read: Reply): Promise<readonly unknown[]> {
  const first = firstEntries(read, port);
  const total = totalOf(read, port);
  if (total === undefined) return readEntriesByPage(target, thing, port, read);
  return [...first, ...(await pagesUpTo(target, thing, port, total - first.length))];
}

/** The same without trust in the total: pages are read until one is refused or empty, or shows again what the one before it showed. */
export async function readEntriesByPage(
  target: Target,
  thing: Thing,
  port: Port,
  read: Reply,
): Promise<readonly unknown[]> {
  let before = firstEntries(read, port);
  const found = [...before];
  if (found.length !== entriesPerPage) return found;
  for (let page = 1; page < mostPages; page += 1) {
    const entries = entriesIn(await target.page(thing, page, { port })) ?? [];
    if (entries.length === 0 || isDeepStrictEqual(entries, before)) return found;
    found.push(...entries);
    before = entries;
  }
  return found;
}

/** Entries of a port in a read response; also beside `data`, since another rule judges where they stand. */
export function firstEntries(read: Reply, port: Port): readonly unknown[] {
  if (!isObject(read.json)) return [];
  const { data } = read.json;
  const array = (isObject(data) ? data[port.member] : undefined) ?? read.json[port.member];
  return Array.isArray(array) ? array : [];
}

/** `totalNumber` of the page link of a port; undefined where there is none. */
export function totalOf(read: Reply, port: Port): number | undefined {
  const links = isObject(read.json) && Array.isArray(read.json['links']) ? read.json['links'].filter(isObject) : [];
  const [link] = pageLinksOf(links, port, false);
  return plainInteger(link?.['totalNumber']);
}

/**
 * `missing` entries beyond the first page. So many pages are asked for at once as the suite ever fills, and more as long as each holds something: a
 * service may promise millions. A later page that is refused is the end, page 1 has to be there.
 */
async function pagesUpTo(target: Target, thing: Thing, port: Port, missing: number): Promise<readonly unknown[]> {
  const count = Math.min(mostPages, Math.max(0, Math.ceil(missing / entriesPerPage)));
  const found: unknown[] = [];
  for (let done = 0; done < count; done += pagesAtOnce) {
    const numbers = Array.from({ length: Math.min(pagesAtOnce, count - done) }, (_page, index) => done + index + 1);
    const replies = await Promise.all(numbers.map((number) => target.page(thing, number, { port })));
    const pages = replies.map((reply, index) => entriesIn(reply) ?? (done + index === 0 ? refuse(reply) : []));
    found.push(...pages.flat());
    if (pages.some((entries) => entries.length === 0)) break;
  }
  return found;
}

const pagesAtOnce = 12;

function entriesIn(reply: Reply): readonly unknown[] | undefined {
  const data = reply.status === 200 && memberIn(reply.json, 'data');
  return Array.isArray(data) ? data : undefined;
}

function refuse(reply: Reply): never {
  throw new PreconditionFailed('page 1 of an array whose total is above ten', reply, [
    'paging.page.documented-route-served',
    'paging.page-body.data-is-array',
    'paging.link.total-number',
  ]);
}

/** An entry reduced to its known members, nested entries likewise. */
function entryOf(raw: unknown, known: readonly string[], port?: Pick<Port, 'nested'>): Entry {
  const source = isObject(raw) ? raw : {};
  return {
    entryId: String(source['$entryId'] ?? ''),
    members: ownMembers(pickMembers(source, known), nestedOf(source, port)),
  };
}

/** Nested entries as read, at most as many as the first read shows: known members and `$entryId` as text. */
function nestedOf(source: Readonly<Record<string, unknown>>, port?: Pick<Port, 'nested'>): Record<string, unknown> {
  const nested = port?.nested;
  const items = nested === undefined ? undefined : source[nested.member];
  if (nested === undefined || !Array.isArray(items) || items.length === 0) return {};
  return {
    [nested.member]: items.map((item: unknown) => nestedEntryOf(item, [...Object.keys(nested.entry), nested.text])),
  };
}

function nestedEntryOf(raw: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  const { entryId, members } = entryOf(raw, known);
  return ownMembers({ $entryId: entryId }, members);
}

/** The own members of these names. */
function pickMembers(source: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const own = names.filter((name) => Object.hasOwn(source, name));
  return ownMembers(Object.fromEntries(own.map((name) => [name, source[name]])));
}

/** An integer, also where it is written as text: how it is written is judged by rules of their own. */
export function plainInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? Number(number) : undefined;
}
