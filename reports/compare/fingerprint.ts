import { areas, type Area } from '../../contract/areas.ts';
import type { Report } from '../../contract/schemas/report.ts';
import { code, inline, table } from '../markdown/text.ts';
import { counted } from '../text.ts';
import { observedBy } from './observed.ts';

/** What an implementation does wherever the documents are silent, as a page that is the same after every run against it. */
export function fingerprint({ implementation, rules }: Pick<Report, 'implementation' | 'rules'>): string {
  const answers = rules.flatMap((rule) => observedBy(rule).map((answer) => ({ rule, ...answer })));
  const sections = areas.flatMap((area) =>
    section(
      area,
      answers.filter(({ rule }) => rule.area === area),
    ),
  );
  return [
    `# Where the documents are silent: ${inline(implementation)}`,
    `${counted(answers.length, 'answer')} of ${counted(new Set(answers.map(({ rule }) => rule.id)).size, 'rule')}. Ids, names made up for a run, times, hosts and tokens stand as words in brackets; what depends on the machine or on chance is left out.`,
    ...sections,
    '',
  ].join('\n\n');
}

interface Answer {
  readonly rule: { readonly id: string };
  readonly name: string;
  readonly seen: readonly string[];
}

function section(area: Area, answers: readonly Answer[]): string[] {
  if (answers.length === 0) return [];
  const rows = answers.map(({ rule, name, seen }) => [code(rule.id), inline(name), seen.map(code).join('<br>')]);
  return [`## ${area}`, table(['rule', 'what', 'seen'], rows)];
}
