import type { RuleId } from '../../contract/rule.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import { PreconditionFailed, Violation } from '../violation.ts';
import type { CaseRecord } from './record.ts';

export type Send = (spec: RequestSpec) => Promise<Reply>;

/** Sends a request, by itself or another way that comes to the same. */
export interface Detouring {
  send(spec: RequestSpec, send: Send): Promise<Reply>;
}

/** Cases that did not pass by detours and did without, in a run that makes none any more: the service may have something against them. */
const mostVain = 12;

interface Attempt {
  readonly record: Pick<CaseRecord, 'history'>;
  readonly error?: unknown;
}

/** What the detours of a run have come to. */
export class DetourLog {
  /** What cases saw by detours, twice, and not without. */
  readonly found: { readonly rule: RuleId; readonly violation: Violation }[] = [];
  /** Detours that did not come to the same where they were tried; a bit each. */
  closed = 0;
  #vain = 0;

  get areWorthwhile(): boolean {
    return this.#vain < mostVain;
  }

  /**
   * What a case comes to that did not pass by detours and did without. What shows by the same ones again is known of all cases in the end;
   * what was seen once is as good as if it had been seen without.
   */
  async decide<A extends Attempt>(
    rule: RuleId,
    { detoured, straight }: { readonly detoured: A; readonly straight: A },
    { again, isDoubtful }: { readonly again: () => Promise<A>; readonly isDoubtful: (one: A) => boolean },
  ): Promise<A> {
    this.#vain += 1;
    if (violationIn(detoured) === undefined || isDoubtful(detoured)) return straight;
    const second = await again();
    const violation = violationIn(second);
    if (violation === undefined) return isOfRequest(detoured) ? detoured : straight;
    if (!isDoubtful(second)) this.found.push({ rule, violation });
    return straight;
  }
}

/** Whether it is what no detour alone tells. */
function isOfRequest({ error }: Attempt): boolean {
  return error instanceof Violation && error.reply?.isOfBatch !== true;
}

/** A step that is refused, and is not without detours, is one as well. */
function violationIn({ error, record }: Attempt): Violation | undefined {
  if (error instanceof Violation) return error;
  if (!(error instanceof PreconditionFailed) || error.reply === undefined) return undefined;
  const { reply } = error;
  if (reply.status < 400 || reply.isOfBatch === true) return undefined;
  const history = record.history(reply.exchange);
  return new Violation('the answer that is given where no request takes a detour', `status ${reply.status}`, reply, {
    history,
  });
}
