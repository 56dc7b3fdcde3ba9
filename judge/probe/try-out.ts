import { randomInt } from 'node:crypto';
import type { ArrayPortProfile, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf } from '../service/answers.ts';
import { removableBy } from '../case/bookings.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { withUnique } from '../given.ts';
import { isObject } from '../json.ts';
import { openContext } from '../case/open-context.ts';
import { ledBy, type Led, withPageNames } from './links.ts';
import type { Candidate } from './propose.ts';
import { portOf } from '../profile.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { CaseRecord, unjudged } from '../case/record.ts';
import { cleanUp, CleanUpTime } from '../run/clean-up.ts';
import { booked, closeSession, openSession, type Session } from '../run/session.ts';
import type { Thing } from '../things.ts';
import { insteadOfRefusal, PreconditionFailed, unlessRefused } from '../violation.ts';
import { otherSchemaOfShortRoute } from '../run/preflight/soft-types.ts';

type Json = Readonly<Record<string, unknown>>;

type SecondSchema = NonNullable<SoftTypeProfile['secondOutputSchema']>;

/** A part of a SoftType that a create and a read can show. */
interface Trial {
  readonly key: keyof SoftTypeProfile;
  readonly body: Json;
  readonly isShown: (data: Json) => boolean;
}

/** What became of a candidate. */
type TriedOut =
  | { readonly type: SoftTypeProfile; readonly thing: Thing }
  | { readonly refusal: string; readonly reply?: Reply };

/** Creates and reads an object of a SoftType, then one for each of its parts; parts that do not come back as written are left out. */
export function tryOut(context: CaseContext, type: SoftTypeProfile): Promise<TriedOut> {
  return tried(context, type, () => provenParts(context, type));
}

/** The same of what documents describe: the first of each kind of part that comes back as written. */
export async function tryCandidate(context: CaseContext, candidate: Candidate): Promise<TriedOut> {
  const outcome = await tried(context, candidate.type, () => chosenParts(context, candidate));
  const fitting = 'type' in outcome ? undefined : await withMandatory(context, candidate);
  return fitting === undefined ? outcome : tried(context, fitting.type, () => chosenParts(context, fitting));
}

/** The candidate with those of its texts in the smallest body that the service asks for, although no document says so; undefined where all are not enough. */
async function withMandatory(context: CaseContext, candidate: Candidate): Promise<Candidate | undefined> {
  const { type, parts } = candidate;
  const isTaken = async (names: readonly string[]): Promise<boolean> =>
    (await shown(context, withTexts(type, names), {})) !== undefined;
  let mandatory = parts.texts;
  if (mandatory.length === 0 || !(await isTaken(mandatory))) return undefined;
  for (const name of parts.texts.slice(0, mostTried)) {
    const others = mandatory.filter((other) => other !== name);
    if (await isTaken(others)) mandatory = others;
  }
  const texts = parts.texts.filter((name) => !mandatory.includes(name));
  return { ...candidate, type: withTexts(type, mandatory), parts: { ...parts, texts } };
}

function withTexts(type: SoftTypeProfile, names: readonly string[]): SoftTypeProfile {
  const texts = Object.fromEntries(names.map((name) => [name, `${type.definitionId} {{unique}}`]));
  return { ...type, body: { ...type.body, ...texts } };
}

async function tried(
  context: CaseContext,
  type: SoftTypeProfile,
  choose: () => Promise<SoftTypeProfile>,
): Promise<TriedOut> {
  const { given, service } = context;
  try {
    const thing = await given.object({}, { type });
    dataOf(await service.readLong(thing));
    const parts = await choose();
    const chosen = { ...parts, ...(await findShortRoute(context, parts)) };
    return { type: chosen, thing: { ...thing, type: chosen } };
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
    return { refusal: error.needed, ...(error.reply && { reply: error.reply }) };
  }
}

/** Seen at an object that has a member of each kind. */
async function findShortRoute(
  context: CaseContext,
  type: SoftTypeProfile,
): Promise<Pick<SoftTypeProfile, 'shortRouteSchemaId'>> {
  const { given, service } = context;
  return insteadOfRefusal({}, async () => {
    const { arrayPort, secondArrayPort, object } = type;
    const thing = await given.object(
      {
        ...Object.fromEntries((type.scalars ?? []).map((name) => [name, given.unique()])),
        ...(object && { [object.member]: given.inner(object) }),
        ...(arrayPort && entriesFor(context, arrayPort)),
        ...(secondArrayPort && entriesFor(context, secondArrayPort)),
      },
      { type },
    );
    const applied = await otherSchemaOfShortRoute(service, thing);
    return applied === undefined ? {} : { shortRouteSchemaId: applied };
  });
}

