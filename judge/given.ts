import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { headerNames } from '../contract/names.ts';
import type { IdentityName, Profile, SoftTypeProfile } from '../contract/profile.ts';
import type { RuleId } from '../contract/rule.ts';
import type { Bookings } from './case/bookings.ts';
import { originOf } from './client/wire.ts';
import { describeBody } from './describe.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from './exchange.ts';
import type { MakesKeyHolders } from './extension/api-keys.ts';
import type { MakesExtensions } from './extension/extension.ts';
import type { MakesTasks } from './extension/tasks.ts';
import type { MakesSources } from './files/bulk.ts';
import type { MakesFiles } from './files/files.ts';
import { reading } from './case/part.ts';
import type { BoundProfile } from './profile.ts';
import { dataOf } from './service/answers.ts';
import { firstEntries, plainInteger, readEntriesByPage, type Target, totalOf } from './service/target.ts';
import type { Owner, Port, Thing } from './things.ts';
import { assertInRole, assertNotLost, PreconditionFailed, Undecidable } from './violation.ts';
import { addressBehind, hasShortRoute, lastSegment } from './service/requests.ts';
import { isObject, memberIn, textIn, withTexts } from './json.ts';

interface EntriesOptions {
  /** Makes the text of each entry, unlike any other. */
  readonly text?: () => string;
  /** Members that each entry gets in addition, by its index. */
  readonly members?: (index: number) => Readonly<Record<string, unknown>>;
  /** Nested entries of each entry, by its index. */
  readonly nested?: (index: number) => number;
  /** Entries of the second array port. */
  readonly second?: number;
  /** Further root members. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What the parts of the service beside SoftTypes add to `given`. */
type GivenAround = MakesExtensions & MakesFiles & MakesSources & MakesTasks & MakesKeyHolders;

/** Everything in here throws PreconditionFailed (never a Violation) when the target does not do its part. */
export interface Given extends GivenAround {
  /** A text that no other case and no other call uses; the same for the same seed. */
  unique(prefix?: string): string;
  /** The smallest valid body of the primary SoftType, or of `type`, with unique values. */
  body(more?: Readonly<Record<string, unknown>>, type?: SoftTypeProfile): Record<string, unknown>;
  /** A body of one entry of the port with that text. */
  entry(text: string, more?: Readonly<Record<string, unknown>>, port?: Port): Record<string, unknown>;
  /** A body of one entry of the array inside an entry, with that text. */
  nestedEntry(text: string, nested: NonNullable<Port['nested']>): Record<string, unknown>;
  /** A value of the object member: what is mandatory in it, and a text in each of its scalars; fresh ones unless given. */
  inner(object: NonNullable<SoftTypeProfile['object']>, texts?: readonly string[]): Record<string, unknown>;
  /** A fresh object of the primary SoftType at version 1 or whatever the service starts with. */
  object(
    more?: Readonly<Record<string, unknown>>,
    options?: { readonly type?: SoftTypeProfile; readonly space?: string; readonly as?: Changes['as'] },
  ): Promise<Thing>;
  /** The object that a create of one's own made, found and booked as `object` does. */
  found(
    created: Reply,
    body: Readonly<Record<string, unknown>>,
    of?: Pick<Thing, 'type' | 'space'> & { readonly as?: IdentityName },
  ): Promise<Thing>;
  /**
   * E(n): an object whose array port holds n distinguishable entries. Any of three signs proves it, because each of them is what some
   * rule judges: the first read shows all, the page link counts them, or the pages together show all.
   */
  objectWithEntries(count: number, options?: EntriesOptions): Promise<Owner>;
  /** The thing at the version that reads now. */
  current<T extends Thing>(thing: T): Promise<T>;
  /** An accepted edit of a scalar, made `times` times; returns the thing at its new version. */
  edited<T extends Thing>(thing: T, times?: number): Promise<T>;
  /** An object id of the same form that names nothing. */
  unknownOid(thing: Thing): string;
  /** Whether a read under the id of a deleted object shows another one, which was given it since: that no id is given again is not said. */
  isGivenAgain(deleted: Thing, data: Readonly<Record<string, unknown>>, read: Reply): boolean;
  /** Throws PreconditionFailed with that sentence unless the condition holds. @param reply the answer that does not make it hold, where one alone could */
  assume(condition: boolean, sentence: string, reply?: Reply): void;
  /** The value, or PreconditionFailed where it is missing: `given.present(entries[0], 'an entry on page 1')`. */
  present<T>(value: T | null | undefined, what: string, standsOn?: readonly RuleId[]): T;
  /** Throws PreconditionFailed unless the reply is 2xx: a step that the case needs but does not judge. `standsOn`: rules that judge it. */
  succeeded(reply: Reply, step: string, standsOn?: readonly RuleId[]): void;
  /** Ends the case as blocked with that sentence: whatever the time, the check cannot decide anything on this target. */
  inconclusive(sentence: string): never;
}

interface GivenParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly bookings: Bookings;
  /** Told the rules on which it leans where it asks nothing itself. */
  readonly leanOn: (...rules: readonly RuleId[]) => void;
  readonly unique: (prefix?: string) => string;
  /** Words of the other parts of the service. */
  readonly around: GivenAround;
}

