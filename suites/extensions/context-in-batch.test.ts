import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { replaces, together } from '../../variants/breaks.ts';
import { catalogue } from '../catalogue.ts';

/** A query shows such an id in other letters. */
const oddIds = replaces('editing', 'newOid', (right, areas) => `a+b, ${right(areas)}`);
const lostInBatches = replaces('batch', 'prepareOperation', (right, ...rest) => {
  const { route, call } = right(...rest);
  return { route, call: { ...call, query: new URLSearchParams() } };
});

test.each([
  ['pass', oddIds],
  ['fail', together(oddIds, lostInBatches)],
] as const)('a module that a batch does not tell is missed, however ids are spelled: %s', async (verdict, variant) => {
  await using server = await startReference({ faults: [variant] });
  await using open = openJudge(catalogue, { loaded: server.loaded, seed: 1, runs: 1 });
  const { outcome } = await open.judge('calls.validation.context-object', new AbortController().signal);
  expect(outcome?.verdict).toBe(verdict);
});
