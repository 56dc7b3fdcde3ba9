import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { createServer } from '../server.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import { sceneOf, startAt, withTask, type JobRead } from './tasks-scene.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

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
