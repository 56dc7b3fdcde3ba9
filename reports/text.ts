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

/** `1 rule`, `2 rules`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Seconds with two digits, from milliseconds. */
export function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(2)} s`;
}

function escapeOf(character: string): string {
  if (character === '\r') return String.raw`\r`;
  return String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
