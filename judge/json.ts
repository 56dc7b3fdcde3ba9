import { pointerThrough } from '../contract/names.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON object, and no array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function memberIn(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The same where it is a text that says something. */
export function textIn(value: unknown, name: string): string | undefined {
  const text = memberIn(value, name);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** The objects of an array; none where it is no array. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The value of a JSON text, or undefined where it is none. An integer that a number does not hold to its last digit, such as an id of 64 bits, is its digits as text. */
export function jsonOf(text: string): unknown {
  try {
    return mayBeInexact(text) ? JSON.parse(text, exact) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Most long integers are the limits of a schema, which numbers hold: to look at every value of such a text takes ten times as long. */
function mayBeInexact(text: string): boolean {
  return text.match(/\d{16,}/g)?.some((digits) => String(Number(digits)) !== digits) === true;
}

function exact(_name: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  // longer ones are numbers in full rather than ids
  const mayBeId = typeof value === 'number' && /^-?\d{16,20}$/.test(source);
  // of several integers that are the same number one at most is written as it is
  return mayBeId && String(value) !== source ? source : value;
}

/** The members of these objects together, and no inherited ones, so that there is a `constructor` where the wire shows one. */
export function ownMembers(...objects: readonly JsonObject[]): Record<string, unknown> {
  return Object.assign(Object.create(null), ...objects);
}

/** The same value with another text in the place of each; names of members stay. */
export function withTexts<T>(value: T, change: (text: string) => string): T {
  return changed(value, change) as T;
}

function changed(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => changed(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, changed(member, change)]));
}

/** A JSON Pointer (RFC 6901) through these segments. */
export function pointer(...segments: readonly (string | number)[]): string {
  return pointerThrough(segments);
}

/** The value that a JSON Pointer leads to, through arrays as well; undefined where it leads nowhere. */
export function valueAt(value: unknown, path: string): unknown {
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return segments.reduce<unknown>(
    (place, segment) =>
      typeof place === 'object' && place !== null && Object.hasOwn(place, segment)
        ? Reflect.get(place, segment)
        : undefined,
    value,
  );
}

/** Where two JSON values differ first. */
interface Difference {
  /** JSON Pointer to the place, empty for the values as a whole. */
  readonly pointer: string;
  readonly left: unknown;
  readonly right: unknown;
}

interface Pair {
  readonly pointer: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** Whether two JSON values are equal; the order of members does not matter, that of items does. */
export function deeplyEqual(left: unknown, right: unknown): boolean {
  return firstDifference(left, right) === undefined;
}

/** The expected ones as they are seen, where they are the same in another order. */
export function orderedAs<T>(seen: readonly T[], expected: readonly T[]): readonly T[] {
  const left = [...expected];
  for (const one of seen) {
    const at = left.findIndex((other) => deeplyEqual(one, other));
    if (at === -1) return expected;
    left.splice(at, 1);
  }
  return left.length === 0 ? seen : expected;
}

/** The first place where two JSON values differ. Needs no stack: values from the wire may be nested without limit. */
export function firstDifference(left: unknown, right: unknown): Difference | undefined {
  const open: Pair[] = [{ pointer: '', left, right }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const parts = partsOf(pair);
    if (parts === undefined) return pair;
    for (const part of parts.toReversed()) open.push(part);
  }
  return undefined;
}

/** What is left to compare inside a pair; undefined when it differs. */
function partsOf(pair: Pair): readonly Pair[] | undefined {
  const { left, right } = pair;
  if (left === right || (Number.isNaN(left) && Number.isNaN(right))) return [];
  if (Array.isArray(left) && Array.isArray(right)) return itemsOf(pair, left, right);
  if (!isObject(left) || !isObject(right)) return undefined;
  return membersOf(pair, left, right);
}

function itemsOf(pair: Pair, left: readonly unknown[], right: readonly unknown[]): readonly Pair[] {
  const length = Math.max(left.length, right.length);
  return Array.from({ length }, (_item, index) => ({
    pointer: pair.pointer + pointer(index),
    left: left[index],
    right: right[index],
  }));
}

function membersOf(pair: Pair, left: JsonObject, right: JsonObject): readonly Pair[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.map((name) => ({
    pointer: pair.pointer + pointer(name),
    left: own(left, name),
    right: own(right, name),
  }));
}

function own(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
