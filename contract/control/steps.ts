import type { TSchema } from 'typebox';
import { Type } from '../type.ts';

/** What answers one request after another, step by step. */
export interface Sequence<Step> {
  readonly steps: readonly Step[];
  /** What counts through the steps: all requests, or each correlation id or path by itself. */
  readonly per?: 'answer' | 'correlation-id' | 'path';
  readonly afterwards?: 'default' | 'last' | 'again';
}

/** Its schema. @param left what answers where no step does: `the service` */
export const sequenceSchema = <Step extends TSchema, When extends TSchema>(step: Step, when: When, left: string) =>
  Type.Closed({
    when: Type.Optional(when),
    steps: Type.Array(step, { minItems: 1, maxItems: 10_000 }),
    per: Type.Optional(
      Type.Enum(['answer', 'correlation-id', 'path'], {
        description:
          'What counts through the steps: all requests that fit (the default), or each correlation id or path by itself.',
      }),
    ),
    afterwards: Type.Optional(
      Type.Enum(['default', 'last', 'again'], {
        description: `After the last step: ${left} (the default), the last step for ever, or the steps from the start.`,
      }),
    ),
  });

/** What a request is counted by. */
interface Counted {
  readonly path: string;
  readonly correlationId?: string | undefined;
}

/** Different correlation ids or paths that one sequence counts by themselves; beyond, the oldest is forgotten. */
const mostCounters = 10_000;

/** How far requests have gone through sequences. */
export class Progress<Step> {
  readonly #counters = new Map<Sequence<Step>, Map<string, number>>();

  /** The step of a request, which counts from now on; undefined where the sequence leaves it alone. */
  next(sequence: Sequence<Step>, request: Counted): Step | undefined {
    const counters = this.#counters.get(sequence) ?? new Map<string, number>();
    this.#counters.set(sequence, counters);
    const key = keyOf(sequence, request);
    const count = counters.get(key) ?? 0;
    counters.set(key, count + 1);
    const [oldest] = counters.keys();
    if (counters.size > mostCounters && oldest !== undefined) counters.delete(oldest);
    return stepAt(sequence, count);
  }

  /** The same without counting it. */
  peek(sequence: Sequence<Step>, request: Counted): Step | undefined {
    return stepAt(sequence, this.#counters.get(sequence)?.get(keyOf(sequence, request)) ?? 0);
  }

  /** Begins every sequence anew. */
  clear(): void {
    this.#counters.clear();
  }
}

function keyOf({ per = 'answer' }: Sequence<unknown>, { path, correlationId = '' }: Counted): string {
  if (per === 'answer') return '';
  return per === 'path' ? path : correlationId;
}

function stepAt<Step>({ steps, afterwards = 'default' }: Sequence<Step>, index: number): Step | undefined {
  if (index < steps.length) return steps[index];
  if (afterwards === 'default') return undefined;
  return afterwards === 'last' ? steps.at(-1) : steps[index % steps.length];
}

/** `*` stands for any text. Walks the pieces in order, so that a hostile path costs no more than its length. */
export function isLike(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, from);
    if (found === -1 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}
