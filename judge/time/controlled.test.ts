import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from '../../contract/profile.ts';
import { HttpClient } from '../client/client.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { CaseRecord } from '../case/record.ts';
import { restart } from '../service/restart.ts';
import { runCase } from '../case/run-case.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Clock } from './clock.ts';
import { ClockControl, type ClockState, ControlledTime } from './controlled.ts';
import { Holding, letTimePass, type Watched } from './keeper.ts';
import { within } from './real-time.ts';
import { listen } from '../../fixtures/listening.fixture.ts';
import { sessionFor, profileOfServer } from '../run/session.fixture.ts';
import { endWithTest } from '../../fixtures/end-with-test.fixture.ts';

const start = 1_000_000;

/** The clock of a service whose only timer is due at 100 s, and what is held of its calls here when it moves. */
function service(callsTold: () => number | undefined, running?: boolean) {
  const moves: { readonly to: number; readonly held: number }[] = [];
  let [asked, ran] = [0, 0];
  let now = start;
  const state = async (): Promise<ClockState> => {
    const calls = callsTold();
    return {
      now,
      next: now < start + 100_000 ? start + 100_000 : Infinity,
      ...(calls !== undefined && { calls }),
      ...(running !== undefined && { running }),
    };
  };
  const control = {
    state,
    takeOver: () => {
      asked += 1;
      return state();
    },
    moveTo: async (to: number, held: number) => {
      now = to;
      moves.push({ to: to - start, held });
      return state();
    },
    hold: async () => undefined,
    letRun: async () => void (ran += 1),
    close: async () => undefined,
  };
  return { control, moves, asked: () => asked, ran: () => ran };
}

test('stands still while something runs, whoever waits for time to pass', async () => {
  const { control, moves } = service(() => 0);
  const time = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent: () => 0 });
  const participant = await time.join(new AbortController().signal);
  const waited = participant.until(new Promise<never>(() => undefined), 200_000);
  const before = await time.still(async () => {
    await sleep(100);
    return moves.length;
  });
  await waited;
  await time.close();
  expect([before, moves.at(-1)?.to]).toEqual([0, 200_000]);
});

test.each([
  [true, false, 1],
  [false, true, 0],
  [undefined, true, 0],
])('goes on by itself once nobody takes part, where it ran before and tells so: %s', async (running, stands, ran) => {
  const told = service(() => 0, running);
  const time = new ControlledTime({ control: told.control, requestsUnderWay: () => 0, requestsSent: () => 0 });
  const { signal } = new AbortController();
  const first = await time.join(signal);
  await time.letGoOn();
  expect([time.standsStill, told.ran()]).toEqual([true, 0]);
  first.leave();
  await time.letGoOn();
  expect([time.standsStill, told.ran()]).toEqual([stands, ran]);
  const second = await time.join(signal);
  expect([time.standsStill, told.asked()]).toEqual([true, stands ? 1 : 2]);
  second.leave();
});

test('stands still once it was moved, and whoever sleeps then, with nobody taking part, sleeps as long as in real time', async () => {
  const { control, moves } = service(() => 0);
  const time = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent: () => 0 });
  const { signal } = new AbortController();
  const participant = await time.join(signal);
  const [short, long] = [time.sleep(100, signal), time.sleep(300_000, signal)];
  await participant.until(new Promise<never>(() => undefined), 90);
  await sleep(200);
  expect(await Promise.race([short.then(() => 'woken'), sleep(0).then(() => 'asleep')])).toBe('asleep');
  participant.leave();
  await short;
  expect(await Promise.race([long.then(() => 'woken'), sleep(200).then(() => 'asleep')])).toBe('asleep');
  expect(moves.map(({ to }) => to)).toEqual([90]);
  long.catch(() => undefined);
  await time.close();
});

test('whoever waits for what did not come in real time keeps nobody asleep for whom a request of another case waits', async () => {
  const { control, moves } = service(() => 0);
  let requestsUnderWay = 0;
  const time = new ControlledTime({ control, requestsUnderWay: () => requestsUnderWay, requestsSent: () => 0 });
  const { signal } = new AbortController();
  (await time.join(signal)).leave();
  const waited = new Clock(time, new CaseRecord(true)).until(new Promise<never>(() => undefined), 50);
  requestsUnderWay = 1;
  const answered = time.sleep(300, signal).then(() => {
    requestsUnderWay = 0;
    return moves.length;
  });
  expect(await within(5000, answered)).toBe(0);
  await waited;
  expect(moves.map(({ to }) => to)).toEqual([50]);
  await time.close();
});

