/** A text as it reads without its wrapping, and where each character of that stands in the text itself. */
export interface SeenThrough {
  readonly text: string;
  /** Of each character, and of the end. */
  readonly starts: readonly number[];
}

// `%41`, also of a `%` that was encoded itself; `\u0041`; characters that nobody sees
const wrapping = /%(?:25)*([2-7][0-9a-f])|\\+u00([2-7][0-9a-f])|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/gi;

/** The text without percent-encoding, escapes of JSON and characters that take no room, however often it was wrapped; undefined where nothing was. */
export function seenThrough(text: string): SeenThrough | undefined {
  let at = 0;
  let plain = '';
  const starts: number[] = [];
  const keep = (until: number): void => {
    for (; at < until; at += 1) {
      plain += text[at];
      starts.push(at);
    }
  };
  for (const match of text.matchAll(wrapping)) {
    keep(match.index);
    const code = match[1] ?? match[2];
    if (code !== undefined) {
      plain += String.fromCharCode(Number.parseInt(code, 16));
      starts.push(match.index);
    }
    at = match.index + match[0].length;
  }
  if (at === 0) return undefined;
  keep(text.length);
  return { text: plain, starts: [...starts, text.length] };
}
