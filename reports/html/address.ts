/** The text with name and password taken out of every address in it. */
export function withoutUser(text: string): string {
  return text.replaceAll(/([a-z][a-z\d+.-]*:\/\/)[^/?#\s'"]*@/gi, '$1');
}
