import type { Exchange } from '../../judge/exchange.ts';
import type { Standing } from '../assessment.ts';
import { withoutUser } from './address.ts';
import { html, type Markup } from './markup.ts';
import { timelinesOf } from './timeline.ts';
import { linkTo, type View } from './view.ts';
import { replayCommand } from '../replay.ts';
import { cutTo } from '../text.ts';
import { variablesOf } from '../variables.ts';

/** Most words of a text that is compared word by word; longer ones are compared at their ends. */
const mostWords = 300;

/** Words of a text, and whether the other text lacks them. */
interface Piece {
  readonly text: string;
  readonly differs: boolean;
}

type Pair = readonly [number, number];

/** How much of what a target sent is shown. */
export interface Limits {
  /** Characters of one text. */
  readonly text: number;
  /** Headers or remarks of one kind. */
  readonly lines: number;
  readonly timelines: number;
  /** Curl lines, the last ones of them. */
  readonly curls: number;
}

/** Share of the longer text that has to stand in the other one before differences are marked. */
const leastShared = 0.3;

/** A text to copy, with its button. `name` says what it is, for those who hear the button. */
export function copyable(name: string, text: string): Markup {
  return html`<div class="copyable">
    <pre><code>${text}</code></pre>
    <button type="button" class="copy" aria-label="Copy ${name}">Copy</button>
  </div>`;
}

/** What a run knows about a violated, broken or blocked rule. */
export function evidenceOf(standing: Standing, view: View, limits: Limits): Markup {
  const { rule, state, outcome } = standing;
  const violation = outcome?.violation;
  const cut = (text: string): string => cutTo(limits.text, text);
  return html` ${
    outcome?.reason !== undefined &&
    html`<h4>Reason</h4>
      <p>${cut(outcome.reason)}</p>`
  }
  ${standsOn(outcome?.standsOn ?? [], view)}
  ${violation !== undefined && comparison(cut(violation.expected), cut(violation.actual))}
  ${timelinesOf(outcome?.timelines ?? [], limits.timelines)}
  ${violation?.counterexample !== undefined && history(cut(violation.counterexample))}
  ${violation?.exchange !== undefined && exchangeOf(violation.exchange, limits)}
  ${violation !== undefined && violation.curl.length > 0 && script(standing, view, violation.curl.slice(-limits.curls).map(cut))}
  ${
    (state === 'fail' || state === 'warn' || state === 'broken') &&
    html`<h4>Run it again</h4>
      ${copyable(`the command for ${rule.id}`, cut(withoutUser(replayCommand(rule.id, view.run.header))))}`
  }`;
}

function standsOn(ids: readonly string[], view: View): Markup | undefined {
  if (ids.length === 0) return undefined;
  return html`<h4>Stands on</h4>
    <ul>
      ${ids.map((id) => html`<li>${linkTo(id, view)}</li>`)}
    </ul>`;
}

function comparison(expected: string, actual: string): Markup {
  const { left, right } = comparable(expected, actual);
  return html`<div class="pair">
    <div>
      <h4>Expected</h4>
      <pre><code>${left}</code></pre>
    </div>
    <div>
      <h4>Actual</h4>
      <pre><code>${right}</code></pre>
    </div>
  </div>`;
}

/** What differs is marked where the texts have much in common; sentences of their own stand as they are. */
function comparable(
  expected: string,
  actual: string,
): { readonly left: Markup | string; readonly right: Markup | string } {
  const difference = differenceOf(expected, actual);
  const shared = difference.actual.reduce((sum, { text, differs }) => sum + (differs ? 0 : text.trim().length), 0);
  if (shared < leastShared * Math.max(expected.length, actual.length)) return { left: expected, right: actual };
  return { left: marked(difference.expected, 'expected'), right: marked(difference.actual, 'actual') };
}

/** A history of edits is a list of its steps, anything else stands as it is. */
function history(counterexample: string): Markup {
  const [, steps = '', origin = ''] = /^(object \d+ with .*;.*?)(?: \((seed [^()]*)\))?$/s.exec(counterexample) ?? [];
  const list = html`<ol>
      ${steps.split('; ').map((step) => html`<li>${step}</li>`)}
    </ol>
    ${origin !== '' && html`<p class="open">Found with ${origin}</p>`}`;
  return html`<h4>Smallest case that still fails</h4>
    ${steps === '' ? html`<pre><code>${counterexample}</code></pre>` : list}`;
}

function exchangeOf({ request, response, error, durationMs }: Exchange, limits: Limits): Markup {
  const answer =
    response === undefined
      ? html`<p>No answer: ${cutTo(limits.text, error ?? 'not recorded')}</p>`
      : message(String(response.status), response, limits);
  return html`<div class="pair">
    <div>
      <h4>Request</h4>
      ${message(`${request.method} ${request.url}`, request, limits)}
    </div>
    <div>
      <h4>Response, after ${Math.round(durationMs)} ms</h4>
      ${answer}
    </div>
  </div>`;
}