/** Lets 200 s pass while a listener holds a call, and returns where time stood when the end of that call was seen. */
async function passHolding(callsTold: () => number | undefined, endsAfterMs: number) {
  const { control, moves } = service(callsTold);
  const time = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent: () => 0 });
  const listener: Watched & { held: number } = { busy: 0, held: 1, heldChanged: () => undefined };
  time.watch(listener);
  const participant = await time.join(new AbortController().signal);
  let seenAt: number | undefined;
  setTimeout(() => {
    seenAt = time.now() - start;
    listener.held = 0;
  }, endsAfterMs);
  await participant.until(new Promise<never>(() => undefined), 200_000);
  participant.leave();
  await time.close();
  return { seenAt, moves };
}

describe('time that the suite moves', () => {
  test('stands while a call that the service gave up is still seen as held', async () => {
    const { seenAt, moves } = await passHolding(() => 0, 40);
    expect(seenAt).toBe(0);
    expect(moves).toEqual([
      { to: 100_000, held: 0 },
      { to: 200_000, held: 0 },
    ]);
  });

  test('stands while one call that the service gave up is to end here, and another to arrive', async () => {
    const { control } = service(() => 1);
    const changes: { readonly held: number; readonly at: number }[] = [];
    let looks = 0;
    const takeOver = (): Promise<ClockState> => {
      looks += 1;
      if (looks === 2) setImmediate(() => change(0));
      return control.takeOver();
    };
    const around = { control: { ...control, takeOver }, requestsUnderWay: () => 0, requestsSent: () => 0 };
    const time = new ControlledTime(around);
    const listener: Watched & { held: number } = { busy: 0, held: 1, heldChanged: () => undefined };
    const change = (held: number): void => {
      changes.push({ held, at: time.now() - start });
      listener.held = held;
      listener.heldChanged(held);
      if (held === 0) setTimeout(() => change(1), 20);
    };
    time.watch(listener);
    const participant = await time.join(new AbortController().signal);
    await participant.until(new Promise<never>(() => undefined), 50_000);
    participant.leave();
    await time.close();
    expect(changes).toEqual([
      { held: 0, at: 0 },
      { held: 1, at: 0 },
    ]);
  });

  test('passes over a call that is held on both sides', async () => {
    const { seenAt } = await passHolding(() => 1, 400);
    expect(seenAt).toBeUndefined();
  });

  test('that does not come to rest is told of with the calls that both sides count', async () => {
    const { control } = service(() => 2);
    const moveTo = () => Promise.reject(new Error('no complete answer'));
    const around = { control: { ...control, moveTo }, requestsUnderWay: () => 0, requestsSent: () => 0 };
    const time = new ControlledTime(around);
    const participant = await time.join(new AbortController().signal);
    await expect(participant.until(new Promise<never>(() => undefined), 200_000)).rejects.toThrow(
      'no complete answer; it tells calls: 2, and the suite keeps 0 open',
    );
    participant.leave();
    await time.close();
  });

  test('goes on where the service reads a time with its own rounding, and comes to stand before a timer', async () => {
    const { control, moves } = service(() => 0);
    const rounding = { ...control, moveTo: (to: number, held: number) => control.moveTo(to - 2 ** -12, held) };
    const time = new ControlledTime({ control: rounding, requestsUnderWay: () => 0, requestsSent: () => 0 });
    const participant = await time.join(new AbortController().signal);
    await participant.until(new Promise<never>(() => undefined), 200_000);
    expect(moves.map(({ to }) => Math.round(to))).toEqual([100_000, 100_001, 200_000]);
    participant.leave();
    await time.close();
  });

  test('goes on where the service lets a timer go off only when its time is over', async () => {
    const { control, moves } = service(() => 0);
    const due = start + 100_000;
    // two of them, one a millisecond after the other
    const late = async (state: Promise<ClockState>): Promise<ClockState> => {
      const told = await state;
      return told.now >= due && told.now < due + 2 ? { ...told, next: told.now } : told;
    };
    const strict = {
      ...control,
      takeOver: () => late(control.takeOver()),
      moveTo: (to: number, held: number) => late(control.moveTo(to, held)),
    };
    const time = new ControlledTime({ control: strict, requestsUnderWay: () => 0, requestsSent: () => 0 });
    const participant = await time.join(new AbortController().signal);
    await participant.until(new Promise<never>(() => undefined), 200_000);
    expect([...new Set(moves.map(({ to }) => to))]).toEqual([100_000, 100_001, 100_002, 200_000]);
    participant.leave();
    await time.close();
  });

  test('that never lets go off what is due is told of with that time', async () => {
    const { control } = service(() => 0);
    let now = start;
    const state = async (): Promise<ClockState> => ({ now, next: start });
    const moveTo = async (to: number): Promise<ClockState> => {
      now = to;
      return state();
    };
    const stuck = { ...control, state, takeOver: state, moveTo };
    const time = new ControlledTime({ control: stuck, requestsUnderWay: () => 0, requestsSent: () => 0 });
    const participant = await time.join(new AbortController().signal);
    await expect(participant.until(new Promise<never>(() => undefined), 200_000)).rejects.toThrow(
      `moved on to ${start + 100} ms in 2000 steps, and tells of a timer at ${start} ms still`,
    );
    participant.leave();
    await time.close();
  });

  test.each([
    ['does not count its calls', () => undefined],
    ['counts none', () => 0],
    ['counts calls to others', () => 2],
  ])('passes nevertheless where the service %s', async (_counts, callsTold) => {
    const { moves } = await passHolding(callsTold, 5000);
    expect(moves.map(({ held }) => held)).toEqual([1, 1]);
  });
});

