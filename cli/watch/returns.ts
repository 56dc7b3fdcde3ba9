import { incompleteExitCode } from '../exit-codes.ts';

/**
 * Which returns of the service ask for another run. One during a run does where the run broke off by it: a case may restart the service itself.
 * A run that was asked for so and breaks off again does not, or a service that a case ends would be judged for ever.
 */
export class Returns {
  readonly #ask: () => void;
  #isUnderWay = false;
  #wasSeen = false;
  #isOwn = false;
  #isIdle = false;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  note(): void {
    if (this.#isUnderWay) this.#wasSeen = true;
    else if (!this.#isIdle) this.#ask();
  }

  /** The next run begins because of a return. */
  take(): void {
    this.#isOwn = true;
  }

  begin(): void {
    [this.#isUnderWay, this.#wasSeen] = [true, false];
  }

  end(exitCode: number): void {
    this.#isUnderWay = false;
    const isBroken = exitCode === incompleteExitCode;
    this.#isIdle = isBroken && this.#isOwn;
    this.#isOwn = false;
    if (this.#wasSeen && isBroken) this.note();
  }
}
