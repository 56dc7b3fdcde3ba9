import { printable } from '../text.ts';

/** Text that is HTML already. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: markup as it is, any other text escaped, nothing for undefined and false. */
export type Part = Markup | string | number | undefined | false | readonly Part[];

/**
 * HTML with its parts escaped, for text and for attributes in double quotes. It is not called `html`, because formatters set the templates of
 * that name anew: the white space would fill the page, show inside `pre`, and part style and script from the hashes that admit them.
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(textOf)));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return escapeText(part);
  return typeof part === 'number' ? String(part) : part.map(textOf).join('');
}

function escapeText(text: string): string {
  return printable(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
