import { commandRows } from '../commands.ts';
import { type Conducts, factsAbout, readConducts } from '../conducts.ts';
import type { CommandRow } from '../commands/row.ts';
import { listRules } from '../rule-list.ts';
import { code, escaped, table } from './markdown.ts';
import { profilePage } from './profile-page.ts';
import { areas } from '../../contract/areas.ts';
import { extensionHostControlDocument, serviceControlDocument } from '../../contract/control/openapi.ts';
import { profileSchema } from '../../contract/profile.ts';
import type { Rule } from '../../judge/rule.ts';
import { catalogue } from '../../suites/catalogue.ts';

type Flag = CommandRow['options'][number];

/** A document that is made from schema, rows or commands. */
interface Page {
  /** From the root of the package on. */
  readonly path: string;
  readonly text: () => string;
}

/** Every document that `npm run docs` writes. */
export const pages: readonly Page[] = [
  { path: 'docs/profile.schema.json', text: profileSchemaText },
  { path: 'docs/profile.md', text: profilePage },
  { path: 'docs/rules.md', text: rulesPage },
  { path: 'docs/cli.md', text: cliPage },
  { path: 'docs/control/service.openapi.json', text: () => jsonText(serviceControlDocument()) },
  { path: 'docs/control/extension-host.openapi.json', text: () => jsonText(extensionHostControlDocument()) },
  { path: 'cli/documents/rules.json', text: ruleListText },
];

function profileSchemaText(): string {
  return jsonText({ $schema: 'http://json-schema.org/draft-07/schema#', ...profileSchema });
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** One rule a line, so that a change shows as what it is. */
function ruleListText(): string {
  return `[\n${listRules(catalogue.all)
    .map((rule) => JSON.stringify(rule))
    .join(',\n')}\n]\n`;
}

/** Every rule with its statement, source and fault, as a page. */
function rulesPage(): string {
  const conducts = readConducts();
  return (
    [
      '# Rules',
      `${catalogue.all.length} rules. A breach of a \`must\` fails a run, a breach of a \`should\` warns, and an \`observe\` records what a deployment does where the documents are silent.`,
      'What a case requests, asserts and records is what it did when the bundled server and host were judged: ids and generated values are left out.',
      ...areas.flatMap((area) =>
        areaPart(
          area,
          catalogue.all.filter((rule) => rule.area === area),
          conducts,
        ),
      ),
    ].join('\n\n') + '\n'
  );
}

function areaPart(area: string, rules: readonly Rule[], conducts: Conducts): readonly string[] {
  return rules.length === 0 ? [] : [`## ${area}`, ...rules.map((rule) => rulePart(rule, conducts))];
}

function rulePart(rule: Rule, conducts: Conducts): string {
  const { id, level, side, source, statement, needs, fault } = rule;
  const facts = [
    `- Level: ${level}${side === 'extension' ? ', about extension hosts' : ''}`,
    `- Source: ${oneLine(source)}`,
    ...(fault === undefined ? [] : [`- Fault that it notices: ${oneLine(fault)}`]),
    ...(needs.length === 0 ? [] : [`- Needs: ${needs.map(code).join(', ')}`]),
    ...factsAbout(rule, conducts).map(
      ([label, lines]) => `- ${label.charAt(0).toUpperCase()}${label.slice(1)}: ${listed(label, lines)}`,
    ),
  ];
  return `### ${id}\n\n${oneLine(statement)}\n\n${facts.join('\n')}`;
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

/** Every command with its flags and examples, as a page. */
function cliPage(): string {
  return (
    [
      '# Commands',
      'A command ends with 0 when all is well, 1 when rules are violated, 2 when the command line or the profile cannot be used, and 3 when the run says nothing.',
      ...commandRows.flatMap((row) => partsOf(row, 'svc-conformance')),
    ].join('\n\n') + '\n'
  );
}

function partsOf(row: CommandRow, before: string): readonly string[] {
  const line = `${before} ${row.name}`;
  const words = (row.arguments ?? []).map((argument) => [
    code(`<${argument.name()}${argument.variadic ? '...' : ''}>`),
    argument.description,
    '',
  ]);
  const flags = row.options.map((option) => [code(option.flags), descriptionOf(option), defaultOf(option)]);
  return [
    `## ${line}`,
    `${sentence(row.summary)}`,
    ...(words.length + flags.length === 0
      ? []
      : [table(['Argument or flag', 'Meaning', 'Default'], [...words, ...flags])]),
    `\`\`\`sh\n${row.examples.join('\n')}\n\`\`\``,
    ...(row.below ?? []).flatMap((below) => partsOf(below, line)),
  ];
}

function descriptionOf({ description, argChoices, envVar }: Flag): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  return `${description}${choices}${envVar === undefined ? '' : `; environment variable ${code(envVar)}`}`;
}

function defaultOf({ defaultValue, defaultValueDescription }: Flag): string {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  return defaultValue === undefined ? '' : code(String(defaultValue));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