/** Makes what the cases need. */
export function openGiven(parts: GivenParts): Given {
  const { service, profile, bookings, unique } = parts;
  const finder: Finder = { ...parts, borneOut: new Set() };
  const given: Given = {
    ...parts.around,
    unique,
    body: (more, type = profile.primary) => ({ ...withUnique(type.body, unique), ...more }),
    entry: (text, more, port = profile.port) => ({ ...withUnique(port.entry, unique), [port.text]: text, ...more }),
    nestedEntry: (text, nested) => ({ ...withUnique(nested.entry, unique), [nested.text]: text }),
    inner: ({ body = {}, scalars }, texts = []) => ({
      ...body,
      ...Object.fromEntries(scalars.map((name, index) => [name, texts[index] ?? unique('inner')])),
    }),
    object: async (more, { type = profile.primary, space = profile.all.space, as = profile.asker(space) } = {}) => {
      const making = { type, space, as, body: given.body(more, type) };
      return findThing(await create(service, making), making, finder);
    },
    found: (reply, body, of = { type: profile.primary, space: profile.all.space }) =>
      findThing(reply, { as: profile.asker(of.space), ...of, body }, finder),
    objectWithEntries: async (count, options = {}) => {
      const { text = () => unique('entry') } = options;
      const texts = Array.from({ length: count }, text);
      const body = given.body(bodyWithEntries(texts, options, given, profile));
      const making: Making = {
        type: profile.primary,
        space: profile.all.space,
        as: profile.asker(profile.all.space),
        body,
      };
      const { thing, reply } = await readThing(await create(service, making), making, finder);
      return proveEntries(service, thing, profile.port, texts, reply);
    },
    current: (thing) => current(service, thing),
    edited: (thing, times = 1) => edited(parts, thing, times),
    unknownOid: ({ oid }) => alterOid(oid, (candidate) => bookings.knows(candidate)),
    isGivenAgain: ({ oid }, data, read) =>
      isSuccess(read.status) && (bookings.isGivenAgain(oid) || isAnother(dataOf(read), data)),
    assume: (condition, sentence, reply) => {
      if (!condition) throw new PreconditionFailed(sentence, reply);
    },
    present: (value, what, standsOn) => {
      if (value === null || value === undefined) throw new PreconditionFailed(what, undefined, standsOn);
      return value;
    },
    succeeded,
    inconclusive: (sentence) => {
      throw new Undecidable(sentence);
    },
  };
  return given;
}

type Making = Pick<Thing, 'type' | 'space' | 'body'> & { readonly as: RequestSpec['as'] };

