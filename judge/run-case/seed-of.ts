import { createHash } from 'node:crypto';

/** The seed of one rule's generated data: a 32-bit integer made of the seed of the run and the rule, whatever runs beside it. */
export function seedOf(seed: number, rule: string): number {
  return createHash('sha256').update(`${seed} ${rule}`).digest().readInt32BE(0);
}
