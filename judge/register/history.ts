/** When a request was sent and when its answer had arrived, in ms of one clock; Infinity where no answer came. */
export interface Span {
  readonly invokedAt: number;
  readonly respondedAt: number;
}

/** A write that stated a version. */
export interface WriteOperation extends Span {
  readonly kind: 'write';
  readonly process: number;
  /** The version that the request stated. */
  readonly stated: number;
  /** `conflict` for 409; `unknown` where no answer came, so that it may have happened or not. */
  readonly result: 'accepted' | 'conflict' | 'unknown';
  /** The version in the answer, where it had one. */
  readonly version?: number;
  /** What it writes; undefined where later reads cannot tell. */
  readonly value?: string;
}

/** A read with the version and the value that it showed. */
export interface ReadOperation extends Span {
  readonly kind: 'read';
  readonly process: number;
  readonly version: number;
  readonly value?: string;
}

export type RegisterOperation = WriteOperation | ReadOperation;

/** Everything that was done to one object, in any order, and what it was before. */
export interface RegisterHistory {
  readonly start: { readonly version: number; readonly value?: string };
  readonly operations: readonly RegisterOperation[];
}
