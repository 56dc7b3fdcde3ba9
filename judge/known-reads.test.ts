import { expect, test } from 'vitest';
import { catalogue } from '../suites/catalogue.ts';
import { dataOf } from './service/answers.ts';
import { type CaseContext, scenario } from './case.ts';
import type { Outcome } from './outcome.ts';
import { runCase } from './case/run-case.ts';
import { sessionFor } from './run/session.fixture.ts';
import { type Handle, sendJson, smallProfile, smallService } from './small-service.fixture.ts';

const must = catalogue.get('reading.create.status-201');
const observe = catalogue.get('headers.limits.rate');

/** Shows an object everywhere until something is written, and nothing then. */
function forgetful(shown: () => object | undefined = () => undefined): Handle {
  let isThere = true;
  return (request, response) => {
    if (request.method !== 'GET') isThere = false;
    const later = shown();
    if (isThere || later !== undefined)
      return sendJson(isThere ? { data: { $oid: 'o' }, version: 1 } : later, response);
    response.writeHead(request.method === 'GET' ? 404 : 204).end();
  };
}

async function judged(
  run: (context: CaseContext) => Promise<unknown>,
  handle = forgetful(),
  rule = must,
): Promise<Outcome> {
  const service = await smallService(handle);
  const test = scenario(async (context) => {
    context.expect(1, 'one').toEqual(1);
    await run(context);
  });
  return runCase(rule, test, { session: sessionFor(smallProfile(service.url)), seed: 7, runs: 1, deadlineMs: 5000 });
}

const read = async ({ service }: CaseContext, filter?: object): Promise<unknown> =>
  dataOf(await service.get('/o', filter === undefined ? {} : { filter }));
const write = ({ service }: CaseContext, method = 'PATCH') => service.get('/o', { method, body: {} });

test('an object that is found no more after a write is a breach of the rule that reads it', async () => {
  const outcome = await judged(async (context) => {
    await read(context);
    await write(context);
    await read(context);
  });
  expect(outcome).toMatchObject({ verdict: 'fail', violation: { actual: 'status 404' } });
  expect(outcome.violation?.curl).toHaveLength(3);
});

test('so is one that is answered without its content', async () => {
  const emptied = forgetful(() => ({}));
  const outcome = await judged(async (context) => {
    await read(context);
    await write(context);
    await read(context);
  }, emptied);
  expect(outcome).toMatchObject({ verdict: 'fail', violation: { actual: 'an answer without it' } });
});

test('so is one that goes although its DELETE was refused, and none of one whose DELETE found nothing', async () => {
  const goes = (status: number): Handle => {
    let isThere = true;
    return (request, response) => {
      if (request.method === 'GET' && isThere) return sendJson({ data: { $oid: 'o' }, version: 1 }, response);
      if (request.method === 'DELETE') isThere = false;
      response.writeHead(request.method === 'GET' ? 404 : status).end();
    };
  };
  const verdicts = [401, 409, 404].map(async (status) => {
    const { verdict } = await judged(async (context) => {
      await read(context);
      await write(context, 'DELETE');
      await read(context);
    }, goes(status));
    return verdict;
  });
  expect(await Promise.all(verdicts)).toEqual(['fail', 'fail', 'blocked']);
});

test('what was never read so, what was deleted, and what a rule only records is none', async () => {
  const unread = judged(async (context) => {
    await write(context);
    await read(context);
  });
  const otherwise = judged(async (context) => {
    await read(context, { time: 'now' });
    await write(context);
    await read(context);
  });
  const deleted = judged(async (context) => {
    await read(context);
    await write(context, 'DELETE');
    await read(context);
  });
  const deletedInBatch = judged(async (context) => {
    await read(context);
    await context.service.batch([{ method: 'DELETE', href: '/o' }]);
    await read(context);
  });
  const recorded = judged(
    async (context) => {
      await read(context);
      await write(context);
      await read(context);
    },
    forgetful(),
    observe,
  );
  for (const outcome of await Promise.all([unread, otherwise, deleted, deletedInBatch, recorded]))
    expect(outcome.verdict).toBe('blocked');
});
