import { distance } from 'fastest-levenshtein';

const fewestLetters = 3;
const fewestLettersOfWords = 6;
const mostListed = 30;
const mostLetters = 1000;

/**
 * Known names that somebody may have meant by one that is not known, the likeliest first: those in which it begins a word, or each of its words
 * one, then those that are spelled alike. Empty where none is near: a far one would mislead.
 */
export function nearNames(found: string, known: readonly string[]): readonly string[] {
  // nobody means a name by that, and to compare it takes its time
  if (found.length > mostLetters) return [];
  return known
    .map((name) => ({ name, far: farness(found.toLowerCase(), name.toLowerCase()) }))
    .filter(({ far }) => far <= 1)
    .toSorted((one, other) => one.far - other.far)
    .map(({ name }) => name);
}

/** Says what was found, and which known name is near, as a sentence. Where none is, it lists all of them or those that are given for that. */
export function unknownName(kind: string, found: string, known: readonly string[], listed = known): string {
  return ended(`Unknown ${kind} "${found}"${hintAt(found, known, listed)}`);
}

/** With a full stop, unless it asks. */
export function ended(sentence: string): string {
  return sentence.endsWith('?') ? sentence : `${sentence}.`;
}

/** How a sentence about a name that is not known ends: with the near one, or with all of them where they are few. Without a full stop. */
export function hintAt(found: string, known: readonly string[], listed = known): string {
  const [nearest] = nearNames(found, known);
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  return listed.length === 0 || listed.length > mostListed ? '' : `; known are ${listed.join(', ')}`;
}

/** Up to 1 is near. Below 0: it stands at the beginning of a word of the name, and the more of the name it is the nearer. */
function farness(found: string, name: string): number {
  const [wanted, letters] = [lettersOf(found), lettersOf(name)];
  if (wanted.length >= fewestLetters && ` ${wordsOf(name)}`.includes(` ${wordsOf(found)}`))
    return -wanted.length / letters.length;
  if (wanted.length >= fewestLettersOfWords && holdsWords(wordsOf(name), wordsOf(found)))
    return -wanted.length / letters.length;
  const length = Math.max(wanted.length, letters.length);
  // two letters may have changed places in a word of four, but not be others; three of ten may be wrong in a long one
  const perLetter = sorted(wanted) === sorted(letters) ? 2 : 2.5;
  return distance(wanted, letters) / Math.max(Math.min(2, length / perLetter), length * 0.3);
}

/** Whether each of several words begins one of the name, in their order. */
function holdsWords(name: string, words: string): boolean {
  const places = words.split(' ');
  if (places.length < 2) return false;
  let left = name.split(' ');
  return places.every((word) => {
    const at = left.findIndex((one) => one.startsWith(word));
    left = left.slice(at + 1);
    return at !== -1;
  });
}

function sorted(letters: string): string {
  return [...letters].toSorted().join('');
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function wordsOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
}