async function create(service: Target, making: Making): Promise<Reply> {
  const reply = await service.create(making.body, { of: making, as: making.as });
  succeeded(reply, `to create an instance of ${making.type.definitionId}`, ['reading.create.status-201']);
  return reply;
}

/** An object that reads now: by where it was found, whatever became of the documented routes. */
async function current<T extends Thing>(service: Target, thing: T): Promise<T> {
  const reply = await service.get(thing.location);
  assertNotLost(reply);
  const version = reply.status === 200 ? versionOf(reply) : undefined;
  if (version !== undefined) return { ...thing, version };
  throw new PreconditionFailed(`to read the version of ${thing.oid}`, reply, [
    'headers.location.leads-to-object',
    'reading.body.version-is-integer',
  ]);
}

async function edited<T extends Thing>(parts: GivenParts, thing: T, times: number): Promise<T> {
  const { service, profile, unique } = parts;
  let latest = thing;
  const [scalar] = thing.type.scalars ?? [];
  for (let time = 0; time < times; time += 1) {
    const edit = scalar === undefined ? withUnique(thing.type.body, unique) : { [scalar]: unique('edit') };
    const isMerge = profile.offers('merge');
    const from = isMerge ? latest : { ...latest, body: await shownOf(service, latest) };
    succeeded(
      await service.edit(from, edit),
      'an accepted edit',
      isMerge
        ? ['patch.merge.edits-named-member', 'patch.merge.status-204']
        : ['patch.add.missing-member-added', 'patch.path.member-addressed'],
    );
    latest = await current(service, latest);
  }
  return latest;
}

/** The members that a read shows. */
async function shownOf(service: Target, thing: Thing): Promise<Thing['body']> {
  const { json } = await service.readLong(thing);
  const data = memberIn(json, 'data');
  return isObject(data) ? data : thing.body;
}

const succeeded: Given['succeeded'] = (reply, step, standsOn) => {
  assertNotLost(reply);
  if (isSuccess(reply.status)) return;
  assertInRole(reply);
  const body = reply.text === '' ? '' : ` (the answer says ${describeBody(reply.text, 300)})`;
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
  const { members = () => ({}), nested } = options;
  // what stands inside of some entries, or in another array, changes nothing about them
  const insideOf = nested ?? ((index: number) => (port.nested !== undefined && index % 4 === 1 ? 2 : 0));
  const inside = (index: number) => {
    const count = insideOf(index);
    return nested === undefined && count === 0 ? {} : nestedEntries(count, given, port);
  };
  const entries = texts.map((text, index) => given.entry(text, { ...inside(index), ...members(index) }));
  const hasSecond = profile.primary.secondArrayPort !== undefined && texts.length % 2 === 1;
  const second = options.second ?? (hasSecond ? 2 : undefined);
  return {
    ...(second !== undefined && secondEntries(second, given, profile)),
    [port.member]: entries,
    ...options.body,
  };
}

function nestedEntries(count: number, given: Given, port: Port): Record<string, unknown> {
  const { nested } = port;
  if (nested === undefined)
    throw new Error('the case uses nested entries, which the profile lacks: its rule does not name the need');
  const items = Array.from({ length: count }, () => given.nestedEntry(given.unique('nested'), nested));
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
  if (showsAll(await readEntriesByPage(service, thing, port, read), owner)) return owner;
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
  const data = status === 200 && memberIn(json, 'data');
  return Array.isArray(data) ? data : [];
}

function textsIn(entries: unknown, port: Port): readonly string[] {
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry[port.text] === 'string' ? [String(entry[port.text])] : [],
  );
}

interface Finder extends Omit<GivenParts, 'around'> {
  /** Kinds of objects of which a read has shown in this case that they are what the answers to creates tell. */
  readonly borneOut: Set<string>;
}

