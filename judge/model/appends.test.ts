import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Append, appendBreaches, type AppendHistory, type Look } from './appends.ts';

const objects = ['x', 'y', 'z'] as const;

/** Whether any order of the batches explains the history: every one is tried. */
function isExplained({ appends, looks, final }: AppendHistory): boolean {
  const certain = appends.filter(({ result }) => result === 'accepted');
  const open = appends.filter(({ result }) => result === 'unknown');
  return subsetsOf(open).some((some) => ordersOf([...certain, ...some]).some((order) => explains(order)));

  function explains(order: readonly Append[]): boolean {
    if (order.some((one, index) => order.slice(index + 1).some((later) => later.respondedAt < one.invokedAt)))
      return false;
    const states = [0, ...order.map((_, index) => index + 1)].map((count) => stateAfter(order.slice(0, count)));
    const last = states.at(-1) ?? {};
    if (Object.keys(final).some((object) => !isSame(final[object] ?? [], last[object] ?? []))) return false;
    // each read is given the earliest moment that fits, those that ended earlier first
    const sorted = looks.toSorted((one, other) => one.respondedAt - other.respondedAt);
    const moments = new Map<Look, number>();
    for (const look of sorted) {
      const earliest = Math.max(
        0,
        ...sorted.filter((other) => other.respondedAt < look.invokedAt).map((other) => moments.get(other) ?? 0),
        ...order.map((append, index) => (append.respondedAt < look.invokedAt ? index + 1 : 0)),
      );
      const latest = Math.min(
        order.length,
        ...order.map((append, index) => (look.respondedAt < append.invokedAt ? index : order.length)),
      );
      const moment = states.findIndex(
        (state, at) => at >= earliest && at <= latest && isSame(state[look.object] ?? [], look.marks),
      );
      if (moment === -1) return false;
      moments.set(look, moment);
    }
    return true;
  }
}

function stateAfter(order: readonly Append[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    objects.map((object) => [object, order.filter((one) => one.objects.includes(object)).map(({ mark }) => mark)]),
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((mark, index) => other[index] === mark);
}

function subsetsOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  return items.reduce<readonly (readonly T[])[]>((all, item) => [...all, ...all.map((some) => [...some, item])], [[]]);
}

function ordersOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => ordersOf(items.toSpliced(index, 1)).map((order) => [item, ...order]));
}

/** A history as a right service makes it, bent in a few places or in none. */
const histories: fc.Arbitrary<AppendHistory> = fc
  .record({
    batches: fc.array(
      fc.record({
        on: fc.subarray([...objects], { minLength: 1 }),
        at: fc.integer({ min: 0, max: 20 }),
        before: fc.integer({ min: 0, max: 6 }),
        after: fc.integer({ min: 1, max: 6 }),
        result: fc.constantFrom('accepted', 'accepted', 'accepted', 'refused', 'unknown', 'lost'),
      }),
      { maxLength: 5 },
    ),
    reads: fc.array(
      fc.record({
        object: fc.constantFrom(...objects),
        at: fc.integer({ min: 0, max: 26 }),
        width: fc.integer({ min: 0, max: 3 }),
        short: fc.constantFrom(0, 0, 0, 0, 1),
      }),
      { maxLength: 4 },
    ),
    bend: fc.constantFrom('none', 'none', 'swap', 'drop', 'double', 'half'),
    place: fc.nat({ max: 4 }),
  })
  .map(({ batches, reads, bend, place }) => {
    const placed = batches.map((batch, index) => ({ ...batch, mark: `m${index}` })).toSorted((a, b) => a.at - b.at);
    const happened = placed.filter(({ result }) => result === 'accepted' || result === 'unknown');
    const stateAt = (time: number, object: string) =>
      happened.filter((one) => one.on.includes(object as 'x') && one.at <= time).map(({ mark }) => mark);
    const final: Record<string, readonly string[]> = Object.fromEntries(
      objects.map((object) => [object, stateAt(Infinity, object)]),
    );
    const { x = [], y = [] } = final;
    if (bend === 'swap') final['x'] = x.toReversed();
    if (bend === 'drop') final['y'] = y.slice(1);
    if (bend === 'double') final['x'] = [...x, ...x.slice(place, place + 1)];
    if (bend === 'half') final['z'] = [...(final['z'] ?? []), `m${place}`];
    const looks = reads.map(({ object, at, width, short }): Look => {
      const marks = stateAt(at, object);
      return { object, invokedAt: at - width, respondedAt: at + width, marks: marks.slice(0, marks.length - short) };
    });
    const appends = placed.map(({ mark, on, at, before, after, result }): Append => ({
      mark,
      objects: on,
      invokedAt: at - before,
      respondedAt: result === 'accepted' || result === 'refused' ? at + after : Infinity,
      result: result === 'lost' ? 'unknown' : result,
    }));
    return { appends, looks, final };
  });

describe('appends of batches', () => {
  test('the checker and a trial of every order agree', () => {
    let explained = 0;
    fc.assert(
      fc.property(histories, (history) => {
        const isRight = isExplained(history);
        explained += isRight ? 1 : 0;
        expect(appendBreaches(history).length === 0).toBe(isRight);
      }),
      { numRuns: 10_000 },
    );
    expect(explained).toBeGreaterThan(1000);
    expect(explained).toBeLessThan(9000);
  });

  test('says what is wrong', () => {
    const span = { invokedAt: 0, respondedAt: 1 };
    const append: Append = { ...span, mark: 'a', objects: ['x', 'y'], result: 'accepted' };
    expect(appendBreaches({ appends: [append], looks: [], final: { x: ['a'], y: [] } })).toEqual([
      'y holds "a" of a batch that was accepted 0 times',
    ]);
  });
});
