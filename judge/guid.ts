/** A GUID as programs write it, in braces and without hyphens too. */
export const guidForm = /^\{?[0-9a-f]{8}(-?)(?:[0-9a-f]{4}\1){3}[0-9a-f]{12}\}?$/i;

/** An id to compare with others: the letter case of a GUID means nothing. */
export function comparableId(id: string | undefined): string | undefined {
  return id !== undefined && guidForm.test(id) ? id.toLowerCase() : id;
}
