import { needs } from '../../contract/needs.ts';
import { inState, type Standing } from '../assessment.ts';
import type { Run } from '../run.ts';
import { counted, cutTo, oneLine } from '../text.ts';
import { fitting } from './budget.ts';
import { html, type Markup } from './markup.ts';
import { linkTo, type View } from './view.ts';

interface Gap {
  readonly title: string;
  /** Why, and what to do. */
  readonly hint: string;
  readonly standings: readonly Standing[];
}

const longestHint = 600;

/** What the run does not speak about and why: needs first, then other reasons, then what stumbled or never ran. */
export function gapsOf(view: View): Markup {
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