test.each([
  ['lets time run again', undefined, 1],
  ['lets time run again', true, 1],
  ['leaves time standing', false, 0],
])('a run %s where the service said of its clock: running %s', async (_does, running, times) => {
  const { control, ran } = service(() => 0, running);
  const untouched = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent: () => 0 });
  await untouched.begin();
  await untouched.close();
  expect(ran()).toBe(0);
  const time = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent: () => 0 });
  const participant = await time.join(new AbortController().signal);
  participant.leave();
  await time.close();
  expect(ran()).toBe(times);
});

test('a run that ends in the middle of a move lets time run after it', async () => {
  const { control } = service(() => 0);
  const steps: string[] = [];
  const moving = Promise.withResolvers<void>();
  const slow = {
    ...control,
    moveTo: async (to: number, held: number) => {
      moving.resolve();
      await sleep(50);
      steps.push('moved');
      return control.moveTo(to, held);
    },
    letRun: async () => void steps.push('let run'),
  };
  const time = new ControlledTime({ control: slow, requestsUnderWay: () => 0, requestsSent: () => 0 });
  const participant = await time.join(new AbortController().signal);
  void participant.until(new Promise<never>(() => undefined), 200_000);
  await moving.promise;
  participant.leave();
  await time.close();
  expect(steps).toEqual(['moved', 'let run']);
});

describe('beside what a case does', () => {
  const forever = new Promise<never>(() => undefined);

  test('time passes only where the case waits', async () => {
    const { control, moves } = service(() => 0);
    const time = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent: () => 0 });
    const participant = await time.join(new AbortController().signal);
    void participant.beside(() => forever);
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(moves).toEqual([]);
    await participant.until(forever, 200_000);
    expect(moves.map(({ to }) => to)).toEqual([100_000, 200_000]);
    participant.leave();
    await time.close();
  });

  test.each([
    ['only when a move is over', 0, ['moved', 'sent']],
    ['at once where a call is being answered: the move has come so far', 1, ['sent', 'moved']],
  ])('a request is sent %s', async (_when, busy, expected) => {
    const { control } = service(() => 0);
    const holding = new Holding();
    const [moving, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const steps: string[] = [];
    const slow = {
      ...control,
      moveTo: async (to: number, held: number) => {
        moving.resolve();
        await (busy > 0 ? sent.promise : new Promise((resolve) => setImmediate(resolve)));
        steps.push('moved');
        listener.busy = 0;
        return control.moveTo(to, held);
      },
    };
    const time = new ControlledTime({ control: slow, requestsUnderWay: () => holding.count, requestsSent: () => 0 });
    const listener = { busy: 0, held: 0, heldChanged: () => undefined };
    time.watch(listener);
    const participant = await time.join(new AbortController().signal);
    void participant.until(forever, 100_000);
    await moving.promise;
    listener.busy = busy;
    await participant.beside(async () => {
      const release = await holding.begin('');
      steps.push('sent');
      sent.resolve();
      release();
    });
    await time.close();
    expect(steps.slice(0, 2)).toEqual(expected);
    participant.leave();
  });
});

