import type { ServerResponse } from 'node:http';

/** Requests that are being read or answered. */
export class InFlight {
  #count = 0;
  #besides = 0;
  #drained: (() => void) | undefined;
  readonly #leave = (): void => {
    this.#count -= 1;
    if (this.#count <= this.#besides) this.#drained?.();
  };

  /** Whether the server is on its way down, so that every answer is the last of its connection. */
  get draining(): boolean {
    return this.#drained !== undefined;
  }

  enter(response: ServerResponse): void {
    this.#count += 1;
    response.on('close', this.#leave);
  }

  /** Resolves when nothing is being answered any more, but for so many requests that wait for that. */
  drain(besides = 0): Promise<void> {
    return new Promise((resolve) => {
      this.#besides = besides;
      this.#drained = resolve;
      if (this.#count <= besides) resolve();
    });
  }
}
