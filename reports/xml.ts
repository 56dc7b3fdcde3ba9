import { printable } from './text.ts';

/** An element whose content is already XML. Attributes are plain text, in the order given. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlAttribute(String(value))}"`);
  const start = `<${name}${written.join('')}`;
  return content === '' ? `${start}/>` : `${start}>${content}</${name}>`;
}

/** Any text as character data. Characters that XML forbids, escaped or not, are written out as their code. */
export function xmlText(text: string): string {
  return printable(text).replace(/[&<>]/g, entityOf);
}

function xmlAttribute(text: string): string {
  return printable(text).replace(/[&<>"'\n\t]/g, entityOf);
}

function entityOf(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