test('a request during which time may pass holds it for as long as others wait for their answers just then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const holding = new Holding();
  const other = await holding.begin('http://service.test/object-1');
  await vi.advanceTimersByTimeAsync(100);
  other();
  await letTimePass(() => holding.begin('http://service.test/promote/object-1'));
  await vi.advanceTimersByTimeAsync(250 + 400 - 1);
  expect(holding.count).toBe(1);
  await vi.advanceTimersByTimeAsync(2);
  expect(holding.count).toBe(0);
});

test.each([
  ['known for it', true, 3000],
  ['not known for it', false, 10_000],
])('nobody is let in by a service %s after so long without an answer', async (_known, isKnown, afterMs) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const holding = new Holding();
  const alone = await holding.begin('http://service.test/object-1');
  await vi.advanceTimersByTimeAsync(2 * afterMs);
  expect(holding.isLockedOut(isKnown)).toBe(false);
  alone();
  await letTimePass(() => holding.begin('http://service.test/promote/object-1'));
  await vi.advanceTimersByTimeAsync(2500);
  await holding.begin('http://service.test/object-2');
  await vi.advanceTimersByTimeAsync(afterMs);
  expect(holding.isLockedOut(isKnown)).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(holding.isLockedOut(isKnown)).toBe(true);
});

test.each([
  ['as it is', 'object-1'],
  ['percent-encoded', 'urn:object 1'],
])(
  'a request during which time may pass holds it until somebody is called about its object, named %s',
  async (_how, id) => {
    const { control } = service(() => 0);
    const holding = new Holding();
    const time = new ControlledTime({ control, requestsUnderWay: () => holding.count, requestsSent: () => 0 });
    const listener: Watched = { busy: 0, held: 0, heldChanged: () => undefined };
    time.watch(listener);
    const participant = await time.join(new AbortController().signal);
    const counts: number[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    await participant.beside(async () => {
      const release = await holding.begin(`http://service.test/promote/${encodeURIComponent(id)}/release`);
      for (const objectId of ['object-2', id]) {
        listener.calledAbout?.(objectId);
        await new Promise((resolve) => setImmediate(resolve));
        counts.push(holding.count);
      }
      release();
    });
    vi.useRealTimers();
    expect(counts).toEqual([1, 0]);
    expect(holding.count).toBe(0);
    participant.leave();
    await time.close();
  },
);

describe('the service is asked how it stands', () => {
  async function passing(requestsSent: () => number): Promise<number> {
    const { control, asked } = service(() => 0);
    const time = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent });
    const participant = await time.join(new AbortController().signal);
    const atFirst = asked();
    await participant.until(new Promise<never>(() => undefined), 200_000);
    participant.leave();
    await time.close();
    return asked() - atFirst;
  }

  test('once, where nothing happens but what it does by itself', async () => {
    expect(await passing(() => 0)).toBe(1);
  });

  test('before each move, where the suite sends requests meanwhile', async () => {
    let sent = 0;
    expect(await passing(() => (sent += 1))).toBe(2);
  });
});

test.each([
  [1, 0, 100],
  [100, 250, 500],
  [400, 600, 750],
])('orders that are %s ms on their way count so long, up to a quarter of a second each', async (wayMs, least, most) => {
  const { control } = service(() => 0);
  const slow = {
    ...control,
    takeOver: () => sleep(wayMs).then(control.takeOver),
    moveTo: (to: number, held: number) => sleep(wayMs).then(() => control.moveTo(to, held)),
  };
  const time = new ControlledTime({ control: slow, requestsUnderWay: () => 0, requestsSent: () => 0 });
  const participant = await time.join(new AbortController().signal);
  const before = time.orderedMs;
  await participant.until(new Promise<never>(() => undefined), 200_000);
  participant.leave();
  await time.close();
  expect(time.orderedMs - before).toBeGreaterThanOrEqual(least);
  expect(time.orderedMs - before).toBeLessThanOrEqual(most);
});

test('while a request of somebody holds up the clock, no limit comes nearer', async () => {
  const { control } = service(() => 0);
  let underWay = 1;
  const time = new ControlledTime({ control, requestsUnderWay: () => underWay, requestsSent: () => 0 });
  const participant = await time.join(new AbortController().signal);
  const waiting = participant.until(new Promise<never>(() => undefined), 1000);
  await vi.waitUntil(() => time.heldUpMs > 0);
  underWay = 0;
  await waiting;
  participant.leave();
  await time.close();
});

