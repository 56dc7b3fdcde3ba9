import type { ServerResponse } from 'node:http';

/** Requests that are being read or answered. */
export class InFlight {
  #count = 0;
  #drained: (() => void) | undefined;
  readonly #leave = (): void => {
    this.#count -= 1;
    if (this.#count === 0) this.#drained?.();
  };

  /** Whether the server is on its way down, so that every answer is the last of its connection. */
  get draining(): boolean {
    return this.#drained !== undefined;
  }

  enter(response: ServerResponse): void {
    this.#count += 1;
    response.on('close', this.#leave);
  }

  /** Resolves when nothing is being answered any more. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      if (this.#count === 0) resolve();
    });
  }
}
