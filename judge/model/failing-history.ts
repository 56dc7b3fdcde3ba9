import type { Generation } from '../case.ts';
import { caseMsOf, type Profile } from '../../contract/profile.ts';
import { readTime } from '../time/real-time.ts';
import { unlessRefused, Violation } from '../violation.ts';
import { findShortest } from './shortest.ts';

/** Requests that are kept of one history, so that it can be told from its beginning. */
const keptRequests = 600;

/** Steps that a service which takes its time has not come to by this share of a case are left out. */
const shareOfCase = 1 / 6;

/** Histories followed at a time: each is a chain of requests that wait for one another. */
const lanes = 4;

/** Longest search for a shorter history that fails, where one alone is followed, in ms. */
const longestMs = 12_000;

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
class Search {
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

/** How a case follows histories that know nothing of one another. */
interface Lanes<H> {
  readonly attempt: (history: H) => Promise<Failed | undefined>;
  /** The shortest history that still fails. @param reached index of the step at which the whole one failed: what comes behind it is not needed */
  readonly shorten: (history: H, reached: number, search: Search) => Promise<H>;
  /** Longest search for it, in ms. */
  readonly longestMs: number;
  /** The history in words. */
  readonly tell: (history: H) => string;
}

/** Lets histories happen, some at a time. @throws {Violation} one fails: of the first that does, told by the shortest that still does */
export async function assertHistories<H>(
  histories: readonly H[],
  { attempt, shorten, longestMs, tell }: Lanes<H>,
  { seed, asFound }: Generation,
): Promise<void> {
  const failing = await findFirst(histories, lanes, attempt);
  const history = failing && histories[failing.index];
  if (failing === undefined || history === undefined) return;
  const { violation, reached } = failing.found;
  const told = (found: H): string => `${tell(found)} (seed ${seed}, history ${failing.index + 1})`;
  if (asFound === true) throw Object.assign(violation, { counterexample: told(history) });
  // followed once more by itself: until now its requests stand among those of others
  const search = new Search(longestMs);
  const shortest = await shorten(history, reached, search);
  throw Object.assign(search.violation ?? violation, {
    isScript: search.violation !== undefined,
    counterexample: told(shortest),
  });
}

interface Found<F> {
  readonly index: number;
  readonly found: F;
}

/**
 * Looks at values in order, `width` at a time, and at none after one was found. Of those found, the first in order: the same one each time.
 * What a look throws is thrown when all under way have ended, unless one of them found something.
 */
export async function findFirst<T, F>(
  values: readonly T[],
  width: number,
  look: (value: T) => Promise<F | undefined>,
): Promise<Found<F> | undefined> {
  const found: Found<F>[] = [];
  const obstacles: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < values.length && found.length + obstacles.length === 0) {
      const index = next;
      next += 1;
      const seen = await look(values[index] as T);
      if (seen !== undefined) found.push({ index, found: seen });
    }
  };
  const guarded = (): Promise<void> => lane().catch((error: unknown) => void obstacles.push(error));
  await Promise.all(Array.from({ length: width }, guarded));
  if (found.length === 0 && obstacles.length > 0) throw obstacles[0];
  return found.toSorted((one, other) => one.index - other.index)[0];
}

/** How a case lets a history happen that it has drawn. */
export interface Following<H> {
  /**
   * Judges each step by what comes of it. @throws {Violation} where that is not what has to come
   * @param reached told the index of each step, and of what is looked at
   * @param isAgain whether one has failed already, so that there is little time for each
   */
  readonly play: (history: H, reached: (step: number, subject: number) => void, isAgain: boolean) => Promise<void>;
  /** Histories of fewer subjects that may fail as well, the smallest first. @param subject where the whole one failed */
  readonly fewer: (history: H, subject: number) => readonly H[];
  /** The history in words. */
  readonly tell: (history: H) => string;
}

interface Place {
  readonly step: number;
  readonly subject: number;
}

type Try<H> = (history: H, isAgain: boolean) => Promise<Failed<Place> | undefined>;

/** Lets a history happen. @throws {Violation} it fails: of the shortest one that still does */
export async function assertHistory<S, H extends { readonly steps: readonly S[] }>(
  history: H,
  { play, ...following }: Following<H>,
  generation: Generation,
): Promise<void> {
  const begunAt = readTime();
  const attempt: Try<H> = (candidate, isAgain) =>
    attemptHistory<Place>(generation, { step: 0, subject: 0 }, (reached) =>
      play(candidate, (step, subject) => reached({ step, subject }), isAgain),
    );
  const failed = await attempt(history, false);
  if (failed === undefined) return;
  // a service that takes its time leaves none for a search
  const isLong = readTime() - begunAt > longestMs;
  const { shortest, violation } =
    generation.asFound === true || isLong
      ? { shortest: history, violation: failed.violation }
      : await reduced<S, H>(history, failed, { fewer: following.fewer, attempt });
  violation.counterexample = `${following.tell(shortest)} (seed ${generation.seed})`;
  throw violation;
}

/** The shortest history that still fails: of fewer subjects, then without steps. */
async function reduced<S, H extends { readonly steps: readonly S[] }>(
  history: H,
  { violation: first, reached: { step, subject } }: Failed<Place>,
  { fewer, attempt }: Pick<Following<H>, 'fewer'> & { readonly attempt: Try<H> },
): Promise<{ readonly shortest: H; readonly violation: Violation }> {
  const search = new Search(longestMs);
  const fails = (candidate: H): Promise<boolean> => search.fails(() => attempt(candidate, true));
  let failing: H = { ...history, steps: history.steps.slice(0, step + 1) };
  for (const candidate of fewer(failing, subject)) {
    if (!(await fails(candidate))) continue;
    failing = candidate;
    break;
  }
  const steps = await findShortest(failing.steps, (less) => fails({ ...failing, steps: less }));
  return { shortest: { ...failing, steps }, violation: search.violation ?? first };
}
