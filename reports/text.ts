/**
 * Everything that would move a cursor, recolour a terminal, turn the direction of writing or make XML ill-formed:
 * control characters besides line feed and tab, half surrogate pairs, line separators, direction marks, non-characters.
 */
const hidden = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu;
const pastAscii = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** The text with every hidden character written out as an escape, so that it may be shown anywhere. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(hidden, escapeOf);
}

/** What a violation comes to where there is room for a sentence. */
export function foundInWords(
  violation: { readonly expected: string; readonly actual: string } | undefined,
): string | undefined {
  return violation && `expected ${violation.expected}, found ${violation.actual}`;
}

/** The text on one line: runs of white space become one blank. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/gu, ' ').trim());
}

/** At most `limit` characters of the text; what is left out is counted. */
export function cutTo(limit: number, text: string): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${text.length - limit} more characters)`;
}

/** JSON of a value, indented, in which hidden characters stand as escapes. */
export function printableJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(pastAscii, escapeOf)}\n`;
}

/** JSON of a value on one line, in which hidden characters stand as escapes. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(pastAscii, escapeOf)}\n`;
}

/** The text with its first letter as a capital. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `1 rule`, `2 rules`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `2 passed`, `1 failed`: each number with its words, without those that are 0. */
export function numbersIn(parts: readonly (readonly [count: number, words: string])[]): string[] {
  return parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
}

/** The first of the names, and how many more there are. */
export function firstOf(most: number, names: readonly string[]): string {
  const left = names.length - most;
  return `${names.slice(0, most).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** Seconds with two digits, from milliseconds. */
export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(2)} s`;
}

/** A time as people read it: three digits, in the unit that fits. */
export function time(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 100 ? `${ms.toFixed(0)} ms` : `${Number(ms.toPrecision(3))} ms`;
}

/** A rate with three digits. */
export function rate(perSecond: number): string {
  return `${perSecond >= 100 ? perSecond.toFixed(0) : Number(perSecond.toPrecision(3))}/s`;
}

/** A count with a comma between thousands. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** A part of a whole with two digits. */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const percent = (part / whole) * 100;
  return percent < 0.01 ? '<0.01 %' : `${Number(percent.toPrecision(2))} %`;
}

/** A text for a shell, which takes nothing in it for anything else. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The same, without quotes where there is nothing to be taken. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}

/** A line of a shell that gives a variable its value: what is exported already stays as it is, and what nobody can know is asked for. @param how a value, `NAME=…`, or `# ` and where to find it */
export function variableLine({ name, how }: { readonly name: string; readonly how: string }): string {
  if (how.startsWith(`${name}=`)) return `[ -n "\${${name}:-}" ] || ${how}`;
  const where = whereItStands(how);
  if (where !== undefined) return `: "\${${name}:?export it: ${where}}"`;
  return `[ -n "\${${name}:-}" ] || ${name}=${singleQuoted(how)}`;
}

/** Where to find what nobody can know, in signs that no shell takes for more; undefined where it need not be asked for. */
export function whereItStands(how: string): string | undefined {
  return how.startsWith('# ') ? how.slice(2).replaceAll(/[^\w ./-]/g, ' ') : undefined;
}

function escapeOf(character: string): string {
  if (character === '\r') return String.raw`\r`;
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
