import { createHash } from 'node:crypto';
import { type Area, areas } from '../../contract/areas.ts';
import { needs } from '../../contract/needs.ts';
import { silences } from '../../contract/silences.ts';
import type { Silence } from '../../contract/silences/silence.ts';
import { assess, inState, type Standing } from '../assessment.ts';
import { exitOf } from '../exit.ts';
import { withoutUser } from './address.ts';
import { type Budget, budgetOf, fitting } from './budget.ts';
import { copyable, evidenceOf, type Limits } from './evidence.ts';
import { html, Markup } from './markup.ts';
import { levels, stateWords, wordOf } from './names.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { boundedTable, countsOf, findingsOf, tablesOf } from './summary.ts';
import { anchorOf, linkTo, type View } from './view.ts';
import type { Run } from '../run.ts';
import { counted, cutTo, oneLine, seconds } from '../text.ts';

const full: Limits = { text: 8000, lines: 40, timelines: 12, curls: 400 };

const short: Limits = { text: 300, lines: 3, timelines: 0, curls: 3 };

interface Gap {
  readonly title: string;
  /** Why, and what to do. */
  readonly hint: string;
  readonly standings: readonly Standing[];
}

const longestHint = 600;

const longest = 1000;

const questions: ReadonlyMap<string, string> = new Map(
  [...silences.core, ...silences.extensions].flatMap((silence) =>
    keysOf(silence).map((key) => [key, silence.open] as const),
  ),
);

type Choice = readonly [value: string, word: string];

/** Of what target and profile added to one of the five parts of a page, four times that for the rules; the catalogue takes about half a megabyte more. */
const mostBytes = 250_000;
const longestName = 200;

/** One file about one run that asks nothing of any network. */
export function writeHtml(run: Run): string {
  return writeHtmlOfAll([run]);
}

/** One page with an article a run; they share the space for what the targets sent. */
export function writeHtmlOfAll(runs: readonly Run[]): string {
  const bytes = Math.floor(mostBytes / Math.max(1, runs.length));
  const views = runs.map((run, index): View => ({ run, assessment: assess(run), number: index + 1, bytes }));
  return pageOf(titleOf(runs), views).text;
}

function titleOf(runs: readonly Run[]): string {
  const names = [...new Set(runs.map(({ header }) => header.implementation))];
  return `Conformance of ${cutTo(longestName, names.join(', '))}`;
}

/** The policy admits the style and the script of this page and nothing else, so that no other could run even if one came in. */
function pageOf(title: string, views: readonly View[]): Markup {
  const policy = `default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          ${new Markup(style)}
        </style>
      </head>
      <body>
        <a class="skip" href="#${firstRules}">Skip to the rules</a>
        <main>${views.map(articleOf)}</main>
        <p id="said" role="status"></p>
        <script>
          ${new Markup(script)};
        </script>
      </body>
    </html> `;
}

const firstRules = 'rules';

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function articleOf(view: View): Markup {
  const { header } = view.run;
  const exit = exitOf(view.run, view.assessment);
  return html`<article>
    <header>
      <h1>Conformance of ${cutTo(longestName, header.implementation)}</h1>
      <p class="exit exit-${exit.code}"><strong>Exit ${exit.code}</strong>: ${cutTo(2000, exit.words)}.</p>
      <p class="open">${cutTo(longestName, withoutUser(header.baseUrl))}, ${timeOf(header.startedAt)}</p>
      ${countsOf(view.assessment)}
    </header>
    ${section('findings', 'Findings', findingsOf(view), view)}
    ${section('summary', 'By level and area', tablesOf(view.assessment), view)}
    ${section('untested', 'What was not tested, and why', gapsOf(view), view)}
    ${section(firstRules, 'Rules', html`${view.number === 1 && filterForm()}${rulesOf(view)}`, view)}
    ${section('ledger', 'Where the documents are silent', ledgerOf(view), view)}
    ${section('facts', 'The run', factsOf(view.run), view)}
  </article> `;
}

/** A time of the header to the minute; what has another form stands as it is. */
function timeOf(startedAt: string): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/.exec(startedAt) ?? [];
  return day === undefined ? cutTo(longestName, startedAt) : `${day} ${minute} UTC`;
}

