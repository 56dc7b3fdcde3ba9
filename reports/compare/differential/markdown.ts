import type { Differential, FoundBreach, FoundDifference } from '../../../judge/differential/result.ts';
import { fitted, type Part } from '../../markdown/fit.ts';
import { block, code, inline } from '../../markdown/text.ts';
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
const longestLines = 20_000;
/** As much as a comment or a step summary takes. */
const mostBytes = 1_000_000;

/** Two implementations beside each other, as a page that fits a step summary. */
export function differentialMarkdown(differential: Differential): string {
  const { breaches, differences } = differential;
  const parts: readonly Part[] = [
    { name: 'the head', text: headOf(differential) },
    ...breaches.map((breach) => ({ name: breach.rule, text: breachPart(breach) })),
    ...(differences.length === 0
      ? []
      : [{ name: 'a heading', text: `### Different where the documents are silent (${differences.length})` }]),
    ...differences.map((difference) => ({ name: placeWords(difference), text: differencePart(difference) })),
    { name: 'the variables', text: folded('Variables of the lines', variableLines(differential)) },
  ];
  return `${fitted(parts, mostBytes)}\n`;
}

function headOf(differential: Differential): string {
  const { first, second, assumed, leftOut, remains, command } = differential;
  return [
    `## ${inline(first.implementation)} and ${inline(second.implementation)} given the same requests`,
    `**${inline(differentialWords(differential))}**`,
    `First: ${inline(partyWords(first))}`,
    `Second: ${inline(partyWords(second))}`,
    ...[
      ...assumed.map((sentence) => `Assumed: ${sentence}`),
      ...leftOut.map((sentence) => `Left out: ${sentence}`),
    ].map(inline),
    ...remains.map(({ party, uri, reason }) => inline(`Remains on the ${party}: ${uri} (${reason})`)),
    inline(playedWords(differential)),
    `Again: ${code(command)}`,
  ].join('\n\n');
}

function breachPart(breach: FoundBreach): string {
  return [
    `### ${inline(breach.rule)}: ${inline(breachWords(breach))}`,
    `Expected ${inline(cutTo(longestFound, breach.expected))}, found ${inline(cutTo(longestFound, breach.actual))}.`,
    `After: ${inline(cutTo(longestFound, breach.history))}`,
    folded('Lines that show it', breach.curl),
  ].join('\n\n');
}

function differencePart(difference: FoundDifference): string {
  return [
    `#### ${inline(placeWords(difference))}`,
    `First: ${code(cutTo(longestFound, difference.first))}`,
    `Second: ${code(cutTo(longestFound, difference.second))}`,
    `Silence: ${inline(silenceWords(difference))}`,
    `After: ${inline(cutTo(longestFound, difference.history))}; seen after: ${inline(seenWords(difference))}`,
    folded('Lines for the first', difference.curl.first),
    folded('Lines for the second', difference.curl.second),
  ].join('\n\n');
}

function folded(title: string, lines: readonly string[]): string {
  return `<details><summary>${inline(title)}</summary>\n\n${block(cutTo(longestLines, lines.join('\n')))}\n\n</details>`;
}
