import { isObject } from '../json.ts';

/** A placeholder of a template that nothing is known to replace. */
interface UnknownPlaceholder {
  readonly path: readonly (string | number)[];
  /** With its braces. */
  readonly found: string;
  readonly known: readonly string[];
}

type Path = UnknownPlaceholder['path'];

/** The first placeholder that its schema does not name, in the order of the content. */
export function unknownPlaceholder(schema: unknown, content: unknown): UnknownPlaceholder | undefined {
  return placeholdersUnder(schema, content, []).next().value;
}

function* placeholdersUnder(schema: unknown, content: unknown, path: Path): Generator<UnknownPlaceholder, undefined> {
  if (!isObject(schema) || content === undefined) return;
  const { placeholders, properties, items, anyOf } = schema;
  if (Array.isArray(placeholders)) {
    yield* unknownIn(content, path, placeholders.map(String));
    return;
  }
  if (Array.isArray(anyOf)) for (const each of anyOf) yield* placeholdersUnder(each, content, path);
  if (Array.isArray(content) && items !== undefined)
    for (const [index, item] of content.entries()) yield* placeholdersUnder(items, item, [...path, index]);
  if (isObject(content) && isObject(properties))
    for (const [name, value] of Object.entries(content))
      yield* placeholdersUnder(properties[name], value, [...path, name]);
}

function* unknownIn(content: unknown, path: Path, known: readonly string[]): Generator<UnknownPlaceholder, undefined> {
  if (typeof content === 'string') {
    for (const [found] of content.matchAll(patternFor(path, known)))
      if (!known.includes(found)) yield { path, found, known };
    return;
  }
  if (Array.isArray(content)) {
    const taken: string[] = [];
    for (const [index, item] of content.entries()) {
      yield* unknownIn(item, [...path, index], [...known, ...taken]);
      // what one request of several takes from its answer, those after it know
      if (isObject(item) && isObject(item['take']))
        taken.push(...Object.keys(item['take']).map((name) => `{{${name}}}`));
    }
    return;
  }
  if (isObject(content))
    for (const [name, value] of Object.entries(content)) yield* unknownIn(value, [...path, name], known);
}

/** In a path any braces mean a placeholder; in a body single ones are content. */
function patternFor(path: Path, known: readonly string[]): RegExp {
  const isPath = path.at(-1) === 'path' || known.every((name) => !name.startsWith('{{'));
  return isPath ? /\{+\w+\}+/g : /\{\{\w+\}\}/g;
}
