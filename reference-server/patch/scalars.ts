import { isRfc3339 } from '../clock/iso-time.ts';
import type { Scalar } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Content } from '../store/store.ts';

const scalarTests: Readonly<Record<Scalar, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
};

/** Whether a JSON value is an object. */
export function isContent(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty array counts as no value: nothing distinguishes it from an absent one. */
export function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/** @throws {Refusal} 422 for any other type, null included */
export function readScalar(of: Scalar, value: unknown, at: string): unknown {
  if (scalarTests[of](value)) return value;
  throw new Refusal(422, `A value of type ${of} is expected; found ${found(value)}.`, { pointer: at });
}

/** @throws {Refusal} 422 unless the value is an RFC 3339 time */
export function readTime(value: unknown, at: string): string {
  if (isRfc3339(value)) return value;
  throw new Refusal(422, `An RFC 3339 time is expected; found ${found(value)}.`, { pointer: at });
}

/** @throws {Refusal} 422 unless the value is a JSON object */
export function contentAt(value: unknown, at: string): Content {
  if (isContent(value)) return value;
  throw new Refusal(422, `An object is expected; found ${found(value)}.`, { pointer: at });
}

/** @throws {Refusal} 422 unless the value is an array */
export function arrayAt(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Refusal(422, `An array is expected; found ${found(value)}.`, { pointer: at });
}

/** A JSON value in words, for a problem document. */
export function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
