import { cutTo, oneLine, printable } from '../text.ts';
import type { Change, Comparison, Difference } from './compare.ts';
import { groupsOf, regressionWords, runWords, seenWords, verdictWords, type Group } from './words.ts';

const longestFound = 300;

/** The comparison for a terminal. */
export function comparisonText(comparison: Comparison): string {
  const { before, after, differences } = comparison;
  const lines = [
    `first   ${runWords(before)}`,
    `second  ${runWords(after)}`,
    ...groupsOf(comparison).flatMap(groupLines),
    ...differenceLines(differences),
    '',
    `${verdictWords(comparison)}.`,
    regressionWords,
    '',
  ];
  return printable(lines.join('\n'));
}

function groupLines({ title, changes }: Group): string[] {
  return ['', `${title} (${changes.length})`, ...changes.flatMap(changeLines)];
}

function changeLines({ rule, before, after, found }: Change): string[] {
  return [
    `  ${rule}  ${before} -> ${after}`,
    ...(found === undefined ? [] : [`    ${cutTo(longestFound, oneLine(found))}`]),
  ];
}

function differenceLines(differences: readonly Difference[]): string[] {
  if (differences.length === 0) return [];
  const lines = differences.flatMap(({ rule, name, before, after }) => [
    `  ${rule}: ${cutTo(longestFound, name)}`,
    `    first   ${cutTo(longestFound, seenWords(before))}`,
    `    second  ${cutTo(longestFound, seenWords(after))}`,
  ]);
  return ['', `Different where the documents are silent (${differences.length})`, ...lines];
}
