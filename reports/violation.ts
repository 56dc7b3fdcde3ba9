import type { Outcome, RunHeader } from '../judge/outcome.ts';
import type { Standing } from './assessment.ts';
import { replayCommand } from './replay.ts';
import { printable } from './text.ts';

/** One labelled line, or several under one label, of what is shown about a violated rule. */
export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** What every report tells about a violated rule, free of hidden characters and in the order of reading. */
export function factsOf({ rule, outcome }: Standing, header: RunHeader): Fact[] {
  return [
    { label: 'source', text: rule.source },
    ...evidenceOf(outcome),
    { label: 'replay', text: replayCommand(rule.id, header) },
  ].map(({ label, text }) => ({ label, text: printable(text) }));
}

function evidenceOf(outcome: Outcome | undefined): Fact[] {
  const violation = outcome?.violation;
  const reason = outcome?.reason;
  return [
    ...(reason === undefined ? [] : [{ label: 'reason', text: reason }]),
    ...(violation === undefined ? [] : violationFacts(violation)),
  ];
}

function violationFacts({ expected, actual, counterexample, curl }: NonNullable<Outcome['violation']>): Fact[] {
  return [
    { label: 'expected', text: expected },
    { label: 'actual', text: actual },
    ...(counterexample === undefined ? [] : [{ label: 'smallest', text: counterexample }]),
    ...(curl.length === 0 ? [] : [{ label: 'curl', text: curl.join('\n') }]),
  ];
}
