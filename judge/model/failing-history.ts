import type { Generation } from '../case.ts';
import { readTime } from '../time/part-time.ts';
import type { Violation } from '../violation.ts';
import { attemptHistory, type Failed, Search } from './attempt.ts';
import { findShortest } from './shortest.ts';

/** Longest search for a shorter history that fails, in ms. */
const longestMs = 12_000;

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
