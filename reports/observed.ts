import type { RuleResult } from '../contract/schemas/report.ts';
import { oneLine } from './text.ts';

/** What one implementation does at one place where the documents are silent. */
export interface ObservedAnswer {
  /** Key of the profile that binds the silence, else the observation in words. */
  readonly name: string;
  /** Everything that was seen there, each once, sorted. */
  readonly seen: readonly string[];
}

/** Where a profile binds what was observed: most keys stand under `expect`. */
export function keyPath(key: string): string {
  return key.includes('.') ? key : `expect.${key}`;
}

/** What a rule observed, by name; nothing in it depends on the run. */
export function answersOf({ observations }: Pick<RuleResult, 'observations'>): readonly ObservedAnswer[] {
  const lasting = observations
    .filter(({ what }) => !ofTheRun.has(what))
    .map(({ what, seen, key }) => ({ name: nameOf(key, what), seen: withoutChance(seen) }));
  const byName = Map.groupBy(lasting, ({ name }) => name);
  return [...byName]
    .map(([name, answers]) => ({ name, seen: [...new Set(answers.map(({ seen }) => seen))].toSorted() }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Several observations may be bound by one key; the words tell them apart. */
function nameOf(key: string | undefined, what: string): string {
  return key === undefined ? withoutChance(what) : `${key}: ${withoutChance(what)}`;
}

/** What is another text in every run without being another behaviour, in the order in which it is looked for. */
const byChance: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?:\/\/[^\s/"'<>]+/gi, 'http://(host)'],
  [/\b(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/gi, '(host)'],
  [/(?<![\w/])\/(?:tmp|var\/folders)\/[^\s"'<>&\\]+/g, '(path)'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '(id)'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?/g, '(time)'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, '(time)'],
  [/\beyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*/g, '(token)'],
  [/\b[a-z]+(?:-\d+)?-[0-9a-f]{6,}(?:-\d+)?(?:-[0-9a-f]{6,})*\b/g, '(name)'],
  [/(?<!\w)(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?!\w)/gi, '(id)'],
  [/(?<![\w+/=-])(?=[\w+/-]*\d)(?=[\w+/-]*[A-Z])[\w+/-]{20,}={0,2}/g, '(token)'],
];

/** The text with ids, names made up for a run, times, hosts and tokens replaced, so that equal behaviour reads alike in every run. */
export function withoutChance(text: string): string {
  return byChance.reduce((sofar, [pattern, word]) => sofar.replaceAll(pattern, word), oneLine(text));
}

/** Observations of what threads, clocks and keys made up for a run do, and not the implementation: they differ from run to run. */
const ofTheRun: ReadonlySet<string> = new Set([
  'contests in which the requests overlapped',
  'rounds in which the requests overlapped',
  'order in which ten events arrive',
  'slowest call',
  // The two alphabets write a signature alike where it happens to hold neither of the characters in which they differ.
  'the right signature in the standard alphabet',
]);
