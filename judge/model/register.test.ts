import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  breachesOf,
  type BreachKind,
  makeTrueHistory,
  type RegisterHistory,
  type RegisterOperation,
} from './register.ts';

const histories = fc.record({
  operations: fc.integer({ min: 1, max: 80 }),
  processes: fc.integer({ min: 1, max: 6 }),
  random: fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
});

function historyFrom({
  operations,
  processes,
  random,
}: {
  readonly operations: number;
  readonly processes: number;
  readonly random: Iterator<number>;
}): RegisterHistory {
  return makeTrueHistory({ operations, processes, random: () => random.next().value ?? 0 });
}

const kindsIn = (history: RegisterHistory): readonly BreachKind[] => breachesOf(history).map(({ kind }) => kind);

/** Versions 1 to 4: one write after the other, 10 ms each, a read between any two. */
const plain: RegisterHistory = {
  start: { version: 1, value: 'a' },
  operations: [
    { kind: 'write', process: 0, stated: 1, result: 'accepted', version: 2, value: 'b', invokedAt: 0, respondedAt: 10 },
    { kind: 'read', process: 1, version: 2, value: 'b', invokedAt: 11, respondedAt: 15 },
    {
      kind: 'write',
      process: 2,
      stated: 2,
      result: 'accepted',
      version: 3,
      value: 'c',
      invokedAt: 20,
      respondedAt: 30,
    },
    { kind: 'write', process: 3, stated: 2, result: 'conflict', invokedAt: 22, respondedAt: 28 },
    { kind: 'read', process: 1, version: 3, value: 'c', invokedAt: 31, respondedAt: 35 },
    {
      kind: 'write',
      process: 0,
      stated: 3,
      result: 'accepted',
      version: 4,
      value: 'd',
      invokedAt: 40,
      respondedAt: 50,
    },
  ],
};

function withOperation(at: number, change: object): RegisterHistory {
  return {
    ...plain,
    operations: plain.operations.map((operation, index): RegisterOperation =>
      index === at ? Object.assign({}, operation, change) : operation,
    ),
  };
}

function plus(...operations: readonly RegisterOperation[]): RegisterHistory {
  return { ...plain, operations: [...plain.operations, ...operations] };
}

describe('breachesOf', () => {
  test('finds nothing in what one register answered, whatever the order in which it is told', () => {
    fc.assert(
      fc.property(histories, fc.integer(), (parts, seed) => {
        const history = historyFrom(parts);
        expect(breachesOf(history)).toEqual([]);
        const operations = history.operations.toSorted(
          (one, other) => ((one.invokedAt * seed) % 7) - ((other.invokedAt * seed) % 7),
        );
        expect(breachesOf({ ...history, operations })).toEqual([]);
      }),
    );
  });

  test('finds a read of a true history that is moved behind a later version', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (parts, pick) => {
        const history = historyFrom(parts);
        const last = Math.max(
          ...history.operations.map((operation) =>
            operation.kind === 'write' && operation.result === 'accepted' ? operation.stated + 1 : 1,
          ),
        );
        const old = history.operations.filter((operation) => operation.kind === 'read' && operation.version < last);
        fc.pre(old.length > 0);
        const moved = old[pick % old.length];
        const end = Math.max(...history.operations.map(({ respondedAt }) => respondedAt).filter(Number.isFinite));
        const operations = history.operations.map((operation) =>
          operation === moved ? { ...operation, invokedAt: end + 1, respondedAt: end + 2 } : operation,
        );
        expect(kindsIn({ ...history, operations })).toContain('stale-read');
      }),
    );
  });

  test.each<readonly [BreachKind, RegisterHistory]>([
    [
      'two-writers',
      plus({
        kind: 'write',
        process: 4,
        stated: 2,
        result: 'accepted',
        version: 3,
        value: 'x',
        invokedAt: 21,
        respondedAt: 29,
      }),
    ],
    ['missing-writer', { ...plain, operations: plain.operations.toSpliced(2, 1) }],
    ['wrong-answer', withOperation(2, { version: 4 })],
    ['unwritten-version', plus({ kind: 'read', process: 1, version: 9, invokedAt: 60, respondedAt: 61 })],
    ['unwritten-version', plus({ kind: 'read', process: 1, version: 0, invokedAt: 0, respondedAt: 1 })],
    [
      'unwritten-version',
      plus({ kind: 'write', process: 1, stated: 1e15, result: 'accepted', invokedAt: 60, respondedAt: 61 }),
    ],
    ['foreign-value', withOperation(4, { value: 'b' })],
    ['stale-read', withOperation(4, { version: 2, value: 'b' })],
    [
      'stale-read',
      plus(
        { kind: 'read', process: 5, version: 4, value: 'd', invokedAt: 41, respondedAt: 43 },
        { kind: 'read', process: 5, version: 3, value: 'c', invokedAt: 44, respondedAt: 46 },
      ),
    ],
    ['early-read', withOperation(1, { version: 3, value: 'c' })],
    ['disorder', withOperation(5, { invokedAt: 1, respondedAt: 5 })],
    ['needless-conflict', withOperation(3, { invokedAt: 51, respondedAt: 55, stated: 4 })],
    ['needless-conflict', withOperation(3, { invokedAt: 12, respondedAt: 18 })],
  ])('finds %s', (kind, history) => {
    expect(breachesOf(plain)).toEqual([]);
    expect(kindsIn(history)).toContain(kind);
  });

  test('a write without an answer may have happened or not', () => {
    const unanswered: RegisterOperation = {
      kind: 'write',
      process: 4,
      stated: 4,
      result: 'unknown',
      value: 'e',
      invokedAt: 60,
      respondedAt: Infinity,
    };
    expect(breachesOf(plus(unanswered))).toEqual([]);
    expect(
      breachesOf(
        plus(unanswered, { kind: 'read', process: 1, version: 5, value: 'e', invokedAt: 70, respondedAt: 71 }),
      ),
    ).toEqual([]);
    expect(
      kindsIn(plus(unanswered, { kind: 'read', process: 1, version: 5, value: 'f', invokedAt: 70, respondedAt: 71 })),
    ).toEqual(['foreign-value']);
    expect(
      kindsIn(plus(unanswered, { kind: 'read', process: 1, version: 5, value: 'e', invokedAt: 52, respondedAt: 53 })),
    ).toEqual(['early-read']);
  });

  test('a conflict may come of a version that is not there yet', () => {
    expect(
      breachesOf(plus({ kind: 'write', process: 4, stated: 4, result: 'conflict', invokedAt: 45, respondedAt: 60 })),
    ).toEqual([]);
    expect(
      breachesOf(plus({ kind: 'write', process: 4, stated: 7, result: 'conflict', invokedAt: 60, respondedAt: 61 })),
    ).toEqual([]);
  });
});
