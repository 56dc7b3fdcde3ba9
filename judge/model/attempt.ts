import type { Generation } from '../case.ts';
import { caseMsOf, type Profile } from '../../contract/profile.ts';
import { readTime } from '../time/part-time.ts';
import { unlessRefused, Violation } from '../violation.ts';

/** Requests that are kept of one history, so that it can be told from its beginning. */
const keptRequests = 600;

/** Steps that a service which takes its time has not come to by this share of a case are left out. */
const shareOfCase = 1 / 6;

/** How a history failed, and where: at a step unless said otherwise. */
export interface Failed<Place = number> {
  readonly violation: Violation;
  readonly reached: Place;
}

/** Lets a history happen. Returns undefined where all is as it has to be. @param play tells each place that it reaches */
export async function attemptHistory<Place>(
  { begin }: Generation,
  start: Place,
  play: (reached: (place: Place) => void) => Promise<void>,
): Promise<Failed<Place> | undefined> {
  let at = start;
  begin?.(keptRequests);
  try {
    await play((place) => (at = place));
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return { violation: error, reached: at };
    throw error;
  }
}

/** The steps of a history with their indexes, as long as there is time for another one. @param waitedMs what does not count */
export function* inTime<S>(
  steps: readonly S[],
  profile: Profile,
  waitedMs: () => number = () => 0,
): Generator<[index: number, step: S]> {
  const until = readTime() - waitedMs() + caseMsOf(profile) * shareOfCase;
  for (const indexed of steps.entries()) {
    if (readTime() - waitedMs() > until) return;
    yield indexed;
  }
}

/** The search for a shorter history that fails as well, which ends in time. */
export class Search {
  readonly #until: number;
  #violation: Violation | undefined;

  constructor(longestMs: number) {
    this.#until = readTime() + longestMs;
  }

  /** Of the last one that failed. */
  get violation(): Violation | undefined {
    return this.#violation;
  }

  /** Whether it fails. One that the service does not let us try, or for which no time is left, does not. */
  async fails(attempt: () => Promise<Failed<unknown> | undefined>): Promise<boolean> {
    const failed = readTime() > this.#until ? undefined : await unlessRefused(attempt);
    if (failed !== undefined) this.#violation = failed.violation;
    return failed !== undefined;
  }
}
