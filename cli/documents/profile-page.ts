import { catalogue } from '../../suites/catalogue.ts';
import { needs, type Need } from '../../contract/needs.ts';
import { profileSchema } from '../../contract/profile.ts';
import { unmetNeeds } from '../../judge/needs.ts';
import { code, table } from './markdown.ts';
import { rowsOf, type SchemaRow } from './schema-rows.ts';

/** Every key of a profile and every need, as a page. */
export function profilePage(): string {
  const byKey = Map.groupBy(rowsOf(profileSchema), ({ path }) => path.split('.')[0]?.replace('[]', '') ?? '');
  return (
    [
      '# Profile of a deployment',
      'A profile is a YAML file that says where a deployment is, who may act on it, and what it does where the two documents leave a choice. `svc-conformance init` writes a first one, `svc-conformance doctor` tries one out. Its schema for editors is [profile.schema.json](profile.schema.json).',
      'A text `${NAME}` stands for the environment variable of that name. Keys that are not known are refused.',
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

/** Nothing is declared in it, so that every need tells its keys. */
const empty = {
  profileVersion: 1,
  implementation: '-',
  baseUrl: 'http://localhost',
  space: '-',
  identities: { editor: {} },
} as const;

function needRow(need: Need): readonly string[] {
  const [unmet] = unmetNeeds({ needs: [need] }, empty);
  const count = catalogue.all.filter((rule) => rule.needs.includes(need)).length;
  return [code(need), needs[need], unmet?.hint.replace(/^add /, '') ?? 'extensionHost', String(count)];
}
