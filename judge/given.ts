import type { ArrayPortProfile, SoftTypeProfile } from '../contract/profile.ts';
import type { RuleId } from '../contract/rule.ts';
import type { MakesKeyHolders } from './api-keys/api-keys.ts';
import type { MakesSources } from './bulk/bulk.ts';
import type { Changes, Reply } from './exchange.ts';
import type { MakesExtensions } from './extension/open-extensions.ts';
import type { MakesFiles } from './files/files.ts';
import type { Snapshot } from './target.ts';
import type { MakesTasks } from './tasks/tasks.ts';

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

export interface EntriesOptions {
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
export type GivenAround = MakesExtensions & MakesFiles & MakesSources & MakesTasks & MakesKeyHolders;

/** Everything in here throws PreconditionFailed (never a Violation) when the target does not do its part. */
export interface Given extends GivenAround {
  /** A text that no other case and no other call uses; the same for the same seed. */
  unique(prefix?: string): string;
  /** The smallest valid body of the primary SoftType, or of `type`, with unique values. */
  body(more?: Readonly<Record<string, unknown>>, type?: SoftTypeProfile): Record<string, unknown>;
  /** A body of one entry of the port with that text. */
  entry(text: string, more?: Readonly<Record<string, unknown>>, port?: Port): Record<string, unknown>;
  /** A fresh object of the primary SoftType at version 1 or whatever the service starts with. */
  object(
    more?: Readonly<Record<string, unknown>>,
    options?: { readonly type?: SoftTypeProfile; readonly space?: string; readonly as?: Changes['as'] },
  ): Promise<Thing>;
  /** The object that a create of one's own made, found and booked as `object` does. */
  found(created: Reply, body: Readonly<Record<string, unknown>>, of?: Pick<Thing, 'type' | 'space'>): Promise<Thing>;
  /**
   * E(n): an object whose array port holds n distinguishable entries. Any of three signs proves it, because each of them is what some
   * rule judges: the first read shows all, the page link counts them, or the pages together show all.
   */
  objectWithEntries(count: number, options?: EntriesOptions): Promise<Owner>;
  /** The thing at the version that reads now. */
  current<T extends Thing>(thing: T): Promise<T>;
  /** An accepted merge edit of a scalar, made `times` times; returns the thing at its new version. */
  edited<T extends Thing>(thing: T, times?: number): Promise<T>;
  /** The snapshot now; same as service.snapshot. */
  snapshot(thing: Thing): Promise<Snapshot>;
  /** An object id of the same form that names nothing. */
  unknownOid(thing: Thing): string;
  /** Throws PreconditionFailed with that sentence unless the condition holds. */
  assume(condition: boolean, sentence: string): void;
  /** The value, or PreconditionFailed where it is missing: `given.present(entries[0], 'an entry on page 1')`. */
  present<T>(value: T | null | undefined, what: string, standsOn?: readonly RuleId[]): T;
  /** Throws PreconditionFailed unless the reply is 2xx: a step that the case needs but does not judge. `standsOn`: rules that judge it. */
  succeeded(reply: Reply, step: string, standsOn?: readonly RuleId[]): void;
  /** Ends the case as blocked with that sentence: the check cannot decide anything on this target. */
  inconclusive(sentence: string): never;
}
