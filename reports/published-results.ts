import { areas } from '../contract/areas.ts';
import type { Report } from '../contract/schemas/report.ts';
import { assess } from './assessment.ts';
import { belowEachOther, code, type Document, strong, tableSection, paragraph } from './document.ts';
import { exitOf } from './exit.ts';
import { markdownText } from './markdown.ts';
import { answersOf, withoutChance } from './observed.ts';
import type { Run } from './run.ts';
import { areaTable, findingBlocks } from './run-summary.ts';
import { counted } from './text.ts';

const whole = { level: 1, mostBytes: Infinity, longestLine: 2000 } as const;

/** The result of a run as a page that is the same after every run that found the same: without times, addresses and what was sent twice. */
export function lastingResult(run: Run): string {
  const { rules, header, outcomes, footer } = run;
  const lasting: Run = {
    rules,
    header: { ...header, variables: {} },
    outcomes: outcomes.map(({ retries: _sentAgain, ...outcome }) => ({
      ...outcome,
      observations: [],
      remarks: outcome.remarks.map(withoutChance),
    })),
    ...(footer !== undefined && { footer: { ...footer, durationMs: 0, requests: 0 } }),
  };
  const assessment = assess(lasting);
  const exit = exitOf(lasting, assessment);
  const document: Document = {
    title: `Conformance of ${header.implementation}`,
    verdict: [[strong(`Exit ${exit.code}`), `: ${exit.words}.`]],
    about: [
      paragraph([
        `By version ${header.suiteVersion}, again with `,
        code(header.command),
        '. What it does where the documents are silent stands in ',
        { as: 'file', text: 'fingerprint.md' },
        ', what the suite notices in ',
        { as: 'file', text: 'kill-matrix.md' },
        '.',
      ]),
    ],
    body: [...areaTable(assessment), ...findingBlocks(lasting, assessment)],
  };
  return markdownText(document, whole);
}

/** What an implementation does wherever the documents are silent, as a page that is the same after every run against it. */
export function fingerprint({ implementation, rules }: Pick<Report, 'implementation' | 'rules'>): string {
  const answers = rules.flatMap((rule) => answersOf(rule).map((answer) => ({ rule, ...answer })));
  const ruleCount = new Set(answers.map(({ rule }) => rule.id)).size;
  const document: Document = {
    title: `Where the documents are silent: ${implementation}`,
    verdict: [
      `${counted(answers.length, 'answer')} of ${counted(ruleCount, 'rule')}. Ids, names made up for a run, times, hosts and tokens stand as words in brackets; what depends on the machine or on chance is left out.`,
    ],
    about: [],
    body: areas.flatMap((area) =>
      tableSection(area, {
        titles: ['rule', 'what', 'seen'],
        rows: answers
          .filter(({ rule }) => rule.area === area)
          .map(({ rule, name, seen }) => [code(rule.id), name, belowEachOther(seen.map(code))]),
      }),
    ),
  };
  return markdownText(document, whole);
}
