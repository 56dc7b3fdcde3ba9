/** A GUID as programs write it, in braces and without hyphens too. */
export const guidForm = /^\{?[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}\}?$/i;

/** An id to compare with others: the letter case of a GUID means nothing. */
export function comparableId(id: string | undefined): string | undefined {
  return id !== undefined && guidForm.test(id) ? id.toLowerCase() : id;
}

/** Whether both ids lead to one object, also where its id is a text in Base64, of which most programs pass over what is behind the last byte. */
export function isSameId(one: string, other: string): boolean {
  if (comparableId(one) === comparableId(other)) return true;
  const [text, otherText] = [one, other].map((id) => Buffer.from(id, 'base64').toString('latin1'));
  return text === otherText && plainText.test(text ?? '');
}

/** What ids of other kinds do not spell in Base64 by chance. */
const plainText = /^[ -~]{6,}$/;
