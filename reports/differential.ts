import type { Differential, FoundBreach, FoundDifference } from '../judge/differential/result.ts';
import { type Block, code, type Document, sectionOf, strong, type Text } from './document.ts';
import { counted } from './text.ts';

const mostNamed = 3;

/** Two implementations beside each other: what the documents decide, then where they are silent. */
export function differentialReport(differential: Differential): Document {
  const { first, second, breaches, differences, assumed, leftOut, remains, command } = differential;
  const variables = [...Object.values(first.variables), ...Object.values(second.variables)];
  return {
    title: `${first.implementation} and ${second.implementation} given the same requests`,
    verdict: [[strong(verdictOf(differential)), '.']],
    about: [
      {
        kind: 'facts',
        rows: [
          ['first', `${first.implementation} at ${first.baseUrl}`],
          ['second', `${second.implementation} at ${second.baseUrl}`],
          ...assumed.map((sentence) => ['assumed', sentence] as const),
          ...leftOut.map((sentence) => ['left out', sentence] as const),
          ...remains.map(({ party, uri, reason }) => ['remains', `${uri} on the ${party} (${reason})`] as const),
          ['played', playedBy(differential)],
        ],
      },
      { kind: 'command', label: 'again', text: command },
    ],
    body: [
      ...sectionOf('Violations: what the documents decide', breaches.map(breachSection), { count: breaches.length }),
      ...sectionOf('Different where the documents are silent', differences.map(differenceSection), {
        count: differences.length,
      }),
      { kind: 'folded', title: 'Variables of the lines', lines: variables },
    ],
  };
}

function breachSection(breach: FoundBreach): Block {
  const { rule, expected, actual, history, curl } = breach;
  const [last] = curl.slice(-1);
  return {
    kind: 'section',
    title: rule,
    aside: whoBreaks(breach),
    blocks: [
      {
        kind: 'facts',
        rows: [
          ['expected', expected],
          ['found', actual],
          ['after', history],
        ],
      },
      ...(last === undefined ? [] : [{ kind: 'command', text: last, only: ['terminal'] } as const]),
      { kind: 'folded', title: 'Lines that show it', lines: curl },
    ],
  };
}

function differenceSection(difference: FoundDifference): Block {
  const { command, situation, aspect, first, second, history, curl } = difference;
  return {
    kind: 'section',
    title: `${command}, ${situation}: ${aspect}`,
    blocks: [
      {
        kind: 'facts',
        rows: [
          ['first', code(first)],
          ['second', code(second)],
          ['silence', silenceOf(difference)],
          ['after', history],
          ['seen after', seenAfter(difference)],
        ],
      },
      { kind: 'folded', title: 'Lines for the first', lines: curl.first },
      { kind: 'folded', title: 'Lines for the second', lines: curl.second },
    ],
  };
}

/** What counts for the exit code, and the rest, in one sentence. */
function verdictOf({ breaches, differences, aborted }: Differential): string {
  const counting = breaches.filter(({ known }) => known === undefined).length;
  const expected = breaches.length - counting;
  return [
    counted(counting, 'violation'),
    ...(expected > 0 ? [`${expected} expected by a profile`] : []),
    `${counted(differences.length, 'difference')} where the documents are silent`,
    ...(aborted === undefined ? [] : [`ended early: ${aborted}`]),
  ].join(', ');
}

function playedBy({ histories, requests, runs, seed, startedAt, durationMs }: Differential): string {
  return `${counted(histories, 'history', 'histories')} (${runs} of them generated, seed ${seed}), ${counted(requests, 'request')}, ${startedAt}, ${(durationMs / 1000).toFixed(1)} s`;
}

/** Who breaks the rule, and whether the other one does too. */
function whoBreaks({ party, isShared, known }: FoundBreach): string {
  return [
    `the ${party}`,
    ...(isShared ? ['as does the other'] : []),
    ...(known === undefined ? [] : [`expected: ${known}`]),
  ].join(', ');
}

/** The point of the ledger, and the keys that bind it. */
function silenceOf({ silence }: FoundDifference): Text {
  if (silence === undefined) return 'no point of the ledger';
  const keys = silence.profile.length === 0 ? '' : ` (${silence.profile.join(', ')})`;
  return `${silence.id}${keys}. ${silence.open}`;
}

/** Commands after which it showed, the first ones by name. */
function seenAfter({ seenIn }: FoundDifference): string {
  const named = seenIn.slice(0, mostNamed).join('; ');
  return seenIn.length > mostNamed ? `${named}; and ${seenIn.length - mostNamed} more` : named;
}
