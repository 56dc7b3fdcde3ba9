import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controlledClock } from '../ports/controlled-clock.ts';
import { createServer } from '../server.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import { sceneOf, startAt, withTask, type JobRead } from './tasks-scene.fixture.ts';

describe('the time of a task', () => {
  test('ends the job when it is over, whatever progress said', async () => {
    const clock = controlledClock({ startAt });
    await withTask(
      async ({ report, read }) => {
        expect((await read()).deadline).toBe('2030-01-01T00:00:10.000Z');
        await clock.advanceBy(5000);
        expect(await report('progress', { message: 'half' })).toBe(204);
        await clock.advanceBy(4999);
        expect((await read()).state).toBe('Running');
        expect(await clock.advanceNext()).toEqual([{ at: startAt + 10_000, tag: 'task timeout' }]);
        const failed = await read();
        expect(failed).toMatchObject({
          state: 'Failed',
          message: expect.stringContaining('timeout: no final status within 10 s'),
        });
        expect(await report('status/Completed')).toBe(409);
        expect(await read()).toEqual(failed);
      },
      { clock },
    );
  });

  test('is over with the final report', async () => {
    const clock = controlledClock({ startAt });
    await withTask(
      async ({ report, read }) => {
        expect(await report('status/Completed')).toBe(204);
        await clock.advanceBy(60_000);
        expect((await read()).state).toBe('Completed');
        expect(clock.timers()).toEqual([]);
      },
      { clock },
    );
  });

  test('is that of each job by itself', async () => {
    const clock = controlledClock({ startAt });
    await withTask(
      async (long) => {
        const short = await sceneOf(long, 3);
        const readLong = long.job === short.job ? short.read : long.read;
        await clock.advanceBy(3000);
        expect((await short.read()).state).toBe('Failed');
        expect(clock.timers().map(({ at }) => at)).toEqual([startAt + 30_000]);
        await clock.advanceBy(27_000);
        expect((await readLong()).state).toBe('Failed');
      },
      { clock },
      30,
    );
  });

  test('runs on while the server is down', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-tasks-'));
    const file = join(folder, 'store.db');
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
    await rm(folder, { recursive: true });
  });
});
