import type { Json } from '../openapi/document.ts';
import { isPlainText, membersOf, requiredOf, shapeOf, typeOf } from './shape.ts';

/** Deepest body that is made up. */
const mostLevels = 5;
/** Longest list that is made up, at the top and inside other values. */
const mostItems = { top: 20, inside: 2 };

/** The smallest value of an object schema: its required members alone. Plain texts are made of the label and {{unique}}. */
export function smallestBody(document: Json, shape: Json, label: string, level = 0): Readonly<Record<string, unknown>> {
  const members = membersOf(document, shape);
  return Object.fromEntries(
    requiredOf(shape).map((name) => [name, valueFor(document, members.get(name) ?? {}, label, level)]),
  );
}

function valueFor(document: Json, given: Json, label: string, level: number): unknown {
  const shape = shapeOf(document, given);
  if (shape['const'] !== undefined) return shape['const'];
  if (Array.isArray(shape['enum'])) return shape['enum'][0];
  if (shape['default'] !== undefined) return shape['default'];
  if (level >= mostLevels) return null;
  switch (typeOf(shape)) {
    case 'string':
      return textFor(shape, label);
    case 'integer':
      return typeof shape['minimum'] === 'number' ? Math.ceil(shape['minimum']) : 1;
    case 'number':
      return typeof shape['minimum'] === 'number' ? shape['minimum'] : 1;
    case 'boolean':
      return false;
    case 'array':
      return listFor(document, shape, label, level);
    case 'object':
      return smallestBody(document, shape, label, level + 1);
    default:
      return `${label} {{unique}}`;
  }
}

function listFor(document: Json, shape: Json, label: string, level: number): readonly unknown[] {
  const least = typeof shape['minItems'] === 'number' ? shape['minItems'] : 0;
  const most = level === 0 ? mostItems.top : mostItems.inside;
  return Array.from({ length: Math.min(least, most) }, () =>
    valueFor(document, shapeOf(document, shape['items']), label, level + 1),
  );
}

const ofFormat: Readonly<Record<string, string>> = {
  date: '2030-01-01',
  'date-time': '2030-01-01T00:00:00Z',
  email: 'nobody@example.com',
  uri: 'https://example.com/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function textFor(shape: Json, label: string): string {
  if (isPlainText(shape)) return `${label} {{unique}}`;
  const least = typeof shape['minLength'] === 'number' ? shape['minLength'] : 1;
  return ofFormat[String(shape['format'])] ?? 'x'.repeat(Math.max(1, Math.min(least, 1000)));
}
