import { type Arbitrary, array, constant, constantFrom, nat, oneof, record, subarray } from 'fast-check';
import { type CommandKind, namesOf, type Shape } from './object.ts';
import {
  type Content,
  type SingleEdit,
  entriesOf,
  type EntryState,
  type ObjectState,
  type Texts,
  type Value,
  type Values,
} from './state.ts';

/** Which version a write states: that of the object, an older one, one more, its first digits, or none. */
export type Stated = 'current' | 'stale' | 'older' | 'ahead' | 'cut' | 'absent';

/** A write to one object, before it is known which objects there are. */
export interface EditCommand {
  readonly kind: SingleEdit['kind'];
  readonly object: number;
  /** Position of an entry, counted from the end where negative. */
  readonly at: number;
  /** Decides between the members, ports and spellings that there are. */
  readonly choice: number;
  /** Decides between values; by place and choice unless given. */
  readonly value?: number;
  readonly version: Stated;
}

/** Writes to different objects in one change set. */
export interface BatchCommand {
  readonly kind: 'batch';
  readonly parts: readonly EditCommand[];
  /** Where a write that cannot pass stands among them; undefined in a batch that passes. */
  readonly failing: number | undefined;
}

export type Command = EditCommand | BatchCommand;

/** What an object is created with. */
export interface Start {
  readonly entries: number;
  readonly second: number;
  /** Merge edits before the history begins. */
  readonly age: number;
  /** Whether scalars and object have a value. */
  readonly filled: boolean;
}

export interface History {
  readonly starts: readonly Start[];
  readonly commands: readonly Command[];
}

/** How often each name comes, compared with the others. */
type Weights<Name extends string> = Readonly<Partial<Record<Name, number>>>;

/** Numbers of objects, entries and edits at which things go wrong, and how often each kind of write comes. */
export interface Emphasis {
  readonly kinds: Weights<CommandKind>;
  readonly objects: number;
  /** Array ports that come into play; both unless given. */
  readonly ports?: number;
  readonly entries: readonly number[];
  readonly second: readonly number[];
  readonly ages: readonly number[];
  readonly versions: Weights<Stated>;
  readonly length: number;
}

/** Both ends of the array and of its first page above all. */
const positions = oneof(
  { arbitrary: constantFrom(0, -1, 9, 10), weight: 4 },
  { arbitrary: constantFrom(1, -2, 8, 11, 19), weight: 1 },
  { arbitrary: nat({ max: 30 }), weight: 1 },
);

/** Histories of that emphasis, as far as the target can follow. */
export function histories(emphasis: Emphasis, shape: Shape): Arbitrary<History> {
  const { objects, entries, second, ages, length } = emphasis;
  const kinds = repeated(emphasis.kinds).filter((kind) => shape.kinds.has(kind));
  const start = record({
    entries: constantFrom(...entries),
    second: constantFrom(...second),
    age: constantFrom(...ages),
    filled: constantFrom(true, true, false),
  });
  const starts = array(start, { minLength: objects, maxLength: objects });
  if (kinds.length === 0) return record({ starts, commands: array(editOf([], emphasis), { maxLength: 0 }) });
  return swarm(kinds).chain((some) =>
    record({ starts, commands: array(commandOf(some, emphasis, shape), { minLength: length - 3, maxLength: length }) }),
  );
}

/** All kinds, or every second time a few of them only: what two kinds do to each other shows where no third comes between. */
function swarm(kinds: readonly CommandKind[]): Arbitrary<readonly CommandKind[]> {
  const different = [...new Set(kinds)];
  const few = subarray(different, { minLength: Math.min(2, different.length) });
  return oneof(
    constant(kinds),
    few.map((some) => kinds.filter((kind) => some.includes(kind))),
  );
}

/** Each name as often as it weighs. */
function repeated<Name extends string>(weights: Weights<Name>): readonly Name[] {
  return namesIn(weights).flatMap((name) => Array.from({ length: weights[name] ?? 0 }, () => name));
}

function namesIn<Name extends string>(weights: Weights<Name>): readonly Name[] {
  return Object.keys(weights).filter((name): name is Name => Object.hasOwn(weights, name));
}

