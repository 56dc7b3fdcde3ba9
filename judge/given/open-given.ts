import type { Bookings } from '../bookings.ts';
import { describe } from '../describe.ts';
import type { Reply } from '../exchange.ts';
import type { EntriesOptions, Given, GivenAround, Owner, Port, Thing } from '../given.ts';
import { foundThing, versionOf } from './found.ts';
import { withUnique } from './unique.ts';
import { changedOid } from './unknown-oid.ts';
import type { BoundProfile } from '../profile.ts';
import type { Target } from '../target.ts';
import { entriesByPage, firstEntries, totalOf } from '../target/all-entries.ts';
import { isRecord } from '../target/entry.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';

export interface GivenParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly bookings: Bookings;
  readonly unique: (prefix?: string) => string;
  /** Words of the other parts of the service. */
  readonly around: GivenAround;
}

/** Makes what the cases need. */
export function openGiven(parts: GivenParts): Given {
  const { service, profile, bookings, unique } = parts;
  const given: Given = {
    ...parts.around,
    unique,
    body: (more, type = profile.primary) => ({ ...withUnique(type.body, unique), ...more }),
    entry: (text, more, port = profile.port) => ({ ...withUnique(port.entry, unique), [port.text]: text, ...more }),
    object: async (more, { type = profile.primary, space = profile.all.space, as = 'editor' } = {}) =>
      (await made(parts, { type, space, as, body: given.body(more, type) })).thing,
    found: async (created, body, of = { type: profile.primary, space: profile.all.space }) =>
      (await foundThing(created, { ...of, as: 'editor', body }, { ...parts, profile: profile.all })).thing,
    objectWithEntries: async (count, options = {}) => {
      const texts = Array.from({ length: count }, () => unique('entry'));
      const body = given.body(bodyWithEntries(texts, options, given, profile));
      const { thing, reply } = await made(parts, {
        type: profile.primary,
        space: profile.all.space,
        as: 'editor',
        body,
      });
      return proveEntries(service, thing, profile.port, texts, reply);
    },
    current: (thing) => current(service, thing),
    edited: (thing, times = 1) => edited(parts, thing, times),
    snapshot: (thing) => service.snapshot(thing),
    unknownOid: ({ oid }) => changedOid(oid, (candidate) => bookings.knows(candidate)),
    assume: (condition, sentence) => {
      if (!condition) throw new PreconditionFailed(sentence);
    },
    present: (value, what, standsOn) => {
      if (value === null || value === undefined) throw new PreconditionFailed(what, undefined, standsOn);
      return value;
    },
    succeeded,
    inconclusive: (sentence) => {
      throw new Inconclusive(sentence);
    },
  };
  return given;
}

type Making = Pick<Thing, 'type' | 'space' | 'body'> & {
  readonly as: 'editor' | Parameters<Target['token']>[0] | null;
};

async function made(parts: GivenParts, making: Making): Promise<{ readonly thing: Thing; readonly reply: Reply }> {
  const created = await parts.service.create(making.body, { of: making, as: making.as });
  succeeded(created, `to create an instance of ${making.type.definitionId}`, ['reading.create.status-201']);
  return foundThing(created, making, { ...parts, profile: parts.profile.all });
}

/** An object that reads now: by where it was found, whatever became of the documented routes. */
async function current<T extends Thing>(service: Target, thing: T): Promise<T> {
  const reply = await service.get(thing.location);
  const version = reply.status === 200 ? versionOf(reply) : undefined;
  if (version !== undefined) return { ...thing, version };
  throw new PreconditionFailed(`to read the version of ${thing.oid}`, reply, [
    'headers.location.leads-to-object',
    'reading.body.version-is-integer',
  ]);
}

async function edited<T extends Thing>({ service, unique }: GivenParts, thing: T, times: number): Promise<T> {
  let latest = thing;
  const [scalar] = thing.type.scalars ?? [];
  for (let time = 0; time < times; time += 1) {
    const edit = scalar === undefined ? withUnique(thing.type.body, unique) : { [scalar]: unique('edit') };
    succeeded(await service.merge(latest, edit), 'an accepted merge edit', [
      'patch.merge.edits-named-member',
      'patch.merge.status-204',
    ]);
    latest = await current(service, latest);
  }
  return latest;
}

const succeeded: Given['succeeded'] = (reply, step, standsOn) => {
  if (reply.status >= 200 && reply.status < 300) return;
  const body = reply.text === '' ? '' : ` (the answer says ${describe(reply.text, 300)})`;
  throw new PreconditionFailed(`${step}${body}`, reply, standsOn);
};

/** Body of an object whose array port holds entries with these texts. */
function bodyWithEntries(
  texts: readonly string[],
  options: EntriesOptions,
  given: Given,
  profile: BoundProfile,
): Record<string, unknown> {
  const { port } = profile;
  const { members = () => ({}), nested, second } = options;
  const inside = nested === undefined ? () => ({}) : (index: number) => nestedEntries(nested(index), given, port);
  const entries = texts.map((text, index) => given.entry(text, { ...members(index), ...inside(index) }));
  return {
    [port.member]: entries,
    ...(second !== undefined && secondEntries(second, given, profile)),
    ...options.body,
  };
}

function nestedEntries(count: number, given: Given, port: Port): Record<string, unknown> {
  const { nested } = port;
  if (nested === undefined)
    throw new Error('the case uses nested entries, which the profile lacks: its rule does not name the need');
  const items = Array.from({ length: count }, () => ({ ...nested.entry, [nested.text]: given.unique('nested') }));
  return { [nested.member]: items };
}

function secondEntries(count: number, given: Given, { secondPort }: BoundProfile): Record<string, unknown> {
  return {
    [secondPort.member]: Array.from({ length: count }, () => given.entry(given.unique('second'), {}, secondPort)),
  };
}

/**
 * Proves that the array holds the entries sent. Any of four signs is enough, because each of them is what some rule judges: the first
 * read shows them all, the page link counts them, the pages together or page 0 alone show them all.
 */
async function proveEntries(
  service: Target,
  thing: Thing,
  port: Port,
  texts: readonly string[],
  read: Reply,
): Promise<Owner> {
  const owner = { ...thing, port, texts };
  if (totalOf(read, port) === texts.length || showsAll(firstEntries(read, port), owner)) return owner;
  if (showsAll(await entriesByPage(service, thing, port, read), owner)) return owner;
  if (showsAll(entriesOnPage(await service.page(thing, 0, { port })), owner)) return owner;
  throw new PreconditionFailed(
    `an object whose array ${port.member} holds the ${texts.length} entries it was created with`,
    read,
    [
      'paging.instance-read.short-array-complete',
      'paging.link.total-number',
      'paging.page.documented-route-served',
      'paging.pages.cover-array-once',
      'reading.body.data-is-object',
    ],
  );
}

/** Whether as many entries as were sent are there, with every text that was sent. */
function showsAll(entries: readonly unknown[], { port, texts, body }: Owner): boolean {
  const seen = new Set(textsIn(entries, port));
  return entries.length >= texts.length && textsIn(body[port.member], port).every((text) => seen.has(text));
}

function entriesOnPage({ status, json }: Reply): readonly unknown[] {
  const data = status === 200 && isRecord(json) ? json['data'] : undefined;
  return Array.isArray(data) ? data : [];
}

function textsIn(entries: unknown, port: Port): readonly string[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry[port.text] === 'string' ? [String(entry[port.text])] : [],
  );
}
