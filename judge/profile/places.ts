import type { LoadedProfile } from './load.ts';

/** Keys as sentences name them: dotted, or one of those at the top that is no word of English, or one with its value behind it. */
const key = /\b[a-z][A-Za-z]*(?:\.[A-Za-z]+)+|\bbaseUrl\b|\binformationFilter\b|\bspace(?= \(")/g;
const address = /https?:\/\/[^\s),]+/g;

/** The sentence, and behind it where the keys that it names stand in the profile, as file:line:column; each line once. */
export function withPlaces(sentence: string, { source, places = {} }: LoadedProfile): string {
  const keys = [...sentence.replaceAll(address, '').matchAll(key)].map(([name]) => name);
  const byLine = new Map(
    keys.flatMap((name) => placeOf(name, places) ?? []).map((place) => [place.split(':')[0], place] as const),
  );
  const found = [...byLine.values()].map((place) => `${source}:${place}`);
  return found.length === 0 ? sentence : `${sentence} (${found.join(', ')})`;
}

/** That of the key, or of the mapping it would have to be added to. */
function placeOf(name: string, places: Readonly<Record<string, string>>): string | undefined {
  if (Object.hasOwn(places, name)) return places[name];
  const end = name.lastIndexOf('.');
  return end < 0 ? undefined : placeOf(name.slice(0, end), places);
}
