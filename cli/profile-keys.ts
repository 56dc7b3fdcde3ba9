export interface SchemaRow {
  /** Dotted; `[]` stands for the elements of a list, `*` for any name. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Every key of an object schema, those of inner objects below their own. */
export function keysOf(schema: unknown, before = ''): readonly SchemaRow[] {
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
  if (properties !== undefined) return keysOf(schema, path);
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
  return Array.isArray(placeholders) && placeholders.length > 0
    ? `${told} Placeholders: ${placeholders.map((name) => `\`${String(name)}\``).join(', ')}.`
    : told;
}

/** Below so many keys it is shorter to show them than to say where they stand. */
const fewestReferred = 3;

/** The rows without those below a key that has the same ones below it as an earlier key, which it names instead. */
export function withoutRepeats(rows: readonly SchemaRow[]): readonly SchemaRow[] {
  const first = new Map<string, string>();
  const shown: SchemaRow[] = [];
  let repeated: string | undefined;
  for (const row of rows) {
    if (repeated !== undefined && isBelow(row.path, repeated)) continue;
    const below = rows.filter(({ path }) => isBelow(path, row.path));
    const shape = JSON.stringify(
      below.map((each) => ({ ...each, path: each.path.slice(row.path.length).replace(/^\[\]/, '') })),
    );
    const same = below.length < fewestReferred ? undefined : first.get(shape);
    if (same === undefined) first.set(shape, row.path);
    else repeated = row.path;
    const description = same === undefined ? row.description : `${row.description} Keys as of \`${same}\`.`.trim();
    shown.push({ ...row, description });
  }
  return shown;
}

/** Whether the key stands somewhere inside the other one, or inside its elements. */
export function isBelow(path: string, key: string): boolean {
  return path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
}

function objectIn(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
