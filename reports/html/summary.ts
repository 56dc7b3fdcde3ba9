import type { Level } from '../../contract/rule.ts';
import { states, type State } from '../../contract/schemas/report.ts';
import type { Assessment, KnownFailure, Standing } from '../assessment.ts';
import { summaryTable } from '../columns.ts';
import type { Run } from '../run.ts';
import { cutTo } from '../text.ts';
import { fitting } from './budget.ts';
import { html, type Markup } from './markup.ts';
import { levels, stateWords, wordOf } from './names.ts';
import { linkTo, type View } from './view.ts';

const longestCell = 300;

/** Least share of the bar that a state gets, so that one rule of six hundred can be seen. */
const leastShare = 0.008;

/** How many rules ended how, and as a bar. */
export function countsOf(assessment: Assessment): Markup {
  const counts = countedStates(assessment.standings).map(
    ([state, count]) => html`<li class="${state}"><strong>${count}</strong> ${wordOf(state)}</li>`,
  );
  return html`<ul class="counts">
      ${counts}
    </ul>
    ${barOf(assessment.standings)}`;
}

/** The same by level and by area. */
export function tablesOf(assessment: Assessment): Markup {
  return html`<div class="tables">${levelTable(assessment.standings)}${areaTable(assessment)}</div>`;
}

/** Rules that the profile does not expect to fail and that failed, or warn, as links. */
export function findingsOf(view: View): Markup {
  const { failures, warnings, known } = view.assessment;
  return html`${linked('Failed', failures, view)}${linked('Warned', warnings, view)}
  ${knownTable(known, view.bytes)}${expiredTable(view.run, view.bytes)}${remainsTable(view.run, view.bytes)}
  ${failures.length === 0 && warnings.length === 0 && html`<p>No rule that was judged is violated beyond what the profile expects.</p>`}`;
}

function linked(title: string, standings: readonly Standing[], view: View): Markup | undefined {
  if (standings.length === 0) return undefined;
  return html`<h3>${title} (${standings.length})</h3>
    <ul class="findings">
      ${standings.map(({ rule }) => html`<li>${linkTo(rule.id, view)} ${rule.statement}</li>`)}
    </ul>`;
}

/** States that some selected rule is in, the most urgent first, and how many are. */
function countedStates(standings: readonly Standing[]): readonly (readonly [State, number])[] {
  return stateWords
    .filter(([state]) => state !== 'not-selected')
    .map(([state]) => [state, standings.filter((standing) => standing.state === state).length] as const)
    .filter(([, count]) => count > 0);
}

/** A drawing of the counts, so it is hidden from those who hear them. */
function barOf(standings: readonly Standing[]): Markup {
  const counts = countedStates(standings);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  let from = 0;
  const parts = counts.map(([state, count]) => {
    const width = Math.max(count, total * leastShare);
    const part = html`<rect class="${state}" x="${from}" y="0" width="${width}" height="10"></rect>`;
    from += width;
    return part;
  });
  return html`<svg class="bar" viewBox="0 0 ${Math.max(1, from)} 10" preserveAspectRatio="none" aria-hidden="true">
    ${parts}
  </svg>`;
}

function levelTable(standings: readonly Standing[]): Markup {
  const shown = states.filter((state) => standings.some((standing) => standing.state === state));
  const count = (level: Level, state: State): number =>
    standings.filter((standing) => standing.rule.level === level && standing.state === state).length;
  return tableOf(
    'By level',
    ['level', ...shown.map(wordOf)],
    levels.map(
      (level) =>
        html`<tr>
          <th scope="row">${level}</th>
          ${shown.map((state) => cell(state, count(level, state)))}
        </tr>`,
    ),
  );
}

function areaTable(assessment: Assessment): Markup {
  const { titles, rows, total } = summaryTable(assessment);
  return tableOf(
    'By area',
    titles,
    [...rows, total].map(
      ({ name, cells }) =>
        html`<tr>
          <th scope="row">${name}</th>
          ${cells.map(({ state, count }) => cell(state, count))}
        </tr>`,
    ),
  );
}

function cell(state: State, count: number): Markup {
  return count === 0 ? html`<td class="none">0</td>` : html`<td class="${state}">${count}</td>`;
}

/** A table that scrolls by itself where the window is narrow. */
export function tableOf(caption: string, titles: readonly string[], rows: readonly Markup[]): Markup {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${titles.map((title) => html`<th scope="col">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div> `;
}

/** Rows of texts within a limit; what did not fit is counted in the last row. */
export function boundedTable(
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly (Markup | string)[])[],
  bytes: number,
): Markup | undefined {
  if (rows.length === 0) return undefined;
  const { shown, leftOut } = fitting(
    rows,
    (cells) =>
      html`<tr>
        ${cells.map((one) => html`<td>${typeof one === 'string' ? cutTo(longestCell, one) : one}</td>`)}
      </tr>`,
    bytes,
  );
  const rest = html`<tr>
    <td colspan="${titles.length}">… and ${leftOut} more in the JSON report</td>
  </tr>`;
  return tableOf(caption, titles, leftOut === 0 ? shown : [...shown, rest]);
}

function knownTable(known: readonly KnownFailure[], bytes: number): Markup | undefined {
  const status = {
    fails: 'fails as expected',
    stale: 'passes now: take it off the profile',
    'not-judged': 'not judged by this run',
  };
  return boundedTable(
    'Known failures',
    ['rule', 'now', 'reason'],
    known.map((one) => [one.rule, status[one.status], one.reason]),
    bytes,
  );
}

function expiredTable({ header }: Run, bytes: number): Markup | undefined {
  const rows = (header.expired ?? []).map(({ list, entry, until, reason }) => [entry, list, until, reason]);
  return boundedTable(
    'Expired entries of the profile: renew them or take them out',
    ['entry', 'list', 'until', 'reason'],
    rows,
    bytes,
  );
}

function remainsTable({ footer }: Run, bytes: number): Markup | undefined {
  return boundedTable(
    'Left on the target',
    ['object', 'why'],
    (footer?.remains ?? []).map(({ uri, reason }) => [uri, reason]),
    bytes,
  );
}
