import { entriesPerPage } from '../../contract/limits.ts';

/** Texts by member name; a member without value is absent. */
export type Texts = Readonly<Record<string, string>>;

/** Values of root members by name: texts, numbers and booleans. */
export type Values = Readonly<Record<string, Value>>;

export type Value = string | number | boolean;

/** One entry of an array port. */
export interface EntryState {
  /** The text that the entry came with, by which the suite knows it for good. */
  readonly key: string;
  /** The text it holds now. */
  readonly text: string | undefined;
  /** Whether the fixed filter of the profile admits it. */
  readonly admitted: boolean;
  /** Texts of the entries inside it. */
  readonly inside: readonly string[];
  /** Numbers and truth values of it. */
  readonly values: Values;
}

/** What a client that knows the rules believes of one object. */
export interface ObjectState {
  readonly version: number;
  /** Values of the root members that are no objects and no arrays. */
  readonly scalars: Values;
  /** Values inside the object member. */
  readonly inner: Values | undefined;
  /** Entries of each array port, in order. */
  readonly arrays: readonly (readonly EntryState[])[];
  /** Promotes less demotes. */
  readonly level: number;
  /** Writes after which the current state may be another one; its text is learned, as the document shows no transitions. */
  readonly moves: number;
  /** Promotes on another level of the process, and the writes after which its current state may be another one. */
  readonly elsewhere: { readonly level: number; readonly moves: number };
  /** Ids of the objects to which it refers. */
  readonly references: readonly string[];
  /** Creates and PUTs so far: each states the whole content. */
  readonly statements: number;
}

/** Content as a create or PUT states it. */
export type Content = Pick<ObjectState, 'scalars' | 'inner' | 'arrays'>;

export function entriesOf(state: ObjectState, port: number): readonly EntryState[] {
  return state.arrays[port] ?? [];
}

/** A member may be called as what every object inherits, as `constructor`. */
function hasValue(values: Values, name: string): boolean {
  return Object.hasOwn(values, name);
}

function withoutValue(values: Values, name: string): Values {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}

/** A fresh object. Source: core, Versioning 2. */
export function freshState(content: Content): ObjectState {
  return {
    ...content,
    version: 1,
    level: 0,
    moves: 0,
    elsewhere: { level: 0, moves: 0 },
    references: [],
    statements: 0,
  };
}

/** A write to one object; entries are named by their position in the model. */
export type Edit =
  | { readonly kind: 'merge'; readonly scalars: Values; readonly inner?: Values }
  | { readonly kind: 'put'; readonly content: Content }
  | { readonly kind: 'add scalar' | 'replace scalar'; readonly name: string; readonly value: Value }
  | { readonly kind: 'remove scalar'; readonly name: string }
  | { readonly kind: 'add object' | 'replace object'; readonly inner: Values }
  | { readonly kind: 'remove object' }
  | { readonly kind: 'replace inside object'; readonly name: string; readonly value: Value }
  | { readonly kind: 'append'; readonly port: number; readonly entry: EntryState; readonly marker: boolean }
  | { readonly kind: 'add text' | 'replace text'; readonly port: number; readonly at: number; readonly text: string }
  | {
      readonly kind: 'replace value';
      readonly port: number;
      readonly at: number;
      readonly name: string;
      readonly value: Value;
    }
  | { readonly kind: 'remove text' | 'remove mandatory' | 'remove entry'; readonly port: number; readonly at: number }
  | {
      readonly kind: 'append inside';
      readonly port: number;
      readonly at: number;
      readonly text: string;
      readonly marker: boolean;
    }
  | {
      readonly kind: 'replace inside entry';
      readonly port: number;
      readonly at: number;
      readonly item: number;
      readonly text: string;
    }
  | { readonly kind: 'remove inside entry'; readonly port: number; readonly at: number; readonly item: number }
  | { readonly kind: 'replace in unknown entry'; readonly port: number; readonly text: string }
  /** @param target id of the object to which it leads; @param entryId of the reference, once it was looked at */
  | { readonly kind: 'remove reference'; readonly target: string; readonly entryId?: string }
  /** @param target id of the object to which it leads; @param entry what is added, once it is made */
  | { readonly kind: 'add reference'; readonly target: string; readonly entry?: unknown }
  | { readonly kind: 'promote' | 'demote' | 'promote elsewhere' }
  /** Operations of one request, none of which is about what another one changes. */
  | { readonly kind: 'several'; readonly edits: readonly Edit[] };

