/** A key of a schema. */
export interface SchemaRow {
  /** Dotted; `[]` stands for the elements of a list, `*` for any name. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Every key of an object schema, those of inner objects below their own. */
export function rowsOf(schema: unknown, before = ''): readonly SchemaRow[] {
  const { properties, required } = objectIn(schema);
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return Object.entries(objectIn(properties)).flatMap(([name, inner]) => {
    const path = before === '' ? name : `${before}.${name}`;
    const row = { path, type: typeOf(inner), required: needed.has(name), description: descriptionOf(inner) };
    return [row, ...innerRows(inner, path)];
  });
}

function innerRows(schema: unknown, path: string): readonly SchemaRow[] {
  const { items, properties } = objectIn(schema);
  if (properties !== undefined) return rowsOf(schema, path);
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
  const { description, items } = objectIn(schema);
  return typeof description === 'string' ? description : String(objectIn(items)['description'] ?? '');
}

function objectIn(value: unknown): Json {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
