import { expect, test } from 'vitest';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { listen } from '../../fixtures/listening.fixture.ts';
import { users } from './users.ts';
import { type EngineSetup, tellAll, type TrafficExchange } from './engine.ts';
import { madeUpGround, madeUpSetup } from './judging/made-up.fixture.ts';
import { Tally } from './measure/tally.ts';
import { openModel } from './open-model.ts';

/** Events without an extension are no request at all, so the journey of one step is a read of an object without an array. */
function setupOf(baseUrl: string, rate: number, durationMs: number, signal: AbortSignal): EngineSetup {
  const { arrayPort: _arrayPort, ...softType } = madeUpGround.softType;
  return madeUpSetup({
    baseUrl,
    durationMs,
    signal,
    timeoutMs: 20_000,
    ground: { ...madeUpGround, softType },
    load: { model: 'open', rate },
  });
}

const [rate, runMs, stallFromMs, stallMs] = [100, 6000, 2000, 2000];

/** Whoever is due while the server stalls waits for the end of it; the others wait for nothing. In ms. */
function truePercentile(percent: number, stallEndMs: number): number {
  const latencies = Array.from({ length: (rate * runMs) / 1000 }, (_, number) => {
    const due = (number * 1000) / rate;
    return due >= stallFromMs && due < stallEndMs ? stallEndMs - due : 0;
  }).toSorted((one, other) => one - other);
  return latencies[Math.ceil((percent / 100) * latencies.length) - 1] ?? 0;
}

/** Longer than a test: the run has to end by itself. */
const endlessMs = 600_000;

/** Answers at once, except in the stall, at whose end all get their answer. `stallEnd`: when that was, in ms of the run, as a timer may be late. */
function stallingServer(): { readonly server: Server; stallEnd(): number } {
  let startedAt: number | undefined;
  let stallEnd: number | undefined;
  const waiting: ServerResponse[] = [];
  const sinceStart = (): number => performance.now() - (startedAt ?? 0);
  const endStall = (): void => {
    stallEnd = sinceStart();
    for (const response of waiting) response.end('{}');
  };
  const made = createServer((_request, response) => {
    startedAt ??= performance.now();
    if (sinceStart() < stallFromMs || stallEnd !== undefined) return response.end('{}');
    if (waiting.push(response) === 1) setTimeout(endStall, stallFromMs + stallMs - sinceStart());
  });
  return { server: made, stallEnd: () => stallEnd ?? 0 };
}

// another program that takes the processor at the end of the stall can make the clients late, by as much as the engine tells of itself
test('a stall of 2 s in 6 s is in p90 and p99 as the clients of the schedule had it', { retry: 2 }, async () => {
  const stalling = stallingServer();
  await using target = await listen(stalling.server);
  const tally = new Tally(performance.now());
  const end = await openModel(setupOf(target.url, rate, runMs, new AbortController().signal), tally);
  const { requests, errors, p90Ms, p99Ms } = tally.all.summary('all');
  expect({ requests, errors }).toEqual({ requests: 600, errors: 0 });
  expect(end.lateness?.skipped).toBe(0);
  expect(stalling.stallEnd()).toBeGreaterThan(stallFromMs + stallMs - 20);
  for (const [found, percent] of [
    [p90Ms, 90],
    [p99Ms, 99],
  ] as const)
    expect(Math.abs(found / truePercentile(percent, stalling.stallEnd()) - 1), `p${percent} ${found} ms`).toBeLessThan(
      0.05 + (end.lateness?.maxMs ?? 0) / stallMs,
    );
});

test('what is under way when the load is broken off is cut off: no answer, no error, no journey', async () => {
  const broken = new AbortController();
  let asked = 0;
  await using target = await listen(
    createServer(() => {
      asked += 1;
      if (asked === 10) broken.abort();
    }),
  );
  const seen: TrafficExchange[] = [];
  const tally = new Tally(performance.now());
  await openModel(
    setupOf(target.url, 50, endlessMs, broken.signal),
    tellAll([tally], (exchange) => seen.push(exchange)),
  );
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.every(({ cutOff, error }) => cutOff === true && error !== undefined)).toBe(true);
  expect(tally.all.summary('all')).toMatchObject({ requests: 0, errors: 0 });
  expect(tally.journeys()).toEqual([]);
});

test('an observer, or a journey, that throws ends the run with a remark, and not the process', async () => {
  await using target = await listen(createServer((_request, response) => response.end('{}')));
  const failing = tellAll([], () => {
    throw new Error('a mistake in it');
  });
  const end = await openModel(setupOf(target.url, 50, endlessMs, new AbortController().signal), failing);
  expect(end).toMatchObject({
    endedEarly: true,
    remarks: expect.arrayContaining(['The load ended early: a mistake in it']),
  });
});

test.each([
  ['open', openModel],
  ['closed', users],
] as const)('paths count from the base URL on: %s model', async (model, engine) => {
  const asked = new Set<string>();
  await using target = await listen(
    createServer((request, response) => {
      asked.add(request.url ?? '');
      response.end('{}');
    }),
  );
  const setup = setupOf(`${target.url}/deep/er/`, 20, 300, new AbortController().signal);
  await engine(model === 'open' ? setup : { ...setup, load: { model, users: 1 } }, new Tally(performance.now()));
  expect([...asked].toSorted()).toEqual([
    '/deep/er/api/space/main/softtype/known',
    '/deep/er/api/space/main/softtype/plain',
  ]);
});

test('a generator that is kept from its schedule says in which second, and by how much', async () => {
  await using target = await listen(createServer((_request, response) => response.end('{}')));
  const startsAt = performance.now();
  let isBlocked = false;
  const end = await openModel(
    {
      ...setupOf(target.url, 100, 3000, new AbortController().signal),
      share: { index: 3, of: 4, worker: 4, startsAt },
      begunLate: () => {
        if (isBlocked || performance.now() - startsAt < 1100) return;
        isBlocked = true;
        for (const until = performance.now() + 500; performance.now() < until;);
      },
    },
    new Tally(startsAt),
  );
  expect(end.lateness?.behind).toContainEqual(expect.objectContaining({ worker: 4, second: 1, skipped: 0 }));
  expect(end.lateness?.behind?.find(({ second }) => second === 1)?.maxMs).toBeGreaterThan(400);
});
