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
  /** The lines that open the blocks around it, the outermost first: those that stand further to the left and end in a bracket. */
  readonly within: readonly string[];
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
  /** Stratum to which it belongs. */
  readonly area: string;
}

/** What tells a mutant in spite of edits elsewhere in its file. */
export type MutantKey = Pick<Mutant, 'file'> & {
  /** Left out: every mutant of the file. */
  readonly line?: string;
  /** Left out: every mutant that begins in such a line, or in the block that such a line opens. */
  readonly mutator?: string;
  readonly replacement?: string;
  /** Part of the line that is replaced, where the same replacement fits in two places of it. */
  readonly of?: string;
};

/** Whether a key means that mutant: one that lasts over several lines is known by the first of them. */
export function isMeant(key: MutantKey, mutant: Mutant): boolean {
  const { file, line, mutator, replacement, of } = key;
  if (file !== mutant.file) return false;
  if (line === undefined) return true;
  if (mutator === undefined) return line === mutant.lineText || mutant.within.includes(line);
  return (
    line === mutant.lineText &&
    mutator === mutant.mutator &&
    (replacement === undefined || squeezed(replacement) === squeezed(mutant.replacement)) &&
    (of === undefined || squeezed(of) === squeezed(mutant.original))
  );
}

/** Whether a key means whatever happens to a line, so that it stands although some of it is noticed. */
export function isWide(key: MutantKey): boolean {
  return key.mutator === undefined;
}

/** Whether both are the same change of the same place, in whatever instrumentation. */
export function isSame(one: Mutant, other: Mutant): boolean {
  const { id: _one, line: _at, within: _around, ...rest } = one;
  const { id: _other, line: _there, within: _about, ...others } = other;
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
