import type { IdentityName } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';

/** A request. The engine adds the credential and the information filter, sends it, and hands the answer back to the journey. */
export interface HttpStep {
  readonly kind: 'http';
  /** Under which name it is counted; a handful a journey. */
  readonly op: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the base URL on, with every placeholder filled in; or a whole address on the same host. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is; a form is made into the multipart body of a chunk; a generated body is streamed. */
  readonly body?: string | ChunkForm | GeneratedBody;
  /** Identity of the profile, the OAuth client of the profile by Basic, a token that the journey got by itself, or nobody; `editor` unless given. */
  readonly as?: IdentityName | { readonly basic: 'client' } | { readonly bearer: string } | null;
  /** Statuses that are no error; 200 to 299 unless given. */
  readonly accept?: readonly number[];
  /** What a judge has to know of the request to judge the answer. */
  readonly about?: About;
}

/** Bytes that follow from a seed, so that they need not be held: what went up can be compared with what comes down. */
export interface GeneratedBody {
  readonly kind: 'generated';
  readonly seed: number;
  /** In bytes. */
  readonly length: number;
  /** The whole file of which this is a part, from this byte on. */
  readonly from?: number;
}

/** One chunk of an upload in the documented multipart form. Source: extensions, File routes, chunk table */
export interface ChunkForm {
  readonly kind: 'chunk';
  readonly path: string;
  readonly content: GeneratedBody;
  readonly totalSize: number;
  readonly chunkSize: number;
  readonly number: number;
}

/** Facts about a request that its answer is judged by. */
export type About =
  | { readonly kind: 'create' }
  /** `holds`, `beside`, `entries`: what has to stand in the first scalar, in the second and in the whole array, because nobody else edits the object. */
  | {
      readonly kind: 'read';
      readonly oid: string;
      readonly holds?: string;
      readonly beside?: string;
      readonly entries?: readonly EntryContent[];
    }
  /** `entries`: those of the whole array, as for a read. */
  | { readonly kind: 'page'; readonly oid: string; readonly page: number; readonly entries?: readonly EntryContent[] }
  /** An edit under a version header. `marker` is a text that the edit writes, different for every edit. */
  | { readonly kind: 'edit'; readonly oid: string; readonly version: number; readonly marker?: string }
  /** `changed`: whether the data has been changed since it had that ETag. `other`: it never had it. */
  | { readonly kind: 'conditional'; readonly etag: string; readonly changed: boolean }
  | { readonly kind: 'conditional'; readonly etag: string; readonly other: true }
  | { readonly kind: 'batch'; readonly operations: readonly BatchPart[] }
  | { readonly kind: 'download'; readonly content: GeneratedBody }
  /** A request that has to be refused, with one of these where the documents say so, or else the rule is broken. */
  | { readonly kind: 'refused'; readonly rule: RuleId; readonly statuses?: readonly number[] }
  /** `payload`: what the event has to bring, the marker among it. */
  | { readonly kind: 'trigger'; readonly marker: string; readonly payload?: Readonly<Record<string, unknown>> };

/** Members of an entry as they were sent. */
export type EntryContent = Readonly<Record<string, unknown>>;

/** An operation of a batch; `version` is that of its header. */
export interface BatchPart {
  readonly method: string;
  readonly oid?: string;
  readonly version?: number;
}

/** Time that a user takes. Closed loops and open models keep it, except an engine that cannot wait, which says so. */
export interface ThinkStep {
  readonly kind: 'think';
  readonly ms: number;
}

/** A condition that the journey looked at itself; false is a violation of the rule. */
export interface CheckStep {
  readonly kind: 'check';
  readonly rule: RuleId;
  readonly ok: boolean;
  /** What was expected and found, where it does not hold. */
  readonly detail?: string;
}

export type Step = HttpStep | ThinkStep | CheckStep;

/** An answer as a journey sees it. Status 0: no answer came. */
export interface Result {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text; of a download one character a byte. */
  readonly body: string;
  /** Why no answer came, where that is known. */
  readonly error?: string;
}
