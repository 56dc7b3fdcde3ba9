import { describe, expect as assert, test } from 'vitest';
import { scenario, schedule } from '../case.ts';
import type { Acquirer } from './api-keys.ts';
import type { Outcome } from '../outcome.ts';
import type { Case } from '../rule.ts';
import { runCase } from '../case/run-case.ts';
import type { Session } from '../run/session.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { sessionFor, profileOfServer } from '../run/session.fixture.ts';

const rule = catalogue.get('calls.extension.post-to-endpoint');
const reference = async (acquireAs: Acquirer = 'administrator'): Promise<Session> =>
  sessionFor(
    await profileOfServer({}, (profile) => ({ ...profile, apiKeys: { acquireAs, callbackTimeoutSeconds: 0.5 } })),
  );

const judge = (session: Session, theCase: Case): Promise<Outcome> =>
  runCase(rule, theCase, { session, seed: 1, runs: 5, deadlineMs: 600_000 });

describe('API keys', () => {
  test.each(['administrator', 'signature'] as const)(
    'come to the callback when they are asked for with the credential %s',
    async (acquireAs) => {
      const session = await reference(acquireAs);
      const outcome = await judge(
        session,
        scenario(async ({ given, apiKeys, expect }) => {
          const holder = await given.keyHolder({ permissions: ['AdministrationAPI', 'SnapshotAPI'] });
          expect(await apiKeys.acquire(holder, { permissions: ['SnapshotAPI'] })).toSucceed();
          const post = await apiKeys.callback(holder);
          expect(Object.keys(post?.keys ?? {}), 'names').toEqual(['SnapshotAPI']);
          const [key = ''] = Object.values(post?.keys ?? {});
          expect(session.secrets.redact(`it is ${key}`), 'redacted').toEqual('it is $SNAPSHOT_API_KEY');
          expect(apiKeys.callbacks(holder).length, 'posts').toEqual(1);
          expect(await apiKeys.callback(holder, 1), 'second post').toEqual(undefined);
        }),
      );
      assert(outcome).toMatchObject({ verdict: 'pass', assertions: 5 });
    },
  );

  test('come by the token of an envelope after the token before it has ended', async () => {
    const loaded = await profileOfServer({ dialect: 'foreign' }, (profile) => ({
      ...profile,
      apiKeys: { acquireAs: 'envelope-token' },
    }));
    const twoHoursSeconds = 7200;
    const outcome = await judge(
      sessionFor(loaded),
      schedule(twoHoursSeconds, async ({ given, apiKeys, clock, expect }) => {
        const holder = await given.keyHolder();
        expect(await apiKeys.acquire(holder)).toSucceed();
        await clock.pass(twoHoursSeconds * 1000);
        expect(await apiKeys.acquire(holder)).toSucceed();
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass', assertions: 2 });
  });

  test.each([
    ['that of an envelope', 'envelope-token'],
    ['a signature', 'signature'],
  ] as const)(
    'of a trusted endpoint come by the token in the query of its call, where extensions ask by %s',
    async (_by, acquireAs) => {
      const loaded = await profileOfServer({ dialect: 'foreign' }, (profile) => ({
        ...profile,
        apiKeys: { acquireAs },
      }));
      const outcome = await judge(
        sessionFor(loaded),
        scenario(async ({ given, apiKeys, expect }) => {
          const holder = await given.keyHolder({ trusted: true });
          expect(await apiKeys.acquire(holder)).toSucceed();
          const calls = holder.endpoint?.calls() ?? [];
          expect(
            calls.map(({ query }) => query.map(([name]) => name)),
            'queries of its calls',
          ).toEqual([['access_token']]);
        }),
      );
      assert(outcome).toMatchObject({ verdict: 'pass', assertions: 2 });
    },
  );

  test('that do not come stop a case that needs them, without blaming its rule', async () => {
    const outcome = await judge(
      await reference(),
      scenario(async ({ given, apiKeys, expect }) => {
        const holder = await given.keyHolder({ permissions: null });
        expect(holder.permissions, 'permissions').toEqual([]);
        await apiKeys.keysOf(holder, ['SnapshotAPI']);
      }),
    );
    assert(['blocked', 'broken']).toContain(outcome.verdict);
  });
});
