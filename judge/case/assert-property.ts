import fc, { type Arbitrary } from 'fast-check';
import type { Generation, PropertyOptions } from '../case.ts';
import { Violation } from '../violation.ts';

const mostShrinks = 60;
const shrinkMs = 8000;

/** Runs the predicate on generated values. @throws {Violation} of the smallest failing value, or whatever else a run threw, unshrunk */
export async function assertProperty<T>(
  arbitrary: Arbitrary<T>,
  run: (value: T) => Promise<void>,
  { seed, runs, begin }: Generation,
  { always = [], share = 1, tell = fc.stringify }: PropertyOptions<T>,
): Promise<void> {
  const trial = new Trial();
  const property = fc.asyncProperty(arbitrary, (value) =>
    trial.run(async () => {
      begin?.();
      await run(value);
    }),
  );
  const examples = always.map((value): [T] => [value]);
  // fast-check counts the examples among its runs
  const numRuns = examples.length + Math.max(1, Math.round(runs * share));
  const details = await fc.check(property, { seed, numRuns, examples, endOnFailure: false });
  const [smallest] = details.counterexample ?? [];
  trial.rethrow(smallest === undefined ? '' : tell(smallest), details.counterexamplePath, seed);
}

/** What came of the runs so far. */
class Trial {
  #violation: Violation | undefined;
  #obstacle: unknown;
  #shrinks = 0;
  #shrinkUntil = Infinity;

  async run(run: () => Promise<void>): Promise<void> {
    if (this.#isOver()) return;
    try {
      await run();
    } catch (error) {
      this.#note(error);
      throw error;
    }
  }

  rethrow(counterexample: string, path: string | null, seed: number): void {
    if (this.#violation !== undefined) {
      this.#violation.counterexample = `${counterexample} (seed ${seed}, path ${path ?? ''})`;
      throw this.#violation;
    }
    if (this.#obstacle !== undefined) throw this.#obstacle;
  }

  /** Candidates for a smaller value count as holding once an obstacle was met or shrinking took long enough. */
  #isOver(): boolean {
    if (this.#obstacle !== undefined) return true;
    if (this.#violation === undefined) return false;
    this.#shrinks += 1;
    return this.#shrinks > mostShrinks || performance.now() > this.#shrinkUntil;
  }

  #note(error: unknown): void {
    if (!(error instanceof Violation)) {
      this.#obstacle = error;
      return;
    }
    if (this.#violation === undefined) this.#shrinkUntil = performance.now() + shrinkMs;
    this.#violation = error;
  }
}
