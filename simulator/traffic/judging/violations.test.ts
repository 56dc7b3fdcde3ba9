import { expect, test } from 'vitest';
import { madeUp } from './made-up.fixture.ts';
import { sumSeconds, Violations } from './violations.ts';

test('each time that a rule was broken counts in its second of the load, whichever rule it was', () => {
  const violations = new Violations(1000);
  const at = (endedAt: number) => madeUp({ endedAt });
  violations.complain('caching.changed.status-200', 'x', 'y', at(1500));
  violations.complain('caching.changed.status-200', 'x', 'y', at(3999), 4000);
  violations.complain('paging.link.total-number', 'x', 'y', at(4100));
  violations.complain('paging.link.total-number', 'x', 'y', at(900));
  const found = violations.all();
  expect(found.map(({ count, bySecond }) => [count, [...bySecond]])).toEqual([
    [
      2,
      [
        [0, 1],
        [3, 1],
      ],
    ],
    [
      2,
      [
        [3, 1],
        [0, 1],
      ],
    ],
  ]);
  expect(sumSeconds(found)).toEqual(
    new Map([
      [0, 2],
      [3, 2],
    ]),
  );
});
