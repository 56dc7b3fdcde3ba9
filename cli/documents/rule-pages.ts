import { type Area, areas } from '../../contract/areas.ts';
import type { Level, RuleId } from '../../contract/rule.ts';
import type { Rule } from '../../judge/rule.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { type Conducts, factsAbout, readConducts } from '../conducts.ts';
import { code, escaped, table } from './markdown.ts';

const folder = 'docs/rules';

/** The page of each area that has rules, and the one that leads to them: path from the root of the package on, and text. */
export const rulePages: readonly { readonly path: string; readonly text: () => string }[] = [
  { path: `${folder}/README.md`, text: indexPage },
  ...areasWithRules().map((area) => ({ path: `${folder}/${pageOf(area)}`, text: () => areaPage(area) })),
];

/** Where a rule is described, from the root of the package on. */
export function placeOf({ area, id }: Pick<Rule, 'area' | 'id'>): string {
  return `${folder}/${pageOf(area)}#${id}`;
}

function areasWithRules(): readonly Area[] {
  return areas.filter((area) => rulesOf(area).length > 0);
}

function rulesOf(area: Area): readonly Rule[] {
  return catalogue.all.filter((rule) => rule.area === area);
}

function pageOf(area: Area): string {
  return `${area}.md`;
}

function indexPage(): string {
  const levels = ['must', 'should', 'observe'] as const satisfies readonly Level[];
  const count = (rules: readonly Rule[], level: Level): string =>
    String(rules.filter((rule) => rule.level === level).length);
  return pageText([
    '# Rules',
    `${catalogue.all.length} rules. A breach of a \`must\` fails a run, a breach of a \`should\` warns, and an \`observe\` records what a deployment does where the documents are silent.`,
    table(
      ['Area', 'Rules', ...levels],
      areasWithRules().map((area) => {
        const rules = rulesOf(area);
        return [`[${area}](${pageOf(area)})`, String(rules.length), ...levels.map((level) => count(rules, level))];
      }),
    ),
    `Every rule has its id as anchor: \`paging.md#paging.link.pages-count\`. On the command line \`svc-conformance rules explain ID\` prints the same, and names this place.`,
  ]);
}

/** Every rule of an area with its statement, source and fault. */
function areaPage(area: Area): string {
  const conducts = readConducts();
  const rules = rulesOf(area);
  return pageText([
    `# Rules: ${area}`,
    `[All areas](README.md). What a case requests, asserts and records is what it did when the bundled server and host were judged: ids and generated values are left out.`,
    rules.map(({ id, level }) => `- [${id}](#${id}) (${level})`).join('\n'),
    ...rules.map((rule) => rulePart(rule, conducts)),
  ]);
}

function pageText(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function rulePart(rule: Rule, conducts: Conducts): string {
  const { id, level, side, source, statement, needs, fault, after = [] } = rule;
  const facts = [
    `- Level: ${level}${side === 'extension' ? ', about extension hosts' : ''}`,
    `- Source: ${oneLine(source)}`,
    ...(fault === undefined ? [] : [`- Fault that it notices: ${oneLine(fault)}`]),
    ...(needs.length === 0 ? [] : [`- Needs: ${needs.map(code).join(', ')}`]),
    ...(after.length === 0 ? [] : [`- Stands on: ${after.map((other) => linkTo(other, rule.area)).join(', ')}`]),
    ...factsAbout(rule, conducts).map(
      ([label, lines]) => `- ${label.charAt(0).toUpperCase()}${label.slice(1)}: ${listed(label, lines)}`,
    ),
  ];
  // An anchor of its own: one made from the heading would lose the dots, in another way with each reader of Markdown.
  return `<a id="${id}"></a>\n\n## ${id}\n\n${oneLine(statement)}\n\n${facts.join('\n')}`;
}

function linkTo(id: RuleId, from: Area): string {
  const { area } = catalogue.get(id);
  return `[${id}](${area === from ? '' : pageOf(area)}#${id})`;
}

/** Requests are code, whatever else stands in words. */
function listed(label: string, lines: readonly string[]): string {
  return lines
    .map((line) => (label === 'requests' ? code(line) : oneLine(line)))
    .join(label === 'requests' ? ', ' : '; ');
}

function oneLine(text: string): string {
  return escaped(text.replaceAll(/\s+/g, ' ').trim());
}
