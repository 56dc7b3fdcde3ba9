import { describe, expect as assert, test } from 'vitest';
import { scenario } from '../case.ts';
import type { Reply } from '../exchange.ts';
import type { Outcome } from '../outcome.ts';
import type { Case } from '../rule.ts';
import { runCase } from '../case/run-case.ts';
import type { Session } from '../run/session.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { sessionOnServer } from '../run/session.fixture.ts';

const rule = catalogue.get('calls.extension.post-to-endpoint');

const judge = (session: Session, theCase: Case): Promise<Outcome> =>
  runCase(rule, theCase, { session, seed: 1, runs: 5, deadlineMs: 600_000 });

describe('a task', () => {
  test('goes without an input of its own where there is no space area, or where the profile fixes it', async () => {
    const sessions = [
      await sessionOnServer(({ files: _none, ...profile }) => profile),
      await sessionOnServer((profile) => ({ ...profile, tasks: { inputPath: '/in/fixed.csv' } })),
    ];
    const inputs: unknown[] = [];
    for (const session of sessions)
      await judge(
        session,
        scenario(async ({ given, expect }) => {
          const { input, call } = await given.task(await given.extension({ types: ['ExternalTask'] }));
          expect(call.kind, 'call').toEqual('task');
          inputs.push(input && [input.path, input.bytes]);
        }),
      );
    assert(inputs).toEqual([undefined, ['in/fixed.csv', undefined]]);
  });

  test('that needs no file is triggered with one that is there all the same', async () => {
    const paths: unknown[] = [];
    const session = await sessionOnServer();
    await judge(
      session,
      scenario(async ({ given, triggers, files, expect }) => {
        const extension = await given.extension({ types: ['ExternalTask'] });
        await triggers.task(extension);
        const { payload } = await extension.call({ kind: 'task' });
        const links = given.present(payload['links'], 'links');
        const input = Array.isArray(links) ? links.find(({ id }) => id === 'inputFile') : undefined;
        const path = new URL(String(input?.url)).pathname.split('/fs/file/')[1] ?? '';
        const read = await files.download(files.area('space'), decodeURIComponent(path));
        expect(read).toSucceed();
        paths.push(read.status);
      }),
    );
    assert(paths).toEqual([200]);
  });

  test('counts as failed where its job is called as the task reported, unless the profile has words for that', async () => {
    const seen: unknown[] = [];
    for (const states of [undefined, { failed: ['Failed'] }])
      await judge(
        await sessionOnServer(({ tasks: _none, ...profile }) => ({ ...profile, ...(states && { tasks: { states } }) })),
        scenario(async ({ tasks, expect }) => {
          const told = ['Failed', 'Canceled', 'Completed'].map((state) => tasks.isFailed({ json: { state } } as Reply));
          seen.push(told);
          expect(told.length, 'states').toEqual(3);
        }),
      );
    assert(seen).toEqual([
      [true, true, false],
      [true, false, false],
    ]);
  });

  test('that is never called stops the case without blaming its rule', async () => {
    const session = await sessionOnServer();
    const outcome = await judge(
      session,
      scenario(async ({ given }) => {
        const extension = await given.extension({ types: ['ExternalTask'], registration: { active: false } });
        await given.task(extension, { withinMs: 100 });
      }),
    );
    assert(outcome.verdict).not.toBe('fail');
    assert(outcome.verdict).not.toBe('pass');
  });
});
