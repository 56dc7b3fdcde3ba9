import { InvalidArgumentError } from 'commander';
import type { Shard } from '../judge/outcome.ts';

/** Reads `2/4`: the second of four parts. */
export function shard(text: string): Shard {
  const [, index = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= of) return { index, of };
  throw new InvalidArgumentError(`Expected a part as 2/4, from 1/4 to 4/4, found "${text}".`);
}
