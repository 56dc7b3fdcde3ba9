import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, postgres, startCluster, type Cluster } from '../reference-server/store/postgres.fixture.ts';
import type { Announcement } from './serve.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const headers = {
  authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
  'svc-informationfilter': btoa('{}'),
  'content-type': 'application/json',
};
const create = (url: string): Promise<Response> =>
  fetch(`${url}/api/space/main/softtype/Document/documentInput`, { method: 'POST', headers, body: '{"title":"t"}' });

function serve(store: string) {
  const child = spawn(process.execPath, [main, 'serve', '--store', store, '--log', 'info'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    child,
    exited: once(child, 'exit'),
    said: text(child.stderr),
    lines: createInterface({ input: child.stdout }),
  };
}

describe('an address that cannot be used', () => {
  const unreachable = async (): Promise<string> => `postgres://svc:hush@127.0.0.1:${await freePort()}/svc`;

  test.each([
    [
      'nobody listens there',
      unreachable,
      /Cannot use the store postgres:\/\/svc@127\.0\.0\.1:\d+\/svc: .*ECONNREFUSED/,
    ],
    ['it is none', async () => 'postgres:svc:hush@host', /expected postgres:\/\/USER@HOST:PORT\/DATABASE/],
  ])('is refused without its password: %s', async (_name, address, expected) => {
    const { exited, said } = serve(await address());
    expect((await exited)[0]).toBe(2);
    expect(await said).toMatch(expected);
    expect(await said).not.toContain('hush');
  });
});

describe.skipIf(postgres.path === undefined)(`a database${postgres.note}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  test(
    'is served, missed while it is away, and left in order, and its password is never logged',
    { timeout: 40_000 },
    async () => {
      const { child, exited, said, lines } = serve(cluster.url.replace('postgres@', 'postgres:hush@'));
      const { value } = await lines[Symbol.asyncIterator]().next();
      const { url } = JSON.parse(String(value)) as Announcement;
      const location = (await create(url)).headers.get('location') ?? '';
      await cluster.stop();
      expect((await create(url)).status).toBe(503);
      await cluster.start();
      expect((await create(url)).status).toBe(201);
      expect((await fetch(new URL(location, url), { headers })).status).toBe(200);
      await cluster.stop();
      child.kill('SIGTERM');
      expect((await exited)[0]).toBe(0);
      await cluster.start();
      const log = await said;
      expect(log).toContain('"status":503');
      expect(log).not.toContain('hush');
    },
  );
});
