import type { Differential, FoundBreach, FoundDifference } from '../../../judge/differential/result.ts';
import { cutTo, oneLine, printable } from '../../text.ts';
import {
  breachWords,
  differentialWords,
  partyWords,
  placeWords,
  playedWords,
  seenWords,
  silenceWords,
} from './words.ts';

const longestFound = 300;

/** Two implementations beside each other, for a terminal. */
export function differentialText(differential: Differential): string {
  const { first, second, assumed, leftOut, breaches, differences, remains, command } = differential;
  const lines = [
    `first   ${partyWords(first)}`,
    `second  ${partyWords(second)}`,
    ...assumed.map((sentence) => `assumed: ${oneLine(sentence)}`),
    ...leftOut.map((sentence) => `left out: ${oneLine(sentence)}`),
    ...section('Violations: what the documents decide', breaches.flatMap(breachLines), breaches.length),
    ...section('Different where the documents are silent', differences.flatMap(differenceLines), differences.length),
    ...remains.map(({ party, uri, reason }) => `remains on the ${party}: ${oneLine(uri)} (${oneLine(reason)})`),
    '',
    `${playedWords(differential)}.`,
    `${differentialWords(differential)}.`,
    `again: ${command}`,
    '',
  ];
  return printable(lines.join('\n'));
}

function section(title: string, lines: readonly string[], count: number): readonly string[] {
  return count === 0 ? [] : ['', `${title} (${count})`, ...lines];
}

function breachLines(breach: FoundBreach): readonly string[] {
  return [
    `  ${breach.rule}  ${breachWords(breach)}`,
    `    ${cutTo(longestFound, oneLine(`expected ${breach.expected}, found ${breach.actual}`))}`,
    `    after   ${cutTo(longestFound, oneLine(breach.history))}`,
    ...breach.curl.slice(-1).map((line) => `    ${cutTo(longestFound, oneLine(line))}`),
  ];
}

function differenceLines(difference: FoundDifference): readonly string[] {
  return [
    `  ${placeWords(difference)}`,
    `    first   ${cutTo(longestFound, oneLine(difference.first))}`,
    `    second  ${cutTo(longestFound, oneLine(difference.second))}`,
    `    silence ${silenceWords(difference)}`,
    ...(difference.seenIn.length > 1 ? [`    seen    ${cutTo(longestFound, oneLine(seenWords(difference)))}`] : []),
  ];
}