/** The object that an accepted create made: read until that has borne out once what the answer tells, then as the answer tells it. */
async function findThing(created: Reply, making: Making, finder: Finder): Promise<Thing> {
  const told = toldBy(created, making, finder);
  const isBorneOut = reading('borne out', () => Number(finder.borneOut.has(kindOf(making)))) === 1;
  if (told === undefined || !isBorneOut) return (await readThing(created, making, finder)).thing;
  finder.leanOn('headers.location.leads-to-object', 'headers.uoi-version.on-create');
  finder.bookings.identify(locationOf(created), told.oid);
  return told;
}

function kindOf({ type, space, as }: Making): string {
  return [type.definitionId, type.inputSchemaId, space, as].join(' ');
}

/** The object as the documented headers of the answer to its create tell it; undefined where they do not. */
function toldBy(created: Reply, { type, space, body }: Making, { profile }: Finder): Thing | undefined {
  const { location = '' } = created.headers;
  const version = plainInteger(created.headers[headerNames.version.toLowerCase()]);
  const oid = guessedOid(created);
  const address = addressBehind(location, created.url);
  if (location === '' || version === undefined || oid === undefined || address === undefined) return undefined;
  return { oid, location: atHome(address, profile.all), type, space, version, body };
}

function locationOf(created: Reply): string {
  return new URL(created.headers['location'] ?? '', created.url).href;
}

/** The object that an accepted create made: by its Location, else by what the body of the answer tells, else by its id on the documented routes. */
async function readThing(
  created: Reply,
  making: Making,
  finder: Finder,
): Promise<{ readonly thing: Thing; readonly reply: Reply }> {
  const { service, profile, bookings, borneOut } = finder;
  const { type, space, as, body } = making;
  for (const request of candidates(created, making, service, profile.all)) {
    const reply = await service.send(request);
    const oid = oidOf(reply, created);
    const version = versionOf(reply);
    if (reply.status !== 200 || oid === undefined || version === undefined) continue;
    bookings.identify(locationOf(created), oid);
    const thing = { oid, location: reply.url, type, space, version, body };
    if (isDeepStrictEqual(thing, toldBy(created, making, finder))) borneOut.add(kindOf(making));
    return { thing, reply: hasShortRoute(type) ? reply : await service.readLong(thing, { as }) };
  }
  throw new PreconditionFailed(
    'to find the object that a create made (Location, href or $oid of the answer)',
    created,
    [
      'headers.location.on-create',
      'headers.location.leads-to-object',
      'reading.instance.short-route-served',
      'reading.instance.long-route-served',
    ],
  );
}

function* candidates(created: Reply, of: Making, service: Target, profile: Profile): Generator<RequestSpec> {
  const uris = [created.headers['location'], textIn(created.json, 'href')];
  for (const uri of uris) {
    const address = uri === undefined ? undefined : addressBehind(uri, created.url);
    if (address !== undefined) yield { ...service.requests.get(atHome(address, profile)), as: of.as };
  }
  const oid = guessedOid(created);
  if (oid === undefined) return;
  const thing = { ...of, oid, location: '', version: 0 };
  yield { ...service.requests.read(thing), as: of.as };
  yield { ...service.requests.readLong(thing), as: of.as };
}

/** Where a URI leads to a host behind the gateway, the same path on the gateway: the rule about that judges it elsewhere. */
function atHome(uri: URL, profile: Profile): string {
  return uri.origin === originOf(profile.baseUrl) ? uri.href : originOf(profile.baseUrl) + uri.pathname + uri.search;
}

function oidOf(reply: Reply, created: Reply): string | undefined {
  const data = memberIn(reply.json, 'data');
  return textIn(data, '$oid') ?? textIn(reply.json, '$oid') ?? guessedOid(created);
}

/** The id that the answer of the create gives, or the last segment of its Location. */
function guessedOid(created: Reply): string | undefined {
  const data = memberIn(created.json, 'data');
  const stated = textIn(data, '$oid') ?? textIn(created.json, '$oid');
  const location = created.headers['location'] ?? textIn(created.json, 'href');
  if (stated !== undefined || location === undefined) return stated;
  return lastSegment(addressBehind(location, created.url)?.pathname ?? '');
}

