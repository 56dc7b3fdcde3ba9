import { silences } from '../../contract/silences.ts';
import type { Silence } from '../../contract/silences/silence.ts';
import type { Standing } from '../assessment.ts';
import { html, type Markup } from './markup.ts';
import { boundedTable } from './summary.ts';
import { linkTo, type View } from './view.ts';

/** What was seen where the documents leave a choice, with the key of the profile that binds the point. */
export function ledgerOf(view: View): Markup {
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

const questions: ReadonlyMap<string, string> = new Map(
  [...silences.core, ...silences.extensions].flatMap((silence) =>
    keysOf(silence).map((key) => [key, silence.open] as const),
  ),
);

function keysOf({ profile = [] }: Silence): readonly string[] {
  return typeof profile === 'string' ? [profile] : profile;
}
