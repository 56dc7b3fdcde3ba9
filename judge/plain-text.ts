// C0, C1, line separators, marks that change the direction of text, zero-width characters and halves of surrogate pairs.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text with everything escaped that a terminal or a page would act upon. */
export function plain(text: string): string {
  return text.replaceAll(
    unprintable,
    (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** At most `limit` characters; a cut is marked. */
export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (cut; ${text.length} characters)`;
}
