import { expect, test } from 'vitest';
import { momentIn } from './moments.ts';

const day = Date.parse('2019-03-04T00:00:00Z');

test.each([
  '2019-03-04T00:00:00Z',
  '2019-03-04T01:00:00.000+01:00',
  '2019-03-04T00:00:00.000+0000',
  '2019-03-04T01:00+01:00[Europe/Berlin]',
  '2019-03-04T00:00Z[UTC]',
  '20190304T000000Z',
  '2019-03-04',
  '2019-03-04T00:00',
  '2019-03-04T00:00:00',
  '2019-03-04 00:00:00.0',
  '2019-03-03T19:00:00',
  'Mon, 04 Mar 2019 00:00:00 GMT',
  day,
  day / 1000,
  [2019, 3, 4, 0, 0],
  [2019, 3, 4],
  [2019, 3, 4, 5, 30, 0],
])('%j shows the day', (seen) => {
  expect(momentIn(seen, day)).toBe(day);
});

test.each([
  '2019-03-05T00:00:00Z',
  '2019-03-03T00:00:00',
  '2019-03-04T00:00:01',
  '2019-03-04T00:00:00+01:00',
  '2019-03-05',
  '20190304T000001Z',
  day + 1000,
  day / 1000 + 1,
  [2019, 3, 5],
  [2019, 3, 4, 0, 0, 1],
  [2019, 4, 4, 0, 0],
])('%j shows another time', (seen) => {
  const moment = momentIn(seen, day);
  expect(moment).toBeTypeOf('number');
  expect(moment).not.toBe(day);
});

test.each([undefined, null, true, 'some day', '', [], ['a', 'b', 'c'], {}])('%j is no date', (seen) => {
  expect(momentIn(seen, day)).toBeUndefined();
});
