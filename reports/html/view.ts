import type { Assessment } from '../assessment.ts';
import type { Run } from '../run.ts';
import { html, type Markup } from './markup.ts';

/** One run as a page shows it. */
export interface View {
  readonly run: Run;
  readonly assessment: Assessment;
  /** 1 for the first run of the page, whose rules are reached by their plain ids. */
  readonly number: number;
  /** Most bytes of what target and profile added to a part of the page; the rules get four times that. */
  readonly bytes: number;
}

/** Id of the element of a rule, or of a heading. */
export function anchorOf(name: string, { number }: View): string {
  return number === 1 ? name : `${name}~${number}`;
}

/** The id of a rule, as a link where this run selected it. */
export function linkTo(id: string, view: View): Markup {
  const shown = view.assessment.standings.some(({ rule, state }) => rule.id === id && state !== 'not-selected');
  return shown ? html`<a href="#${anchorOf(id, view)}">${id}</a>` : html`${id}`;
}
