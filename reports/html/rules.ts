import { areas, type Area } from '../../contract/areas.ts';
import type { Standing } from '../assessment.ts';
import { counted, cutTo } from '../text.ts';
import { budgetOf, type Budget } from './budget.ts';
import { evidenceOf, type Limits } from './evidence.ts';
import { html, type Markup } from './markup.ts';
import { stateWords, wordOf } from './names.ts';
import { anchorOf, type View } from './view.ts';

const full: Limits = { text: 8000, lines: 40, timelines: 12, curls: 400 };
const short: Limits = { text: 300, lines: 3, timelines: 0, curls: 3 };

/** Every selected rule by area. What the target and the profile added is bounded; the worst rules are served first. */
export function rulesOf(view: View): Markup {
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
