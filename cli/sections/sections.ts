import { hash } from 'node:crypto';

/** A section of a document under its heading, up to the next heading of any depth. Nothing of its text is kept but digests. */
export interface Section {
  /** Its heading, up to what that says in parentheses. */
  readonly name: string;
  /** SHA-256 of heading and text, however that is wrapped and indented. */
  readonly digest: string;
  /** The same of the items of its list, by their numbers. */
  readonly numbered: Readonly<Record<string, string>>;
  /** The same of all that is no numbered item. */
  readonly rest: string;
}

const fence = /^\s*(?:```|~~~)/;
const headingStart = /^#{1,6}\s+(?=\S)/;
const numberedLine = /^\s{0,3}(\d{1,3})[.)]\s/;

/** The sections of a document in Markdown, in its order; what stands before the first heading is none. */
export function sectionsOf(markdown: string): readonly Section[] {
  const sections: { readonly heading: string; readonly lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split(/\r\n?|\n/)) {
    if (fence.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : headingIn(line);
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading, lines: [] });
  }
  return sections.map(({ heading, lines }) => digested(heading, lines));
}

/** What a heading says, without the marks around it; undefined where the line is none. */
function headingIn(line: string): string | undefined {
  if (!headingStart.test(line)) return undefined;
  const said = plain(line.replace(headingStart, ''));
  let end = said.length;
  while (said[end - 1] === '#') end -= 1;
  return said.slice(0, end).trimEnd();
}

function digested(heading: string, lines: readonly string[]): Section {
  const paragraphs: { readonly number?: string; readonly lines: string[] }[] = [{ lines: [] }];
  for (const line of lines) {
    const number = numberedLine.exec(line)?.[1];
    const isOutside = paragraphs.at(-1)?.number !== undefined && /^\S/.test(line);
    if (number !== undefined) paragraphs.push({ number, lines: [line] });
    else if (isOutside) paragraphs.push({ lines: [line] });
    else paragraphs.at(-1)?.lines.push(line);
  }
  const numbered = paragraphs.flatMap(({ number, lines: own }) =>
    number === undefined ? [] : [[number, digestOf(own)] as const],
  );
  return {
    name: heading.replace(/\s*\(.*$/s, '').replaceAll('`', ''),
    digest: digestOf([heading, ...lines]),
    numbered: Object.fromEntries(numbered),
    rest: digestOf([heading, ...paragraphs.flatMap(({ number, lines: own }) => (number === undefined ? own : []))]),
  };
}

function digestOf(lines: readonly string[]): string {
  return hash(
    'sha256',
    lines
      .map(plain)
      .filter((line) => line !== '')
      .join(' '),
  );
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
