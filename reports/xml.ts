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

/** Elements below each other. */
export function lines(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `\n${parts.join('\n')}\n`;
}

/** A document of JUnit. */
export function junitText(suites: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, lines(suites))}\n`;
}

/** What each suite of JUnit has to say of when and where it was run. */
export function placeAndTime(
  url: string,
  startedAt: string,
): { readonly timestamp: string; readonly hostname: string } {
  return { timestamp: startedAt.slice(0, 19), hostname: URL.parse(url)?.hostname || 'localhost' };
}

export function propertyElements(values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).map(([name, value]) => element('property', { name, value }));
}

/** As JUnit writes them. */
export function secondsOf(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}