/** Members of one kind that are tried. */
const mostTried = 8;

async function chosenParts(context: CaseContext, candidate: Candidate): Promise<SoftTypeProfile> {
  const { given } = context;
  const { type, parts, renamable, otherOutputs } = candidate;
  const comesBack = async (body: Json): Promise<boolean> => {
    const data = await shown(context, type, body);
    return data !== undefined && holds(data, body);
  };
  const text = (name: string) => comesBack({ [name]: given.unique('probe') });
  const scalars = await firstThat(parts.texts, 2, text);
  const [escaped] = await firstThat(parts.escaped, 1, text);
  const both = async (name: string, one: unknown, other: unknown): Promise<boolean> =>
    (await comesBack({ [name]: one })) && comesBack({ [name]: other });
  const numbers = await firstThat(parts.numbers, 2, (name) => both(name, 0, 1));
  const flags = await firstThat(parts.flags, 2, (name) => both(name, false, true));
  const [bareObject] = await firstThat(parts.objects, 1, (each) => comesBack(objectFor(context, each)));
  const object =
    bareObject && (await enriched(bareObject, parts.richer, (each) => comesBack(objectFor(context, each))));
  const [scalarList] = await firstThat(parts.lists, 1, (name) =>
    comesBack({ [name]: [given.unique('probe'), given.unique('probe')] }),
  );
  const ports: ArrayPortProfile[] = [];
  for (const forms of parts.ports.slice(0, mostTried))
    if (ports.length < 2) ports.push(...(await firstThat(forms, 1, (port) => comesBack(entriesFor(context, port)))));
  const [arrayPort, secondArrayPort] = await Promise.all(
    ports.map(async (port) =>
      withPageNames(context, type, await enriched(port, parts.richer, (each) => comesBack(entriesFor(context, each)))),
    ),
  );
  const chosen = {
    ...type,
    ...(scalars.length > 0 && { scalars: [...scalars] }),
    ...(numbers.length > 0 && { numbers: [...numbers] }),
    ...(flags.length > 0 && { flags: [...flags] }),
    ...(object && { object }),
    ...(arrayPort && { arrayPort }),
    ...(secondArrayPort && { secondArrayPort }),
    ...(scalarList !== undefined && { scalarList }),
    ...(escaped !== undefined && { escaped }),
    ...(await renamedIn(context, type, renamable)),
  };
  const secondOutputSchema = await secondOutputOf(context, chosen, otherOutputs);
  return { ...chosen, ...(secondOutputSchema && { secondOutputSchema }) };
}

/** The part with each addition to it that works. */
async function enriched<T extends { readonly member: string }>(
  part: T,
  richer: Candidate['parts']['richer'],
  works: (part: T) => Promise<boolean>,
): Promise<T> {
  let now = part;
  for (const addition of richer[part.member] ?? []) {
    const more = { ...now, ...addition };
    if (await works(more)) now = more;
  }
  return now;
}

/** The first so many that work. */
async function firstThat<T>(
  all: readonly T[],
  count: number,
  works: (one: T) => Promise<boolean>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (const one of all.slice(0, mostTried)) {
    if (found.length === count) break;
    if (await works(one)) found.push(one);
  }
  return found;
}

/** Another output schema that shows some members of an object that has everything, and lacks others. */
async function secondOutputOf(
  context: CaseContext,
  type: SoftTypeProfile,
  others: readonly string[],
): Promise<SecondSchema | undefined> {
  const { given, service } = context;
  const { scalars = [], object, arrayPort } = type;
  const body: Json = {
    ...Object.fromEntries(scalars.map((name) => [name, given.unique('probe')])),
    ...(object && { [object.member]: given.inner(object) }),
    ...(arrayPort && entriesFor(context, arrayPort)),
  };
  return unlessRefused(async () => {
    const thing = await given.object(body, { type });
    const first = dataOf(await service.readLong(thing));
    const fillable = Object.keys(body).filter((name) => Object.hasOwn(first, name));
    const known = [...fillable, ...Object.keys(type.body).filter((name) => Object.hasOwn(first, name))];
    for (const id of others) {
      const { json, status } = await service.readLong(thing, { outputSchemaId: id });
      const data = isObject(json) && status === 200 ? json['data'] : undefined;
      if (!isObject(data)) continue;
      const shows = known.filter((name) => Object.hasOwn(data, name));
      const lacks = fillable.filter((name) => !Object.hasOwn(data, name));
      if (shows.length > 0 && lacks.length > 0) return { id, shows, lacks };
    }
    return undefined;
  });
}

