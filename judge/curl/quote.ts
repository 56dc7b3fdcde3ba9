import type { Part } from '../redact.ts';

const harmless = /^[\w :;=,./+%@?#~-]*$/;

/** Parts as one word of a POSIX shell, in which the variables expand. */
export function quoted(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length === parts.length) return single(texts.join(''));
  if (texts.every((text) => harmless.test(text)))
    return `"${parts.map((part) => ('text' in part ? part.text : `\${${part.variable}}`)).join('')}"`;
  return parts.map((part) => ('text' in part ? single(part.text) : `"$${part.variable}"`)).join('');
}

function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Bytes as the format of printf, for those that cannot stand in a command line. */
export function printfFormat(bytes: Uint8Array): string {
  return `'${[...bytes].map(printfByte).join('')}'`;
}

function printfByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '%') return '%%';
  return /[\w :;=,./+@?#~{}[\]()"<>|&!*^$]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
}
