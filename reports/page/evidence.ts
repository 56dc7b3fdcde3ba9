import { withoutUser } from '../../contract/credentials.ts';
import { diffArrays } from 'diff/lib/diff/array.js';
import type { Exchange } from '../../judge/exchange.ts';
import { type Evidence, plainText, type Text } from '../document.ts';
import { capital, cutTo } from '../text.ts';
import { markup, type Markup } from './markup.ts';
import { drawSchedules } from './schedule.ts';
import { jsonOf } from '../../contract/json.ts';

/** Beyond it a body stands as it came; of a longer one little is shown anyway. */
const longest = 50_000;

const lineWidth = 64;

/** Below that there are more blanks than text. */
const deepest = 40;

/** What stands behind a body that was recorded in part. */
const cutMark = /… \(cut; \d+ (?:bytes|characters)\)$/;

const token = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^[\]{},:"\s]+/gs;

const scalar = /^(?:".*|-?\d[\d.eE+-]*|true|false|null)$/s;

const closing = { '{': '}', '[': ']' } as const;

/** How much is shown of what a target sent. */
export interface Limits {
  /** Characters of one text. */
  readonly text: number;
  /** Headers or notes of one kind. */
  readonly lines: number;
  readonly timelines: number;
  /** Curl lines, the last ones of them. */
  readonly curls: number;
}

/** What all evidence of a page shares: the id of its rule, how much is shown, and how running text is written. */
interface Showing {
  readonly id: string;
  readonly limits: Limits;
  readonly write: (text: Text) => Markup;
}

/** Words of a text, and whether the other text lacks them. */
interface Piece {
  readonly text: string;
  readonly differs: boolean;
}

/** Edits from one text to the other beyond which looking for what they share takes too long to be worth it. */
const mostEdits = 600;

/** Share of the longer text that has to stand in the other one before differences are marked. */
const leastShared = 0.3;

/** What is known about a rule, as a page shows it. */
export function showEvidence(evidence: Evidence, { id, limits, write }: Showing): Markup | undefined {
  const cut = (text: string): string => cutTo(limits.text, text);
  switch (evidence.kind) {
    case 'passage':
      return markup`<h4>${capital(evidence.label)}</h4><p>${cut(evidence.text)}</p>`;
    case 'notes': {
      const left = evidence.items.length - limits.lines;
      const items = evidence.items.slice(0, limits.lines).map((item) => markup`<li>${noteOf(item, cut, write)}</li>`);
      return markup`<h4>${capital(evidence.label)}</h4><ul>${items}${left > 0 && markup`<li>… and ${left} more</li>`}</ul>`;
    }
    case 'contrast':
      return contrastOf(cut(evidence.expected), cut(evidence.actual));
    case 'smallest':
      return smallestOf(cut(evidence.text));
    case 'schedules':
      return drawSchedules(evidence.timelines, limits.timelines);
    case 'exchange':
      return exchangeOf(evidence.exchange, limits);
    case 'script':
      return scriptOf(evidence.lines, evidence.variables, id, limits);
    case 'replay':
      return markup`<h4>Run it again</h4>${copyable(`the command for ${id}`, cut(withoutUser(evidence.command)))}`;
    case 'figures':
      return markup`<p class="figures">${evidence.text}</p>`;
  }
}

/** A text to copy, with its button. `name` says what it is, for those who hear the button. */
export function copyable(name: string, text: string): Markup {
  return markup`<div class="copyable"><pre><code>${text}</code></pre><button type="button" class="copy" aria-label="Copy ${name}">Copy</button></div>`;
}

/** A note with marks is of ours and short. */
function noteOf(item: Text, cut: (text: string) => string, write: (text: Text) => Markup): Markup | string {
  return typeof item === 'string' ? cut(plainText(item)) : write(item);
}

function besideEachOther(parts: readonly (readonly [title: string, content: Markup])[]): Markup {
  return markup`<div class="pair">${parts.map(([title, content]) => markup`<div><h4>${title}</h4>${content}</div>`)}</div>`;
}

function contrastOf(expected: string, actual: string): Markup {
  const { left, right } = markedTexts(expected, actual);
  return besideEachOther([
    ['Expected', markup`<pre><code>${left}</code></pre>`],
    ['Actual', markup`<pre><code>${right}</code></pre>`],
  ]);
}

/** What differs is marked where the texts have much in common; sentences of their own stand as they are. */
function markedTexts(
  expected: string,
  actual: string,
): { readonly left: Markup | string; readonly right: Markup | string } {
  const difference = differenceOf(expected, actual);
  const shared = difference.actual.reduce((sum, { text, differs }) => sum + (differs ? 0 : text.trim().length), 0);
  if (shared < leastShared * Math.max(expected.length, actual.length)) return { left: expected, right: actual };
  const mark = (pieces: readonly Piece[], as: (text: string) => Markup): Markup =>
    markup`${pieces.map(({ text, differs }) => (differs ? as(text) : text))}`;
  return {
    left: mark(difference.expected, (text) => markup`<del>${text}</del>`),
    right: mark(difference.actual, (text) => markup`<ins>${text}</ins>`),
  };
}

/** Both texts in pieces, which joined again are what was given; where they have too little in common each is one piece. */
export function differenceOf(
  expected: string,
  actual: string,
): { readonly expected: readonly Piece[]; readonly actual: readonly Piece[] } {
  const changes = diffArrays(wordsOf(expected), wordsOf(actual), { maxEditLength: mostEdits });
  if (changes === undefined)
    return { expected: [{ text: expected, differs: true }], actual: [{ text: actual, differs: true }] };
  const pieces = (others: 'added' | 'removed'): Piece[] =>
    changes
      .filter((change) => !change[others])
      .map(({ value, added, removed }) => ({ text: value.join(''), differs: added || removed }));
  return { expected: pieces('added'), actual: pieces('removed') };
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** A history of edits is a list of its steps, anything else stands as it is. */
function smallestOf(text: string): Markup {
  const [, steps = '', origin = ''] = /^(object \d+ with .*;.*?)(?: \((seed [^()]*)\))?$/s.exec(text) ?? [];
  const list = markup`<ol>${steps.split('; ').map((step) => markup`<li>${step}</li>`)}</ol>${origin !== '' && markup`<p class="open">Found with ${origin}</p>`}`;
  return markup`<h4>Smallest case that still fails</h4>${steps === '' ? markup`<pre><code>${text}</code></pre>` : list}`;
}

function exchangeOf({ request, response, error, durationMs }: Exchange, limits: Limits): Markup {
  return besideEachOther([
    ['Request', messageOf(`${request.method} ${request.url}`, request, limits)],
    [
      `Response, after ${Math.round(durationMs)} ms`,
      response === undefined
        ? markup`<p>No answer: ${cutTo(limits.text, error ?? 'not recorded')}</p>`
        : messageOf(String(response.status), response, limits),
    ],
  ]);
}

interface Message {
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

function messageOf(start: string, { headers, body = '' }: Message, { text, lines }: Limits): Markup {
  const fields = headers.slice(0, lines).map(([name, value]) => `${name}: ${value}`);
  const left = headers.length > lines ? [`… (${headers.length - lines} more headers)`] : [];
  const shown = laidOut(body);
  const whole = [start, ...fields, ...left].map((line) => cutTo(text, line)).join('\n');
  return markup`<pre><code>${body === '' ? whole : `${whole}\n\n${cutTo(text, shown)}`}</code></pre>`;
}

function scriptOf(all: readonly string[], variables: readonly string[], id: string, limits: Limits): Markup {
  const lines = all.slice(-limits.curls).map((line) => cutTo(limits.text, line));
  const [only = '', ...others] = lines;
  const left = all.length - lines.length;
  const list = markup`<ol>${lines.map((line, index) => markup`<li>${copyable(`line ${index + 1} of ${id}`, line)}</li>`)}</ol>
<p><button type="button" class="copy-all" aria-label="Copy all ${lines.length} lines of ${id}">Copy all ${lines.length} lines</button></p>`;
  return markup`<h4>As lines for a shell</h4><p>Ids and versions in them are those of the run.</p>${left > 0 && markup`<p>The first ${left} lines are left out here; the JSON report has them.</p>`}
${variables.length > 0 && markup`<p>Variables that it names:</p>${copyable(`the variables of ${id}`, variables.join('\n'))}`}
${others.length === 0 ? copyable(`the curl line of ${id}`, only) : list}`;
}

/** A scalar as it is written, or what stands in brackets, which are open where the text was cut off. */
type Value = string | Bracketed;

interface Bracketed {
  readonly bracket: '{' | '[';
  readonly items: readonly Item[];
  readonly isOpen: boolean;
}

interface Item {
  /** With the colon behind it, where the text goes so far. */
  readonly name?: string;
  /** undefined where the text was cut off before it. */
  readonly value: Value | undefined;
}

/** JSON as people set it, each text and number as it came, with what fits a line on one, also where its end was cut off; any other text as it is. */
export function laidOut(body: string): string {
  if (body.length > longest || !/^\s*[[{]/.test(body)) return body;
  const [mark = ''] = cutMark.exec(body) ?? [];
  if (mark === '' && jsonOf(body) === undefined) return body;
  const tokens = body.slice(0, body.length - mark.length).matchAll(token);
  try {
    const value = valueOf({ next: () => tokens.next().value?.[0] }, 0);
    return value === undefined ? body : `${written(value, '')}${mark}`;
  } catch (error) {
    if (error instanceof NoJson) return body;
    throw error;
  }
}

/** Not JSON as far as it goes, or deeper than anybody would read it. */
class NoJson extends Error {}

interface Tokens {
  readonly next: () => string | undefined;
}

/** The value that begins there; undefined at the end. @throws {NoJson} */
function valueOf(tokens: Tokens, depth: number, first = tokens.next()): Value | undefined {
  if (first === undefined) return undefined;
  if (first !== '{' && first !== '[') {
    if (!scalar.test(first)) throw new NoJson();
    return first;
  }
  if (depth === deepest) throw new NoJson();
  const items: Item[] = [];
  const close = closing[first];
  for (let next = tokens.next(); next !== close || items.length > 0; next = tokens.next()) {
    const item = next === undefined ? undefined : itemOf(tokens, depth, { bracket: first, next });
    if (item !== undefined) items.push(item);
    const end = isCut(item?.value) ? undefined : tokens.next();
    if (end === close) break;
    if (end === undefined) return { bracket: first, items, isOpen: true };
    if (end !== ',') throw new NoJson();
  }
  return { bracket: first, items, isOpen: false };
}

function itemOf(
  tokens: Tokens,
  depth: number,
  { bracket, next }: { readonly bracket: '{' | '['; readonly next: string },
): Item {
  if (bracket === '[') return { value: valueOf(tokens, depth + 1, next) };
  const colon = next.startsWith('"') ? tokens.next() : '';
  if (colon !== undefined && colon !== ':') throw new NoJson();
  return colon === undefined
    ? { name: next, value: undefined }
    : { name: `${next}:`, value: valueOf(tokens, depth + 1) };
}

function isCut(value: Value | undefined): boolean {
  return value === undefined || (typeof value !== 'string' && value.isOpen);
}

function written(value: Value, indent: string): string {
  if (typeof value === 'string') return value;
  const { bracket, items, isOpen } = value;
  const flat = flatText(value);
  if (!isOpen && indent.length + flat.length <= lineWidth) return flat;
  const inner = `${indent}  `;
  const lines = items.map(({ name, value: item }) => {
    const text = item === undefined ? undefined : written(item, inner);
    return inner + [name, text].filter((part) => part !== undefined).join(' ');
  });
  return `${bracket}\n${lines.join(',\n')}${isOpen ? '' : `\n${indent}${closing[bracket]}`}`;
}

function flatText(value: Value | undefined): string {
  if (value === undefined || typeof value === 'string') return value ?? '';
  const items = value.items.map(({ name, value: item }) => `${name ?? ''}${flatText(item)}`);
  return `${value.bracket}${items.join(',')}${closing[value.bracket]}`;
}
