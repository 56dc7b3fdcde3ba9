import { isTransient } from '../../exchange.ts';
import type { Timed } from '../../time/timeline.ts';

/** Seconds before the first retry; the gaps double. Source: extensions, Limits, retries */
const firstGapMs = 2000;

/** Source: extensions, Errors 2 */
const longestGapMs = 300_000;

/** The gap before a retry, in ms. @param retry from 1 */
export function gapBefore(retry: number): number {
  let gapMs = firstGapMs;
  for (let before = 1; before < retry && gapMs < longestGapMs; before += 1) gapMs += gapMs;
  return Math.min(gapMs, longestGapMs);
}

/** The same where five minutes are those of all waits together and not of one: which of the two is not said. Source: ledger backoff-cap-sequence */
export function longestGapBefore(retry: number): number {
  const gapsMs = Array.from({ length: retry }, (_gap, index) => gapBefore(index + 1));
  const waitedMs = gapsMs.reduce((sum, gapMs) => sum + gapMs, 0);
  return waitedMs > longestGapMs ? longestGapMs : gapBefore(retry);
}

/** What follows from how an attempt ended. `unsaid`: the documents leave it open. */
export type Fate = 'done' | 'failed' | 'again' | 'unsaid';

/** An attempt as far as what follows hangs on it. */
interface Ended extends Timed {
  readonly ending?: 'answered' | 'cut' | 'abandoned' | undefined;
}

/** What the profile says where the documents are silent. */
interface Said {
  readonly retriesTimeouts?: boolean | undefined;
  readonly retriesTooManyRequests?: boolean | undefined;
}

/** Source: extensions, Events 2; Errors 1; ledger timeout-is-transient, retry-429, success-other-2xx, redirect-handling */
export function fateOf({ ending, answered = 0 }: Ended, { retriesTimeouts, retriesTooManyRequests }: Said): Fate {
  if (ending === undefined) return 'unsaid';
  if (ending === 'abandoned') {
    if (retriesTimeouts === undefined) return 'unsaid';
    return retriesTimeouts ? 'again' : 'failed';
  }
  if (ending === 'cut') return 'again';
  if (answered === 200 || answered === 201) return 'done';
  if (isTransient(answered)) return 'again';
  if (answered < 400) return 'unsaid';
  return answered === 429 && retriesTooManyRequests === true ? 'again' : 'failed';
}

/** What a registration says, from one step of a history on. */
export interface Version {
  /** Of the update that brought it. */
  readonly step: number;
  /** When that was sent, in ms of the clock. */
  readonly from: number;
}

/** Those that a call may be made by that was set off at a step and came at a moment: what an update between the two does to it is not said. */
export function inForce<V extends Version>(versions: readonly V[], step: number, arrivedAt: number): readonly V[] {
  return versions.filter(({ from }, index) => {
    const next = versions[index + 1];
    return from <= arrivedAt && (next === undefined || next.step > step);
  });
}

/** When the busy spans that touch one another from a moment on end, in ms; that moment where none is around it. */
export function freeFrom(moment: number, busy: readonly { readonly from: number; readonly to: number }[]): number {
  const around = busy.filter(({ from, to }) => from <= moment && to > moment);
  const until = Math.max(moment, ...around.map(({ to }) => to));
  return until > moment ? freeFrom(until, busy) : moment;
}