/** The version of a read response, in any of the places where it stands. */
export function versionOf(reply: Reply): number | undefined {
  if (!isObject(reply.json)) return undefined;
  const data = reply.json['data'];
  return plainInteger(reply.json['version']) ?? (isObject(data) ? plainInteger(data['$version']) : undefined);
}

/** Whether what is shown has other texts throughout, as an object has that others have made. */
function isAnother(shown: Readonly<Record<string, unknown>>, deleted: Readonly<Record<string, unknown>>): boolean {
  const texts = Object.entries(deleted).filter(([name, value]) => !name.startsWith('$') && isFilled(value));
  return texts.some(([name]) => isFilled(shown[name])) && texts.every(([name, value]) => shown[name] !== value);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Makes texts that differ from each other and from those of other cases; the same seed, name and mark give the same ones.
 * @param mark of the run, so that nothing which an earlier one left has the name of something new
 */
export function uniqueTexts(seed: number, name: string, attempt: number, mark = ''): (prefix?: string) => string {
  const stem = markOf(seed, name, attempt, mark);
  let count = 0;
  return (prefix = 'text') => {
    count += 1;
    return `${prefix}-${stem}-${count}`;
  };
}

/** What the texts of one case have in common, and those of no other: eight hexadecimal digits. */
export function markOf(seed: number, name: string, attempt: number, mark: string): string {
  return createHash('sha256').update(`${seed} ${name} ${attempt}${mark}`).digest('hex').slice(0, 8);
}

/** The value with `{{unique}}` in each of its texts replaced by a fresh one. */
export function withUnique<T>(value: T, unique: () => string): T {
  return withTexts(value, (text) => text.replaceAll('{{unique}}', () => unique()));
}

/** From so many characters on the first ones of an id tell how large it may be: 64 bits, the time that a ULID holds. */
const longId = 8;

/** An id that counts and has no length of its own, by itself or behind words: `12`, `doc-12`. */
const counting = /^((?:[a-z]*[^0-9a-z])*)([1-9]\d{0,6})$/i;

/**
 * An id of the same form in which one character is another one of its kind. What counts up in an id stands at its end: it changes where
 * that part begins, because a neighbour may be the id of another object by the time it is asked for; a long one in its middle. One that
 * counts from 1 gets far beyond what a run makes.
 */
export function alterOid(oid: string, isTaken: (oid: string) => boolean): string {
  const [, words = '', count] = counting.exec(oid) ?? [];
  const candidates =
    count === undefined
      ? neighboursOf(oid)
      : alternatives('0').map((digit) => words + digit + count.padStart(longId - 1, '0'));
  return candidates.find((candidate) => !isTaken(candidate)) ?? `${oid}0`;
}

function neighboursOf(oid: string): readonly string[] {
  const last = /(?<![0-9a-f])\d+$/i.exec(oid) ?? /[0-9a-z]+$/i.exec(oid);
  const { length } = last?.[0] ?? '';
  const begin = (last?.index ?? 0) + (length < longId ? 0 : Math.floor(length / 2));
  const positions = Array.from({ length: oid.length }, (_position, index) => (begin + index) % oid.length);
  return positions.flatMap((at) =>
    alternatives(oid[at] ?? '').map((other) => oid.slice(0, at) + other + oid.slice(at + 1)),
  );
}

/** Characters of the same kind; a first digit stays away from zero. */
function alternatives(character: string): readonly string[] {
  const kinds = ['987654321', 'fedcba', 'FEDCBA', 'zyxwvutsrqponmlkjihg', 'ZYXWVUTSRQPONMLKJIHG'];
  const kind = kinds.find((letters) => letters.includes(character)) ?? (character === '0' ? '987654321' : '');
  return [...kind].filter((other) => other !== character);
}
