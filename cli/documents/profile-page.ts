import { code, table } from './markdown.ts';
import { type Need, needs } from '../../contract/needs.ts';
import { profileSchema } from '../../contract/profile.ts';
import { keysFor } from '../../judge/needs.ts';
import { catalogue } from '../../suites/catalogue.ts';

/** A key of a schema. */
interface SchemaRow {
  /** Dotted; `[]` stands for the elements of a list, `*` for any name. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

type Json = Readonly<Record<string, unknown>>;

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

/** Every key of a profile and every need, as a page. */
export function profilePage(): string {
  const byKey = Map.groupBy(rowsOf(profileSchema), ({ path }) => path.split('.')[0]?.replace('[]', '') ?? '');
  return (
    [
      '# Profile of a deployment',
      'A profile is a YAML file that says where a deployment is, who may act on it, and what it does where the two documents leave a choice. `svc-conformance init` writes a first one, `svc-conformance doctor` tries one out. Its schema for editors is [profile.schema.json](profile.schema.json).',
      'A text `${NAME}` stands for the environment variable of that name. Keys that are not known are refused.',
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

/** Every key of an object schema, those of inner objects below their own. */
function rowsOf(schema: unknown, before = ''): readonly SchemaRow[] {
  const { properties, required } = objectIn(schema);
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return Object.entries(objectIn(properties)).flatMap(([name, inner]) => {
    const path = before === '' ? name : `${before}.${name}`;
    const row = { path, type: typeOf(inner), required: needed.has(name), description: descriptionOf(inner) };
    return [row, ...innerRows(inner, path)];
  });
}

function innerRows(schema: unknown, path: string): readonly SchemaRow[] {
  const { items, properties, anyOf } = objectIn(schema);
  if (properties !== undefined) return rowsOf(schema, path);
  if (Array.isArray(anyOf))
    return innerRows(
      anyOf.find((each) => objectIn(each)['properties'] !== undefined),
      path,
    );
  return items === undefined ? [] : innerRows(items, `${path}[]`);
}

function typeOf(schema: unknown): string {
  const { type, anyOf, items, properties, patternProperties, const: constant } = objectIn(schema);
  if (constant !== undefined) return `\`${String(constant)}\``;
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (type === 'object')
    return properties === undefined && patternProperties !== undefined ? 'mapping of any names' : 'mapping';
  return type === undefined ? 'any value' : String(type);
}

function descriptionOf(schema: unknown): string {
  const { description, items, placeholders } = objectIn(schema);
  const told = typeof description === 'string' ? description : String(objectIn(items)['description'] ?? '');
  return Array.isArray(placeholders) ? `${told} Placeholders: ${placeholders.map(String).map(code).join(', ')}.` : told;
}

function objectIn(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
