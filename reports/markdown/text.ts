import { oneLine, printable } from '../text.ts';

/** Everything that Markdown or HTML could read as structure becomes an entity, which neither does. */
const structural = /[&<>"'`*_[\](){}\\|~#@!^$]/g;

/** Any text as running text on one line, also inside a table cell. */
export function inline(text: string): string {
  return oneLine(text).replace(structural, entityOf);
}

/** Any text as code on one line, also inside a table cell. */
export function code(text: string): string {
  return `<code>${inline(text)}</code>`;
}

/** Any text as it stands, line by line. It needs an empty line before and after it. */
export function block(text: string): string {
  return `<pre>\n${printable(text).replace(/[&<>]/g, entityOf)}\n</pre>`;
}

/** A table; the cells are Markdown already. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  numbersFrom = Number.POSITIVE_INFINITY,
): string {
  const rule = titles.map((_, index) => (index < numbersFrom ? '---' : '---:'));
  return [row(titles), row(rule), ...rows.map(row)].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function entityOf(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