function commandOf(kinds: readonly CommandKind[], emphasis: Emphasis, shape: Shape): Arbitrary<Command> {
  const single = editOf(
    kinds.filter((kind): kind is SingleEdit['kind'] => kind !== 'batch'),
    emphasis,
  );
  const share = kinds.filter((kind) => kind === 'batch').length;
  if (share === 0) return single;
  const parts = array(
    editOf(
      batchable.filter((kind) => shape.kinds.has(kind)),
      { ...emphasis, versions: { current: 1 } },
      nat({ max: emphasis.objects - 1 }),
    ),
    { minLength: 1, maxLength: 6 },
  );
  const batch = record({
    kind: constantFrom('batch' as const),
    parts,
    failing: constantFrom(undefined, undefined, undefined, 0, 1, 2),
  });
  return oneof({ arbitrary: single, weight: kinds.length - share }, { arbitrary: batch, weight: share });
}

// how many promotes an object takes is configuration: one that has no further state would fail a batch that is meant to pass
const batchable: readonly SingleEdit['kind'][] = [
  'merge',
  'put',
  'add scalar',
  'replace scalar',
  'remove scalar',
  'add object',
  'replace object',
  'remove object',
  'replace inside object',
  'append',
  'append',
  'add text',
  'replace text',
  'remove text',
  'replace value',
  'remove entry',
];

/** Writes of those kinds, as many to the first object as to all together, unless told otherwise: one object has to get far. */
function editOf(
  kinds: readonly SingleEdit['kind'][],
  { objects, versions }: Emphasis,
  object: Arbitrary<number> = oneof(constant(0), nat({ max: objects - 1 })),
): Arbitrary<EditCommand> {
  return record({
    kind: constantFrom(...(kinds.length === 0 ? (['merge'] as const) : kinds)),
    object,
    at: positions,
    choice: nat({ max: 7 }),
    version: constantFrom(...repeated(versions)),
  });
}

/** The write that a command makes of an object in that state. @param unique texts that nobody used before */
export function editFrom(command: EditCommand, state: ObjectState, shape: Shape, unique: () => string): SingleEdit {
  const { kind, choice } = command;
  const names = [...shape.scalars, ...shape.numbers, ...shape.flags];
  const name = names[choice % Math.max(1, names.length)] ?? '';
  const value = (of: string) => valueFor(of, command, state, shape, unique);
  // with the end marker of an append, and without
  const port = choice % 4 === 3 ? shape.ports.length - 1 : 0;
  const at = positionOf(command.at, entriesOf(state, port).length);
  switch (kind) {
    case 'merge':
      return {
        kind,
        scalars: Object.fromEntries([name, ...(choice > 5 ? names : [])].map((of) => [of, value(of)])),
        ...(choice === 1 && shape.object && { inner: innerValues(command, shape.object, shape, unique) }),
      };
    case 'put':
      return { kind, content: statedBy(choice, state, shape, unique) };
    case 'append':
      return { kind, port, entry: freshEntry(shape, port, unique, choice, choice > 2), marker: choice > 3 };
    case 'add object':
    case 'replace object':
      return { kind, inner: freshInner(shape, unique, choice) ?? {} };
    case 'replace inside object':
      return innerEdit(command, state, shape, unique);
    case 'remove scalar':
      return { kind, name };
    case 'add scalar':
    case 'replace scalar':
      return { kind, name, value: value(name) };
    case 'add text':
    case 'replace text':
      return { kind, port, at, text: unique() };
    case 'replace in unknown entry':
      return { kind, port, text: unique() };
    case 'replace value':
      return { kind, port, at, ...otherValue(choice, entriesOf(state, port)[at]?.values ?? {}) };
    case 'remove mandatory':
      return mandatoryRemoval(shape, port, state, command.at);
    case 'remove text':
    case 'remove entry':
      return { kind, port, at };
    case 'append inside':
      return { kind, port, at, text: unique(), marker: choice > 3 };
    case 'replace inside entry':
      return { kind, port, at, item: itemAt(choice, state, port, at), text: unique() };
    case 'remove inside entry':
      return { kind, port, at, item: itemAt(choice, state, port, at) };
    case 'add reference':
      return { kind, target: '' };
    case 'remove reference':
      return { kind, target: state.references[positionOf(command.at, state.references.length)] ?? '' };
    default:
      return { kind };
  }
}

