import type { Answer } from './call.ts';

/** A request that is not carried out, as a problem document (RFC 9457). Thrown by any area; a change set it leaves is rolled back. */
export class Refusal extends Error {
  readonly code = 'REFUSAL';
  readonly status: number;
  /** JSON Pointer to the culprit in the body, or the name of a header or query parameter. */
  readonly pointer: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail what was expected, what was found, what to do */
  constructor(
    status: number,
    detail: string,
    more: { readonly pointer?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.status = status;
    this.pointer = more.pointer;
    this.headers = more.headers ?? {};
  }
}

/** Refused for what happened between the preparation of a request and its change set: prepared anew, it may pass. */
export class Outdated extends Refusal {}

/** Ends a change set that has an answer and yet must leave nothing behind. Thrown by a handler; the kernel sends the answer. */
export class Undone extends Error {
  readonly code = 'UNDONE';
  readonly answer: Answer;
  /** Whether it was so for what happened since the request was prepared: prepared anew, it may pass. */
  readonly isOutdated: boolean;

  constructor(answer: Answer, isOutdated = false) {
    super('The change set was undone.');
    this.answer = answer;
    this.isOutdated = isOutdated;
  }
}
