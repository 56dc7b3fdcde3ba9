import { aside, reading } from '../case/part.ts';
import type { CaseRecord } from '../case/record.ts';
import { readTime, sleep } from '../time/real-time.ts';

/** How long it usually takes to put metadata to use that were got after the registration was answered, and at most, in ms. */
const usualMs = 250;
export const longestPutToUseMs = 4000;

/** How long a service whose hosts remember registrations may take until all of them know of a change, in ms. */
export const longestChangeMs = 1000;

/** How long a service that fetches metadata after it has answered takes to put them to use: nothing tells, so that a run tries it once. */
export class PutToUse {
  #ms = usualMs;
  readonly #tried = Promise.withResolvers<void>();
  #isTried = false;
  #isAfterAnswers = false;

  /** Whether some metadata were got after their registration was answered: where they seem to come first the two have raced. */
  get isAfterAnswers(): boolean {
    return reading('metadata after answers', () => Number(this.#isAfterAnswers)) === 1;
  }

  /** Some metadata were. */
  cameAfterAnswer(): void {
    this.#isAfterAnswers = true;
  }

  /** What to wait after the metadata were got. */
  get ms(): number {
    return reading('put to use', () => this.#ms);
  }

  /** @param probe how long it took just now, in ms; undefined where it cannot be told */
  async learn(probe: () => Promise<number | undefined>): Promise<void> {
    // which case comes first is chance, and a case that is played alone has to know what another one found out
    const isFirst = await aside('whether putting to use is to be tried', async () => {
      const first = !this.#isTried;
      this.#isTried = true;
      return first;
    });
    if (!isFirst) return aside('putting to use is tried', () => this.#tried.promise);
    const ms = await probe().catch(() => undefined);
    if (ms !== undefined) this.#atLeast(1.5 * ms + usualMs);
    this.#tried.resolve();
  }

  /** As after a registration, after an update of one, in a case that found that the service takes its time. */
  async again(record: Pick<CaseRecord, 'settlesAt' | 'patienceMs'>): Promise<void> {
    if (record.settlesAt === 0) return;
    await sleep(Math.max(this.ms, record.patienceMs) + usualMs);
    record.settlesAt = readTime() + longestPutToUseMs;
  }

  /** A change or a removal is put to use at once, unless the case has seen otherwise. */
  async afterChange(record: Pick<CaseRecord, 'hasChanged' | 'changeMs' | 'waitedMs' | 'isEnding'>): Promise<void> {
    record.hasChanged = true;
    if (record.changeMs === 0 || record.isEnding) return;
    await sleep(record.changeMs);
    record.waitedMs += record.changeMs;
  }

  /** It was too short for somebody. */
  widen(): void {
    this.#atLeast(2 * this.#ms);
  }

  #atLeast(ms: number): void {
    this.#ms = Math.min(longestPutToUseMs, Math.max(this.#ms, ms));
  }
}
