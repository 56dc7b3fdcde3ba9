/** The tag with its last or its first character inside the quotes changed, without the last one, with one more, and with its letters in the other case. */
export function tagsNear(tag: string): readonly string[] {
  const end = tag.endsWith('"') ? tag.length - 1 : tag.length;
  const first = tag.indexOf('"') + 1;
  const changed = [end - 1, first].map((at) => tag.slice(0, at) + (tag[at] === 'a' ? 'b' : 'a') + tag.slice(at + 1));
  const inOtherCase = tag.slice(0, first) + otherCase(tag.slice(first, end)) + tag.slice(end);
  return [
    ...changed,
    tag.slice(0, end - 1) + tag.slice(end),
    `${tag.slice(0, end)}a${tag.slice(end)}`,
    ...(inOtherCase === tag ? [] : [inOtherCase]),
  ];
}

function otherCase(text: string): string {
  return text.replaceAll(/[a-z]|([A-Z])/g, (letter, capital) =>
    capital ? letter.toLowerCase() : letter.toUpperCase(),
  );
}