function section(name: string, title: string, content: Markup, view: View): Markup {
  const id = anchorOf(name, view);
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section>`;
}

/** The form that narrows the rules of the page; it shows itself when the script runs. */
function filterForm(): Markup {
  const plain = (values: readonly string[]): readonly Choice[] => values.map((value) => [value, value]);
  return html`<form id="filter" role="search" aria-label="Rules" hidden>
    ${choiceOf(
      'verdict',
      stateWords.filter(([state]) => state !== 'not-selected'),
    )}
    ${choiceOf('area', plain(areas))} ${choiceOf('level', plain(levels))}
    ${choiceOf('side', plain(['service', 'extension']))}
    <label>text <input type="search" name="text" autocomplete="off" placeholder="id, statement, evidence" /></label>
    <button type="reset">Show all</button>
    <p><output name="count"></output></p>
  </form> `;
}

function choiceOf(name: string, choices: readonly Choice[]): Markup {
  return html`<label
    >${name}
    <select name="${name}">
      <option value="">any</option>
      ${choices.map(([value, word]) => html`<option value="${value}">${word}</option>`)}
    </select></label
  >`;
}

/** What was seen where the documents leave a choice, with the key of the profile that binds the point. */
function ledgerOf(view: View): Markup {
  const { standings } = view.assessment;
  const rows = standings.filter(({ rule }) => rule.level === 'observe').flatMap((standing) => rowsOf(standing, view));
  const table = boundedTable('What was seen', ['rule', 'what', 'seen', 'bound by'], rows, view.bytes);
  return table ?? html`<p>Nothing was observed.</p>`;
}

function rowsOf({ rule, outcome }: Standing, view: View): (readonly (Markup | string)[])[] {
  return (outcome?.observations ?? []).map(({ what, seen, key }) => [
    linkTo(rule.id, view),
    what,
    seen,
    key === undefined ? '' : keyOf(key),
  ]);
}

/** The key, and the question that it answers. */
function keyOf(key: string): Markup {
  const open = questions.get(`expect.${key}`);
  return html`<code>expect.${key.slice(0, 100)}</code
    >${open !== undefined && html` <span class="open">${open}</span>`}`;
}

function keysOf({ profile = [] }: Silence): readonly string[] {
  return typeof profile === 'string' ? [profile] : profile;
}

/** What a reader has to know to repeat the run. */
function factsOf({ header, footer, notes = [] }: Run): Markup {
  const rows: readonly (readonly [string, string])[] = [
    ['Implementation', header.implementation],
    ['Base URL', withoutUser(header.baseUrl)],
    ['Profile', profileOf(header.command)],
    ['Seed', String(header.seed)],
    ['Runs of a property', String(header.runs)],
    ['Started', header.startedAt],
    [
      'Duration',
      footer === undefined
        ? 'cut off before its end'
        : `${seconds(footer.durationMs)}, ${counted(footer.requests, 'request')}`,
    ],
    ...(footer?.aborted === undefined ? [] : [['Ended early', footer.aborted] as const]),
    ['Version of the suite', header.suiteVersion],
    ['Version of the record', String(header.schemaVersion)],
    ...notes.map((note) => ['Note', note] as const),
  ];
  return html`<dl class="facts">
      ${rows.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${cutTo(longest, value)}</dd>
          </div>`,
      )}
    </dl>
    <h3>Command</h3>
    ${copyable('the command of the run', cutTo(longest, withoutUser(header.command)))}`;
}

/** Where the profile came from; what stands in it is in no report. */
function profileOf(command: string): string {
  const [, quoted, plain] = /--profile(?:=|\s+)(?:'([^']*)'|(\S+))/.exec(command) ?? [];
  return quoted ?? plain ?? 'the one of the package';
}

/** What the run does not speak about and why: needs first, then other reasons, then what stumbled or never ran. */
function gapsOf(view: View): Markup {
  const { run, assessment } = view;
  const blocked = inState(assessment, 'blocked');
  const lacking = blocked.filter(isLacking);
  const gaps = [
    ...byNeed(lacking, run),
    ...byReason(
      'blocked',
      blocked.filter((standing) => !isLacking(standing)),
    ),
    ...byReason('broken', inState(assessment, 'broken')),
    ...one('Not run', 'The run ended before them.', inState(assessment, 'not-run')),
    ...one(
      'Not selected',
      'Another selection of areas, rules or levels, or another side, judges them.',
      inState(assessment, 'not-selected'),
    ),
  ];
  if (gaps.length === 0) return html`<p>Every rule was tested.</p>`;
  const { shown, leftOut } = fitting(gaps, (gap) => gapOf(gap, view), view.bytes);
  return html`${shown}${leftOut > 0 && html`<p>… and ${leftOut} more groups in the JSON report.</p>`}`;
}

function isLacking({ outcome }: Standing): boolean {
  return (outcome?.missing ?? []).length > 0;
}

/** A rule that lacks several needs stands under each. */
function byNeed(standings: readonly Standing[], { header }: Run): Gap[] {
  const names = new Set(standings.flatMap(({ outcome }) => outcome?.missing ?? []));
  const gaps = [...names].map((need) => {
    const members = standings.filter(({ outcome }) => outcome?.missing?.includes(need) === true);
    const declared = header.notSupported[need];
    const reason = declared === undefined ? hintOf(need, members) : `declared as not supported: ${declared}`;
    return { title: `needs ${need}`, hint: `${meaningOf(need)}${reason}`, standings: members };
  });
  return gaps.toSorted((left, right) => right.standings.length - left.standings.length);
}

function meaningOf(need: string): string {
  const meaning = Object.entries(needs).find(([name]) => name === need)?.[1];
  return meaning === undefined ? '' : `${meaning}; `;
}

