import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { countsOf, controlKills, faultRow, type KillMatrix } from '../../cli/kill-matrix/matrix.ts';
import { outcomeWith } from '../../reports/run.fixture.ts';
import { killMatrixSchema } from './kill-matrix.ts';

const isKillMatrix = new Ajv({ allErrors: true }).compile(killMatrixSchema);
const fault = 'paging.page-one.holds-the-rest';
const faults = [
  faultRow(fault, {
    outcomes: [
      outcomeWith(fault, 'fail', { violation: { expected: '8', actual: '10', curl: [] } }),
      outcomeWith('caching.etag.present', 'fail'),
    ],
    published: ['caching.match.still-needs-access'],
  }),
];
const matrix: KillMatrix = {
  schemaVersion: 1,
  kind: 'kill-matrix',
  mode: 'all',
  seed: -7,
  runs: 20,
  durationMs: 1234,
  faults,
  counts: countsOf(faults),
  control: {
    cases: 2,
    killedBy: controlKills([
      outcomeWith(fault, 'broken', { reason: 'no token' }),
      outcomeWith('caching.etag.present', 'pass'),
    ]),
  },
};

test('the schema describes a matrix and nothing else', () => {
  isKillMatrix(matrix);
  expect(isKillMatrix.errors).toBeNull();
  expect(isKillMatrix({ ...matrix, mode: 'some' })).toBe(false);
  expect(isKillMatrix({ ...matrix, faults: [{ ...faults[0], verdict: 'dead' }] })).toBe(false);
});