describe('what is given up', () => {
  test.each([
    'delivery.timeout.exhausted',
    'delivery.timeout.configured',
    'delivery.transient.no-response-in-time',
  ] as const)('ended when it was given up, though its connection is seen to end later: %s', async (rule) => {
    const listener = { bind: '127.0.0.1:0', publicUrl: await passOnLateEnds(25) };
    const session = sessionFor(await profileOfServer({}, (profile) => ({ ...profile, listener })));
    const { test: theCase } = catalogue.get(rule);
    const { verdict, violation } = await runCase(catalogue.get(rule), theCase, {
      session,
      seed: 1,
      runs: 1,
      deadlineMs: 600_000,
    });
    expect([verdict, violation?.expected, violation?.actual]).toEqual(['pass', undefined, undefined]);
  });
});

function profileOf(baseUrl: string): Profile {
  return { profileVersion: 1, implementation: 'lossy', baseUrl, space: '-', identities: { editor: {} } };
}

test('an order to the clock is sent again while connections are lost, for a few times', async () => {
  let losses = 0;
  const server = createServer((socket) => {
    losses -= 1;
    if (losses >= 0) socket.resetAndDestroy();
    else
      socket.end(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 21\r\n\r\n{"now":5,"timers":[]}',
      );
  });
  await using listening = await listen(server);
  const control = new ClockControl(profileOf(listening.url), new HttpClient());
  losses = 3;
  expect(await control.takeOver()).toEqual({ now: 5, next: Infinity });
  losses = Infinity;
  await expect(control.takeOver()).rejects.toThrow('lost');
  await control.close();
});

test('an order to the clock waits for a restart that was asked for, however long it takes', async () => {
  const told = { now: 5, timers: [] };
  const service = createHttpServer((_request, response) => response.end(JSON.stringify(told)));
  const asked = Promise.withResolvers<() => void>();
  await using restarter = await listen(createHttpServer((_request, response) => asked.resolve(() => response.end())));
  const { url, control, started } = await (async () => {
    await using listening = await listen(service);
    const profile = { ...profileOf(listening.url), restart: { url: restarter.url } };
    const control = new ClockControl(profile, new HttpClient());
    await control.takeOver();
    return { url: listening.url, control, started: restart(profile) };
  })();
  const back = await asked.promise;
  let hours = 0;
  const passed = vi.spyOn(performance, 'now').mockImplementation(() => (hours += 1) * 3_600_000);
  const order = control.takeOver().finally(() => passed.mockRestore());
  await expect(fetch(url)).rejects.toThrow();
  await once(service.listen(Number(new URL(url).port), '127.0.0.1'), 'listening');
  back();
  await started;
  expect(await order).toMatchObject({ now: 5 });
  service.closeAllConnections();
  await new Promise((done) => service.close(done));
  await control.close();
});

test('an order to the clock waits for a service that starts again, and not for one that never answered', async () => {
  const told = { now: 5, timers: [] };
  const service = createHttpServer((_request, response) => response.end(JSON.stringify(told)));
  const { port, profile } = await (async () => {
    await using listening = await listen(service);
    const { port } = new URL(listening.url);
    return { port: Number(port), profile: profileOf(listening.url) };
  })();
  const control = new ClockControl(profile, new HttpClient());
  await expect(control.takeOver()).rejects.toThrow('nothing answers');
  await once(service.listen(port, '127.0.0.1'), 'listening');
  expect(await control.takeOver()).toMatchObject({ now: 5 });
  service.closeAllConnections();
  await new Promise((done) => service.close(done));
  const order = control.takeOver();
  await once(service.listen(port, '127.0.0.1'), 'listening');
  expect(await order).toMatchObject({ now: 5 });
  await control.close();
  service.closeAllConnections();
  await new Promise((done) => service.close(done));
});

/**
 * Passes connections on to the port that the path of their first request begins with; their ends come later by so many ms. Returns what
 * goes into `listener.publicUrl`; ends with its test.
 */
async function passOnLateEnds(lateMs: number): Promise<string> {
  const calls = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.on('error', () => undefined);
    near.once('data', (first: Buffer) => {
      const [, port] = /^\S+ \/(\d+)\//.exec(first.toString('latin1')) ?? [];
      const far = connect({ host: '127.0.0.1', port: Number(port) });
      calls.add(far);
      far.on('error', () => near.destroy());
      far.write(first);
      near.pipe(far, { end: false });
      far.pipe(near, { end: false });
      far.on('close', () => near.destroy());
      near.on('end', () => setTimeout(() => far.destroy(), lateMs));
    });
  });
  const listening = await listen(server);
  endWithTest(async () => {
    for (const call of calls) call.destroy();
    await listening[Symbol.asyncDispose]();
  });
  return `${listening.url}/{port}`;
}