/** The part of a reason that speaks of the need; the whole of one where none does. */
function hintOf(need: string, members: readonly Standing[]): string {
  const reasons = members.map(({ outcome }) => outcome?.reason ?? 'no reason recorded');
  const parts = reasons.flatMap((reason) => reason.split('; '));
  const start = `the profile does not meet ${need}: `;
  return parts.find((part) => part.startsWith(start))?.slice(start.length) ?? reasons[0] ?? '';
}

function byReason(verdict: string, standings: readonly Standing[]): Gap[] {
  const groups = Map.groupBy(standings, ({ outcome }) => oneLine(outcome?.reason ?? 'no reason recorded'));
  return [...groups]
    .map(([reason, members]) => ({ title: verdict, hint: reason, standings: members }))
    .toSorted((left, right) => right.standings.length - left.standings.length);
}

function one(title: string, hint: string, standings: readonly Standing[]): Gap[] {
  return standings.length === 0 ? [] : [{ title, hint, standings }];
}

function gapOf({ title, hint, standings }: Gap, view: View): Markup {
  return html`<details class="gap">
    <summary><strong>${title}</strong>, ${counted(standings.length, 'rule')}: ${cutTo(longestHint, hint)}</summary>
    <ul>
      ${standings.map(({ rule }) => html`<li>${linkTo(rule.id, view)}</li>`)}
    </ul>
  </details> `;
}

/** Every selected rule by area. What the target and the profile added is bounded; the worst rules are served first. */
function rulesOf(view: View): Markup {
  const { standings, known } = view.assessment;
  const selected = standings.filter(({ state }) => state !== 'not-selected');
  const reasons = new Map(known.map(({ rule, reason }) => [rule, reason]));
  const budget = budgetOf(4 * view.bytes);
  const bodies = new Map(
    byUrgency(selected).map((standing) => [
      standing.rule.id,
      bodyOf(standing, view, reasons.get(standing.rule.id), budget),
    ]),
  );
  const inArea = (area: Area): readonly Standing[] => selected.filter(({ rule }) => rule.area === area);
  return html`${areas.map((area) => areaOf(area, inArea(area), bodies, view))}`;
}

function byUrgency(standings: readonly Standing[]): readonly Standing[] {
  const rank = new Map(stateWords.map(([state], index) => [state, index]));
  return standings.toSorted((one, other) => (rank.get(one.state) ?? 0) - (rank.get(other.state) ?? 0));
}

function areaOf(
  area: Area,
  standings: readonly Standing[],
  bodies: ReadonlyMap<string, Markup>,
  view: View,
): Markup | undefined {
  if (standings.length === 0) return undefined;
  return html`<div class="area">
    <h3>${area}</h3>
    ${standings.map((standing) => ruleOf(standing, bodies.get(standing.rule.id), view))}
  </div> `;
}

function ruleOf({ rule, state }: Standing, body: Markup | undefined, view: View): Markup {
  return html`<details
    class="rule"
    id="${anchorOf(rule.id, view)}"
    data-verdict="${state}"
    data-area="${rule.area}"
    data-level="${rule.level}"
    data-side="${rule.side}"
    ${state === 'fail' && html` open`}
  >
    <summary>
      <span class="verdict ${state}">${wordOf(state)}</span> <code>${rule.id}</code>
      <span class="level">${rule.level}</span> <span class="statement">${rule.statement}</span>
    </summary>
    <div class="body">
      <dl>
        <dt>Source</dt>
        <dd>${rule.source}</dd>
      </dl>
      ${body}
    </div>
  </details> `;
}

function bodyOf(standing: Standing, view: View, known: string | undefined, budget: Budget): Markup {
  const form = (limits: Limits) => () =>
    html`${known !== undefined && html`<p>The profile expects this to fail: ${cutTo(limits.text, known)}</p>`}${evidenceOf(standing, view, limits)}${recordsOf(standing, limits)}`;
  return (
    budget.first(form(full), form(short)) ??
    html`<p>
      What was seen is left out here, because this page is as long as it may become; the JSON report holds it.
    </p>`
  );
}

function recordsOf({ outcome }: Standing, { text, lines }: Limits): Markup | undefined {
  if (outcome === undefined) return undefined;
  const { observations, remarks, retries = [], assertions, exchanges, durationMs } = outcome;
  const listed = (title: string, items: readonly string[]): Markup | false =>
    items.length > 0 &&
    html`<h4>${title}</h4>
      <ul>
        ${items.slice(0, lines).map((item) => html`<li>${cutTo(text, item)}</li>`)}${items.length > lines && html`<li>… and ${items.length - lines} more</li>`}
      </ul>`;
  return html`${listed(
      'Observed',
      observations.map(({ what, seen }) => `${what}: ${seen}`),
    )}${listed('Remarks', remarks)}${listed('Sent again', retries)}
    <p class="figures">
      ${counted(assertions, 'assertion')}, ${counted(exchanges, 'request')}, ${Math.round(durationMs)} ms
    </p>`;
}
