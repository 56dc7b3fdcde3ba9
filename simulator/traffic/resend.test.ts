import { describe, expect, test } from 'vitest';
import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen } from '../../fixtures/listening.fixture.ts';
import { breachesOf } from '../../judge/model/register.ts';
import { users } from './users.ts';
import { type EngineEnd, tellAll, type TrafficExchange } from './engine.ts';
import { TrafficJudge } from './judging/judge.ts';
import { madeUpGround, madeUpSetup, readResponse } from './judging/made-up.fixture.ts';
import { Tally } from './measure/tally.ts';
import type { JourneyName } from './mix.ts';
import { openModel } from './open-model.ts';
import { mayResend } from './resend.ts';
import type { HttpStep } from './step.ts';

type Model = 'open' | 'closed';

interface Ran {
  readonly end: EngineEnd;
  readonly tally: Tally;
  readonly judge: TrafficJudge;
  readonly exchanges: readonly TrafficExchange[];
}

type Exchanges = readonly TrafficExchange[];

/** @param isEnough ends the load, however long that takes */
async function ran(
  model: Model,
  journey: JourneyName,
  answer: RequestListener,
  isEnough = ({ length }: Exchanges) => length >= 100,
): Promise<Ran> {
  await using target = await listen(createServer(answer));
  const exchanges: TrafficExchange[] = [];
  const enough = new AbortController();
  const tally = new Tally(performance.now());
  const judge = new TrafficJudge({ ground: madeUpGround, ratio: 1, breachesOf });
  const setup = madeUpSetup({
    baseUrl: target.url,
    signal: enough.signal,
    mix: { mixVersion: 1, journeys: { [journey]: { weight: 1 } } },
    load: model === 'open' ? { model, rate: 100 } : { model, users: 3 },
  });
  const engine = model === 'open' ? openModel : users;
  const end = await engine(
    setup,
    tellAll([tally, judge], (exchange) => {
      exchanges.push(exchange);
      if (isEnough(exchanges)) enough.abort();
    }),
  );
  return { end, tally, judge, exchanges };
}

const reconnected = ({ end }: Ran): number =>
  Number(/(\d+) of the requests came to a kept/.exec(end.remarks.join())?.[1] ?? 0);

const failed = ({ exchanges }: Pick<Ran, 'exchanges'>): Exchanges =>
  exchanges.filter(({ error, cutOff }) => error !== undefined && cutOff !== true);

/** Objects as a service keeps them; the connection ends after an edit took effect, without an answer, where `isLost` says so. */
function service(isLost: (edits: number) => boolean): RequestListener {
  const objects = new Map(
    madeUpGround.objects.map(({ oid, version, entries }) => [oid, { version, entries, note: 'as it was' }]),
  );
  let edits = 0;
  return (request, response) => {
    const object = objects.get(request.url?.split('/').at(-1) ?? '');
    if (object === undefined) return response.writeHead(404).end();
    const { version, entries, note } = object;
    if (request.method === 'GET')
      return response.end(
        JSON.stringify(readResponse(request.url?.split('/').at(-1) ?? '', version, entries, { note })),
      );
    return void text(request).then((body) => {
      edits += 1;
      if (request.headers['svc-uoiversion'] !== String(object.version)) return response.writeHead(409).end();
      object.version += 1;
      ({ note: object.note } = JSON.parse(body) as { note: string });
      if (isLost(edits)) return request.socket.destroy();
      return response.setHeader('Svc-UOIVersion', object.version).end();
    });
  };
}

