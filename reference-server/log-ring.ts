import type { LogDestination } from './log.ts';

/** The last lines of a log, oldest first; when it is full the oldest one goes. */
export class LogRing implements LogDestination {
  readonly #lines: string[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1)
      throw new RangeError(`Expected room for 1 line or more, found ${capacity}.`);
    this.#capacity = capacity;
  }

  write(line: string): void {
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Lines as they were written; with a correlation id only those that carry it. */
  text(correlationId?: string): string {
    const lines = [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
    if (correlationId === undefined) return lines.join('');
    const field = `"correlationId":${JSON.stringify(correlationId)}`;
    return lines.filter((line) => line.includes(field)).join('');
  }
}
