import { expect, test } from 'vitest';
import { catalogue } from '../suites/catalogue.ts';
import { scenario } from './case.ts';
import type { Outcome } from './outcome.ts';
import { runCase } from './case/run-case.ts';
import { sessionFor } from './run/session.fixture.ts';
import { smallProfile, smallService } from './small-service.fixture.ts';

const must = catalogue.get('reading.create.status-201');
const url = '/api/space/main/softtype/Document/1';

/** The verdict about a service that refuses every edit, and answers a create with that status. */
async function outcomeOf(operation: object, created: number): Promise<Outcome> {
  const { url: baseUrl } = await smallService(({ method }, response) => {
    response.writeHead(method === 'POST' ? created : 422).end();
  });
  const session = await sessionFor(smallProfile(baseUrl));
  const test = scenario(async ({ service, expect }) => {
    expect(await service.send({ method: 'PATCH', url, as: 'editor', body: [operation] })).toSucceed();
  });
  return runCase(must, test, { session, seed: 7, runs: 1, deadlineMs: 5000 });
}

const remove = { op: 'remove', path: '/note' };

test('a refused remove proves nothing of a service that takes objects without any member', async () => {
  // a violated rule below it is the better reason
  expect(await outcomeOf(remove, 201)).toMatchObject({ verdict: 'blocked', standsOn: [] });
});

test('a refused remove is a breach of a service that takes none such, and so is any other refused operation', async () => {
  expect(await outcomeOf(remove, 422)).toMatchObject({ verdict: 'fail' });
  expect(await outcomeOf({ op: 'replace', path: '/note', value: 'x' }, 201)).toMatchObject({ verdict: 'fail' });
});
