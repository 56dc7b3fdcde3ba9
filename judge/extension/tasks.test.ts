import { afterEach, describe, expect as assert, test } from 'vitest';
import { scenario } from '../case.ts';
import type { Outcome } from '../outcome.ts';
import { type LoadedProfile, loadProfile } from '../profile/load.ts';
import type { Case } from '../rule.ts';
import { runCase } from '../run-case.ts';
import { closeSession, openSession, type Session } from '../session.ts';
import { createServer } from '../../reference-server/server.ts';
import { catalogue } from '../../suites/catalogue.ts';

const rule = catalogue.get('calls.extension.post-to-endpoint');
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function reference(
  change: (profile: LoadedProfile['profile']) => LoadedProfile['profile'] = (profile) => profile,
): Promise<Session> {
  const server = createServer({ control: true });
  const url = await server.listen();
  ends.push(() => server.close());
  const loaded = await loadProfile(`${url}/_control/profile.yaml`);
  const session = openSession({ ...loaded, profile: change(loaded.profile) });
  ends.push(() => closeSession(session));
  return session;
}

const judge = (session: Session, theCase: Case): Promise<Outcome> =>
  runCase(rule, theCase, { session, seed: 1, runs: 5, deadlineMs: 10_000 });

describe('a task', () => {
  test('comes with its job, its links, its token and its input', async () => {
    const session = await reference();
    const outcome = await judge(
      session,
      scenario(async ({ given, tasks, expect }) => {
        const extension = await given.extension({ types: ['ExternalTask'] });
        const task = await given.task(extension, { inputName: 'list é.csv', taskSettings: { depth: 2 }, timeout: 5 });
        expect([task.jobId, task.payload['timeout'], task.payload['taskSettings']], 'payload').toEqual([
          task.triggered.id,
          5,
          { depth: 2 },
        ]);
        const read = await tasks.follow(task.link('inputFile'), { token: 'as-told' });
        expect(Buffer.from(read.bytes).equals(task.input?.bytes ?? Buffer.alloc(1)), 'input').toEqual(true);
        expect((await tasks.follow(task.link('inputFile'), { token: 'none' })).status, 'status without token').toEqual(
          401,
        );
        expect(session.secrets.redact(task.token), 'redacted').toSatisfy('a variable', (text) => text.startsWith('$'));
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass', assertions: 4 });
  });

  test('is called back by its links and by the documented routes', async () => {
    const outcome = await judge(
      await reference(),
      scenario(async ({ given, tasks, expect }) => {
        const extension = await given.extension({ types: ['ExternalTask'] });
        const [first, second] = [await given.task(extension), await given.task(extension)];
        expect(await tasks.progress(first, { message: 'half-way' })).toSucceed();
        expect(tasks.shows(await tasks.job(first), 'half-way'), 'progress').toEqual(true);
        expect(tasks.shows(await tasks.job(second), 'half-way'), 'progress of another job').toEqual(false);
        expect(await tasks.status(first, 'Completed', undefined, { as: null })).toBeRefused();
        expect(await tasks.status(first, 'Completed')).toSucceed();
        expect(await tasks.follow(second.link('taskStatus'), { status: 'Failed' }, { body: {} })).toSucceed();
        const jobs = [await tasks.jobUntil(first, tasks.isCompleted), await tasks.jobUntil(second, tasks.isFailed)];
        expect(
          jobs.map((job) => [tasks.isCompleted(job), tasks.isFailed(job)]),
          'ends',
        ).toEqual([
          [true, false],
          [false, true],
        ]);
      }),
    );
    assert(outcome).toMatchObject({ verdict: 'pass' });
  });

  test('goes without an input of its own where there is no space area, or where the profile fixes it', async () => {
    const sessions = [
      await reference(({ files: _none, ...profile }) => profile),
      await reference((profile) => ({ ...profile, tasks: { inputPath: '/in/fixed.csv' } })),
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

  test('that is never called stops the case without blaming its rule', async () => {
    const session = await reference();
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