/** A write that is told by itself. */
export type SingleEdit = Exclude<Edit, { readonly kind: 'several' }>;

type Change = Partial<Omit<ObjectState, 'version'>>;

/**
 * The object after the write, or undefined where the document has it refused. Only for writes that `isSaid`.
 * Source: core, Endpoint table; Operations-based PATCH rules 5 to 9; Versioning 2.
 */
export function applyEdit(state: ObjectState, edit: Edit): ObjectState | undefined {
  if (edit.kind === 'several') {
    const after = edit.edits.reduce<ObjectState | undefined>(
      (reached, one) => reached && applyEdit(reached, one),
      state,
    );
    return after && { ...after, version: state.version + 1 };
  }
  const change = changeBy(state, edit);
  return change === undefined ? undefined : { ...state, ...change, version: state.version + 1 };
}

/**
 * Whether the document says what becomes of the write.
 * @param showsNull whether what has no value is shown as null, which a replace may take for a target that is there
 */
export function isSaid(
  state: ObjectState,
  edit: Edit,
  { showsNull = false }: { readonly showsNull?: boolean } = {},
): boolean {
  switch (edit.kind) {
    case 'replace scalar':
      return !showsNull || hasValue(state.scalars, edit.name);
    case 'remove scalar':
      return hasValue(state.scalars, edit.name);
    case 'remove object':
    case 'replace object':
      return state.inner !== undefined;
    case 'replace inside object':
      return state.inner !== undefined && hasValue(state.inner, edit.name);
    case 'remove text':
      return entryAt(state, edit)?.text !== undefined;
    case 'replace text': {
      const entry = entryAt(state, edit);
      return entry !== undefined && (!showsNull || entry.text !== undefined);
    }
    case 'replace value':
      return hasValue(entryAt(state, edit)?.values ?? {}, edit.name);
    case 'add text':
    case 'remove mandatory':
    case 'remove entry':
      return entryAt(state, edit) !== undefined;
    case 'append':
      // what stands for none may be no array, in which an end marker would lead nowhere
      return !edit.marker || entriesOf(state, edit.port).length > 0;
    case 'append inside': {
      // what stands for none may be no array, and of more than a page not all are shown
      const { length } = entryAt(state, edit)?.inside ?? [];
      return length > 0 && length < entriesPerPage;
    }
    case 'replace inside entry':
      return entryAt(state, edit)?.inside[edit.item] !== undefined;
    case 'remove inside entry':
      // an entry may have to hold one
      return (entryAt(state, edit)?.inside.length ?? 0) > Math.max(1, edit.item);
    case 'remove reference':
      return state.references.length > 1 && state.references.includes(edit.target);
    case 'promote':
      return state.level === 0;
    case 'demote':
      return state.level === 1;
    case 'promote elsewhere':
      return state.elsewhere.level === 0;
    case 'several':
      return edit.edits.every((one) => isSaid(state, one, { showsNull }));
    default:
      return true;
  }
}

