import { fitted, type Part } from '../markdown/fit.ts';
import { code, inline, table } from '../markdown/text.ts';
import { cutTo } from '../text.ts';
import type { Change, Comparison, Difference } from './compare.ts';
import { groupsOf, regressionWords, runWords, seenWords, verdictWords, type Group } from './words.ts';

const longestCell = 300;
/** As much as a comment or a step summary takes. */
const mostBytes = 1_000_000;

/** The comparison as a page that fits a step summary. */
export function comparisonMarkdown(comparison: Comparison): string {
  return `${fitted([{ name: 'the head', text: headOf(comparison) }, ...groupsOf(comparison).map(groupPart), ...differencePart(comparison.differences)], mostBytes)}\n`;
}

function headOf(comparison: Comparison): string {
  const { before, after } = comparison;
  return [
    `## Comparison of ${inline(before.implementation)} and ${inline(after.implementation)}`,
    `**${verdictWords(comparison)}**`,
    `First: ${inline(runWords(before))}`,
    `Second: ${inline(runWords(after))}`,
    regressionWords,
  ].join('\n\n');
}

function groupPart({ title, changes }: Group): Part {
  const rows = changes.map(({ rule, before, after, found = '' }: Change) => [
    code(rule),
    before,
    after,
    inline(cutTo(longestCell, found)),
  ]);
  return {
    name: title.toLowerCase(),
    text: `### ${title} (${changes.length})\n\n${table(['rule', 'first', 'second', 'found'], rows)}`,
  };
}

function differencePart(differences: readonly Difference[]): Part[] {
  if (differences.length === 0) return [];
  const rows = differences.map(({ rule, name, before, after }) => [
    code(rule),
    inline(cutTo(longestCell, name)),
    seenCell(before),
    seenCell(after),
  ]);
  const title = `### Different where the documents are silent (${differences.length})`;
  return [{ name: 'the silences', text: `${title}\n\n${table(['rule', 'what', 'first', 'second'], rows)}` }];
}

function seenCell(seen: readonly string[]): string {
  return seen.length === 0 ? seenWords(seen) : code(cutTo(longestCell, seenWords(seen)));
}
