import { describe, expect, test } from 'vitest';
import { envelopeIn, onStage, record } from './calls-host.fixture.ts';
import { longestPathChars, longestProgressChars } from './jobs.ts';
import { sceneOf, withTask, type JobRead, startAt } from './tasks-scene.fixture.ts';
import { join } from 'node:path';
import { controlledClock } from '../../clock/controlled.ts';
import { createServer } from '../server.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

describe('a final status', () => {
  test.each([
    ['Completed', { state: 'Completed', taskStatus: 'Completed' }],
    ['Canceled', { state: 'Failed', taskStatus: 'Canceled', message: 'The task was cancelled.' }],
    ['Failed', { state: 'Failed', taskStatus: 'Failed', message: 'The task reported that it failed.' }],
  ])('%s ends the job, with its files, once', (status, end) =>
    withTask(async ({ report, read }) => {
      const files = { outputFilePath: 'in/ou t.csv', logFilePath: '/in/log.txt' };
      expect(await report(`status/${status}`, files)).toBe(204);
      const ended = await read();
      expect(ended).toMatchObject({
        ...end,
        ...files,
        outputFileHref: '/api/space/main/fs/file/in/ou%20t.csv',
        logFileHref: '/api/space/main/fs/file/in/log.txt',
      });
      for (const late of ['Completed', 'Failed', 'Canceled']) expect(await report(`status/${late}`)).toBe(409);
      expect(await report('progress', { message: 'late' })).toBe(409);
      expect(await read()).toEqual(ended);
    }),
  );

  test.each([
    ['completed', undefined, 400],
    ['Cancelled', undefined, 400],
    ['Running', undefined, 400],
    ['0', undefined, 400],
    ['Completed%20', undefined, 400],
    ['Completed', [], 422],
    ['Completed', 'text', 422],
    ['Completed', { outputFilePath: 1 }, 422],
    ['Completed', { logFilePath: null }, 422],
    ['Completed', { logFilePath: 'x'.repeat(longestPathChars + 1) }, 422],
  ])('%s with %j changes nothing', (status, body, refusal) =>
    withTask(async ({ report, read }) => {
      expect(await report(`status/${status}`, body)).toBe(refusal);
      expect((await read()).state).toBe('Running');
      expect(await report('status/Completed')).toBe(204);
    }),
  );

  test('of several at the same time is one', () =>
    withTask(async (first) => {
      for (let round = 0; round < 8; round += 1) {
        const { report, read } = round === 0 ? first : await sceneOf(first, 10);
        const asked = ['Completed', 'Failed', 'Canceled', 'Completed'];
        const statuses = await Promise.all(asked.map((status) => report(`status/${status}`)));
        expect(statuses.toSorted()).toEqual([204, 409, 409, 409]);
        expect((await read()).taskStatus).toBe(asked[statuses.indexOf(204)]);
      }
    }));

  test('may come before the task is acknowledged', () =>
    onStage(async (stage) => {
      const reported: Promise<number>[] = [];
      stage.answer = async (call) => {
        const { id, accessToken } = envelopeIn(call);
        const headers = { authorization: `Bearer ${accessToken}` };
        const put = stage.ask('', 'PUT', `/api/space/main/dx/${id}/status/Completed`, undefined, headers);
        reported.push(put.then(({ status }) => status));
        await put;
        return { status: 200 };
      };
      await stage.register([record('task', 'ExternalTask')]);
      const made = await stage.ask('edda', 'POST', '/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' });
      await stage.calls(1);
      expect(await reported[0]).toBe(204);
      const job = made.headers.get('location') ?? '';
      const states = async (): Promise<string> =>
        ((await (await stage.ask('edda', 'GET', job)).json()) as JobRead).state;
      const id = job.split('/').at(-1);
      const ended = async (): Promise<string> =>
        (await stage.ask('cora', 'GET', `/api/admin/log?envelopeId=${id}`)).text();
      await expect.poll(ended).toContain('delivered');
      expect(await states()).toBe('Completed');
    }));
});

describe('progress', () => {
  test('shows its last message and ends nothing', () =>
    withTask(async ({ report, read }) => {
      for (const message of ['half', 'päst ½ 🏁', '', 'x'.repeat(longestProgressChars)]) {
        expect(await report('progress', { message })).toBe(204);
        expect(await read()).toMatchObject({ state: 'Running', progress: message });
      }
      expect(await report('status/Completed')).toBe(204);
    }));

  test.each([[{}], [{ message: 1 }], [[]], [{ message: 'x'.repeat(longestProgressChars + 1) }]])(
    '%.30j is refused',
    (body) =>
      withTask(async ({ report, read }) => {
        expect(await report('progress', body)).toBe(422);
        expect((await read()).progress).toBeUndefined();
      }),
  );
});

test('a timeout ends within this life', () =>
  onStage(async ({ register, ask }) => {
    await register([record('task', 'ExternalTask')], { active: false });
    const scheduled = async (timeout: number): Promise<number> =>
      (await ask('edda', 'POST', '/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv', timeout })).status;
    expect([await scheduled(1_000_000_000), await scheduled(1_000_000_001), await scheduled(0)]).toEqual([
      201, 422, 422,
    ]);
  }));

test('a path that leads elsewhere is kept, and not linked', () =>
  withTask(async ({ report, read }) => {
    expect(await report('status/Completed', { outputFilePath: '../../depot/fs/file/a', logFilePath: '/' })).toBe(204);
    const job = await read();
    expect(job).toMatchObject({ outputFilePath: '../../depot/fs/file/a', logFilePath: '/' });
    expect(Object.keys(job).filter((name) => name.endsWith('Href'))).toEqual([]);
  }));

test('a path of the input that leads elsewhere is refused', () =>
  onStage(async ({ register, ask, arrived }) => {
    await register([record('task', 'ExternalTask')]);
    for (const inputPath of ['', '/', '../a.csv', 'in/../../a.csv', './a.csv', 'in/..'])
      expect((await ask('edda', 'POST', '/api/space/main/dx', { recordId: 'task', inputPath })).status).toBe(422);
    expect(arrived).toEqual([]);
  }));

describe('the time of a task', () => {
  test('runs on while the server is down', async () => {
    const file = join(makeFolder(), 'store.db');
    const clock = controlledClock({ startAt });
    const jobs: string[] = [];
    const first = openSqliteStore(file);
    await withTask(
      async (scene) => {
        jobs.push(scene.job, (await sceneOf(scene, 60)).job);
      },
      { clock, store: first },
    );
    await first.close();
    await clock.advanceBy(20_000);
    const store = openSqliteStore(file);
    const server = createServer({ store, clock });
    await server.listen();
    const states = (): Promise<readonly string[]> =>
      Promise.all(
        jobs.map(async (job) => {
          const headers = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
          return ((await (await fetch(server.url + job, { headers })).json()) as JobRead).state;
        }),
      );
    await expect.poll(states).toEqual(['Failed', 'Running']);
    await clock.advanceBy(40_000);
    await expect.poll(states).toEqual(['Failed', 'Failed']);
    await server.close();
    expect(clock.timers()).toEqual([]);
    await store.close();
  });
});
