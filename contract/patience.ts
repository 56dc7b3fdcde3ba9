/** How often a request is sent again at most. */
const repeats = 5;
/** Nobody waits longer than that for one answer, in ms. */
const longestMs = 60_000;
/** What a 429 without Retry-After is taken for, in ms. */
const unstatedMs = 1000;
/** The least that is waited before a request is sent a third time, in ms: many round what is left of a second down. */
const leastMs = 250;
/** Dates in headers are told in whole seconds. */
const dateStepMs = 1000;

/** An answer that may have asked for patience. */
interface Hurried {
  readonly status: number;
  /** Value of its header Retry-After. */
  readonly retryAfter: string | undefined;
  /** The date of the answer by the clock of the target, in ms since the epoch; NaN where it has none. */
  readonly answeredAt?: number;
  /** Reads the time of this machine, in ms since the epoch. */
  readonly now: () => number;
}

/**
 * How long to wait before the request is sent again because the target asked for patience, in ms; undefined where its answer stands.
 * A 429 without Retry-After is taken for one second, doubled each time; a 503 without it is an answer like any other. Where what was asked for
 * was not enough it is more each time.
 * @param repeated how often it was sent again already
 */
export function waitMsOf(
  { status, retryAfter, answeredAt = Number.NaN, now }: Hurried,
  repeated: number,
): number | undefined {
  if ((status !== 429 && status !== 503) || repeated >= repeats) return undefined;
  if (retryAfter === undefined) return status === 429 ? unstatedMs * 2 ** repeated : undefined;
  const stated = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - timeOfTarget(answeredAt, now());
  if (Number.isNaN(stated) || stated > longestMs) return undefined;
  return Math.max(stated, repeated === 0 ? 0 : leastMs * 2 ** (repeated - 1));
}

/** Where both clocks agree as far as a date in whole seconds shows, that of this machine knows the rest. */
function timeOfTarget(answeredAt: number, now: number): number {
  return Number.isNaN(answeredAt) || (now >= answeredAt && now < answeredAt + dateStepMs) ? now : answeredAt;
}
