import { describe, expect, test } from 'vitest';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from '../../fixtures/listening.fixture.ts';
import { type EngineEnd, tellAll, type TrafficExchange } from './engine.ts';
import type { Ground } from './ground.ts';
import { madeUpGround, madeUpSetup, readResponse } from './judging/made-up.fixture.ts';
import { Tally } from './measure/tally.ts';
import type { JourneyName } from './mix.ts';
import { users } from './users.ts';

interface Run {
  readonly size?: number;
  /** The run ends after as many exchanges. */
  readonly enough?: number;
  readonly timeoutMs?: number;
  readonly ground?: Ground;
  readonly journey?: JourneyName;
  readonly signal?: AbortSignal;
}

interface Ran {
  readonly end: EngineEnd;
  readonly tally: Tally;
  readonly exchanges: readonly TrafficExchange[];
}

async function ran(
  answer: RequestListener,
  {
    size = 4,
    enough = Infinity,
    timeoutMs = 5000,
    ground = madeUpGround,
    journey = 'reader',
    signal = new AbortController().signal,
  }: Run = {},
): Promise<Ran> {
  await using target = await listen(createServer(answer));
  const exchanges: TrafficExchange[] = [];
  const stop = new AbortController();
  const tally = new Tally(performance.now());
  const setup = madeUpSetup({
    baseUrl: target.url,
    ground,
    timeoutMs,
    signal: AbortSignal.any([signal, stop.signal]),
    mix: { mixVersion: 1, journeys: { [journey]: { weight: 1 } } },
    load: { model: 'closed', users: size },
  });
  const end = await users(
    setup,
    tellAll([tally], (exchange) => {
      if (exchanges.push(exchange) >= enough) stop.abort();
    }),
  );
  return { end, tally, exchanges };
}

const answered = ({ exchanges }: Ran): readonly TrafficExchange[] =>
  exchanges.filter(({ error }) => error === undefined);
const lost = ({ exchanges }: Ran, reason: string): readonly TrafficExchange[] =>
  exchanges.filter(({ error }) => error === reason);

describe('connections', () => {
  test('that are dropped without an answer are counted and named, and shift no later answer', async () => {
    let [asked, dropped] = [0, 0];
    const used = new WeakSet<Socket>();
    let doomed = 0;
    const broken = new AbortController();
    // one kept connection in ten, and the one on which the read is sent again
    const run = await ran(
      ({ socket, url }, response) => {
        asked += 1;
        const isFresh = !used.has(socket);
        used.add(socket);
        if (isFresh ? doomed === 0 : asked % 10 !== 0) return response.end(JSON.stringify({ asked: url }));
        doomed += isFresh ? -1 : 1;
        dropped += isFresh ? 1 : 0;
        if (dropped >= 10) broken.abort();
        return socket.destroy();
      },
      { signal: broken.signal },
    );
    const { length } = lost(run, 'closed before the answer');
    // those that the end of the load cut off are neither
    expect(length).toBeGreaterThan(3);
    expect(dropped - length).toBeLessThanOrEqual(4);
    expect(run.end.remarks.join()).toContain('came to a kept connection');
    expect(run.tally.all.summary('all')).toMatchObject({
      errors: length,
      outcomes: { 'closed before the answer': length },
    });
    for (const { step, result } of answered(run)) expect(JSON.parse(result.body)).toEqual({ asked: step.path });
  });

  test('without an answer in time are counted as such', async () => {
    const run = await ran(() => undefined, { size: 2, enough: 2, timeoutMs: 300 });
    expect(lost(run, 'timeout').length).toBeGreaterThanOrEqual(2);
    expect(answered(run)).toEqual([]);
    expect(run.tally.all.summary('all')).toMatchObject({
      requests: lost(run, 'timeout').length,
      outcomes: { timeout: lost(run, 'timeout').length },
    });
  });

  test('that are under way at the end are cut off: neither answer nor error', async () => {
    const end = new AbortController();
    let asked = 0;
    const run = await ran(() => void (++asked === 3 && end.abort()), { size: 3, signal: end.signal });
    expect(run.exchanges.map(({ cutOff }) => cutOff)).toEqual([true, true, true]);
    expect(run.tally.all.summary('all')).toMatchObject({ requests: 0, errors: 0 });
    expect(run.tally.journeys()).toEqual([]);
  });
});

