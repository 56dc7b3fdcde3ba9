import type { Differential, FoundBreach, FoundDifference } from '../../../judge/differential/result.ts';
import { counted, oneLine } from '../../text.ts';

/** What counts for the exit code, and the rest, in one sentence. */
export function differentialWords({ breaches, differences, aborted }: Differential): string {
  const counting = breaches.filter(({ known }) => known === undefined).length;
  const expected = breaches.length - counting;
  return [
    counted(counting, 'violation'),
    ...(expected > 0 ? [`${expected} expected by a profile`] : []),
    `${counted(differences.length, 'difference')} where the documents are silent`,
    ...(aborted === undefined ? [] : [`ended early: ${oneLine(aborted)}`]),
  ].join(', ');
}

/** Which of the two that is. */
export function partyWords({ implementation, baseUrl }: Differential['first']): string {
  return oneLine(`${implementation} at ${baseUrl}`);
}

/** What was played. */
export function playedWords({ histories, requests, runs, seed, startedAt, durationMs }: Differential): string {
  return `${counted(histories, 'history', 'histories')} (${runs} of them generated, seed ${seed}), ${counted(requests, 'request')}, ${startedAt}, ${(durationMs / 1000).toFixed(1)} s`;
}

/** Who breaks the rule, and whether the other one does too. */
export function breachWords({ party, isShared, known }: FoundBreach): string {
  return [
    `the ${party}`,
    ...(isShared ? ['as does the other'] : []),
    ...(known === undefined ? [] : [`expected: ${oneLine(known)}`]),
  ].join(', ');
}

/** Where the two are different. */
export function placeWords({ command, situation, aspect }: FoundDifference): string {
  return oneLine(`${command}, ${situation}: ${aspect}`);
}

/** The point of the ledger, and the keys that bind it. */
export function silenceWords({ silence }: FoundDifference): string {
  if (silence === undefined) return 'no point of the ledger';
  return silence.profile.length === 0 ? silence.id : `${silence.id} (${silence.profile.join(', ')})`;
}

/** Commands after which it showed, the first ones by name. */
export function seenWords({ seenIn }: FoundDifference): string {
  const named = seenIn.slice(0, mostNamed).join('; ');
  return seenIn.length > mostNamed ? `${named}; and ${seenIn.length - mostNamed} more` : named;
}

const mostNamed = 3;

/** Lines that set the variables of all curl lines. */
export function variableLines({ first, second }: Differential): readonly string[] {
  return [...Object.values(first.variables), ...Object.values(second.variables)];
}
