/** Texts by member name; a member without value is absent. */
export type Texts = Readonly<Record<string, string>>;

/** One entry of an array port. */
export interface EntryState {
  /** The text that the entry came with, by which the suite knows it for good. */
  readonly key: string;
  /** The text it holds now. */
  readonly text: string | undefined;
  /** Whether the fixed filter of the profile admits it. */
  readonly admitted: boolean;
}

/** What a client that knows the rules believes of one object. */
export interface ObjectState {
  readonly version: number;
  /** Values of the two scalars. */
  readonly scalars: Texts;
  /** Values inside the object member. */
  readonly inner: Texts | undefined;
  /** Entries of each array port, in order. */
  readonly arrays: readonly (readonly EntryState[])[];
  /** Promotes less demotes. */
  readonly level: number;
  /** Writes after which the current state may be another one; its text is learned, as the document shows no transitions. */
  readonly moves: number;
  /** Creates and PUTs so far: each states the whole content. */
  readonly statements: number;
}

/** Content as a create or PUT states it. */
export type Content = Pick<ObjectState, 'scalars' | 'inner' | 'arrays'>;

/** The entries of one array port. */
export function entriesOf(state: ObjectState, port: number): readonly EntryState[] {
  return state.arrays[port] ?? [];
}

export function without(texts: Texts, name: string): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => key !== name));
}

/** A fresh object. Source: core, Versioning 2. */
export function created(content: Content): ObjectState {
  return { ...content, version: 1, level: 0, moves: 0, statements: 0 };
}
