import { createHash } from 'node:crypto';

/**
 * PostgreSQL keeps every character but U+0000, which may stand in a path that somebody makes up. U+0000 and U+0001 are spelled with U+0001, in
 * a way that keeps the order of texts.
 */
export function spelled(text: string): string {
  return /[\0\u0001]/.test(text) ? text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\0', '\u0001\u0001') : text;
}

/** The text that was spelled so. */
export function unspelled(text: string): string {
  if (!text.includes('\u0001')) return text;
  return text.replaceAll(/\u0001[\u0001\u0002]/g, (pair) => (pair === '\u0001\u0001' ? '\0' : '\u0001'));
}

/** Stands for a text of any length in an index, whose entries are 2704 bytes at most. */
export function indexKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
