import type { ArrayPortProfile, SoftTypeProfile } from '../contract/profile.ts';

/** An object that a case works on. */
export interface Thing {
  readonly oid: string;
  /** URI by which it was found after its creation. */
  readonly location: string;
  readonly type: SoftTypeProfile;
  readonly space: string;
  /** Version when `given` handed it out. */
  readonly version: number;
  /** The body it was created with. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A thing whose array port holds `texts.length` entries, told apart by their text member, in the order they were sent. */
export interface Owner extends Thing {
  readonly port: Port;
  /** Value of the text member of each entry sent. */
  readonly texts: readonly string[];
}

/** An array port with every default filled in. */
export type Port = ArrayPortProfile & { readonly portId: string };
