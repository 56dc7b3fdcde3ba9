import type { CaseContext } from '../case.ts';
import { openContext } from '../case/open-context.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { CaseRecord } from '../case/record.ts';
import { closeSession, openSession, type Session } from '../run/session.ts';
import { type CommandKind, type Shape, shapeOf } from '../model/object.ts';
import type { PartyName } from './result.ts';

/** One of the two implementations, ready to be asked. */
export interface Party {
  readonly name: PartyName;
  readonly loaded: LoadedProfile;
  readonly session: Session;
  readonly context: CaseContext;
  readonly record: CaseRecord;
  /** What both have, in the names of this one. */
  readonly shape: Shape;
}

export type Parties = Readonly<Record<PartyName, Party>>;

/** Who makes objects, in the bookings. */
const madeBy = 'differential';

/** Histories that are played at once, each with a context of its own. */
const lanes = 4;

/** Both, with the shape cut down to what they share, and sentences about what was cut. */
export interface Opened extends AsyncDisposable {
  /** As often as histories can be played at once. */
  readonly lanes: readonly Parties[];
  readonly leftOut: readonly string[];
}

/** Opens both and finds out what they have in common. @throws {PreconditionFailed} one of them cannot create and read an object */
export async function openParties(
  loaded: Readonly<Record<PartyName, LoadedProfile>>,
  seed: number,
  signal: AbortSignal,
): Promise<Opened> {
  const sessions = { first: openSession(loaded.first), second: openSession(loaded.second) };
  const close = async (): Promise<void> => {
    await Promise.all([closeSession(sessions.first), closeSession(sessions.second)]);
  };
  const open = (name: PartyName, lane: number): Omit<Party, 'shape'> => {
    const record = new CaseRecord(false);
    const context = openContext(sessions[name], { name: `${madeBy} ${lane}`, seed, record, signal });
    return { name, loaded: loaded[name], session: sessions[name], context, record };
  };
  try {
    const shapes = await Promise.all([shapeOf(open('first', 0).context), shapeOf(open('second', 0).context)]);
    const [one, two] = sharedShapes(...shapes);
    return {
      lanes: Array.from({ length: lanes }, (_lane, index) => ({
        first: { ...open('first', index + 1), shape: one },
        second: { ...open('second', index + 1), shape: two },
      })),
      leftOut: leftOutOf(...shapes),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Either shape without what the other one lacks. */
function sharedShapes(one: Shape, two: Shape): readonly [Shape, Shape] {
  const kinds = new Set([...one.kinds].filter((kind) => two.kinds.has(kind)));
  const ports = Math.min(one.ports.length, two.ports.length);
  const cut = (shape: Shape, other: Shape): Shape => ({
    type: shape.type,
    scalars: other.scalars.length === 0 ? [] : shape.scalars,
    // which of them goes by which name at the other one is not known
    numbers: [],
    flags: [],
    telling: [],
    endings: [],
    showsNull: shape.showsNull || other.showsNull,
    showsEmpty: shape.showsEmpty || other.showsEmpty,
    object:
      shape.object && other.object
        ? { ...shape.object, scalars: shape.object.scalars.slice(0, other.object.scalars.length) }
        : undefined,
    ports: shape.ports.slice(0, ports).map((port, index) => {
      const { mandatory, ...rest } = port;
      return mandatory !== undefined && other.ports[index]?.mandatory !== undefined ? port : rest;
    }),
    filter: other.filter === undefined ? undefined : shape.filter,
    kinds,
  });
  return [cut(one, two), cut(two, one)];
}

function leftOutOf(one: Shape, two: Shape): readonly string[] {
  const members: readonly (readonly [string, (shape: Shape) => boolean])[] = [
    ['scalar members', ({ scalars }) => scalars.length > 0],
    ['an object member', ({ object }) => object !== undefined],
    ['an array port', ({ ports }) => ports.length > 0],
    ['a second array port', ({ ports }) => ports.length > 1],
    ['a mandatory member of entries', ({ ports }) => ports.some(({ mandatory }) => mandatory !== undefined)],
    ['a fixed filter', ({ filter }) => filter !== undefined],
  ];
  const lacking = members.flatMap(([what, has]) =>
    sentenceOf(has(one), has(two), (only) => `${what}: the profile of the ${only} alone has that`),
  );
  const kinds = [...new Set([...one.kinds, ...two.kinds])].filter(
    (kind) => !lacksMember(kind, one) && !lacksMember(kind, two),
  );
  const nowhere = waysOfAll.filter(
    ([kind]) => !one.kinds.has(kind) && !two.kinds.has(kind) && !lacksMember(kind, one) && !lacksMember(kind, two),
  );
  return [
    ...lacking,
    ...kinds.flatMap((kind) =>
      sentenceOf(
        one.kinds.has(kind),
        two.kinds.has(kind),
        (only) => `${kind}: a first try worked with the ${only} alone`,
      ),
    ),
    ...nowhere.map(([, way]) => `${way}: a first try worked with neither`),
  ];
}

/** Ways to write that the documents give every service. */
const waysOfAll: readonly (readonly [CommandKind, string])[] = [
  ['merge', 'merge PATCH'],
  ['add scalar', 'operations PATCH'],
  ['batch', 'batch'],
];

function sentenceOf(first: boolean, second: boolean, sentence: (only: string) => string): readonly string[] {
  return first === second ? [] : [sentence(first ? 'first' : 'second')];
}

/** Whether a kind of edit is missing because the profile lacks what it edits. */
function lacksMember(kind: string, { scalars, object, ports }: Shape): boolean {
  if (kind.includes('scalar') || kind === 'merge') return scalars.length === 0;
  if (kind.includes('object')) return object === undefined;
  if (kind.includes('text') || kind.includes('entry') || kind === 'append') return ports.length === 0;
  return kind === 'remove mandatory' && ports.every(({ mandatory }) => mandatory === undefined);
}
