import { stdout } from './outlet.ts';
import { catalogue } from '../suites/catalogue.ts';
import { factsAbout, readConducts } from './conducts.ts';
import { placeOf } from './documents/rule-pages.ts';
import { classesOf } from '../contract/classes.ts';
import { needs } from '../contract/needs.ts';
import type { RuleId } from '../contract/rule.ts';
import type { Rule } from '../judge/rule.ts';
import { schemaVersion } from '../contract/schemas/outcomes.ts';
import type { RuleList } from '../contract/schemas/rule-list.ts';
import type { RulesOptions } from './options.ts';
import { terminalText } from '../reports/terminal.ts';
import { lookUpCommand, sourceText } from '../reports/source.ts';
import { listRules } from '../api/rules.ts';
import { selectRules, SelectionError } from '../judge/run/selection.ts';
import { usable } from './usage.ts';

/** Lists the rules, selected ones or all, as a table or as JSON. Schema: contract/schemas/rule-list.ts. */
export async function rulesCommand({ json, ...selection }: RulesOptions): Promise<number> {
  const rules = usable(() => selectRules(selection, catalogue.all), SelectionError);
  stdout.write(json ? `${JSON.stringify(listOf(rules), null, 2)}\n` : tableOf(rules));
  return 0;
}

export async function explainCommand(id: RuleId): Promise<number> {
  stdout.write(explained(catalogue.get(id)));
  return 0;
}

function listOf(rules: readonly Rule[]): RuleList {
  return { schemaVersion, kind: 'rules', totals: totalsOf(rules), rules: [...listRules(rules)] };
}

function totalsOf(rules: readonly Rule[]): RuleList['totals'] {
  const count = (holds: (rule: Rule) => boolean) => rules.filter(holds).length;
  return {
    rules: rules.length,
    must: count(({ level }) => level === 'must'),
    should: count(({ level }) => level === 'should'),
    observe: count(({ level }) => level === 'observe'),
  };
}

function tableOf(rules: readonly Rule[]): string {
  const rows = rules.map(({ id, level, side, test, needs }) => [id, level, side, test.kind, needs.join(', ') || '-']);
  const table = { kind: 'table', titles: ['rule', 'level', 'side', 'kind', 'needs'], rows, numbers: [5, 4] } as const;
  return terminalText({ title: 'Rules', verdict: [totalLine(rules)], about: [], body: [table] });
}

function totalLine(rules: readonly Rule[]): string {
  const { must, should, observe } = totalsOf(rules);
  return `${rules.length} rules: ${must} must, ${should} should, ${observe} observe.`;
}

function explained(rule: Rule): string {
  const facts: readonly (readonly [string, string])[] = [
    ['rule', rule.statement],
    ['source', sourceText(rule.source)],
    ['look there', `${lookUpCommand(rule.source)}   # in your own copy of the document`],
    ['judges', rule.side === 'service' ? 'the service' : 'an extension host'],
    ...factsAbout(rule, readConducts()).map(([label, lines]) => [label, lines.join('\n')] as const),
    ['needs', rule.needs.map((need) => `${need}: ${needs[need]}`).join('\n') || 'nothing beyond the target'],
    ['fault', rule.fault ?? 'none: the rule records what it sees'],
    ['stands on', rule.after?.join('\n') ?? 'no other rule'],
    ['classes', classesOf(rule.id).join(', ') || 'none'],
    ['page', placeOf(rule)],
    [
      'run it',
      `svc-conformance ${rule.side === 'service' ? 'check' : 'check-extension'} --rules ${rule.id} --profile FILE   # without a profile: on the bundled one`,
    ],
  ];
  return `${[`${rule.id}  ${rule.level}`, '', ...facts.map(([label, text]) => indented(label, text))].join('\n')}\n`;
}

function indented(label: string, text: string): string {
  return text
    .split('\n')
    .map((line, index) => `  ${(index === 0 ? label : '').padEnd(11)}${line}`)
    .join('\n');
}