/** Another value than the member has, every second time one that programs take for none, or for something else than it is. */
function valueFor(
  name: string,
  command: EditCommand,
  { scalars }: ObjectState,
  shape: Shape,
  unique: () => string,
): Value {
  const current = scalars[name];
  if (shape.flags.includes(name)) return current === false;
  if (shape.numbers.includes(name)) return otherNumber(name, command, current, shape);
  return tellingFor(command, current, shape) ?? unique();
}

/** Another one that the member takes; which ones beside 0 and 1 was tried where it matters. */
function otherNumber(
  name: string,
  command: EditCommand,
  current: Value | undefined,
  { numbersTaken = {} }: Shape,
): number {
  const all = [0, 1, ...(numbersTaken[name] ?? [])];
  const others = all.filter((number) => number !== current);
  return others[(command.value ?? 0) % others.length] ?? 0;
}

/** Another value of one of these, the first time each of them with nothing in it. */
function otherValue(choice: number, values: Values): { readonly name: string; readonly value: Value } {
  const names = Object.keys(values);
  const name = names[choice % Math.max(1, names.length)] ?? '';
  const value = values[name];
  if (typeof value === 'boolean') return { name, value: !value };
  return { name, value: value === 0 ? 1 : 0 };
}

/** Values of all members of the object, of which the last text may be told again. */
function innerValues(
  command: EditCommand,
  { scalars }: NonNullable<Shape['object']>,
  shape: Shape,
  unique: () => string,
): Values {
  const values = freshInner(shape, unique, command.choice) ?? {};
  const last = scalars.at(-1);
  const told = tellingFor(command, undefined, shape);
  return last === undefined || told === undefined || scalars.length < 2 ? values : { ...values, [last]: told };
}

function innerEdit(command: EditCommand, { inner }: ObjectState, shape: Shape, unique: () => string): SingleEdit {
  const names = shape.object === undefined ? [] : namesOf(shape.object);
  const name = names[command.choice % Math.max(1, names.length)] ?? '';
  const current = inner?.[name];
  if (typeof current === 'string' || current === undefined)
    return { kind: 'replace inside object', name, value: tellingFor(command, current, shape) ?? unique() };
  return { kind: 'replace inside object', ...otherValue(0, { [name]: current }) };
}

/** Every second time one of the telling texts, another one than there is. */
function tellingFor(
  { at, choice, value }: EditCommand,
  current: Value | undefined,
  { telling }: Shape,
): string | undefined {
  const others = telling.filter((text) => text !== current);
  const place = value ?? Math.abs(at) + choice;
  return place % 2 === 1 ? others[Math.floor(place / 2) % Math.max(1, others.length)] : undefined;
}

function mandatoryRemoval({ ports }: Shape, port: number, state: ObjectState, at: number): SingleEdit {
  const of = ports[port]?.mandatory === undefined ? ports.findIndex(({ mandatory }) => mandatory !== undefined) : port;
  return { kind: 'remove mandatory', port: of, at: positionOf(at, entriesOf(state, of).length) };
}

function itemAt(choice: number, state: ObjectState, port: number, at: number): number {
  return positionOf(choice, entriesOf(state, port)[at]?.inside.length ?? 0);
}

function positionOf(at: number, count: number): number {
  const folded = count === 0 ? 0 : at % count;
  return folded < 0 ? folded + count : folded;
}

/** What a PUT states: less than there is, or arrays of another length. */
function statedBy(choice: number, state: ObjectState, shape: Shape, unique: () => string): Content {
  const named = [shape.scalars.slice(0, 1), shape.scalars.slice(1), shape.scalars, []][choice % 4] ?? [];
  const counts =
    [
      [0, 0],
      [3, 0],
      [entriesOf(state, 0).length, 1],
      [11, 0],
      [0, 2],
      [1, 11],
      [10, 0],
      [2, 1],
    ][choice] ?? [];
  return {
    scalars: { ...textsOf(named, unique), ...(choice > 3 && emptyInTurn(shape, 0)) },
    inner: choice > 3 ? freshInner(shape, unique, choice) : undefined,
    arrays: shape.ports.map((_port, index) => freshEntries(shape, index, counts[index] ?? 0, unique)),
  };
}

export function startingContent({ entries, second, filled }: Start, shape: Shape, unique: () => string): Content {
  return {
    scalars: filled ? { ...textsOf(shape.scalars, unique), ...emptyInTurn(shape, 0) } : {},
    inner: filled ? freshInner(shape, unique, entries) : undefined,
    arrays: shape.ports.map((_port, index) => freshEntries(shape, index, [entries, second][index] ?? 0, unique)),
  };
}

