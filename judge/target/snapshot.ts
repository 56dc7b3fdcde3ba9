import { entriesPerPage } from '../../contract/limits.ts';
import type { Reply } from '../exchange.ts';
import type { Port, Thing } from '../given.ts';
import type { Snapshot, Target } from '../target.ts';
import { PreconditionFailed } from '../violation.ts';
import { allEntries } from './all-entries.ts';
import type { Post } from './post.ts';
import { entryOf, isRecord, picked, plainInteger } from './entry.ts';
import { entryMembersOf, portsOf, rootMembersOf } from './known-members.ts';

type Reader = Pick<Post, 'profile' | 'leanOn'>;

/** Reads an object and all pages of its array ports. */
export async function snapshotOf(target: Target, thing: Thing, post: Reader): Promise<Snapshot> {
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
