/** Parts of regular expressions that k6 takes and gets wrong, or refuses, by what they are called. */
const patterns: Readonly<Record<string, RegExp>> = {
  'a class of Unicode properties': /\\p\{|\\P\{/,
  lookbehind: /\(\?<[=!]/,
  'an async generator': /\basync\s+function\s*\*|\basync\s*\*/,
  'for await': /\bfor\s+await\s*\(/,
};

/** What a source has that the engine of k6 lacks; the linter knows names, this knows forms. */
export function lackingIn(source: string): readonly string[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => (pattern.test(source) ? [name] : []));
}
