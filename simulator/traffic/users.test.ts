import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { listen } from '../../fixtures/listening.fixture.ts';
import type { EngineSetup, TrafficExchange } from './engine.ts';
import { madeUpGround, madeUpSetup } from './judging/made-up.fixture.ts';
import { users } from './users.ts';

const { arrayPort: _arrayPort, ...softType } = madeUpGround.softType;

/** Readers who ask once a journey, of a server that takes that long for an answer. */
async function used(
  more: Partial<EngineSetup>,
  answerMs = 0,
): Promise<{
  readonly seen: readonly TrafficExchange[];
  readonly end: Awaited<ReturnType<typeof users>>;
  readonly startedAt: number;
}> {
  const server = createServer((_, response) => void setTimeout(() => response.end('{}'), answerMs));
  await using target = await listen(server);
  const seen: TrafficExchange[] = [];
  const startedAt = performance.now();
  const setup = madeUpSetup({
    baseUrl: target.url,
    durationMs: 1000,
    ground: { ...madeUpGround, softType },
    load: { model: 'closed', users: 10 },
    ...more,
  });
  const end = await users(setup, {
    exchange: (exchange) => seen.push(exchange),
    check: () => undefined,
    journeyEnded: () => undefined,
  });
  return { seen, end, startedAt };
}

/** Users under way at a time of the run. */
const busyAt = ({ seen, startedAt }: Awaited<ReturnType<typeof used>>, ms: number): number =>
  new Set(
    seen.filter(({ sentAt, endedAt }) => sentAt - startedAt <= ms && endedAt - startedAt >= ms).map(({ user }) => user),
  ).size;

describe('users of a closed loop', () => {
  test('come one after another while the load rises, and leave when it falls', async () => {
    const run = await used(
      {
        mix: {
          mixVersion: 1,
          journeys: { reader: { weight: 1 } },
          stages: [
            { seconds: 1, to: 1 },
            { seconds: 1, to: 0 },
          ],
        },
      },
      30,
    );
    const [early, late] = [250, 1850].map((ms) => busyAt(run, ms));
    // a machine that is busy makes all of them wait at some moments
    const high = Math.max(...Array.from({ length: 15 }, (_, index) => busyAt(run, 800 + index * 20)));
    expect(early).toBeLessThanOrEqual(6);
    expect(high).toBeGreaterThanOrEqual(7);
    expect(late).toBeLessThanOrEqual(6);
    expect(run.end.remarks).toEqual([]);
    expect(run.end.durationMs).toBeLessThan(2500);
  });

  test('think as long as the mix says', async () => {
    const thinking = await used({ mix: { mixVersion: 1, journeys: { reader: { weight: 1, thinkMs: [200, 200] } } } });
    for (let user = 0; user < 10; user += 1) {
      const count = thinking.seen.filter((one) => one.user === user && one.cutOff !== true).length;
      expect(count).toBeGreaterThanOrEqual(2);
      expect(count).toBeLessThanOrEqual(6);
    }
  });

  test('have one request under way each, and what is when the time is over counts as neither answer nor error', async () => {
    const { seen } = await used({ durationMs: 500 }, 2000);
    expect(seen.map(({ user }) => user).toSorted((one, other) => one - other)).toEqual([...Array(10).keys()]);
    expect(seen.every(({ cutOff }) => cutOff === true)).toBe(true);
  });

  test('are shared out among workers by their numbers', async () => {
    const { seen } = await used({
      durationMs: 300,
      share: { index: 1, of: 3, worker: 2, startsAt: performance.now() },
    });
    expect([...new Set(seen.map(({ user }) => user))].toSorted()).toEqual([1, 4, 7]);
  });

  test('that have nothing to ask for end the load, which says so', async () => {
    const { end } = await used({ mix: { mixVersion: 1, journeys: { 'extension-life': { weight: 1 } } } });
    expect(end).toMatchObject({ endedEarly: true, remarks: [expect.stringContaining('none of the journeys')] });
  });
});
