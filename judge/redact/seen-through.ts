/** A text as it reads without its wrapping, and where each character of that stands in the text itself. */
export interface SeenThrough {
  readonly text: string;
  /** Of each character, and of the end. */
  readonly starts: Uint32Array;
}

/** Of a byte: those above 7f are of letters beyond ASCII, one or several of them each. */
const hex = '[2-9a-f][0-9a-f]|0[9ad]';
/** All of them that stand together, and tried once: from each of them on takes minutes for a text of nothing else. */
const backslashes = String.raw`(?<!\\)\\+`;
/** What nobody sees: controls, colours of a terminal, marks of direction, joiners, selectors. Line ends and tabs are seen. */
const unseen = String.raw`\x1b\[[\d;]*[A-Za-z]|${backslashes}u0000|[\0-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]`;
/** `%41`, also of a `%` that was encoded itself; `\u0041`, `\u{41}`, `\x41`, `\101`, `\/` and `\\`; `&#65;` and `&#x41;`, also without their end; letters of the width of others. */
const wrapping = new RegExp(
  String.raw`%(?:25)*(${hex})|${unseen}|${backslashes}(?:u([0-9a-f]{4})|u\{([0-9a-f]{1,6})\}|x(${hex})|([1-3][0-7]{2}|0[4-7][0-7])|([nrt/"'])|())|&(?:amp;)*#x0*([0-9a-f]{1,6});?|&(?:amp;)*#0*(\d{1,7});?|([\uff01-\uff5e])`,
  'gi',
);
/** `=41`, and ends of lines that are none. */
const quotedPrintable = /=([2-9A-F][0-9A-F]|0[9AD])|=\r?\n/g;
const hint = new RegExp(String.raw`[%\\]|&(?:amp;)*#|[\uff01-\uff5e]|${unseen}`);
const toNarrow = 0xfee0;

/** The text without percent-encoding, escapes of JSON and characters that take no room, however often it was wrapped; undefined where nothing was. */
export function seenThrough(text: string): SeenThrough | undefined {
  return without(wrapping, characterOf, text);
}

/** The same of quoted-printable, as in mails; undefined where there is none. */
export function unquoted(text: string): SeenThrough | undefined {
  return without(quotedPrintable, ([, code]) => (code === undefined ? '' : characterAt(code)), text);
}

/** The text with something in the place of what was found in it, or in how it is seen. */
export function replacedIn<F extends { readonly at: number; readonly form: string }>(
  text: string,
  found: Iterable<F>,
  standIn: (found: F) => string,
  { starts }: Partial<SeenThrough> = {},
): string {
  const placeOf = (at: number): number => (starts === undefined ? at : (starts[at] ?? text.length));
  let replaced = '';
  let done = 0;
  for (const one of found) {
    const from = placeOf(one.at);
    if (from < done) continue;
    replaced += text.slice(done, from) + standIn(one);
    done = placeOf(one.at + one.form.length);
  }
  return done === 0 ? text : replaced + text.slice(done);
}

function without(
  pattern: RegExp,
  characters: (match: RegExpExecArray) => string,
  text: string,
): SeenThrough | undefined {
  let at = 0;
  let plain = '';
  let length = 0;
  const starts = new Uint32Array(text.length + 1);
  const keep = (until: number): void => {
    plain += text.slice(at, until);
    for (; at < until; at += 1, length += 1) starts[length] = at;
  };
  for (const match of text.matchAll(pattern)) {
    keep(match.index);
    const shown = characters(match);
    plain += shown;
    for (const _unit of shown.split('')) {
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

/** Whether there is anything to see through: most texts hold nothing of the kind. */
export function mayBeWrapped(text: string): boolean {
  return hint.test(text);
}

const ofLetters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** What was wrapped; nothing for what nobody sees. */
function characterOf(match: RegExpExecArray): string {
  const [, percent, unicode, braced, escape, octal, letter, alone, entity, decimal, wide] = match;
  const code = percent ?? unicode ?? braced ?? escape ?? entity;
  if (code !== undefined) return characterAt(code);
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  if (letter !== undefined) return ofLetters[letter.toLowerCase()] ?? letter;
  if (alone !== undefined) return '\\';
  if (decimal !== undefined) return characterAt(Number(decimal).toString(16));
  return wide === undefined ? '' : String.fromCharCode(wide.charCodeAt(0) - toNarrow);
}

function characterAt(hexadecimal: string): string {
  const code = Number.parseInt(hexadecimal, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
