import { catalogue } from '../../suites/catalogue.ts';
import { describe, expect as assert, test } from 'vitest';
import { scenario, schedule } from '../case.ts';
import type { Case } from '../rule.ts';
import type { Outcome } from '../outcome.ts';
import { runCase } from '../case/run-case.ts';
import type { Session } from '../run/session.ts';
import { sessionOnServer } from '../run/session.fixture.ts';
import type { Profile } from '../../contract/profile.ts';

const rule = catalogue.get('delivery.event.retry-gaps');

const judge = (session: Session, theCase: Case): Promise<Outcome> =>
  runCase(rule, theCase, { session, seed: 1, runs: 5, deadlineMs: 600_000 });

describe('a played extension', () => {
  test('leaves the validations of other cases alone', async () => {
    const outcome = await judge(
      await sessionOnServer(),
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
    const session = await sessionOnServer();
    const early = schedule(2, async ({ given, triggers, clock }) => {
      const extension = await given.extension({ script: failing });
      await triggers.event(extension);
      clock.expectGaps(await extension.ended(2, {}, { withinMs: 5000 }), [3000]);
    });
    assert(await judge(session, early)).toMatchObject({ verdict: 'fail', violation: { actual: 'it 1000 ms early' } });
  });
});

test('in real time the same case takes its time, and begins only where it fits', async () => {
  const real = (budget: number) => (profile: Profile) => ({
    ...profile,
    time: { mode: 'real' as const },
    limits: { timeBudgetSeconds: budget },
  });
  const once = schedule(2, async ({ given, triggers, clock }) => {
    const extension = await given.extension({ script: [{ steps: [{ status: 503 }] }] });
    const event = await triggers.event(extension);
    clock.expectGaps(await extension.ended(2, { about: event }, { withinMs: 3000 }), [2000]);
  });
  assert(await judge(await sessionOnServer(real(5)), once)).toMatchObject({ verdict: 'pass' });
  assert(await judge(await sessionOnServer(real(4)), once)).toMatchObject({
    verdict: 'blocked',
    missing: ['long-run'],
    reason: assert.stringContaining('--time-budget 5s'),
  });
});
