import type { Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Call } from '../service.ts';

/** One thing that the documents leave open, taken another way than the server takes it by itself; no rule is broken by it. */
export interface Choice {
  /** What a client meets. */
  readonly meets: string;
  /** Ids of the silences that leave it open; none where the documents do not even touch on it. */
  readonly silences: readonly string[];
  readonly by: Fault;
}

/** Throws on what was refused, under another status where the table has one: for the `catch` of a behaviour. */
export function restated(statuses: Readonly<Record<number, number>>): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refusal)) throw error;
    const { pointer, headers } = error;
    throw new Refusal(statuses[error.status] ?? error.status, error.message, {
      ...(pointer !== undefined && { pointer }),
      headers,
    });
  };
}

/** As restated, for work that does not wait. */
export function restating<T>(statuses: Readonly<Record<number, number>>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    return restated(statuses)(error);
  }
}

/** Media type that a request declares, in lower case and without parameters. */
export function mediaTypeOf(call: Call): string | undefined {
  return call.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** The answer without the headers of these names, in whatever spelling. */
export function withoutHeaders(answer: Answer, ...names: readonly string[]): Answer {
  const left = Object.entries(answer.headers ?? {}).filter(([name]) => !names.includes(name.toLowerCase()));
  return { ...answer, headers: Object.fromEntries(left) };
}
