import { createHash } from 'node:crypto';
import type { Mutant } from './mutant.ts';

/**
 * So many mutants that each area and each mutator has its share: they are laid out by area and mutator, within these by chance, and every n-th
 * is taken. The same seed takes the same ones, whatever their ids, and in the same order by lot: what has been tried when time is up is a sample too.
 */
export function sampleOf(mutants: readonly Mutant[], size: number, seed: number): readonly Mutant[] {
  const laidOut = mutants
    .map((mutant) => ({ mutant, stratum: `${mutant.area} ${mutant.mutator}`, lot: lotOf(mutant, seed) }))
    .toSorted((one, other) => compare(one.stratum, other.stratum) || compare(one.lot, other.lot));
  const count = Math.min(size, laidOut.length);
  const step = laidOut.length / count;
  const first = (Number.parseInt(digest(`${seed}`).slice(0, 8), 16) / 2 ** 32) * step;
  return Array.from({ length: count }, (_, index) => laidOut[Math.floor(first + index * step)])
    .filter((drawn) => drawn !== undefined)
    .toSorted((one, other) => compare(one.lot, other.lot))
    .map(({ mutant }) => mutant);
}

/** By what a mutant is drawn, in hexadecimal. */
export function lotOf(
  { file, lineText, sameLinesAbove, mutator, original, replacement }: Mutant,
  seed: number,
): string {
  return digest(JSON.stringify([seed, file, lineText, sameLinesAbove, mutator, original, replacement]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
