import type { Reply, RequestSpec } from './exchange.ts';

/** An answer with a server error, and on whose behalf the request was sent. */
export interface ServerError {
  readonly reply: Reply;
  /** Rule, or part of the run. */
  readonly sentBy: string;
}

/** Those behind are only counted. */
const mostKept = 100;
/** What they say is right where something is not offered, or not now. */
const explained: ReadonlySet<number> = new Set([501, 503]);

/** Answers of a run with a server error that no sentence asks for. Source: core, Errors 500 */
export class ServerErrors {
  readonly kept: ServerError[] = [];
  count = 0;

  note({ mayFail }: RequestSpec, reply: Reply, sentBy: string): void {
    if (reply.status < 500 || mayFail === true || explained.has(reply.status)) return;
    this.count += 1;
    if (this.kept.length < mostKept) this.kept.push({ reply, sentBy });
  }
}
