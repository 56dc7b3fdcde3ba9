import type { Markup } from './markup.ts';

/** Bytes of UTF-8 that may still be written. */
export interface Budget {
  /**
   * The first of the forms that fits, taken off what is left; undefined when none does. A form that once did not fit is not tried
   * again, but for the last.
   */
  first(...forms: readonly (() => Markup)[]): Markup | undefined;
}

export function budgetOf(bytes: number): Budget {
  let left = bytes;
  let given = 0;
  return {
    first: (...forms) => {
      for (const [index, form] of [...forms.entries()].slice(Math.min(given, forms.length - 1))) {
        const markup = form();
        const size = Buffer.byteLength(markup.text);
        if (size <= left) {
          left -= size;
          return markup;
        }
        given = Math.max(given, index + 1);
      }
      return undefined;
    },
  };
}

/** As many of the items as fit, in order, and how many were left out. */
export function fitting<T>(
  items: readonly T[],
  form: (item: T) => Markup,
  bytes: number,
): { readonly shown: readonly Markup[]; readonly leftOut: number } {
  const budget = budgetOf(bytes);
  const shown = items.map((item) => budget.first(() => form(item))).filter((markup) => markup !== undefined);
  return { shown, leftOut: items.length - shown.length };
}
