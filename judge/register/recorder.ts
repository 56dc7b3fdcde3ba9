import type { Reply } from '../exchange.ts';
import { headerVersion } from '../version.ts';
import { versionOf } from '../answer.ts';
import { breachesOf, type Breach } from './check.ts';
import type { RegisterHistory, RegisterOperation, Span } from './history.ts';

/** Takes down what is done to one object, by whom and when. */
export class Recorder {
  readonly #start: RegisterHistory['start'];
  readonly #operations: RegisterOperation[] = [];

  constructor(start: RegisterHistory['start']) {
    this.#start = start;
  }

  /** @param value what the request writes, where reads can tell */
  write(process: number, reply: Reply, stated: number, value?: string): void {
    const version = headerVersion(reply.headers);
    this.#operations.push({
      kind: 'write',
      process,
      stated,
      result: resultOf(reply),
      ...spanOf(reply),
      ...(version !== undefined && { version }),
      ...(value !== undefined && { value }),
    });
  }

  /** Any read that shows a version: an instance or a page. */
  read(process: number, reply: Reply, value?: string): void {
    const version = versionOf(reply);
    if (typeof version === 'number')
      this.#operations.push({
        kind: 'read',
        process,
        version,
        ...spanOf(reply),
        ...(value !== undefined && { value }),
      });
  }

  breaches(): readonly Breach[] {
    return breachesOf({ start: this.#start, operations: this.#operations });
  }
}

function resultOf({ status }: Reply): 'accepted' | 'conflict' | 'unknown' {
  if (status >= 200 && status < 300) return 'accepted';
  return status === 409 ? 'conflict' : 'unknown';
}

function spanOf({ exchange }: Reply): Span {
  return { invokedAt: exchange.sentAt, respondedAt: exchange.sentAt + exchange.durationMs };
}