function freshEntries(shape: Shape, port: number, count: number, unique: () => string): readonly EntryState[] {
  return Array.from({ length: count }, (_entry, index) => freshEntry(shape, port, unique, index, index % 5 !== 2));
}

function freshEntry(
  { ports, filter }: Shape,
  port: number,
  unique: () => string,
  turn: number,
  admitted: boolean,
): EntryState {
  const key = unique();
  const { numbers = [], flags = [] } = ports[port] ?? {};
  const isFree = (name: string): boolean => port > 0 || filter === undefined || !Object.hasOwn(filter.matching, name);
  const values = emptyInTurn({ numbers: numbers.filter(isFree), flags: flags.filter(isFree) }, turn);
  return { key, text: key, admitted, inside: admitted ? [key] : [], values };
}

/** The object member, with texts of its own; undefined where there is none. */
function freshInner({ object }: Shape, unique: () => string, turn: number): Values | undefined {
  if (object === undefined) return undefined;
  const { scalars, numbers = [], flags = [] } = object;
  return { ...textsOf(scalars, unique), ...emptyInTurn({ numbers, flags }, turn) };
}

/** Values that programs take for none, every second time. */
function emptyInTurn(
  { numbers, flags }: { readonly numbers: readonly string[]; readonly flags: readonly string[] },
  turn: number,
): Values {
  return {
    ...Object.fromEntries(numbers.map((name) => [name, turn % 2])),
    ...Object.fromEntries(flags.map((name) => [name, turn % 2 === 1])),
  };
}

function textsOf(names: readonly string[], unique: () => string): Texts {
  return Object.fromEntries(names.map((name) => [name, unique()]));
}

export function statedFor({ version: stated, choice }: EditCommand, version: number): number | null {
  const older = Math.max(0, version - 2 - choice);
  const cut = Math.floor(version / 10);
  return { current: version, stale: version - 1, older, ahead: version + 1, cut, absent: null }[stated];
}

/** The history with another beginning of an object. */
export function withStart<H extends Pick<History, 'starts'>>(
  index: number,
  change: (start: Start) => Start,
): (history: H) => H {
  return (history) => ({
    ...history,
    starts: history.starts.map((start, at) => (at === index ? change(start) : start)),
  });
}

type OfOneObject = Pick<EditCommand, 'object'> & { readonly kind: string };

interface Commands<C extends OfOneObject> {
  readonly starts: readonly Start[];
  readonly commands: readonly (BatchCommand | C)[];
}

/** The history without an object; commands to later ones follow. */
export function withoutObject<C extends OfOneObject>(gone: number): (history: Commands<C>) => Commands<C> {
  const moved = <O extends OfOneObject>(one: O): O => ({
    ...one,
    object: one.object > gone ? one.object - 1 : one.object,
  });
  return ({ starts, commands }) => ({
    starts: starts.toSpliced(gone, 1),
    commands: commands.map((command) =>
      isBatch(command) ? { ...command, parts: command.parts.map(moved) } : moved(command),
    ),
  });
}

function isBatch(command: { readonly kind: string }): command is BatchCommand {
  return command.kind === 'batch';
}

/** A history in words, for a report. */
export function tellHistory({ starts, commands }: History): string {
  return [...starts.map(toldStart), ...commands.map(toldCommand)].join('; ');
}

function toldStart({ entries, second, age, filled }: Start, index: number): string {
  const arrays = second === 0 ? `${entries} entries` : `${entries} and ${second} entries`;
  return `object ${index + 1} with ${arrays}${filled ? ', scalars' : ''}${age === 0 ? '' : ` and ${age} edits`}`;
}

function toldCommand(command: Command): string {
  if (command.kind !== 'batch') return toldEdit(command);
  const failing = command.failing === undefined ? '' : ` with a failing one at ${command.failing}`;
  return `batch of (${command.parts.map(toldEdit).join(', ')})${failing}`;
}

function toldEdit({ kind, object, at, choice, version }: EditCommand): string {
  return `${kind} on object ${object + 1}, at ${at}, choice ${choice}${version === 'current' ? '' : `, ${version} version`}`;
}
