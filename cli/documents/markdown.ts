/** A table; lines and bars inside cells are kept from ending them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return escaped(text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' '));
}

/** Text in which nothing is taken for a tag; code stays as it is. */
export function escaped(text: string): string {
  return text.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
}

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
