import type { IdentityName } from '../../contract/profile.ts';

/** An object that was there before the load began. */
export interface GroundObject {
  readonly oid: string;
  readonly version: number;
  /** Entries of its array port. */
  readonly entries: number;
}

/** What journeys start from: plain data, made once from the profile and the seed, and handed to every engine as JSON. */
export interface Ground {
  readonly seed: number;
  readonly space: string;
  readonly participant?: string;
  readonly softType: GroundType;
  /** Bodies that create an object, made up by faker. Reused round and round; journeys put a text of their own into the first scalar. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  /** Entries of the array port. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  /** Objects to read and edit, with between none and a few hundred entries. */
  readonly objects: readonly GroundObject[];
  readonly filter?: { readonly id: string };
  readonly maturity?: { readonly processId: string; readonly levelId: string; readonly states?: readonly string[] };
  readonly multiCreate?: { readonly path: string; readonly resultHref: string };
  readonly demotePath?: string;
  /** What stands before the path in the href of an operation of a batch; nothing unless given. */
  readonly batchHrefPrefix?: string;
  /** Documented base path of the file area that is used. */
  readonly fileArea?: { readonly path: string; readonly as: IdentityName; readonly minChunkSize: number };
  readonly grant?: { readonly path: string; readonly form: string };
  /** A GET route for data other than SoftTypes. */
  readonly conditional?: { readonly path: string; readonly as: IdentityName; readonly change?: ConditionalChange };
  /** Request that triggers an event at the extension host which the simulator plays. */
  readonly trigger?: { readonly method: 'POST' | 'PUT'; readonly path: string; readonly as: IdentityName; readonly body: unknown };
}

/** Request that changes that data; {{unique}} in its body becomes a fresh text. */
export interface ConditionalChange {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly as: IdentityName;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Names of the SoftType that journeys work on. */
export interface GroundType {
  readonly definitionId: string;
  readonly inputSchemaId: string;
  readonly outputSchemaId: string;
  /** Two text members at the root. */
  readonly scalars: readonly string[];
  readonly arrayPort?: { readonly member: string; readonly portId: string; readonly text: string };
}
