import { isDeepStrictEqual } from 'node:util';

/** One small change of the source, as the instrumenter made it. */
export interface Mutant {
  /** By which it is switched on; says nothing from one instrumentation to the next. */
  readonly id: string;
  /** From the root of the project. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Text of that line, without the space around it. */
  readonly lineText: string;
  /** How often the same line stands above it in the file. */
  readonly sameLinesAbove: number;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  /** Stratum to which it belongs. */
  readonly area: string;
}

/** What tells a mutant in spite of edits elsewhere in its file. */
export type MutantKey = Pick<Mutant, 'file' | 'mutator' | 'replacement'> & {
  readonly line: string;
  /** Part of the line that is replaced, where the same replacement fits in two places of it. */
  readonly of?: string;
};

/** Whether a key means that mutant: one that lasts over several lines is known by the first of them. */
export function isMeant(key: MutantKey, mutant: Mutant): boolean {
  return (
    key.file === mutant.file &&
    key.line === mutant.lineText &&
    key.mutator === mutant.mutator &&
    squeezed(key.replacement) === squeezed(mutant.replacement) &&
    (key.of === undefined || squeezed(key.of) === squeezed(mutant.original))
  );
}

/** Whether both are the same change of the same place, in whatever instrumentation. */
export function isSame(one: Mutant, other: Mutant): boolean {
  const { id: _one, line: _at, ...rest } = one;
  const { id: _other, line: _there, ...others } = other;
  return isDeepStrictEqual(rest, others);
}

/** `file:line`, what stood there and what stands there now. */
export function diffOf({ file, line, mutator, original, replacement }: Mutant): string {
  return [`${file}:${line} (${mutator})`, `  - ${shortened(original)}`, `  + ${shortened(replacement)}`].join('\n');
}

const shownLength = 160;

function shortened(text: string): string {
  const one = squeezed(text);
  return one.length > shownLength ? `${one.slice(0, shownLength)} …` : one;
}

/** As one line: the instrumenter prints a replacement in a layout of its own. */
function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
