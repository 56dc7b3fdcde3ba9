import { commandRows } from '../commands.ts';
import type { CommandRow } from '../commands/row.ts';
import { code, table } from './markdown.ts';

/** Every command with its flags and examples, as a page. */
export function cliPage(): string {
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

type Flag = CommandRow['options'][number];

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