async function provenParts(context: CaseContext, type: SoftTypeProfile): Promise<SoftTypeProfile> {
  const failed: string[] = [];
  for (const trial of trialsOf(context, type)) {
    const data = await shown(context, type, trial.body);
    if (data === undefined || !trial.isShown(data)) failed.push(trial.key);
  }
  const scalars = failed.includes('scalars') ? [] : (type.scalars ?? []);
  if (!(await takesSecondInput(context, type, scalars))) failed.push('secondInputSchema');
  const second = type.secondOutputSchema;
  const known = [...scalars, ...(type.escaped === undefined || failed.includes('escaped') ? [] : [type.escaped])];
  if (second !== undefined && !(await isShownBy(context, type, second, known))) failed.push('secondOutputSchema');
  const { definitionId, inputSchemaId, outputSchemaId, body, ...parts } = type;
  const proven = Object.fromEntries(Object.entries(parts).filter(([key]) => !failed.includes(key)));
  return { definitionId, inputSchemaId, outputSchemaId, body, ...proven };
}

/** The smallest body and the scalars make an object under the other input schema as well. */
async function takesSecondInput(
  context: CaseContext,
  { secondInputSchema, ...type }: SoftTypeProfile,
  scalars: readonly string[],
): Promise<boolean> {
  if (secondInputSchema === undefined) return true;
  const body = Object.fromEntries(scalars.map((name) => [name, context.given.unique('probe')]));
  const data = await shown(context, { ...type, inputSchemaId: secondInputSchema }, body);
  return data !== undefined && holds(data, body);
}

function trialsOf(context: CaseContext, type: SoftTypeProfile): readonly Trial[] {
  const { given } = context;
  const written = (name: string): Json => ({ [name]: given.unique('probe') });
  const alike = (key: keyof SoftTypeProfile, body: Json): Trial => ({
    key,
    body,
    isShown: (data) => holds(data, body),
  });
  const ports = (['arrayPort', 'secondArrayPort'] as const).flatMap((key) => {
    const port = type[key];
    return port === undefined ? [] : [alike(key, entriesFor(context, port))];
  });
  const { scalars = [], numbers = [], flags = [], object, scalarList, escaped } = type;
  const plain = (names: readonly string[], value: unknown): Json =>
    Object.fromEntries(names.map((name) => [name, value]));
  return [
    ...(scalars.length > 0 ? [alike('scalars', Object.assign({}, ...scalars.map(written)) as Json)] : []),
    ...(numbers.length > 0 ? [alike('numbers', plain(numbers, 0))] : []),
    ...(flags.length > 0 ? [alike('flags', plain(flags, false))] : []),
    ...(object ? [alike('object', objectFor(context, object))] : []),
    ...(scalarList === undefined
      ? []
      : [alike('scalarList', { [scalarList]: [given.unique('probe'), given.unique('probe')] })]),
    ...(escaped === undefined ? [] : [alike('escaped', written(escaped))]),
    ...ports,
  ];
}

function objectFor({ given }: CaseContext, object: NonNullable<SoftTypeProfile['object']>): Json {
  return { [object.member]: { ...given.inner(object), ...blankValues(object) } };
}

/** Its numbers and truth values, each with one that programs take for none. */
function blankValues({ numbers = [], flags = [] }: { readonly numbers?: string[]; readonly flags?: string[] }): Json {
  return Object.fromEntries([...numbers.map((name) => [name, 0]), ...flags.map((name) => [name, false])]);
}

/** Three entries, one of them without its text, which has to be optional, and one with what may be nested in it. */
function entriesFor({ given }: CaseContext, port: NonNullable<SoftTypeProfile['arrayPort']>): Json {
  const { [port.text]: _text, ...bare } = withUnique(port.entry, given.unique);
  return {
    [port.member]: [
      bare,
      given.entry(given.unique('probe'), {}, portOf(port)),
      given.entry(given.unique('probe'), insideOf(given, port), portOf(port)),
    ],
  };
}

