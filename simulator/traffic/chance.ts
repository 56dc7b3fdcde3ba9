import { journeyNames } from './journey.ts';
import type { JourneyName, Mix } from './mix.ts';

/** Numbers in [0, 1) that follow from the parts: the same sequence on every engine. SplitMix32, by which near seeds give far sequences. */
export function randomFrom(...parts: readonly number[]): () => number {
  let state = parts.reduce((mixed, part) => mix(mixed ^ Math.imul(part + 1, 0x9e3779b1)), 0x243f6a88);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  const twice = Math.imul(once ^ (once >>> 15), 0x735a2d97);
  return twice ^ (twice >>> 15);
}

interface Weighted<Name extends string> {
  readonly name: Name;
  readonly weight: number;
}

/** Which journey an arrival, or the next turn of a user, is. It follows from seed, user and iteration alone, so that segments of one run agree. */
export function chooser(mix: Mix, seed: number): (user: number, iteration: number) => JourneyName {
  return chooserAmong(bundledIn(mix), seed);
}

/** The same with the journeys that whoever wrote the mix brings along. */
export function chooserWithOwn(mix: Mix, seed: number): (user: number, iteration: number) => string {
  const own = Object.entries(mix.own?.journeys ?? {}).map(([name, { weight }]) => ({ name, weight }));
  return chooserAmong<string>([...bundledIn(mix), ...own.filter(({ weight }) => weight > 0)], seed);
}

function bundledIn(mix: Mix): readonly Weighted<JourneyName>[] {
  return journeyNames.flatMap((name) => {
    const weight = mix.journeys[name]?.weight ?? 0;
    return weight > 0 ? [{ name, weight }] : [];
  });
}

function chooserAmong<Name extends string>(
  weighted: readonly Weighted<Name>[],
  seed: number,
): (user: number, iteration: number) => Name {
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

/** Pauses between the requests of a user, drawn alike by every engine. @returns ms */
export function pausesOf(mix: Pick<Mix, 'journeys' | 'own'>, name: string, random: () => number): () => number {
  const bundled = journeyNames.find((one) => one === name);
  const [shortest, longest] = (bundled === undefined ? mix.own?.journeys[name] : mix.journeys[bundled])?.thinkMs ?? [
    0, 0,
  ];
  return () => (longest === 0 ? 0 : shortest + random() * (longest - shortest));
}
