import { base64 } from './base64.ts';
import { ended, hintAt } from './spelling.ts';

/** What a program was given where it is no option, or none of the values that one takes. */
export class OptionError extends RangeError {
  readonly code = 'OPTION';
}

/** What an option takes: a value of that type, a list, anything, or one of these words, or a list of them. */
type Taken =
  | 'any'
  | 'base64'
  | 'boolean'
  | 'function'
  | 'list'
  | 'number'
  | 'string'
  | Words
  | { readonly each: readonly string[] };

/** One of these words. */
type Words<W extends string = string> = { readonly words: Readonly<Record<W, true>> };

/** Every option there is, and every word that one takes: the compiler holds them against the type. */
export type Options<T> = { readonly [K in keyof Required<T>]: TakenBy<Required<T>[K]> };

type TakenBy<V> = [V] extends [string] ? (string extends V ? Taken : Words<V>) : Taken;

/**
 * Holds options against what there is, for those who write JavaScript: what is spelled wrong would be left out without a word.
 * @throws {OptionError} with the nearest name
 */
export function assertOptions<T extends object>(call: string, options: T, known: Options<T>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new OptionError(`${call} takes its options as a record, found ${shown(options)}.`);
  const takenBy = new Map<string, Taken>(Object.entries(known));
  for (const [name, value] of Object.entries(options)) {
    const taken = takenBy.get(name);
    if (taken === undefined)
      throw new OptionError(ended(`${call} has no option "${name}"${hintAt(name, [...takenBy.keys()])}`));
    if (value !== undefined) assertTaken(`${name} of ${call}`, value, taken);
  }
}

function assertTaken(what: string, value: unknown, taken: Taken): void {
  if (taken === 'any') return;
  if (taken === 'base64') {
    // a key is not shown
    if (typeof value !== 'string' || value === '' || !base64.test(value))
      throw new OptionError(`Expected Base64 with padding as ${what}.`);
  } else if (typeof taken === 'string') {
    const fits = taken === 'list' ? Array.isArray(value) : typeof value === taken;
    if (!fits) throw new OptionError(`Expected a ${taken} as ${what}, found ${shown(value)}.`);
  } else if ('each' in taken) {
    if (!Array.isArray(value)) throw new OptionError(`Expected a list as ${what}, found ${shown(value)}.`);
    for (const one of value) assertWord(what, one, taken.each);
  } else assertWord(what, value, Object.keys(taken.words));
}

function assertWord(what: string, value: unknown, words: readonly string[]): void {
  if (words.some((word) => word === value)) return;
  const hint = typeof value === 'string' ? hintAt(value, words) : `; known are ${words.join(', ')}`;
  throw new OptionError(ended(`Unknown ${what}: ${shown(value)}${hint}`));
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : JSON.stringify(value);
  return (text ?? 'undefined').slice(0, mostShown);
}

const mostShown = 80;
