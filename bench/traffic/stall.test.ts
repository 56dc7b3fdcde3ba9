import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, type TestContext } from 'vitest';
import type { Latencies } from '../../contract/schemas/traffic.ts';
import type { Engine, EngineSetup, Load } from '../../simulator/traffic/engine.ts';
import { Tally } from '../../simulator/traffic/measure/tally.ts';
import { openModelOn } from '../../simulator/traffic/open-model.ts';
import { users } from '../../simulator/traffic/users.ts';
import { startSide } from '../harness/side.ts';
import { watchWaking, type Woken } from '../harness/waking.ts';
import type { SeenByProxy, StallingProxySettings, Timed } from '../sides/stalling-proxy.ts';
import { setupFor } from './ground.ts';

const [seconds, stallFromMs, stallMs] = [6, 2000, 2000];
/** What two processes that wake in time are apart by, in ms. */
const wakeMs = 1;
/** Above that what they tell of moments is no figure, in ms: a tenth of the stall. */
const longestWakingMs = 200;

type Percentiles = Omit<Latencies, 'histogram'>;

interface Proxy extends AsyncDisposable {
  readonly url: string;
  seen(): Promise<SeenByProxy>;
}

async function startProxy(target: string): Promise<Proxy> {
  const settings: StallingProxySettings = {
    targetPort: Number(new URL(target).port),
    holdMs: [5, 25],
    stallFromMs,
    stallMs,
  };
  const script = fileURLToPath(new URL('../sides/stalling-proxy.ts', import.meta.url));
  const child = fork(script, [JSON.stringify(settings)]);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    seen: async () => {
      const answer = once(child, 'message');
      child.send('seen');
      const [seen] = (await answer) as [SeenByProxy];
      return seen;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** One read a journey, so that an arrival is a request. */
function readsOf(url: string, load: Load): EngineSetup {
  const setup = setupFor(url, load, seconds);
  const { arrayPort: _arrayPort, ...softType } = setup.ground.softType;
  return {
    ...setup,
    ground: { ...setup.ground, softType },
    mix: { mixVersion: 1, journeys: { reader: { weight: 1 } } },
  };
}

/** What the load and the proxy saw of the same run, and by how much both of them together may have been woken late. */
interface SeenBoth {
  readonly tally: Tally;
  readonly timed: readonly Timed[];
  readonly woken: Woken;
}

/** On a machine that wakes both of them in time; where it never does in a few tries, nothing can be told. */
async function seenInTime({ skip }: TestContext, engine: Engine, load: Load): Promise<SeenBoth> {
  for (let left = 5; left > 0; left -= 1) {
    const seen = await seenBoth(engine, load);
    if (seen.woken.maxMs <= longestWakingMs) return seen;
  }
  return skip(`the machine woke two processes more than ${longestWakingMs} ms late in each of five tries`);
}

async function seenBoth(engine: Engine, load: Load): Promise<SeenBoth> {
  await using target = await startSide('plausible', { refusesOldVersions: false });
  await using proxy = await startProxy(target.url);
  using waking = watchWaking();
  const tally = new Tally(performance.now());
  await engine(readsOf(proxy.url, load), tally);
  const { timed, woken } = await proxy.seen();
  const own = waking.woken();
  return { tally, timed, woken: { p99Ms: own.p99Ms + woken.p99Ms, maxMs: own.maxMs + woken.maxMs } };
}

/** By nearest rank. */
function percentilesOf(latencies: readonly number[]): Percentiles {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (percent: number): number => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
  return {
    p50Ms: at(50),
    p90Ms: at(90),
    p95Ms: at(95),
    p99Ms: at(99),
    p999Ms: at(99.9),
    p9999Ms: at(99.99),
    maxMs: at(100),
  };
}

/** Within 1 %, or within what the machine took from the two processes meanwhile: on a quiet one that is 1 ms. */
function expectSame(ours: Percentiles, proxys: Percentiles, { p99Ms, maxMs }: Woken): void {
  for (const [name, theirs] of Object.entries(proxys)) {
    const found = ours[name as keyof Percentiles];
    const slackMs = wakeMs + (/^p(?:50|90|95)Ms$/.test(name) ? p99Ms : maxMs);
    expect(Math.abs(found - theirs), `${name}: ${found} beside ${theirs} ms`).toBeLessThanOrEqual(
      Math.max(theirs / 100, slackMs),
    );
  }
}

const rawOf = (timed: readonly Timed[]): Percentiles => percentilesOf(timed.map(([from, to]) => to - from));

// a process that others keep from running sees bytes late, but not three times
const busy = { retry: 3 };

test('a closed loop and a proxy with its own clock see the same stall of 2 s', busy, async (context) => {
  const { tally, timed, woken } = await seenInTime(context, users, { model: 'closed', users: 12 });
  const { raw = expect.fail('nothing raw'), requests, ...latencies } = tally.all.summary('all');
  // what is under way at the end is cut off, and counted by nobody but the proxy
  expect(timed.length - requests).toBeLessThanOrEqual(12);
  expect(raw.maxMs).toBeGreaterThan(stallMs * 0.98);
  expectSame(raw, rawOf(timed), woken);
  expectSame({ ...raw, ...onlyLatencies(latencies) }, rawOf(timed), woken);
});

test('an open model sees the stall as the proxy does, and as the schedule would have had it', busy, async (context) => {
  const rate = 200;
  const { tally, timed, woken } = await seenInTime(context, openModelOn(8), { model: 'open', rate });
  const { raw = expect.fail('nothing raw'), requests, ...latencies } = tally.all.summary('all');
  expect([requests, timed.length]).toEqual([rate * seconds, rate * seconds]);
  expectSame(raw, rawOf(timed), woken);
  // nobody sends before it is due: whoever was on the wire first after that tells when the schedule began
  const beganAt = Math.min(...timed.map(([arrivedAt], number) => arrivedAt - (number * 1000) / rate));
  const corrected = timed.map(([, answeredAt], number) => answeredAt - beganAt - (number * 1000) / rate);
  expectSame({ ...raw, ...onlyLatencies(latencies) }, percentilesOf(corrected), woken);
  // eight connections hide from a clock that starts with the sending what four hundred waited
  expect(raw.p95Ms).toBeLessThan(100);
  expect(latencies.p95Ms).toBeGreaterThan(1500);
});

function onlyLatencies({ p50Ms, p90Ms, p95Ms, p99Ms, p999Ms, p9999Ms, maxMs }: Percentiles): Percentiles {
  return { p50Ms, p90Ms, p95Ms, p99Ms, p999Ms, p9999Ms, maxMs };
}
