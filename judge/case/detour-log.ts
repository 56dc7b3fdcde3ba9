import type { RuleId } from '../../contract/rule.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import { Violation } from '../violation.ts';

export type Send = (spec: RequestSpec) => Promise<Reply>;

/** Sends a request, by itself or another way that comes to the same. */
export interface Detouring {
  send(spec: RequestSpec, send: Send): Promise<Reply>;
}

/** Cases that did not pass by detours and did without, in a run that makes none any more: the service may have something against them. */
const mostVain = 12;

/** What the detours of a run have come to. */
export class DetourLog {
  /** What cases saw by detours, twice, and not without. */
  readonly found: { readonly rule: RuleId; readonly violation: Violation }[] = [];
  #vain = 0;

  get areWorthwhile(): boolean {
    return this.#vain < mostVain;
  }

  /** @param error why the case did not pass by detours, while it did without @param again what it comes to by the same ones */
  async note(rule: RuleId, error: unknown, again: () => Promise<unknown>): Promise<void> {
    this.#vain += 1;
    const second = error instanceof Violation ? await again() : undefined;
    if (second instanceof Violation) this.found.push({ rule, violation: second });
  }
}
