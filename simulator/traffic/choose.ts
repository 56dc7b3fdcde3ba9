import { journeyNames } from './journey-names.ts';
import type { JourneyName, Mix } from './mix.ts';
import { randomFrom } from './random.ts';

/** Which journey an arrival, or the next turn of a user, is. It follows from seed, user and iteration alone, so that segments of one run agree. */
export function chooser(mix: Mix, seed: number): (user: number, iteration: number) => JourneyName {
  const weighted = journeyNames.flatMap((name) => {
    const weight = mix.journeys[name]?.weight ?? 0;
    return weight > 0 ? [{ name, weight }] : [];
  });
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  const last = weighted.at(-1);
  if (last === undefined) throw new RangeError('Expected a mix with at least one journey of a weight above 0.');
  return (user, iteration) => {
    let left = randomFrom(seed, user, iteration)() * total;
    for (const { name, weight } of weighted) {
      left -= weight;
      if (left < 0) return name;
    }
    return last.name;
  };
}
