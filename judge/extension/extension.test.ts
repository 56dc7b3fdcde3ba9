import { catalogue } from '../../suites/catalogue.ts';
import { afterEach, describe, expect as assert, test } from 'vitest';
import { scenario, schedule } from '../case.ts';
import type { Case } from '../rule.ts';
import { createVariant, type VariantOptions } from '../../variants/create-variant.ts';
import type { Outcome } from '../outcome.ts';
import { type LoadedProfile, loadProfile } from '../profile/load.ts';
import { runCase } from '../run-case.ts';
import { closeSession, openSession, type Session } from '../session.ts';

const rule = catalogue.get('delivery.event.retry-gaps');
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function reference(
  options: VariantOptions = {},
  change: (loaded: LoadedProfile) => LoadedProfile = (loaded) => loaded,
): Promise<Session> {
  const server = createVariant({ control: true, ...options });
  const url = await server.listen();
  ends.push(() => server.close());
  const session = openSession(change(await loadProfile(`${url}/_control/profile.yaml`)));
  ends.push(() => closeSession(session));
  return session;
}

const judge = (session: Session, theCase: Case): Promise<Outcome> =>
  runCase(rule, theCase, { session, seed: 1, runs: 5, deadlineMs: 10_000 });

describe('a played extension', () => {
  test('is registered, called, and gone when its case ends', async () => {
    const session = await reference();
    const outcome = await judge(
      session,
      scenario(async ({ given, triggers, expect }) => {
        const extension = await given.extension();
        const event = await triggers.event(extension);
        const call = await extension.call({ about: event });
        expect(call.signedOver, 'signature').toEqual(['path', 'target']);
        expect(call.payload['contentPayload'], 'content').toEqual({ marker: event.marker });
        expect(extension.metadata().length, 'metadata exchanges').toEqual(1);
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass', assertions: 3 });
    assert(session.bookings.booked()).toEqual([]);
  });

  test('plays simple and trusted endpoints too', async () => {
    const outcome = await judge(
      await reference(),
      scenario(async ({ given, triggers, expect }) => {
        const simple = await given.endpoint({ method: 'PUT', headers: [{ name: 'content-type', value: 'text/html' }] });
        await triggers.endpoint(simple, '<p>');
        const call = await simple.call();
        expect([call.method, call.text, call.header('content-type'), call.target.split('?')[1]], 'call').toEqual([
          'PUT',
          '<p>',
          ['text/html'],
          undefined,
        ]);
        const trusted = await given.endpoint({ trusted: true, target: '/hook?a=1' });
        await triggers.endpoint(trusted);
        expect(
          (await trusted.call()).query.map(([name]) => name),
          'query',
        ).toEqual(['a', 'access_token']);
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass', assertions: 2 });
  });

  test('leaves the validations of other cases alone', async () => {
    const outcome = await judge(
      await reference(),
      scenario(async ({ given, triggers, expect }) => {
        const [mine, other] = [await given.object(), await given.object()];
        const extension = await given.extension({
          types: ['ExternalValidation'],
          concerns: [mine],
          script: [{ steps: [{ status: 200, json: { isValid: false, message: 'no' } }], afterwards: 'last' }],
        });
        expect((await triggers.validation(other)).reply).toSucceed();
        expect((await triggers.validation(mine)).reply).toBeRefused();
        expect(
          extension.calls().map(({ payload }) => payload['objectId']),
          'objects',
        ).toEqual([mine.oid]);
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass', assertions: 3 });
  });

  test('with a port of its own can be shut', async () => {
    const outcome = await judge(
      await reference(),
      schedule(14, async ({ given, triggers, clock, expect }) => {
        const extension = await given.extension({ ownListener: true });
        await extension.shut();
        const event = await triggers.event(extension);
        await clock.pass(8000);
        await extension.reopen();
        expect(await extension.arrived({ about: event }, { withinMs: 7000 }), 'call').toBePresent();
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass', assertions: 1 });
  });
});

const failing = [{ steps: [{ status: 503 }], afterwards: 'last' as const }];
const retried = schedule(62, async ({ given, triggers, clock }) => {
  const extension = await given.extension({ script: failing });
  const event = await triggers.event(extension);
  clock.expectGaps(
    await extension.ended(7, { about: event }, { withinMs: 140_000 }),
    [2000, 4000, 8000, 16_000, 32_000],
  );
});

describe('a service whose clock is moved', () => {
  test('shows its schedules at once, many of them together, each to the ms', async () => {
    const session = await reference();
    const validated = schedule(14, async ({ given, triggers, clock, expect }) => {
      const thing = await given.object();
      const extension = await given.extension({ types: ['ExternalValidation'], concerns: [thing], script: failing });
      expect((await clock.through(() => triggers.validation(thing))).reply).toBeRefused();
      clock.expectGaps(extension.calls(), [2000, 4000, 8000]);
      expect(extension.gaps(), 'gaps').toEqual([2000, 4000, 8000]);
    });
    const abandoned = schedule(102, async ({ given, triggers, clock, expect }) => {
      const extension = await given.extension({ script: [{ steps: [{ never: true }] }] });
      await triggers.event(extension);
      const [first, second] = await extension.ended(2, {}, { withinMs: 110_000 });
      expect(first?.ending, 'first').toEqual('abandoned');
      clock.expectDue('the end of the first', first?.endedAt ?? 0, (first?.arrivedAt ?? 0) + 100_000);
      expect((second?.arrivedAt ?? 0) - (first?.endedAt ?? 0), 'gap').toEqual(2000);
    });
    const slow = schedule(4, async ({ given, triggers, expect }) => {
      const extension = await given.extension({
        record: { requestTimeout: 5 },
        script: [{ steps: [{ delayMs: 4000 }] }],
      });
      const event = await triggers.event(extension);
      const calls = await extension.ended(2, { about: event }, { withinMs: 60_000 });
      expect(
        calls.map(({ arrivedAt, endedAt = 0 }) => endedAt - arrivedAt),
        'durations',
      ).toEqual([4000]);
    });
    const all = await Promise.all(
      [...Array.from({ length: 10 }, () => retried), validated, abandoned, slow].map((theCase) =>
        judge(session, theCase),
      ),
    );
    assert(all.map(({ verdict, reason, violation }) => violation ?? reason ?? verdict)).toEqual(
      Array.from({ length: 13 }, () => 'pass'),
    );
  });

  test('fails when a gap is wrong', async () => {
    const session = await reference({ faults: [] });
    const early = schedule(2, async ({ given, triggers, clock }) => {
      const extension = await given.extension({ script: failing });
      await triggers.event(extension);
      clock.expectGaps(await extension.ended(2, {}, { withinMs: 5000 }), [3000]);
    });
    assert(await judge(session, early)).toMatchObject({ verdict: 'fail', violation: { actual: 'it 1000 ms early' } });
  });
});

test('in real time the same case takes its time, and begins only where it fits', async () => {
  const real = (budget: number) => (loaded: LoadedProfile) => ({
    ...loaded,
    profile: { ...loaded.profile, time: { mode: 'real' as const }, limits: { timeBudgetSeconds: budget } },
  });
  const once = schedule(2, async ({ given, triggers, clock }) => {
    const extension = await given.extension({ script: [{ steps: [{ status: 503 }] }] });
    const event = await triggers.event(extension);
    clock.expectGaps(await extension.ended(2, { about: event }, { withinMs: 3000 }), [2000]);
  });
  assert(await judge(await reference({}, real(5)), once)).toMatchObject({ verdict: 'pass' });
  assert(await judge(await reference({}, real(4)), once)).toMatchObject({
    verdict: 'blocked',
    reason: assert.stringContaining('--time-budget 5s'),
  });
});