function changeBy(state: ObjectState, edit: SingleEdit): Change | undefined {
  switch (edit.kind) {
    case 'merge':
      return { scalars: { ...state.scalars, ...edit.scalars }, inner: edit.inner ?? state.inner };
    case 'put':
      return {
        ...edit.content,
        references: [],
        moves: state.moves + 1,
        elsewhere: { ...state.elsewhere, moves: state.elsewhere.moves + 1 },
        statements: state.statements + 1,
      };
    case 'promote':
      return { level: state.level + 1, moves: state.moves + 1 };
    case 'demote':
      return { level: state.level - 1, moves: state.moves + 1 };
    case 'promote elsewhere':
      return { elsewhere: { level: state.elsewhere.level + 1, moves: state.elsewhere.moves + 1 } };
    case 'add scalar':
    case 'replace scalar':
    case 'remove scalar':
      return scalarChange(state, edit);
    case 'add object':
    case 'replace object':
    case 'remove object':
    case 'replace inside object':
      return objectChange(state, edit);
    case 'add reference':
      return { references: [...state.references, edit.target] };
    case 'remove reference':
      return { references: state.references.filter((target) => target !== edit.target) };
    default:
      return entryChange(state, edit);
  }
}

function scalarChange(
  { scalars }: ObjectState,
  edit: Extract<Edit, { readonly name: string }> | { readonly kind: string; readonly name: string },
): Change | undefined {
  const { kind, name } = edit;
  const has = hasValue(scalars, name);
  if (kind === 'remove scalar') return { scalars: withoutValue(scalars, name) };
  if (has !== (kind === 'replace scalar') || !('value' in edit)) return undefined;
  return { scalars: { ...scalars, [name]: edit.value } };
}

type ObjectEdit = Extract<
  Edit,
  { readonly kind: 'add object' | 'replace object' | 'remove object' | 'replace inside object' }
>;

function objectChange({ inner }: ObjectState, edit: ObjectEdit): Change | undefined {
  switch (edit.kind) {
    case 'add object':
      return inner === undefined ? { inner: edit.inner } : undefined;
    case 'replace object':
      return undefined;
    case 'remove object':
      return { inner: undefined };
    case 'replace inside object':
      return { inner: { ...inner, [edit.name]: edit.value } };
  }
}

type EntryEdit = Extract<Edit, { readonly port: number }>;

function entryChange(state: ObjectState, edit: EntryEdit): Change | undefined {
  if (edit.kind === 'replace in unknown entry') return undefined;
  const entries = entriesOf(state, edit.port);
  if (edit.kind === 'append') return withEntries(state, edit.port, [...entries, edit.entry]);
  const entry = entries[edit.at];
  if (entry === undefined) return undefined;
  const changed = entryAfter(entry, edit);
  return changed === undefined ? undefined : withEntries(state, edit.port, entries.toSpliced(edit.at, 1, ...changed));
}

/** What stands in place of the entry; nothing where it goes, be it by itself or because it does not comply any more. */
function entryAfter(
  entry: EntryState,
  edit: Exclude<EntryEdit, { readonly kind: 'append' | 'replace in unknown entry' }>,
): readonly EntryState[] | undefined {
  switch (edit.kind) {
    case 'remove entry':
    case 'remove mandatory':
      return [];
    case 'remove text':
      return [{ ...entry, text: undefined }];
    case 'add text':
      return entry.text === undefined ? [{ ...entry, text: edit.text }] : undefined;
    case 'replace text':
      return entry.text === undefined ? undefined : [{ ...entry, text: edit.text }];
    case 'replace value':
      return [{ ...entry, values: { ...entry.values, [edit.name]: edit.value } }];
    case 'append inside':
      return [{ ...entry, inside: [...entry.inside, edit.text] }];
    case 'replace inside entry':
      return [{ ...entry, inside: entry.inside.with(edit.item, edit.text) }];
    case 'remove inside entry':
      return [{ ...entry, inside: entry.inside.toSpliced(edit.item, 1) }];
  }
}

function withEntries({ arrays }: ObjectState, port: number, entries: readonly EntryState[]): Change {
  return { arrays: arrays.with(port, entries) };
}

function entryAt(
  state: ObjectState,
  { port, at }: { readonly port: number; readonly at: number },
): EntryState | undefined {
  return entriesOf(state, port)[at];
}