describe('answers', () => {
  test('are timed in µs, and by operation', async () => {
    const slowMs = 60;
    const run = await ran(
      (request, response) => {
        const send = (): unknown => response.end(JSON.stringify(readResponse('known', 2, 27)));
        if (request.url?.includes('/page/') === true) setTimeout(send, slowMs);
        else send();
      },
      { enough: 40 },
    );
    const [page, read] = ['page', 'read'].map((op) => run.tally.operations().find((one) => one.op === op));
    expect(page?.p50Ms).toBeGreaterThanOrEqual(slowMs - 1);
    expect(read?.p50Ms).toBeLessThan(page?.p50Ms ?? 0);
    expect(answered(run).some(({ endedAt, dueAt }) => !Number.isInteger(endedAt - dueAt))).toBe(true);
  });

  test('whose characters arrive in pieces are whole', async () => {
    const text = JSON.stringify({ note: 'Größe 5 €, 寸法 🧰' });
    const bytes = Buffer.from(text);
    const run = await ran(
      (_request, response) => {
        let at = 0;
        const next = (): void => {
          if (at >= bytes.length) return void response.end();
          response.write(bytes.subarray(at, at + 7));
          at += 7;
          setTimeout(next, 2);
        };
        response.setHeader('Content-Length', bytes.length);
        next();
      },
      { enough: 20 },
    );
    expect(answered(run).length).toBeGreaterThan(5);
    for (const { result } of answered(run)) expect(result.body).toBe(text);
  });

  test('that are files come byte by byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7) & 255));
    const ground: Ground = { ...madeUpGround, fileArea: { path: '/files', as: 'editor', minChunkSize: 1 } };
    const run = await ran(
      (request, response) => {
        request.resume();
        request.on('end', () =>
          response.writeHead(request.method === 'POST' ? 201 : 200).end(request.method === 'GET' ? bytes : ''),
        );
      },
      { ground, journey: 'file-user', enough: 40 },
    );
    const files = answered(run).filter(({ step }) => step.op === 'download');
    expect(files.length).toBeGreaterThan(0);
    for (const { result } of files) expect(Buffer.from(result.body, 'latin1').equals(bytes)).toBe(true);
  });

  test.each([
    ['that nobody asked for', 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'],
    ['that are longer than they say', 'more than was announced'],
  ])('%s are read by nobody, and cost the connection alone', async (_what, more) => {
    const run = await ran(
      ({ socket, url }) => {
        const text = JSON.stringify({ asked: url });
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}${more}`);
      },
      { enough: 20 },
    );
    expect(answered(run).length).toBeGreaterThan(5);
    expect(lost(run, 'closed before the answer')).toEqual([]);
    for (const { step, result } of answered(run))
      expect([result.status, JSON.parse(result.body)]).toEqual([200, { asked: step.path }]);
  });
});

test('a journey that throws ends the run with a remark, and not the process', async () => {
  const ground: Ground = {
    ...madeUpGround,
    get filter(): never {
      throw new Error('a mistake in the journey');
    },
  };
  const run = await ran((_request, response) => response.end('{}'), { ground });
  expect(run.end.remarks).toContain('The load ended early: a mistake in the journey');
});

test('being broken off ends the run at once, and nothing more is sent', async () => {
  const broken = new AbortController();
  let [asked, late] = [0, 0];
  const count: RequestListener = (_request, response) => {
    if (broken.signal.aborted) late += 1;
    asked += 1;
    if (asked === 25) broken.abort();
    response.end('{}');
  };
  const run = await ran(count, { signal: broken.signal });
  expect(run.end.remarks).toEqual([]);
  expect(asked).toBeGreaterThan(20);
  // what was on its way
  expect(late).toBeLessThanOrEqual(4);
});
