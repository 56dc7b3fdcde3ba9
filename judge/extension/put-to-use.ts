import { setTimeout as sleep } from 'node:timers/promises';
import type { CaseRecord } from '../record.ts';

/** How long it usually takes to put metadata to use that were got after the registration was answered, and at most, in ms. */
const usualMs = 250;
export const longestPutToUseMs = 4000;

/** How long a service that fetches metadata after it has answered takes to put them to use: nothing tells, so that a run tries it once. */
export class PutToUse {
  #ms = usualMs;
  #learning: Promise<void> | undefined;
  #isAfterAnswers = false;

  /** Whether some metadata were got after their registration was answered: where they seem to come first the two have raced. */
  get isAfterAnswers(): boolean {
    return this.#isAfterAnswers;
  }

  /** Some metadata were. */
  cameAfterAnswer(): void {
    this.#isAfterAnswers = true;
  }

  /** What to wait after the metadata were got. */
  get ms(): number {
    return this.#ms;
  }

  /** @param probe how long it took just now, in ms; undefined where it cannot be told */
  learn(probe: () => Promise<number | undefined>): Promise<void> {
    this.#learning ??= probe().then(
      (ms) => this.#atLeast(ms === undefined ? 0 : 1.5 * ms + usualMs),
      () => undefined,
    );
    return this.#learning;
  }

  /** As after a registration, after an update of one, in a case that found that the service takes its time. */
  async again(record: Pick<CaseRecord, 'settlesAt' | 'patienceMs'>): Promise<void> {
    if (record.settlesAt === 0) return;
    await sleep(Math.max(this.#ms, record.patienceMs) + usualMs);
    record.settlesAt = performance.now() + longestPutToUseMs;
  }

  /** It was too short for somebody. */
  widen(): void {
    this.#atLeast(2 * this.#ms);
  }

  #atLeast(ms: number): void {
    this.#ms = Math.min(longestPutToUseMs, Math.max(this.#ms, ms));
  }
}
