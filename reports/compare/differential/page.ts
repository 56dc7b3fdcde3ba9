import type { Differential, FoundBreach, FoundDifference } from '../../../judge/differential/result.ts';
import { html, type Markup } from '../../html/markup.ts';
import { stillPage } from '../../html/still-page.ts';
import { cutTo } from '../../text.ts';
import {
  breachWords,
  differentialWords,
  partyWords,
  placeWords,
  playedWords,
  seenWords,
  silenceWords,
  variableLines,
} from './words.ts';

const longestFound = 2000;
const longestName = 200;

/** Two implementations beside each other. */
export function differentialPage(differential: Differential): string {
  const { first, second, breaches, differences, assumed, leftOut, remains, command } = differential;
  const title = cutTo(longestName, `${first.implementation} and ${second.implementation} given the same requests`);
  return stillPage(
    title,
    html`
      <p><strong>${differentialWords(differential)}</strong></p>
      <p>First: ${partyWords(first)}</p>
      <p>Second: ${partyWords(second)}</p>
      ${assumed.map((sentence) => html`<p>Assumed: ${sentence}</p>`)}
      ${leftOut.map((sentence) => html`<p>Left out: ${sentence}</p>`)}
      ${remains.map(({ party, uri, reason }) => html`<p>Remains on the ${party}: ${uri} (${reason})</p>`)}
      <p>${playedWords(differential)}</p>
      <p>Again: <code>${command}</code></p>
      ${breaches.length > 0 && html`<h2>Violations: what the documents decide (${breaches.length})</h2>`}
      ${breaches.map(breachSection)}
      ${differences.length > 0 && html`<h2>Different where the documents are silent (${differences.length})</h2>`}
      ${differences.map(differenceSection)} ${folded('Variables of the lines', variableLines(differential))}
    `,
  );
}

function breachSection(breach: FoundBreach): Markup {
  return html`<section>
    <h3>${breach.rule}: ${breachWords(breach)}</h3>
    <p>Expected ${cutTo(longestFound, breach.expected)}, found ${cutTo(longestFound, breach.actual)}.</p>
    <p>After: ${cutTo(longestFound, breach.history)}</p>
    ${folded('Lines that show it', breach.curl)}
  </section>`;
}

function differenceSection(difference: FoundDifference): Markup {
  return html`<section>
    <h3>${placeWords(difference)}</h3>
    <p>First: <code>${cutTo(longestFound, difference.first)}</code></p>
    <p>Second: <code>${cutTo(longestFound, difference.second)}</code></p>
    <p>Silence: ${silenceWords(difference)}${difference.silence !== undefined && `. ${difference.silence.open}`}</p>
    <p>After: ${cutTo(longestFound, difference.history)}; seen after: ${seenWords(difference)}</p>
    ${folded('Lines for the first', difference.curl.first)} ${folded('Lines for the second', difference.curl.second)}
  </section>`;
}

function folded(title: string, lines: readonly string[]): Markup {
  return html`<details>
    <summary>${title}</summary>
    <pre>${lines.join('\n')}</pre>
  </details>`;
}
