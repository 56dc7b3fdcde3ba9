import { expect, test } from 'vitest';
import { isFixedByValue } from './queries.ts';

const fixed = { id: 'failed', matching: { outcome: 'failed' }, other: { outcome: 'passed' } };
const blank = { id: 'by', groupId: 'criteria', criteriaPort: 'port', member: 'outcome', equals: true } as const;
const { equals: _equals, ...byAnyComparison } = blank;

test('a value makes the filter with a blank one the fixed filter', () => {
  expect(isFixedByValue({ fixed, withValue: blank })).toBe(true);
});

test.each([
  ['it looks at another member', { fixed, withValue: { ...blank, member: 'surveyor' } }],
  ['other entries have that value too', { fixed: { ...fixed, other: fixed.matching }, withValue: blank }],
  ['it may compare in any way', { fixed, withValue: byAnyComparison }],
  ['there is no fixed filter', { withValue: blank }],
  ['there is none at all', undefined],
])('but not where %s', (_why, filters) => {
  expect(isFixedByValue(filters)).toBe(false);
});
