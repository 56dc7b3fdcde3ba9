import { once } from 'node:events';
import fc, { integer } from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpClient, type Sender } from './client.ts';
import { ConnectionLost, NoAnswer, unlessCut } from './failure.ts';
import { splitUrl } from './wire.ts';
import { sendJson, smallService, type Handle, type SmallService } from '../small-service.fixture.ts';
import { letTimePass } from '../time/keeper.ts';
import { Waits } from '../case/waits.ts';
import { Width } from './connections.ts';

async function clientOn(
  handle: Handle,
  limits = {},
): Promise<{ client: HttpClient; service: SmallService; sender: Sender }> {
  const service = await smallService(handle);
  const client = new HttpClient({ limits });
  onTestFinished(() => client.close());
  return { client, service, sender: { reuse: true, retries: [], add: () => undefined } };
}

const get = (url: string, headers: readonly (readonly [string, string])[] = []) => ({ method: 'GET', url, headers });

describe('HttpClient', () => {
  test('follows no redirect and keeps the spelling of headers and path', async () => {
    const { client, service, sender } = await clientOn(
      (_request, response) => void response.writeHead(302, { Location: '/else' }).end(),
    );
    const answer = await client.send(get(`${service.url}/a/../%7e/./b?q={x}`, [['sVc-OdD', 'Value']]), sender);
    expect(answer.status).toBe(302);
    expect(service.arrived).toHaveLength(1);
    expect(service.arrived[0]?.url).toBe('/a/../%7e/./b?q={x}');
    expect(service.arrived[0]?.headers).toContainEqual(['sVc-OdD', 'Value']);
  });

  test('sends a body in the chunked coding, without its length, where the headers say so', async () => {
    const { client, service, sender } = await clientOn((_request, response) => void response.end());
    const body = Buffer.from('{"a": "bcd"}');
    const request = { method: 'PUT', url: service.url, headers: [], body };
    await client.send({ ...request, headers: [['Transfer-Encoding', 'chunked']] }, sender);
    await client.send(request, sender);
    const [chunked, whole] = service.arrived;
    for (const arrived of [chunked, whole]) expect(arrived?.body).toEqual(body);
    const names = [chunked, whole].map((arrived) => arrived?.headers.map(([name]) => name.toLowerCase()) ?? []);
    expect(names.map((each) => each.includes('content-length'))).toEqual([false, true]);
    expect(names.map((each) => each.includes('transfer-encoding'))).toEqual([true, false]);
  });

  test('uses no connection again on which a body went in the chunked coding, which may have been taken for requests', async () => {
    const ports = new Set<number | undefined>();
    const { client, service, sender } = await clientOn((_request, response, { socket }) => {
      ports.add(socket.remotePort);
      response.end();
    });
    const request = { method: 'PUT', url: service.url, headers: [['Transfer-Encoding', 'chunked']] as const };
    for (const _time of [1, 2]) await client.send({ ...request, body: Buffer.from('{}') }, sender);
    await client.send(get(service.url), sender);
    expect(ports.size).toBe(3);
  });

  test('a connection that ends instead of an answer may be an answer, and nothing else that goes wrong', async () => {
    const { client, service, sender } = await clientOn((_request, _response, { socket }) => void socket.destroy());
    const send = () => client.send({ method: 'PUT', url: service.url, headers: [] }, sender);
    expect(await unlessCut(send)).toBeUndefined();
    await expect(send()).rejects.toThrow(ConnectionLost);
    await expect(unlessCut(() => Promise.reject(new NoAnswer('late')))).rejects.toThrow('late');
  });

  test('sends again what may lose its connection, as often as it may, and tells each time', async () => {
    let asked = 0;
    const { client, service, sender } = await clientOn((_request, response, { socket }) => {
      asked += 1;
      if (asked % 3 === 0) response.end();
      else socket.destroy();
    });
    expect(await client.send(get(service.url), sender)).toMatchObject({ status: 200 });
    expect(sender.retries.splice(0)).toHaveLength(2);
    const post = { method: 'POST', url: service.url, headers: [] };
    await expect(client.send(post, sender)).rejects.toThrow(ConnectionLost);
    asked = 0;
    expect(await client.send(post, { ...sender, mayLose: 2 })).toMatchObject({ status: 200 });
    expect(sender.retries).toHaveLength(2);
    await expect(client.send(post, { ...sender, mayLose: 1 })).rejects.toThrow(ConnectionLost);
    expect(asked).toBe(5);
  });

  test('says that fewer requests at once may help where one fails while others are under way, and only there', async () => {
    const { client, service, sender } = await clientOn(
      ({ url }, _response, { socket }) => void (url === '/cut' && socket.destroy()),
      { requestTimeoutSeconds: 0.3 },
    );
    const failures = async (paths: readonly string[]): Promise<readonly string[]> => {
      const ends = await Promise.allSettled(paths.map((path) => client.send(get(`${service.url}${path}`), sender)));
      return ends.map((end) => (end.status === 'rejected' ? String(end.reason.message) : ''));
    };
    for (const path of ['/silent', '/cut']) {
      expect(await failures([path])).toEqual([expect.not.stringContaining('limits.concurrency')]);
      const [told] = await failures([path, '/silent']);
      expect(told).toContain('while other requests were under way: lower limits.concurrency in the profile');
    }
  });

  test('cuts off an answer beyond its limit', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    const { client, service, sender } = await clientOn(async (_request, response) => {
      const closed = once(response, 'close');
      for (let written = 0; written < 64 && !response.destroyed; written += 1) {
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed]);
      }
      response.end();
    });
    await expect(client.send(get(service.url), sender)).rejects.toThrow(NoAnswer);
  });

  test('cuts off an answer of more values than it can hold, and takes a long one of few', async () => {
    const bodies = ['['.repeat(300_000), `[${'{},'.repeat(150_000)}{}]`, JSON.stringify('x'.repeat(2_000_000))];
    const { client, service, sender } = await clientOn(
      ({ url }, response) => void response.end(bodies[Number(url[1])]),
    );
    for (const index of [0, 1])
      await expect(client.send(get(`${service.url}/${index}`), sender)).rejects.toThrow(/more than 250000 values/);
    expect((await client.send(get(`${service.url}/2`), sender)).bytes.length).toBe(2_000_002);
  });

  test('loses nothing of long answers that wait for each other', async () => {
    const body = Buffer.alloc(2 * 1024 * 1024, 'x');
    const { client, service, sender } = await clientOn((_request, response) => void response.end(body));
    const asked = Array.from({ length: 8 }, () => client.send(get(service.url), sender));
    for (const { bytes } of await Promise.all(asked)) expect(body.equals(bytes)).toBe(true);
  });

  test('ends long answers that never end, one after another', async () => {
    const { client, service, sender } = await clientOn((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
      };
      response.on('drain', more);
      more();
    });
    const asked = Array.from({ length: 8 }, () => client.send(get(service.url), sender));
    for (const end of await Promise.allSettled(asked)) expect(end).toMatchObject({ reason: expect.any(NoAnswer) });
  });

  test('reads no HTTP as no answer', async () => {
    const { client, service, sender } = await clientOn(
      (_request, _response, message) => void message.socket.end('SSH-2.0-nothing\r\n\r\n'),
    );
    await expect(client.send(get(service.url), sender)).rejects.toThrow(/cannot be read as HTTP|connection was lost/);
  });

  test('reads an answer whose length has spaces around it, and the next one behind it', async () => {
    const heads = ['Content-Length:\t 2 ', 'content-length:2 ', 'Content-Length: 2   '];
    const { client, service, sender } = await clientOn(
      (_request, _response, { socket }) => void socket.write(`HTTP/1.1 200 OK\r\n${heads.pop()}\r\n\r\n{}`),
    );
    for (const _time of [1, 2, 3]) {
      const answer = await client.send(get(service.url), sender);
      expect([answer.status, String(answer.bytes)]).toEqual([200, '{}']);
    }
    expect(service.arrived).toHaveLength(3);
  });

  test('takes no body that is shorter than its length for a whole one', async () => {
    const { client, service, sender } = await clientOn(
      (_request, _response, { socket }) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3 \r\n\r\n{}'),
    );
    await expect(client.send({ ...get(service.url), method: 'DELETE' }, sender)).rejects.toThrow(ConnectionLost);
  });

  test('reads the answer behind each 100 Continue that nobody has asked for, in whatever pieces they come', async () => {
    const { client, service, sender } = await clientOn(async ({ url }, response, { socket }) => {
      const interim = 'HTTP/1.1 100 Continue\r\nA: b\r\n\r\n';
      const pieces = url === '/pieces' ? [...interim.repeat(2)] : [interim];
      for (const piece of pieces) await new Promise((resolve) => void socket.write(piece, resolve));
      response.end(url);
    });
    for (const path of ['/one', '/two', '/pieces', '/three']) {
      const answer = await client.send(get(`${service.url}${path}`), sender);
      expect([answer.status, Buffer.from(answer.bytes).toString()]).toEqual([200, path]);
    }
  });

  test('says that a request cannot be sent whose token HTTP has no place for', async () => {
    const { client, service, sender } = await clientOn((_request, response) => void response.end());
    const request = { ...get(service.url), headers: [['Authorization', 'Bearer €'] as const] };
    await expect(client.send(request, sender)).rejects.toThrow(/cannot be sent/);
  });

  test('waits as long as it is asked to and puts it on record', async () => {
    let asked = 0;
    const { client, service, sender } = await clientOn((_request, response) => {
      asked += 1;
      if (asked > 2) return sendJson({ asked }, response);
      return void response.writeHead(asked === 1 ? 429 : 503, { 'Retry-After': '0' }).end();
    });
    expect((await client.send(get(service.url), sender)).status).toBe(200);
    expect(sender.retries).toHaveLength(2);
    expect(client.patience).toEqual([
      { status: 429, retryAfter: '0' },
      { status: 503, retryAfter: '0' },
    ]);
  });

  test('never has more requests under way than it may, and reuses connections', async () => {
    await fc.assert(
      fc.asyncProperty(integer({ min: 1, max: 5 }), integer({ min: 1, max: 20 }), async (concurrency, requests) => {
        let [underWay, most] = [0, 0];
        const { client, service, sender } = await clientOn(
          async (_request, response) => {
            underWay += 1;
            most = Math.max(most, underWay);
            await new Promise((resolve) => setImmediate(resolve));
            underWay -= 1;
            sendJson({}, response);
          },
          { concurrency },
        );
        await Promise.all(Array.from({ length: requests }, () => client.send(get(service.url), sender)));
        expect(most).toBeLessThanOrEqual(concurrency);
        expect(service.connections()).toBeLessThanOrEqual(concurrency);
      }),
      { numRuns: 10 },
    );
  });

  test('asks for less at once where it is answered 429, and gives up with advice', async () => {
    let underWay = 0;
    const { client, service, sender } = await clientOn(
      async (request, response) => {
        underWay += 1;
        const alone = underWay === 1 && !request.url?.endsWith('never');
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        if (alone) sendJson({}, response);
        else response.writeHead(429, { 'Retry-After': '0' }).end();
      },
      { concurrency: 16 },
    );
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.send(get(service.url), sender)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    await expect(client.send(get(`${service.url}/never`), sender)).rejects.toThrow(/limits\.concurrency/);
  });

  test('keeps its width where a 429 comes now and then, and holds nothing back but that request', async () => {
    let [asked, underWay, most] = [0, 0, 0];
    const { client, service, sender } = await clientOn(
      async (_request, response) => {
        asked += 1;
        const number = asked;
        underWay += 1;
        if (asked > 300) most = Math.max(most, underWay);
        await new Promise((resolve) => setTimeout(resolve, 2));
        underWay -= 1;
        if (number % 60 === 0) response.writeHead(429, { 'Retry-After': '0' }).end();
        else sendJson({}, response);
      },
      { concurrency: 8 },
    );
    const answers = await Promise.all(Array.from({ length: 600 }, () => client.send(get(service.url), sender)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(client.patience.length).toBeGreaterThan(4);
    expect(most).toBe(8);
  });

  test('a request during which time may pass leaves its place to others', async () => {
    const first = Promise.withResolvers<void>();
    const { client, service, sender } = await clientOn(
      async (request, response) => {
        if (request.url === '/waits') await first.promise;
        sendJson({}, response);
        first.resolve();
      },
      { concurrency: 1 },
    );
    const urls = ['waits', 'other'].map((name) => get(`${service.url}/${name}`));
    const answers = await Promise.all(urls.map((request) => letTimePass(() => client.send(request, sender))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('time has to wait for a request that waits for its place, though time may pass during it', async () => {
    const first = Promise.withResolvers<void>();
    const { client, service, sender } = await clientOn(
      async (_request, response) => {
        await first.promise;
        sendJson({}, response);
      },
      { concurrency: 1 },
    );
    const before = client.send(get(service.url), sender);
    const waiting = letTimePass(() => client.send(get(service.url), sender));
    await expect.poll(() => client.holdingTime).toBe(2);
    first.resolve();
    await Promise.all([before, waiting]);
    expect(client.holdingTime).toBe(0);
  });

  test('a request during which time may pass is waited for beyond the timeout of others', async () => {
    const { client, service, sender } = await clientOn(
      async (_request, response) => {
        await new Promise((done) => setTimeout(done, 150));
        sendJson({}, response);
      },
      { requestTimeoutSeconds: 0.05 },
    );
    expect((await letTimePass(() => client.send(get(service.url), sender))).status).toBe(200);
    await expect(client.send(get(service.url), sender)).rejects.toThrow(
      /^no complete answer to GET \/\S* within 0\.05 s/,
    );
  });

  test('waits for a part of the limit where none of the last five such requests was answered, until one is', async () => {
    let isSilent = true;
    const { client, service, sender } = await clientOn(
      (_request, response) => (isSilent ? undefined : sendJson({}, response)),
      { requestTimeoutSeconds: 0.2 },
    );
    const failureOfNext = async (path: string): Promise<string> => {
      const error: unknown = await client.send(get(`${service.url}${path}`), sender).catch((reason: unknown) => reason);
      return error instanceof NoAnswer ? error.message : `no failure: ${String(error)}`;
    };
    for (let sent = 0; sent < 5; sent += 1) expect(await failureOfNext(`/a/b${sent}`)).toMatch('GET /a/… within 0.2 s');
    expect(await failureOfNext('/a/b6')).toMatch(/GET \/a\/… within 0.02 s .*, nor did one come to the last such/);
    expect(await failureOfNext('/other')).toMatch('GET /other within 0.2 s');
    isSilent = false;
    await expect.poll(() => failureOfNext('/a/b7')).toMatch('no failure');
    isSilent = true;
    expect(await failureOfNext('/a/b8')).toMatch('GET /a/… within 0.2 s');
  });

  test('opens a connection for each request when told so', async () => {
    const { client, service, sender } = await clientOn((_request, response) => sendJson({}, response));
    for (let sent = 0; sent < 3; sent += 1) await client.send(get(service.url), { ...sender, reuse: false });
    expect(service.connections()).toBe(3);
  });

  test('an interim answer is no answer, and blanks around the value of a header are no part of it', async () => {
    const { client, service, sender } = await clientOn((_request, _response, message) => {
      const head = 'HTTP/1.1 103 Early Hints\r\nX-A: a\r\n\r\nHTTP/1.1 204 No Content\r\nX-A: \t b \t\r\n\r\n';
      message.socket.write(head);
    });
    for (const answer of [
      await client.send(get(service.url), sender),
      await client.sendRaw(get(service.url), sender),
    ]) {
      expect(answer.status).toBe(204);
      expect(answer.headers).toEqual([['X-A', 'b']]);
      expect(answer.bytes).toHaveLength(0);
    }
  });

  test('a raw exchange shows the bytes after a 204', async () => {
    const { client, service, sender } = await clientOn((_request, _response, message) => {
      message.socket.write('HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\nleft over');
    });
    const answer = await client.sendRaw(get(`${service.url}/x`), sender);
    expect(answer.status).toBe(204);
    expect(answer.headers).toEqual([['X-A', 'b']]);
    expect(Buffer.from(answer.bytes).toString()).toBe('left over');
  });
});

describe('the width', () => {
  const later = (): number => performance.now() + 1;

  test('is a quarter where a 429 is usual, and comes back by one after each twenty answers', () => {
    const width = new Width(32);
    for (let count = 0; count < 4; count += 1) width.learn(true, later());
    expect(width.now).toBe(8);
    for (let step = 1; step <= 24; step += 1) {
      for (let count = 0; count < 20; count += 1) width.learn(false, later());
      expect(width.now).toBe(8 + step);
    }
    for (let count = 0; count < 100; count += 1) width.learn(false, later());
    expect(width.now).toBe(32);
  });

  test('takes a step back that is refused at once, and waits twice as long for the next', () => {
    const width = new Width(32);
    for (let count = 0; count < 4; count += 1) width.learn(true, later());
    for (let count = 0; count < 20; count += 1) width.learn(false, later());
    width.learn(true, later());
    expect(width.now).toBe(8);
    for (let count = 0; count < 39; count += 1) width.learn(false, later());
    expect(width.now).toBe(8);
    width.learn(false, later());
    expect(width.now).toBe(9);
  });

  test('learns nothing from what was under way when it became less', () => {
    const width = new Width(32);
    const before = performance.now() - 1;
    for (let count = 0; count < 30; count += 1) width.learn(true, before);
    expect(width.now).toBe(8);
  });
});

test('the time for which a target asks, and the wait for other requests, are told as held back', async () => {
  let asked = 0;
  const { client, service, sender } = await clientOn(
    (_request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(429, { 'Retry-After': '1' }).end();
      else sendJson({}, response);
    },
    { concurrency: 1 },
  );
  const waits = new Waits();
  const sending = client.send(get(`${service.url}/x`), { ...sender, waits });
  await expect.poll(() => waits.tell()).toContain('GET /x may be sent again');
  await sending;
  expect(waits.heldBackMs).toBeGreaterThan(900);
});

describe('splitUrl', () => {
  test('keeps the path as it stands and escapes what HTTP cannot carry', () => {
    expect(splitUrl('http://Host:80/a/../b?x=ü#part')).toEqual({ origin: 'http://host', path: '/a/../b?x=%C3%BC' });
    expect(splitUrl('https://host')).toEqual({ origin: 'https://host', path: '/' });
    expect(() => splitUrl('/relative')).toThrow(TypeError);
  });
});
