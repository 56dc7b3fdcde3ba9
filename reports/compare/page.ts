import { createHash } from 'node:crypto';
import { html, Markup } from '../html/markup.ts';
import { style } from '../html/style.ts';
import { cutTo } from '../text.ts';
import type { Comparison, Difference } from './compare.ts';
import { groupsOf, regressionWords, runWords, seenWords, verdictWords, type Group } from './words.ts';

const longestCell = 300;
const longestName = 200;

/** The comparison as one file that asks nothing of any network and runs nothing. */
export function comparisonPage(comparison: Comparison): string {
  const { before, after, differences } = comparison;
  const title = cutTo(longestName, `Comparison of ${before.implementation} and ${after.implementation}`);
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'`;
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
        <main>
          <h1>${title}</h1>
          <p><strong>${verdictWords(comparison)}</strong></p>
          <p>First: ${runWords(before)}</p>
          <p>Second: ${runWords(after)}</p>
          <p>${regressionWords}</p>
          ${groupsOf(comparison).map(groupSection)} ${differences.length > 0 && differenceSection(differences)}
        </main>
      </body>
    </html> `.text;
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
