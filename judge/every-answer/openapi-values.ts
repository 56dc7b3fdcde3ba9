import { type Arbitrary, boolean, constant, constantFrom, double, integer, oneof, record, string } from 'fast-check';
import { isObject } from '../json.ts';
import { dereference, isMarked, type Json } from './openapi.ts';

/** What a schema may ask for, and values made up here do not look at. */
const notUnderstood: readonly string[] = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
];

/**
 * Small values that the schema allows; undefined where it says more than this generator understands.
 * @param leftOut members of an object that are not made up
 */
export function arbitraryOf(
  document: Json,
  given: unknown,
  leftOut: readonly string[] = [],
): Arbitrary<unknown> | undefined {
  const schema = dereference(document, given);
  if (!isObject(schema) || notUnderstood.some((word) => word in schema)) return undefined;
  if (schema['const'] !== undefined) return constant(schema['const']);
  if (Array.isArray(schema['enum'])) return constantFrom(...schema['enum']);
  const type: unknown = Array.isArray(schema['type']) ? schema['type'].find((name) => name !== 'null') : schema['type'];
  if (type === 'object') return objectOf(document, schema, leftOut);
  return scalarOf(String(type), schema);
}

function scalarOf(type: string, schema: Json): Arbitrary<unknown> | undefined {
  const limit = (name: string, otherwise: number) => (typeof schema[name] === 'number' ? schema[name] : otherwise);
  if (type === 'string')
    return string({
      // a text that is blank, or of signs alone, may be none
      unit: constantFrom(...'abcdefghijklmnopqrstuvwxyz'),
      minLength: limit('minLength', 1),
      maxLength: Math.max(limit('minLength', 1), Math.min(20, limit('maxLength', 20))),
    });
  if (type === 'integer' || type === 'number') {
    // as a service may take them that says less than it asks for: not below zero, and not large, where that may be
    const least = limit('minimum', Math.min(0, limit('maximum', 0)));
    const min = least < 0 && limit('maximum', 0) >= 0 ? 0 : least;
    const max = Math.min(limit('maximum', Infinity), Math.max(1000, min));
    if (type === 'integer') return integer({ min, max });
    // a column may have room for two places
    const hundredths = { min: Math.ceil(min * 100), max: Math.floor(max * 100) };
    return hundredths.min <= hundredths.max
      ? integer(hundredths).map((hundredth) => hundredth / 100)
      : double({ min, max, noNaN: true });
  }
  return type === 'boolean' ? boolean() : undefined;
}

/** Required members always, and now and then all others that are understood, some of which may make sense together only; none that may have to lead to another object, or is the service's to tell. */
function objectOf(document: Json, schema: Json, leftOut: readonly string[]): Arbitrary<unknown> | undefined {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const isOwn = (name: string): boolean =>
    name.startsWith('$') || isMarked(dereference(document, properties[name]), 'readOnly');
  const required = (Array.isArray(schema['required']) ? schema['required'].map(String) : []).filter(
    (name) => !isOwn(name),
  );
  const members = Object.entries(properties)
    .filter(([name]) => !isOwn(name))
    .map(([name, inner]) => {
      const isMadeUp = !leftOut.includes(name) && !mayRefer(document, inner);
      return [name, isMadeUp ? arbitraryOf(document, inner) : undefined] as const;
    });
  const known = members.filter((member): member is [string, Arbitrary<unknown>] => member[1] !== undefined);
  const names = known.map(([name]) => name);
  if (!required.every((name) => names.includes(name))) return undefined;
  const ofNames = (wanted: (name: string) => boolean): Arbitrary<unknown> =>
    record(Object.fromEntries(known.filter(([name]) => wanted(name))));
  return oneof(
    ofNames((name) => required.includes(name)),
    ofNames(() => true),
  );
}

/**
 * Whether a member may be a reference: no schema says which objects there are, so that one made up is rightly refused. It is an entry with
 * `id` and `value`, names what it leads to, or is an object of which nothing is said.
 */
function mayRefer(document: Json, given: unknown): boolean {
  const schema = dereference(document, given);
  if (!isObject(schema) || schema['type'] !== 'object') return false;
  const names = Object.keys(isObject(schema['properties']) ? schema['properties'] : {});
  return (
    names.length === 0 ||
    names.some((name) => name === '$oid' || name === 'instanceRef') ||
    (names.includes('id') && names.includes('value'))
  );
}
