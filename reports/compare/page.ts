import { html, type Markup } from '../html/markup.ts';
import { stillPage } from '../html/still-page.ts';
import { cutTo } from '../text.ts';
import type { Comparison, Difference } from './compare.ts';
import { groupsOf, regressionWords, runWords, seenWords, verdictWords, type Group } from './words.ts';

const longestCell = 300;
const longestName = 200;

/** The comparison as a page. */
export function comparisonPage(comparison: Comparison): string {
  const { before, after, differences } = comparison;
  const title = cutTo(longestName, `Comparison of ${before.implementation} and ${after.implementation}`);
  return stillPage(
    title,
    html`
      <p><strong>${verdictWords(comparison)}</strong></p>
      <p>First: ${runWords(before)}</p>
      <p>Second: ${runWords(after)}</p>
      <p>${regressionWords}</p>
      ${groupsOf(comparison).map(groupSection)} ${differences.length > 0 && differenceSection(differences)}
    `,
  );
}

function groupSection({ title, changes }: Group): Markup {
  const rows = changes.map(({ rule, before, after, found = '' }) => [
    html`<code>${rule}</code>`,
    before,
    after,
    cutTo(longestCell, found),
  ]);
  return section(`${title} (${changes.length})`, ['rule', 'first', 'second', 'found'], rows);
}

function differenceSection(differences: readonly Difference[]): Markup {
  const rows = differences.map(({ rule, name, before, after }) => [
    html`<code>${rule}</code>`,
    cutTo(longestCell, name),
    seen(before),
    seen(after),
  ]);
  return section(
    `Different where the documents are silent (${differences.length})`,
    ['rule', 'what', 'first', 'second'],
    rows,
  );
}

function seen(texts: readonly string[]): string {
  return cutTo(longestCell, seenWords(texts));
}

function section(title: string, heads: readonly string[], rows: readonly (readonly (Markup | string)[])[]): Markup {
  return html`<section>
    <h2>${title}</h2>
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </section>`;
}
