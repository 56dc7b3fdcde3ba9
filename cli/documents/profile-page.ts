import { code, table } from './markdown.ts';
import { keysOf, type SchemaRow, withoutRepeats } from '../profile-keys.ts';
import { type Need, needs } from '../../contract/needs.ts';
import { profileSchema } from '../../contract/profile.ts';
import { keysFor } from '../../judge/needs.ts';
import { catalogue } from '../../suites/catalogue.ts';

const smallest = `profileVersion: 1
implementation: our-service
baseUrl: https://staging.example
space: conformance
auth:
  tokenUrl: https://login.example/token
  clientId: conformance
  clientSecret: \${CLIENT_SECRET}
identities:
  editor: { username: edda, password: '\${EDITOR_PASSWORD}' }
softTypes:
  primary:
    definitionId: Document
    inputSchemaId: documentInput
    outputSchemaId: documentFull
    body: { title: 'Document {{unique}}' }
`;

export function profilePage(): string {
  const byKey = Map.groupBy(
    withoutRepeats(keysOf(profileSchema)),
    ({ path }) => path.split('.')[0]?.replace('[]', '') ?? '',
  );
  return (
    [
      '# Profile of a deployment',
      'A profile is a YAML file that says where a deployment is, who may act on it, and what it does where the two documents leave a choice. `svc-conformance init` writes a first one, `svc-conformance doctor` tries one out. Its schema for editors is [profile.schema.json](profile.schema.json).',
      'A text `${NAME}` stands for the environment variable of that name, or for what the file holds that the variable `NAME_FILE` names. Keys that are not known are refused.',
      '## A small one',
      'What a deployment needs at least so that most rules of the core can be judged:',
      `\`\`\`yaml\n${smallest}\`\`\``,
      [
        '- What is not declared is blocked, with the need that is missing: see below. List it under `notSupported` with a reason and it no longer spoils the exit code; `knownFailures` does the same for violations, until they pass. A key of either may hold `*`, and a value may be `{ reason: …, until: 2027-01-31 }`: when that day is over, the entry fails the run.',
        '- Where the documents are silent, a run records and does not judge. To hold a deployment to its own choice, write it under `expect`.',
        '- Rules about external extensions need `listener` (where the suite waits for the service, and the address under which the service reaches it) and `triggers` (what makes the service call). Schedules take real time unless the clock of the service can be moved.',
        '- What a run creates it removes, where a delete route is known; the report ends with what remains.',
        '- The same `--seed` sends the same requests; names of what is new carry a mark of the run, so that nothing which an earlier one left is in the way.',
      ].join('\n'),
      '## Keys',
      tableOf([...byKey.values()].filter(({ length }) => length === 1).flat()),
      ...[...byKey].filter(([, { length }]) => length > 1).map(([key, rows]) => `### ${key}\n\n${tableOf(rows)}`),
      '## Needs',
      'A rule is judged when the profile declares what the rule needs. A rule whose need is not declared is reported as blocked.',
      table(['Need', 'What it is', 'Keys', 'Rules'], (Object.keys(needs) as Need[]).map(needRow)),
    ].join('\n\n') + '\n'
  );
}

function tableOf(rows: readonly SchemaRow[]): string {
  const cells = rows.map(({ path, type, required, description }) => [
    code(path),
    type,
    required ? 'yes' : '',
    description,
  ]);
  return table(['Key', 'Type', 'Required', 'Meaning'], cells);
}

function needRow(need: Need): readonly string[] {
  const count = catalogue.all.filter((rule) => rule.needs.includes(need)).length;
  return [code(need), needs[need], keysFor(need) ?? '', String(count)];
}
