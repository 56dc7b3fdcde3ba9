/** A text as it reads without its wrapping, and where each character of that stands in the text itself. */
export interface SeenThrough {
  readonly text: string;
  /** Of each character, and of the end. */
  readonly starts: Uint32Array;
}

// `%41`, also of a `%` that was encoded itself; `\u0041`; characters that nobody sees
const wrapping = /%(?:25)*([2-7][0-9a-f])|\\+u00([2-7][0-9a-f])|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/gi;

/** The text without percent-encoding, escapes of JSON and characters that take no room, however often it was wrapped; undefined where nothing was. */
export function seenThrough(text: string): SeenThrough | undefined {
  let at = 0;
  let plain = '';
  let length = 0;
  const starts = new Uint32Array(text.length + 1);
  const keep = (until: number): void => {
    plain += text.slice(at, until);
    for (; at < until; at += 1, length += 1) starts[length] = at;
  };
  for (const match of text.matchAll(wrapping)) {
    keep(match.index);
    const code = match[1] ?? match[2];
    if (code !== undefined) {
      plain += String.fromCharCode(Number.parseInt(code, 16));
      starts[length] = match.index;
      length += 1;
    }
    at = match.index + match[0].length;
  }
  if (at === 0) return undefined;
  keep(text.length);
  starts[length] = text.length;
  return { text: plain, starts: starts.subarray(0, length + 1) };
}
