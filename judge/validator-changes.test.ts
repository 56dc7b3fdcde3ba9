import { AsyncResource } from 'node:async_hooks';
import { catalogue } from '../suites/catalogue.ts';
import { describe, expect as assert, test, vi } from 'vitest';
import { scenario } from './case.ts';
import type { Case } from './rule.ts';
import { runCase } from './case/run-case.ts';
import type { Session } from './run/session.ts';
import { sessionFor } from './run/session.fixture.ts';
import type { Reply } from './exchange.ts';
import { smallProfile, smallService, type Handle } from './small-service.fixture.ts';
import { PreconditionFailed, Violation } from './violation.ts';
import { Waits } from './case/waits.ts';

const must = catalogue.get('reading.create.status-201');

async function sessionOn(handle: Handle): Promise<Session> {
  return sessionFor(smallProfile((await smallService(handle)).url));
}

const judge = (session: Session, test: Case, waits = new Waits()) =>
  runCase(must, test, { session, seed: 7, runs: 20, deadlineMs: 5000, waits });

describe('a validation extension that comes or goes', () => {
  const refused = (request: { url: string }, response: Parameters<Handle>[1]) =>
    void response.writeHead(request.url === '/first' ? 424 : 200).end();
  /** One that validates was removed, and the answer came. */
  const left = async (
    validatorChanges: Session['validatorChanges'],
    exchange?: { sentAt: number; durationMs: number },
  ) => {
    const hostUri = 'http://one.example';
    validatorChanges.watch(hostUri);
    await validatorChanges.through(hostUri, async () => exchange && { exchange });
  };
  const promoting = (around: (session: Session) => Promise<void>, session: Session) => {
    let attempts = 0;
    return scenario(async ({ service, expect }) => {
      attempts += 1;
      const reply = await service.get(attempts === 1 ? '/first' : '/second');
      if (attempts === 1) await around(session);
      expect(reply).toSucceed();
    });
  };

  test('while a request of another case is refused has it run once more', async () => {
    const session = await sessionOn(refused);
    const test = promoting(
      ({ validatorChanges }) => left(validatorChanges, { sentAt: 0, durationMs: Infinity }),
      session,
    );
    assert(await judge(session, test)).toMatchObject({ verdict: 'pass', retries: [assert.stringContaining('424')] });
  });

  test('and so does one whose removal got no answer', async () => {
    const session = await sessionOn(refused);
    session.validatorChanges.watch('http://one.example');
    let attempts = 0;
    const test = scenario(async ({ service, expect }) => {
      attempts += 1;
      const removed = Promise.withResolvers<undefined>();
      const removal = session.validatorChanges.through('http://one.example', () => removed.promise);
      const reply = await service.get(attempts === 1 ? '/first' : '/second');
      removed.reject(new Error('the connection was lost'));
      await removal.catch(() => undefined);
      expect(reply).toSucceed();
    });
    assert(await judge(session, test)).toMatchObject({ verdict: 'pass', retries: [assert.stringContaining('424')] });
  });

  test('and so does one whose removal is still under way then', async () => {
    const session = await sessionOn(refused);
    session.validatorChanges.watch('http://one.example');
    const removed = Promise.withResolvers<undefined>();
    let attempts = 0;
    const test = scenario(async ({ service, expect }) => {
      attempts += 1;
      if (attempts === 1) void session.validatorChanges.through('http://one.example', () => removed.promise);
      else removed.resolve(undefined);
      expect(await service.get(attempts === 1 ? '/first' : '/second')).toSucceed();
    });
    assert(await judge(session, test)).toMatchObject({ verdict: 'pass', retries: [assert.stringContaining('424')] });
  });

  test('or one that comes', async () => {
    const registered = Promise.withResolvers<void>();
    const session = await sessionOn(async (request, response) => {
      if (request.method === 'POST') registered.resolve();
      if (request.url === '/first') await registered.promise;
      response.writeHead(request.url === '/first' ? 424 : 200).end();
    });
    const hostUri = 'http://one.example';
    session.validatorChanges.watch(hostUri);
    let attempts = 0;
    const test = scenario(async ({ service, registrations, expect }) => {
      attempts += 1;
      const comes = attempts === 1 ? registrations.post('svcExtension', { hostUri }, { as: 'editor' }) : undefined;
      const [reply] = await Promise.all([service.get(attempts === 1 ? '/first' : '/second'), comes]);
      expect(reply).toSucceed();
    });
    assert(await judge(session, test)).toMatchObject({
      verdict: 'pass',
      retries: [assert.stringContaining('came or')],
    });
  });

  const missing = ({ exchange }: Reply, isOutOfTime = false): Violation => {
    const { method, url, headers } = exchange.request;
    return new Violation('a validation call', 'none', undefined, {
      claim: { about: 'calls', is: 'missing', by: 9, among: [] },
      history: [{ request: { method, url, headers }, exchange }],
      isOutOfTime,
    });
  };
  test.each<[told: string, inVain: (reply: Reply) => Error, attempts: number]>([
    ['with the answer', (reply) => new PreconditionFailed('a validation call', reply), 1],
    ['without it', () => new PreconditionFailed('a validation call'), 1],
    ['as a violation', (reply) => missing(reply), 1],
    ['as a violation out of time, twice', (reply) => missing(reply, true), 2],
  ])(
    'while another one waits for its call in vain, told %s, has that case run once more',
    async (_told, inVain, most) => {
      const session = await sessionOn(refused);
      let attempts = 0;
      const test = scenario(async ({ service, expect }) => {
        attempts += 1;
        const reply = await service.get(attempts <= most ? '/first' : '/second');
        if (attempts <= most) {
          await left(session.validatorChanges, { sentAt: 0, durationMs: Infinity });
          throw inVain(reply);
        }
        expect(reply).toSucceed();
      });
      assert(await judge(session, test)).toMatchObject({
        verdict: 'pass',
        retries: Array(most).fill(assert.stringContaining('424')),
      });
    },
  );

  test('waits while such a case runs once more, but for those of the case itself', async () => {
    const session = await sessionOn(refused);
    const { validatorChanges } = session;
    const seen: string[] = [];
    const others: Promise<void>[] = [];
    const goes = (whose: string): Promise<void> => {
      seen.push(`${whose} wants to go`);
      return left(validatorChanges).then(() => void seen.push(`${whose} went`));
    };
    let attempts = 0;
    const outside = new AsyncResource('another case');
    const test = scenario(async ({ service, expect }) => {
      attempts += 1;
      const reply = await service.get(attempts === 1 ? '/first' : '/second');
      if (attempts === 1) await left(validatorChanges, { sentAt: 0, durationMs: Infinity });
      else {
        others.push(outside.runInAsyncScope(() => goes('of another')));
        await goes('of its own');
      }
      expect(reply).toSucceed();
    });
    assert((await judge(session, test)).verdict).toBe('pass');
    await Promise.all(others);
    assert(seen).toEqual(['of another wants to go', 'of its own wants to go', 'of its own went', 'of another went']);
  });

  test('has the rule blocked where the case has no time to run once more', async () => {
    const session = await sessionOn(refused);
    const waits = new Waits();
    const test = promoting(({ validatorChanges }) => {
      vi.spyOn(waits, 'heldBackMs', 'get').mockReturnValue(-60_000);
      return left(validatorChanges, { sentAt: 0, durationMs: Infinity });
    }, session);
    assert(await judge(session, test, waits)).toMatchObject({
      verdict: 'blocked',
      reason: assert.stringContaining('raise limits.caseSeconds'),
    });
  });

  test('each time the case runs blocks the rule', async () => {
    const session = await sessionOn((_request, response) => void response.writeHead(424).end());
    const test = scenario(async ({ service, expect }) => {
      const reply = await service.get('/first');
      await left(session.validatorChanges, { sentAt: 0, durationMs: Infinity });
      expect(reply).toSucceed();
    });
    assert(await judge(session, test)).toMatchObject({
      verdict: 'blocked',
      reason: assert.stringContaining('went while 424 was answered, each time the case ran'),
    });
  });

  test('excuses no call that is missing behind an answer which was no refusal', async () => {
    const session = await sessionOn(refused);
    const test = scenario(async ({ service }) => {
      await service.get('/first');
      await left(session.validatorChanges, { sentAt: 0, durationMs: Infinity });
      throw missing(await service.get('/second'));
    });
    assert((await judge(session, test)).verdict).toBe('fail');
  });

  test('excuses nothing where it was one that the service does not ask', async () => {
    const session = await sessionOn(refused);
    const test = promoting(async ({ validatorChanges }) => {
      await validatorChanges.through('http://one.example', async () => ({
        exchange: { sentAt: 0, durationMs: Infinity },
      }));
    }, session);
    assert((await judge(session, test)).verdict).toBe('fail');
  });

  test('before or after it excuses nothing', async () => {
    const session = await sessionOn(refused);
    const test = promoting(async ({ validatorChanges }) => {
      await left(validatorChanges, { sentAt: 0, durationMs: 0 });
      await left(validatorChanges, { sentAt: Infinity, durationMs: 1 });
      await left(validatorChanges);
    }, session);
    assert((await judge(session, test)).verdict).toBe('fail');
  });
});
