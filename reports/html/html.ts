import { createHash } from 'node:crypto';
import { assess } from '../assessment.ts';
import { exitOf } from '../exit.ts';
import type { Run } from '../run.ts';
import { cutTo } from '../text.ts';
import { withoutUser } from './address.ts';
import { factsOf } from './facts.ts';
import { filterForm } from './filter.ts';
import { gapsOf } from './gaps.ts';
import { ledgerOf } from './ledger.ts';
import { html, Markup } from './markup.ts';
import { rulesOf } from './rules.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { countsOf, findingsOf, tablesOf } from './summary.ts';
import { anchorOf, type View } from './view.ts';

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
