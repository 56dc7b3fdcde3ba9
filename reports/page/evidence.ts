import { withoutUser } from '../../contract/credentials.ts';
import { diffArrays } from 'diff/lib/diff/array.js';
import type { Exchange } from '../../judge/exchange.ts';
import { type Evidence, plainText, type Text } from '../document.ts';
import { capital, cutTo } from '../text.ts';
import { laidOut } from './laid-out.ts';
import { markup, type Markup } from './markup.ts';
import { drawSchedules } from './schedule.ts';

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