interface Message {
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

function message(start: string, { headers, body = '' }: Message, { text, lines }: Limits): Markup {
  const fields = headers.slice(0, lines).map(([name, value]) => `${name}: ${value}`);
  const left = headers.length > lines ? [`… (${headers.length - lines} more headers)`] : [];
  const whole = [start, ...fields, ...left].map((line) => cutTo(text, line)).join('\n');
  return html`<pre><code>${body === '' ? whole : `${whole}\n\n${cutTo(text, body)}`}</code></pre>`;
}

function script(standing: Standing, { run }: View, lines: readonly string[]): Markup {
  const { id } = standing.rule;
  const variables = variablesOf([standing], run.header).map(({ line }) => line);
  const [only] = lines;
  const left = (standing.outcome?.violation?.curl.length ?? 0) - lines.length;
  const each =
    lines.length === 1
      ? []
      : lines.map((line, index) => html`<li>${copyable(`line ${index + 1} of ${id}`, line)}</li>`);
  return html`<h4>As a script</h4>
    ${left > 0 && html`<p>The first ${left} lines are left out here; the JSON report has them.</p>`}
    ${
      variables.length > 0 &&
      html`<p>Variables that it names:</p>
        ${copyable(`the variables of ${id}`, variables.join('\n'))}`
    }
    ${
      lines.length === 1
        ? copyable(`the curl line of ${id}`, only ?? '')
        : html`<ol>
            ${each}
          </ol>`
    }
    ${lines.length > 1 && html`<p><button type="button" class="copy-all" aria-label="Copy all ${lines.length} lines of ${id}">Copy all ${lines.length} lines</button></p>`}`;
}

/** Both texts in pieces, joined again equal to what was given; what differs is what their longest common row of words leaves over. */
export function differenceOf(
  expected: string,
  actual: string,
): { readonly expected: readonly Piece[]; readonly actual: readonly Piece[] } {
  const [left, right] = [wordsOf(expected), wordsOf(actual)];
  const common = commonOf(left, right);
  return {
    expected: piecesOf(left, new Set(common.map(([at]) => at))),
    actual: piecesOf(right, new Set(common.map(([, at]) => at))),
  };
}

/** The pieces as text, the different ones in the element for what is missing or for what is there in its place. */
function marked(pieces: readonly Piece[], side: 'expected' | 'actual'): Markup {
  const mark = (text: string): Markup => (side === 'expected' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`);
  return html`${pieces.map(({ text, differs }) => (differs ? mark(text) : text))}`;
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function commonOf(left: readonly string[], right: readonly string[]): Pair[] {
  const start = sharedLength(left, right);
  const end = sharedLength(left.slice(start).toReversed(), right.slice(start).toReversed());
  const middle = [left.slice(start, left.length - end), right.slice(start, right.length - end)] as const;
  return [
    ...Array.from({ length: start }, (_, at): Pair => [at, at]),
    ...longestCommon(...middle).map(([one, other]): Pair => [one + start, other + start]),
    ...Array.from({ length: end }, (_, at): Pair => [left.length - end + at, right.length - end + at]),
  ];
}

function sharedLength(left: readonly string[], right: readonly string[]): number {
  const at = left.findIndex((word, index) => word !== right[index]);
  return at === -1 ? Math.min(left.length, right.length) : at;
}

/** Pairs of positions of the longest row of words that both have in the same order; none where a text is too long for that. */
function longestCommon(left: readonly string[], right: readonly string[]): Pair[] {
  if (left.length > mostWords || right.length > mostWords) return [];
  const lengths = lengthsOf(left, right);
  const at = (one: number, other: number): number => lengths[one]?.[other] ?? 0;
  const pairs: Pair[] = [];
  let [one, other] = [0, 0];
  while (one < left.length && other < right.length) {
    if (left[one] === right[other]) pairs.push([one++, other++]);
    else if (at(one + 1, other) >= at(one, other + 1)) one += 1;
    else other += 1;
  }
  return pairs;
}

function lengthsOf(left: readonly string[], right: readonly string[]): number[][] {
  const lengths = Array.from({ length: left.length + 1 }, () => Array.from({ length: right.length + 1 }, () => 0));
  for (let one = left.length - 1; one >= 0; one -= 1) {
    const [row = [], below = []] = [lengths[one], lengths[one + 1]];
    for (let other = right.length - 1; other >= 0; other -= 1) {
      row[other] =
        left[one] === right[other] ? (below[other + 1] ?? 0) + 1 : Math.max(below[other] ?? 0, row[other + 1] ?? 0);
    }
  }
  return lengths;
}

/** Neighbours that are alike are one piece. */
function piecesOf(words: readonly string[], kept: ReadonlySet<number>): Piece[] {
  const pieces: { text: string; differs: boolean }[] = [];
  words.forEach((text, index) => {
    const differs = !kept.has(index);
    const last = pieces.at(-1);
    if (last?.differs === differs) last.text += text;
    else pieces.push({ text, differs });
  });
  return pieces;
}
