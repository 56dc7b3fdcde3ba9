import { afterEach, describe, expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { rightAreas } from '../areas.ts';
import { breaks, together, type Variant } from '../../variants/breaks.ts';
import { createServer, type Server, type ServerOptions } from '../server.ts';
import type { Answer } from './call.ts';
import { rawExchange } from './http-sample.fixture.ts';

let server: Server | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Starts a server that gives this answer to everything. */
async function answering(answer: Answer, options: ServerOptions = {}): Promise<string> {
  const areas = breaks('messages', 'finish', () => async () => answer)(rightAreas);
  server = createServer({ ...options, areas });
  return server.listen();
}

const request = (method = 'GET', connection = 'close'): string =>
  `${method} / HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;

describe('content', () => {
  test('a body is JSON with its length in bytes', async () => {
    const reply = await rawExchange(await answering({ status: 200, body: { name: 'é' } }), request());
    expect(reply).toMatch(/\r\nContent-Type: application\/json\r\nContent-Length: 13\r\n/);
    expect(reply).toMatch(/\r\n\r\n\{"name":"é"\}$/);
  });

  test.each(['content-type', 'Content-Type', 'CONTENT-TYPE'])(
    'a content type that the answer names as %s stays the only one',
    async (name) => {
      const reply = await rawExchange(
        await answering({ status: 200, headers: { [name]: 'text/plain' }, body: {} }),
        request(),
      );
      expect(reply.match(/content-type: .*/gi)).toEqual([`${name}: text/plain`]);
    },
  );

  test('raw bytes go as they are', async () => {
    const reply = await rawExchange(
      await answering({ status: 200, headers: { 'Content-Type': 'text/plain' }, raw: Buffer.from('bytes') }),
      request(),
    );
    expect(reply).toMatch(/\r\nContent-Length: 5\r\n[\s\S]*\r\n\r\nbytes$/);
  });

  test('no body is an empty one, under 204 and 304 none at all', async () => {
    expect(await rawExchange(await answering({ status: 201 }), request())).toMatch(
      /\r\nContent-Length: 0\r\n[\s\S]*\r\n\r\n$/,
    );
    await server?.close();
    for (const status of [204, 304]) {
      const reply = await rawExchange(await answering({ status }), request());
      expect(reply).toMatch(/\r\n\r\n$/);
      expect(reply).not.toMatch(/content-length|content-type|transfer-encoding/i);
      await server?.close();
    }
  });

  test('HEAD has the length and no content', async () => {
    expect(await rawExchange(await answering({ status: 200, body: 'abc' }), request('HEAD'))).toMatch(
      /\r\nContent-Length: 5\r\n[\s\S]*\r\n\r\n$/,
    );
  });

  test('a wrong answer is not mended: content behind 204 is sent', async () => {
    const reply = await rawExchange(
      await answering({ status: 204, body: null, headers: { 'Svc-UOIVersion': '2' } }),
      request(),
    );
    expect(reply).toMatch(
      /^HTTP\/1\.1 204 No Content\r\n[\s\S]*Svc-UOIVersion: 2\r\n[\s\S]*Content-Length: 4\r\n[\s\S]*\r\n\r\nnull$/,
    );
  });
});

describe('transport', () => {
  test('chunked has no length', async () => {
    const reply = await rawExchange(
      await answering({ status: 200, body: 'abcd', transport: { chunked: true } }),
      request(),
    );
    expect(reply).toMatch(/transfer-encoding: chunked/i);
    expect(reply).not.toMatch(/content-length/i);
    expect(reply).toMatch(/\r\n\r\n3\r\n"ab\r\n3\r\ncd"\r\n0\r\n\r\n$/);
  });

  test('a body without length ends with its connection', async () => {
    const reply = await rawExchange(
      await answering({ status: 200, body: 'abcd', transport: { close: 'with the body' } }),
      request('GET', 'keep-alive'),
    );
    expect(reply).not.toMatch(/content-length|transfer-encoding/i);
    expect(reply).toMatch(/\r\nConnection: close\r\n[\s\S]*"abcd"$/);
  });

  test('an interim answer goes before, and neither date nor the usual words stand in the head', async () => {
    const reply = await rawExchange(
      await answering({ status: 200, body: {}, transport: { interim: true, reason: 'So', dateless: true } }),
      request(),
    );
    expect(reply).toMatch(/^HTTP\/1\.1 103 .*\r\n[\s\S]*\r\nHTTP\/1\.1 200 So\r\n/);
    expect(reply).not.toMatch(/\r\ndate:/i);
  });

  test('a close is announced or silent; without either the connection stays', async () => {
    const announced = await rawExchange(
      await answering({ status: 200, body: {}, transport: { close: 'announced' } }),
      request('GET', 'keep-alive'),
    );
    expect(announced).toMatch(/\r\nConnection: close\r\n/);
    await server?.close();
    const silent = await rawExchange(
      await answering({ status: 200, body: {}, transport: { close: 'silent' } }),
      request('GET', 'keep-alive'),
    );
    expect(silent).toMatch(/\r\nConnection: keep-alive\r\n[\s\S]*\{\}$/);
    await server?.close();
    const kept = await rawExchange(
      await answering({ status: 200, body: {} }),
      request('GET', 'keep-alive') + request(),
    );
    expect(kept.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  test('header names in upper case', async () => {
    const reply = await rawExchange(
      await answering({
        status: 200,
        body: {},
        headers: { 'Svc-UOIVersion': '1' },
        transport: { upperCaseHeaders: true },
      }),
      request(),
    );
    expect(reply).toMatch(/\r\nCONTENT-TYPE: application\/json\r\nSVC-UOIVERSION: 1\r\nCONTENT-LENGTH: 2\r\n/);
  });

  test('a delay passes on the clock of the server', async () => {
    const clock = controlledClock({ startAt: 0 });
    const reply = rawExchange(
      await answering({ status: 200, body: {}, transport: { delayMs: 500 } }, { clock }),
      request(),
    );
    while (clock.timers().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(clock.timers()).toEqual([{ at: 500, tag: 'slow answer' }]);
    await clock.advanceBy(500);
    expect(await reply).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('what goes wrong inside', () => {
  const failing = (variant: Variant): Promise<string> => {
    server = createServer({ areas: variant(rightAreas), control: true });
    return server.listen();
  };
  const boom = (): never => {
    throw new Error('internal detail');
  };

  test.each<[string, Variant]>([
    ['a route', breaks('auth', 'authenticate', () => boom)],
    [
      'every finish',
      together(
        breaks('auth', 'authenticate', () => boom),
        breaks('messages', 'finish', () => boom),
      ),
    ],
  ])('%s fails: a problem document without internals, the log has them', async (_name, fault) => {
    const url = await failing(fault);
    const response = await fetch(`${url}/api/space/main/softtype/x`, { headers: { 'x-correlation-id': 'the-id' } });
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const text = await response.text();
    expect(text).toContain('the-id');
    expect(text).not.toMatch(/internal detail|\.ts/);
    const log = await fetch(`${url}/_control/log?correlationId=the-id`, {
      headers: { authorization: `Bearer ${server?.controlToken}` },
    });
    // With a failing finish the log itself is served as a failure.
    if (log.status === 200) expect(await log.text()).toMatch(/"message":"failed"|internal detail/);
  });

  test.each<[string, Variant]>([
    ['the headers', breaks('messages', 'headersOf', () => boom)],
    ['a body that is no JSON', breaks('messages', 'finish', () => async () => ({ status: 200, body: 1n }))],
    [
      'a header that HTTP has no room for',
      breaks('messages', 'finish', () => async () => ({ status: 200, headers: { X: 'a\nb' } })),
    ],
  ])('%s cannot be answered: a bare 500, no hanging connection', async (_name, fault) => {
    expect((await fetch(`${await failing(fault)}/nope`)).status).toBe(500);
  });
});
