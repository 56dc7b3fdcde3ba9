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
  runCase(rule, theCase, { session, seed: 1, runs: 5, deadlineMs: 600_000 });

describe('a played extension', () => {
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
});

const failing = [{ steps: [{ status: 503 }], afterwards: 'last' as const }];

describe('a service whose clock is moved', () => {
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
