import type { Reply } from './exchange.ts';

/** The text of an answer to look for something in: JSON with every character as itself, whichever of them the target escaped. */
export function unescaped({ json, text }: Pick<Reply, 'json' | 'text'>): string {
  return json === undefined ? text : JSON.stringify(json);
}
