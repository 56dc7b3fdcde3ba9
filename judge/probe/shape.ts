import { isObject } from '../answer.ts';
import { dereferenced, type Json } from '../openapi/document.ts';

const longestUniqueText = 40;
/** So many alternatives inside each other are followed. */
const mostSteps = 10;

/** The schema behind references and behind an alternative of null; an empty one where it says several things at once. */
export function shapeOf(document: Json, schema: unknown, step = 0): Json {
  const found = dereferenced(document, schema);
  if (!isObject(found) || step > mostSteps) return {};
  const alternatives = found['anyOf'] ?? found['oneOf'];
  if (!Array.isArray(alternatives)) return found;
  const others = alternatives
    .map((each) => dereferenced(document, each))
    .filter((each) => isObject(each) && each['type'] !== 'null');
  return others.length === 1 ? shapeOf(document, others[0], step + 1) : {};
}

/** The type that is no null; a text that is none where the schema does not say. */
export function typeOf(shape: Json): string {
  const { type } = shape;
  const names: readonly unknown[] = Array.isArray(type) ? type.filter((name) => name !== 'null') : [type];
  return names.length === 1 ? String(names[0]) : 'several';
}

/** Members of an object schema, without those of the system. */
export function membersOf(document: Json, shape: Json): ReadonlyMap<string, Json> {
  const properties = isObject(shape['properties']) ? shape['properties'] : {};
  const own = Object.entries(properties).filter(([name, schema]) => !name.startsWith('$') && isObject(schema));
  return new Map(own.map(([name, schema]) => [name, shapeOf(document, schema)]));
}

export function requiredOf(shape: Json): readonly string[] {
  const names: readonly unknown[] = Array.isArray(shape['required']) ? shape['required'] : [];
  return names.map(String).filter((name) => !name.startsWith('$'));
}

/** Whether any text will do, as long as those that the suite makes. */
export function isPlainText(shape: Json | undefined): boolean {
  if (shape === undefined || typeOf(shape) !== 'string') return false;
  if (['enum', 'const', 'format', 'pattern'].some((word) => word in shape)) return false;
  return typeof shape['maxLength'] !== 'number' || shape['maxLength'] >= longestUniqueText;
}

/** Shape of the entries of an array, or undefined where it is none. */
export function entryOf(document: Json, shape: Json): Json | undefined {
  return typeOf(shape) === 'array' ? shapeOf(document, shape['items']) : undefined;
}
