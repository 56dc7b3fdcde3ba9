import type { IdentityName } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { GeneratedBody } from './step.ts';

/** A documented route that no key of a profile names, so that one who lacks it says so under `notSupported`. */
export type DocumentedRoute = 'operations' | 'batch';

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
  /** Its names are empty where the profile has none: nothing can be created, read or edited then. */
  readonly softType: GroundType;
  /** Bodies that create an object, made up from the seed. Reused round and round; journeys put a text of their own into the first scalar. */
  readonly bodies: readonly Readonly<Record<string, unknown>>[];
  /** Entries of the array port. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  /** Contents of events, to which journeys add a mark. */
  readonly payloads: readonly Readonly<Record<string, unknown>>[];
  /** Objects to read and edit, with between none and a few hundred entries. */
  readonly objects: readonly GroundObject[];
  readonly filter?: { readonly id: string };
  readonly maturity?: { readonly processId: string; readonly levelId: string; readonly states?: readonly string[] };
  /** `inOrder`: the results stand as the items do. */
  readonly multiCreate?: { readonly path: string; readonly resultHref: string; readonly inOrder: boolean };
  readonly demotePath?: string;
  /** Documented routes that the deployment does not offer; it offers all unless given. */
  readonly lacks?: readonly DocumentedRoute[];
  /** What may stand before the path in the href of an operation of a batch, the likeliest first; which one is right is tried out before the load. */
  readonly batchHrefPrefixes?: readonly string[];
  /** The one of them that the service takes; nothing unless given. */
  readonly batchHrefPrefix?: string;
  /** Documented base path of the file area that is used; sizes in bytes. */
  readonly fileArea?: {
    readonly path: string;
    readonly as: IdentityName;
    readonly minChunkSize: number;
    readonly maxStreamSize?: number;
  };
  readonly grant?: { readonly path: string; readonly form: string };
  /** Identities that may not read the objects, with the rule that says so. */
  readonly strangers?: readonly { readonly as: IdentityName; readonly rule: RuleId }[];
  /** An identity whose role allows GET only. */
  readonly reader?: IdentityName;
  /** A genuine token past its expiry. */
  readonly expiredToken?: string;
  /** A GET route for data other than SoftTypes. */
  readonly conditional?: { readonly path: string; readonly as: IdentityName; readonly change?: ConditionalChange };
  /** Request that triggers an event at the extension host which the simulator plays; {{payload}} in its body becomes the payload. */
  readonly trigger?: Trigger;
  /** Request that schedules a task of that extension host. */
  readonly task?: Trigger;
  /** API keys that may be asked for to be brought to that extension host, and one that it may not have. */
  readonly keys?: {
    readonly path: string;
    readonly as: IdentityName | { readonly bearer: string };
    readonly tokenCallback: string;
    readonly permission: string;
    readonly unconfigured: string;
  };
  /** A directory on the disk of the service's host, with its files; they are there so long after a bulk upload was answered, in ms. */
  readonly bulk?: {
    /** From the base URL on. */
    readonly path: string;
    readonly signature: string;
    /** Over another path. */
    readonly otherSignature: string;
    readonly sourceDirectory: string;
    readonly files: readonly { readonly name: string; readonly content: GeneratedBody }[];
    readonly waitMs: number;
  };
}

/** Request that makes the service call an extension. */
export interface Trigger {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly as: IdentityName;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
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
  /** Whether the short route shows another schema than that. */
  readonly isShortOther?: boolean;
  /** Two text members at the root, or none. */
  readonly scalars: readonly string[];
  readonly arrayPort?: { readonly member: string; readonly portId: string; readonly text: string };
}
