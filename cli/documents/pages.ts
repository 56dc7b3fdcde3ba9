import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { commandRows } from '../commands.ts';
import type { CommandRow } from '../commands/row.ts';
import { exitCodes, verdicts } from '../help.ts';
import { listRules } from '../../api/rules.ts';
import { apiPage } from './api-page.ts';
import { code, table } from './markdown.ts';
import { profilePage } from './profile-page.ts';
import { rulePages } from './rule-pages.ts';
import { extensionHostControlDocument, serviceControlDocument } from '../../contract/control/openapi.ts';
import { type Profile, profileSchema } from '../../contract/profile.ts';
import { eventSchema } from '../../contract/schemas/events.ts';
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
  { path: 'docs/profile.schema.json', text: () => schemaText(profileSchema) },
  { path: 'docs/profile.md', text: profilePage },
  { path: 'docs/event.schema.json', text: () => schemaText(eventSchema) },
  ...rulePages,
  { path: 'docs/cli.md', text: cliPage },
  { path: 'docs/control/service.openapi.json', text: () => jsonText(serviceControlDocument()) },
  { path: 'docs/control/extension-host.openapi.json', text: () => jsonText(extensionHostControlDocument()) },
  { path: 'docs/api.md', text: apiPage },
  { path: 'api/rules.json', text: ruleListText },
  { path: 'fixtures/bundled.json', text: bundledText },
];

function schemaText(schema: object): string {
  return jsonText({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema });
}

function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What a start would have to read from YAML otherwise, which takes longer than all else of it. */
function bundledText(): string {
  const { samples } = fixture<{ readonly samples: object }>('extension-host.yaml');
  const { identities } = fixture<Pick<Profile, 'identities'>>('profile.yaml');
  const usernames = Object.entries(identities).map(([name, identity]) => [name, identity.username]);
  return jsonText({
    space: fixture<object>('space-template.yaml'),
    seed: fixture<object>('seed.yaml'),
    usernames: Object.fromEntries(usernames),
    samples,
  });
}

function fixture<T>(name: string): T {
  const text = readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8');
  // what the server fills in could not be read as it stands
  return parse(text.replaceAll(/\$\{\w+\}/g, 'x')) as T;
}

/** One rule a line, so that a change shows as what it is. */
function ruleListText(): string {
  return `[\n${listRules(catalogue.all)
    .map((rule) => JSON.stringify(rule))
    .join(',\n')}\n]\n`;
}

/** Every command with its flags and examples, as a page. */
function cliPage(): string {
  return (
    [
      '# Commands',
      'In a clone, write `node cli/main.ts` for `svc-conformance`. Every command has `--help`; `svc-conformance help TOPIC` explains what is about several of them, and `svc-conformance completion SHELL` lets a shell complete their words.',
      table(['Exit code', 'Meaning'], Object.entries(exitCodes)),
      table(['Verdict of a rule', 'Meaning'], Object.entries(verdicts)),
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
    sentence(row.summary),
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
