import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { storedStates } from '../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { breaks } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { catalogue } from '../catalogue.ts';

test('a move that one of two objects is refused by chance says nothing about the batch before it', async () => {
  // one in the attempt whose requests take detours, and one in that whose do not
  const refusesNow = breaks('versioning', 'assertVersion', (right) => {
    let count = 0;
    return (areas, call, object) => {
      const isSecond = call.url.includes('/promote/') && storedStates(object)['engineering']?.state === 'reviewed';
      if (isSecond) count += 1;
      if (!isSecond || ![1, 3].includes(count)) return right(areas, call, object);
      throw new Refusal(422, 'A validator of somebody else went meanwhile.');
    };
  });
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [refusesNow] }));
  await using open = openJudge(catalogue, { loaded: server.loaded, seed: 1, runs: 1 });
  const { outcome } = await open.judge('batch.rollback.promotion-undone', new AbortController().signal);
  expect(outcome).toMatchObject({
    verdict: 'blocked',
    reason: expect.stringContaining('a second promote') as unknown,
  });
});
