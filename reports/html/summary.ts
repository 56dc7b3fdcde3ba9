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

/** How many rules ended how: as a bar, by area and by level. */
export function summaryOf(assessment: Assessment): Markup {
  return html`${barOf(assessment.standings)}
<div class="tables">${areaTable(assessment)}${levelTable(assessment.standings)}</div>`;
}

/** Rules that the profile does not expect to fail and that failed, or warn, as links. */
export function findingsOf(view: View): Markup {
  const { failures, warnings, known } = view.assessment;
  return html`${linked('Failed', failures, view)}${linked('Warned', warnings, view)}
${knownTable(known, view.bytes)}${remainsTable(view.run, view.bytes)}
${failures.length === 0 && warnings.length === 0 && html`<p>No rule that was judged is violated beyond what the profile expects.</p>`}`;
}

function linked(title: string, standings: readonly Standing[], view: View): Markup | undefined {
  if (standings.length === 0) return undefined;
  return html`<h3>${title} (${standings.length})</h3><ul class="findings">${standings.map(({ rule }) => html`<li>${linkTo(rule.id, view)} ${rule.statement}</li>`)}</ul>`;
}

/** A drawing of the tables, so it is hidden from those who hear them. */
function barOf(standings: readonly Standing[]): Markup {
  const judged = standings.filter(({ state }) => state !== 'not-selected');
  let from = 0;
  const parts = stateWords.map(([state]) => {
    const count = judged.filter((standing) => standing.state === state).length;
    const part = count > 0 && html`<rect class="${state}" x="${from}" y="0" width="${count}" height="10"></rect>`;
    from += count;
    return part;
  });
  return html`<svg class="bar" viewBox="0 0 ${Math.max(1, judged.length)} 10" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

function levelTable(standings: readonly Standing[]): Markup {
  const shown = states.filter((state) => standings.some((standing) => standing.state === state));
  const count = (level: Level, state: State): number => standings.filter((standing) => standing.rule.level === level && standing.state === state).length;
  return tableOf('By level', ['level', ...shown.map(wordOf)], levels.map((level) => html`<tr><th scope="row">${level}</th>${shown.map((state) => cell(state, count(level, state)))}</tr>`));
}

function areaTable(assessment: Assessment): Markup {
  const { titles, rows, total } = summaryTable(assessment);
  return tableOf('By area', titles, [...rows, total].map(({ name, cells }) => html`<tr><th scope="row">${name}</th>${cells.map(({ state, count }) => cell(state, count))}</tr>`));
}

function cell(state: State, count: number): Markup {
  return count === 0 ? html`<td class="none">0</td>` : html`<td class="${state}">${count}</td>`;
}

/** A table that scrolls by itself where the window is narrow. */
export function tableOf(caption: string, titles: readonly string[], rows: readonly Markup[]): Markup {
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>
`;
}

/** Rows of texts within a limit; what did not fit is counted in the last row. */
export function boundedTable(caption: string, titles: readonly string[], rows: readonly (readonly (Markup | string)[])[], bytes: number): Markup | undefined {
  if (rows.length === 0) return undefined;
  const { shown, leftOut } = fitting(rows, (cells) => html`<tr>${cells.map((one) => html`<td>${typeof one === 'string' ? cutTo(longestCell, one) : one}</td>`)}</tr>`, bytes);
  const rest = html`<tr><td colspan="${titles.length}">… and ${leftOut} more in the JSON report</td></tr>`;
  return tableOf(caption, titles, leftOut === 0 ? shown : [...shown, rest]);
}

function knownTable(known: readonly KnownFailure[], bytes: number): Markup | undefined {
  const status = { fails: 'fails as expected', stale: 'passes now: take it off the profile', 'not-judged': 'not judged by this run' };
  return boundedTable('Known failures', ['rule', 'now', 'reason'], known.map((one) => [one.rule, status[one.status], one.reason]), bytes);
}

function remainsTable({ footer }: Run, bytes: number): Markup | undefined {
  return boundedTable('Left on the target', ['object', 'why'], (footer?.remains ?? []).map(({ uri, reason }) => [uri, reason]), bytes);
}
