/** Where two JSON values differ first. */
export interface Difference {
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
  if (!isRecord(left) || !isRecord(right)) return undefined;
  return membersOf(pair, left, right);
}

function itemsOf({ pointer }: Pair, left: readonly unknown[], right: readonly unknown[]): readonly Pair[] {
  const length = Math.max(left.length, right.length);
  return Array.from({ length }, (_item, index) => ({
    pointer: `${pointer}/${index}`,
    left: left[index],
    right: right[index],
  }));
}

function membersOf({ pointer }: Pair, left: Record<string, unknown>, right: Record<string, unknown>): readonly Pair[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.map((name) => ({
    pointer: `${pointer}/${escaped(name)}`,
    left: own(left, name),
    right: own(right, name),
  }));
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