/** Kept connections may end at any time; autocannon reports neither that nor what was lost by it. */
describe.each(['open', 'closed'] as const)('%s model, a connection', (model) => {
  test('that ends between two requests is made anew, and a read is sent again: no error', async () => {
    let asked = 0;
    const run = await ran(model, 'reader', (request, response) => {
      asked += 1;
      response.end(JSON.stringify({ asked: request.url }));
      if (asked % 5 === 0) request.socket.destroySoon();
    });
    expect(asked).toBeGreaterThan(20);
    expect(failed(run)).toEqual([]);
    for (const { step, result, cutOff } of run.exchanges)
      if (cutOff !== true) expect(JSON.parse(result.body)).toEqual({ asked: step.path });
  });

  test('that ends when a read comes to it is made anew, and the run says so', async () => {
    const served = new Map<Socket, number>();
    let ended = 0;
    const run = await ran(model, 'reader', ({ socket, url }, response) => {
      served.set(socket, (served.get(socket) ?? 0) + 1);
      if (served.get(socket) !== 4) return response.end(JSON.stringify({ asked: url }));
      ended += 1;
      return socket.destroy();
    });
    expect(ended).toBeGreaterThan(3);
    expect(failed(run)).toEqual([]);
    const underWay = run.exchanges.filter(({ cutOff }) => cutOff === true).length;
    expect(ended - reconnected(run)).toBeLessThanOrEqual(underWay);
    expect(reconnected(run)).toBeGreaterThan(3);
  });

  test('that ends when an edit came to it is an error: the edit is not sent again, and may have taken effect', async () => {
    const run = await ran(
      model,
      'editor-pair',
      service((number) => number % 4 === 0),
      (exchanges) => failed({ exchanges }).length > 3,
    );
    expect(failed(run).every(({ step }) => step.method === 'PATCH')).toBe(true);
    expect(run.tally.all.summary('all').errors).toBe(failed(run).length);
    expect(reconnected(run)).toBe(0);
    expect(run.judge.finish()).toEqual([]);
  });

  test('whose end is announced costs nothing', async () => {
    let asked = 0;
    const run = await ran(model, 'editor-pair', (request, response) => {
      asked += 1;
      if (asked % 3 === 0) response.setHeader('Connection', 'close');
      request.resume();
      request.on('end', () =>
        response.setHeader('Svc-UOIVersion', 3).end(JSON.stringify(readResponse('known', 2, 27))),
      );
    });
    expect(asked).toBeGreaterThan(20);
    expect(failed(run)).toEqual([]);
    // journeys that the end of the load cut off are none of its business
    expect(run.end.remarks.filter((remark) => !remark.includes('had not ended'))).toEqual([]);
  });

  test('that ends in the middle of an answer is an error, and spoils no other answer', async () => {
    let asked = 0;
    const run = await ran(model, 'reader', ({ url, socket }, response) => {
      asked += 1;
      const body = JSON.stringify({ asked: url });
      if (asked % 10 !== 0) return response.end(body);
      response.setHeader('Content-Length', body.length);
      return response.write(body.slice(0, 5), () => socket.destroy());
    });
    expect(failed(run).length).toBeGreaterThan(1);
    expect(reconnected(run)).toBe(0);
    for (const { step, result, error } of run.exchanges)
      if (error === undefined) expect(JSON.parse(result.body)).toEqual({ asked: step.path });
  });

  test('that ends with an answer without a length has brought all of it', async () => {
    const run = await ran(model, 'reader', ({ url, socket }) =>
      socket.end(`HTTP/1.1 200 OK\r\n\r\n${JSON.stringify({ asked: url })}`),
    );
    expect(failed(run)).toEqual([]);
    expect(run.exchanges.length).toBeGreaterThan(5);
    for (const { step, result, cutOff } of run.exchanges)
      if (cutOff !== true) expect(JSON.parse(result.body)).toEqual({ asked: step.path });
  });

  test('that has answered nothing yet is no kept one: what is lost on it is an error', async () => {
    const run = await ran(model, 'reader', ({ socket }) => socket.destroy());
    expect(failed(run).length).toBeGreaterThan(5);
    expect(reconnected(run)).toBe(0);
  });
});

describe('a request may be sent again', () => {
  const [read, edit]: readonly HttpStep[] = (['GET', 'PATCH'] as const).map((method) => ({
    kind: 'http',
    op: 'made up',
    method,
    path: '/',
    body: '{}',
  }));
  const long = { ...edit, body: 'x'.repeat(1025) } as HttpStep;
  test.each([
    ['a read on a kept connection', read, { wasKept: true }, true],
    ['a read on a new connection', read, { wasKept: false, code: 'EPIPE' }, false],
    ['an edit on a kept connection', edit, { wasKept: true, code: 'ECONNRESET' }, false],
    ['an edit that came to a connection that had ended', edit, { wasKept: true, code: 'EPIPE' }, true],
    ['one of which a part may have been read', long, { wasKept: true, code: 'EPIPE' }, false],
  ] as const)('%s', (_what, step, end, expected) => {
    expect(step && mayResend(step, end)).toBe(expected);
  });
});
