import { entriesPerPage } from '../../contract/limits.ts';
import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import type { Changes, Reply, RequestSpec } from '../exchange.ts';
import type { Port, Thing } from '../given.ts';
import { portOf } from '../profile.ts';
import { requestsOf } from '../requests.ts';
import type { Snapshot, Target } from '../target.ts';
import { allEntries } from './all-entries.ts';
import { entryOf, isRecord, picked, plainInteger } from './entry.ts';
import type { Post } from './post.ts';
import { PreconditionFailed, Violation } from '../violation.ts';

type Reader = Pick<Post, 'profile' | 'leanOn'>;

/** The implementation under test, as the cases see it. */
export function openTarget(post: Post): Target {
  const requests = requestsOf(post.profile);
  const send = (request: RequestSpec, changes?: Changes): Promise<Reply> => post.send(request, changes);
  const target: Target = {
    requests,
    send,
    read: (thing, changes) => send(requests.read(thing), changes),
    readLong: (thing, { outputSchemaId, ...changes } = {}) => send(requests.readLong(thing, outputSchemaId), changes),
    page: (thing, pageNumber, { port, ...changes } = {}) => send(requests.page(thing, pageNumber, port), changes),
    create: (body, { of, ...changes } = {}) => send(requests.create(body, of), changes),
    merge: (thing, body, changes) => send(requests.merge(thing, body), changes),
    operations: (thing, operations, changes) => send(requests.operations(thing, operations), changes),
    put: (thing, body, changes) => send(requests.put(thing, body), changes),
    remove: (thing, changes) => send(requests.remove(thing), changes),
    promote: (thing, changes) => send(requests.promote(thing), changes),
    demote: (thing, changes) => send(requests.demote(thing), changes),
    batch: (operations, changes) => send(requests.batch(operations), changes),
    multiCreate: (items, changes) => send(requests.multiCreate(items), changes),
    openApi: (changes) => send(requests.openApi(), changes),
    get: async (uri, { base, ...changes } = {}) => {
      if (base !== undefined && !URL.canParse(uri, base.url))
        throw new Violation('a URI reference', JSON.stringify(uri), base);
      return send(requests.get(uri, base), changes);
    },
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
    const raw = await allEntries(target, thing, port, reply);
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
  const { shortRouteSchemaId, outputSchemaId } = thing.type;
  if (shortRouteSchemaId === undefined || shortRouteSchemaId === outputSchemaId) {
    const reply = await target.read(thing);
    if (reply.status === 200 && isRecord(reply.json)) return reply;
  }
  const reply = await target.readLong(thing);
  if (reply.status === 200 && isRecord(reply.json)) return reply;
  throw new PreconditionFailed(`to read the object ${thing.oid}`, reply, [
    'reading.instance.short-route-served',
    'reading.instance.long-route-served',
  ]);
}

function dataOf(reply: Reply): Readonly<Record<string, unknown>> {
  const data = isRecord(reply.json) ? reply.json['data'] : undefined;
  if (isRecord(data)) return data;
  throw new PreconditionFailed('a read response with an object in data', reply, ['reading.body.data-is-object']);
}

function versionOf(reply: Reply, data: Readonly<Record<string, unknown>>): number {
  const version =
    plainInteger(isRecord(reply.json) ? reply.json['version'] : undefined) ?? plainInteger(data['$version']);
  if (version !== undefined) return version;
  throw new PreconditionFailed('a read response with an integer version', reply, ['reading.body.version-is-integer']);
}

function rootMembers(data: Readonly<Record<string, unknown>>, thing: Thing): Record<string, unknown> {
  const members = picked(data, rootMembersOf(thing));
  const { object } = thing.type;
  const inner = object === undefined ? undefined : members[object.member];
  if (object === undefined || !isRecord(inner)) return members;
  const sent = thing.body[object.member];
  return {
    ...members,
    [object.member]: picked(inner, [...object.scalars, ...Object.keys(isRecord(sent) ? sent : {})]),
  };
}

/** The references that the read itself shows. */
function references(data: Readonly<Record<string, unknown>>, thing: Thing): Snapshot['arrays'] {
  const member = thing.type.reference?.port;
  const entries = member === undefined ? undefined : data[member];
  if (member === undefined || !Array.isArray(entries)) return {};
  const port: Pick<Port, 'member'> = { member };
  return { [port.member]: entries.map((entry: unknown) => entryOf(entry, ['id', 'value'])) };
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
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