function insideOf({ inner, unique }: CaseContext['given'], port: NonNullable<SoftTypeProfile['arrayPort']>): Json {
  const { object, nested } = port;
  return {
    ...blankValues(port),
    ...(object && { [object.member]: { ...inner(object), ...blankValues(object) } }),
    ...(nested && {
      [nested.member]: [{ ...withUnique(nested.entry, unique), [nested.text]: unique(), ...blankValues(nested) }],
    }),
  };
}

/** Whether what was written stands in what is read, whatever else does, and entries in whatever order. */
function holds(read: unknown, written: unknown): boolean {
  if (Array.isArray(written))
    return Array.isArray(read) && read.length === written.length && holdsAll(read, written, written.every(isObject));
  if (isObject(written))
    return isObject(read) && Object.entries(written).every(([name, value]) => holds(read[name], value));
  return read === written;
}

/** Those that say most find their places first, as those of others may hold what says less. */
function holdsAll(read: readonly unknown[], written: readonly unknown[], areEntries: boolean): boolean {
  if (!areEntries) return written.every((item, index) => holds(read[index], item));
  const left = [...read];
  return written
    .toSorted((one, other) => JSON.stringify(other).length - JSON.stringify(one).length)
    .every((item) => {
      const at = left.findIndex((shownItem) => holds(shownItem, item));
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    });
}

/** Data of a new object with these members, or undefined where it is refused. */
async function shown({ given, service }: CaseContext, type: SoftTypeProfile, more: Json): Promise<Json | undefined> {
  return unlessRefused(async () => dataOf(await service.readLong(await given.object(more, { type }))));
}

/** @param known members that are known to take a text */
async function isShownBy(
  { given, service }: CaseContext,
  type: SoftTypeProfile,
  second: SecondSchema,
  known: readonly string[],
): Promise<boolean> {
  return insteadOfRefusal(false, async () => {
    const texts: Json = Object.fromEntries(known.map((name) => [name, given.unique('probe')]));
    const thing = await given.object(texts, { type });
    const data = dataOf(await service.readLong(thing, { outputSchemaId: second.id }));
    const isShown = (name: string): boolean =>
      Object.hasOwn(texts, name)
        ? data[name] === texts[name]
        : !Object.hasOwn(thing.body, name) || Object.hasOwn(data, name);
    return second.shows.every(isShown) && second.lacks.every((name) => !Object.hasOwn(data, name));
  });
}

/** A text that comes back under another name. */
async function renamedIn(
  context: CaseContext,
  type: SoftTypeProfile,
  { inputs, outputs }: Candidate['renamable'],
): Promise<Pick<SoftTypeProfile, 'renamed'>> {
  for (const input of outputs.length === 0 ? [] : inputs.slice(0, 5)) {
    const text = context.given.unique('probe');
    const data = await shown(context, type, { [input]: text });
    const output = outputs.find((name) => data?.[name] === text);
    if (output !== undefined) return { renamed: { input, output } };
  }
  return {};
}

/** What came of acting on a deployment outside a run. */
export interface Probed<T> extends Led {
  readonly result: T;
  /** What was created and could not be deleted again. */
  readonly remains: readonly { readonly uri: string; readonly reason: string }[];
}

/** Exchanges that are looked through in the end. */
const mostKept = 2000;

/**
 * Does some work on a deployment with the words that cases have, and deletes what it created.
 * @param known the profile with what the work found out about deleting
 */
export async function probe<T>(
  loaded: LoadedProfile,
  work: (context: CaseContext, session: Session, record: CaseRecord) => Promise<T>,
  known: (result: T) => Profile = () => loaded.profile,
): Promise<Probed<T>> {
  const session = openSession(loaded);
  const record = new CaseRecord(false, unjudged);
  record.begin(mostKept);
  const context = openContext(session, { name: 'probe', seed: randomInt(2 ** 31), record });
  try {
    const result = await work(context, session, record);
    await record.end();
    const profile = known(result);
    const bookings = booked(session).map((booking) => removableBy(profile, booking));
    using time = new CleanUpTime();
    return {
      result,
      ...ledBy(record.history(), profile),
      remains: await cleanUp(context.service, bookings, time, profile),
    };
  } finally {
    await record.end();
    await closeSession(session);
  }
}
