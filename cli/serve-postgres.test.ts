import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { bytesOf, chunkRequest } from '../reference-server/areas/world.fixture.ts';
import { freePort, postgres, startCluster, type Cluster } from '../reference-server/ports/postgres.fixture.ts';
import { openPostgresStore } from '../reference-server/ports/postgres.ts';
import { createServer } from '../reference-server/server.ts';
import { captureOutput } from './output.fixture.ts';
import { run } from './run.ts';
import type { Announcement } from './serve.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const headers = {
  authorization: 'Bearer svcpat-edda-7d1c0b9e5a',
  'svc-informationfilter': btoa('{}'),
  'content-type': 'application/json',
};
const create = (url: string): Promise<Response> =>
  fetch(`${url}/api/space/main/softtype/Document/documentInput`, { method: 'POST', headers, body: '{"title":"t"}' });
const area = '/api/space/main/fs/file';
const sentTo = (url: string, chunk: ReturnType<typeof chunkRequest>): Promise<Response> =>
  fetch(url + area, {
    method: 'POST',
    headers: { authorization: headers.authorization, ...chunk.headers },
    body: chunk.body,
  });

function serve(store: string, ...more: readonly string[]) {
  const child = spawn(process.execPath, [main, 'serve', '--store', store, '--log', 'info', ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    child,
    exited: once(child, 'exit'),
    said: text(child.stderr),
    lines: createInterface({ input: child.stdout }),
  };
}

async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  const { value } = await lines[Symbol.asyncIterator]().next();
  return (JSON.parse(String(value)) as Announcement).url;
}

test('an address where nobody listens is refused without its password', async () => {
  const store = `postgres://svc:hush@127.0.0.1:${await freePort()}/svc`;
  const { exitCode, stderr } = await captureOutput(() => run(['serve', '--store', store]));
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/Cannot use the store postgres:\/\/127\.0\.0\.1:\d+\/svc: .*ECONNREFUSED/);
  expect(stderr).not.toContain('hush');
});

describe.skipIf(postgres.path === undefined)(`a database${postgres.note}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('is served, missed while it is away, and left in order, and its password is never logged', async () => {
    const { child, exited, said, lines } = serve(cluster.url.replace('postgres@', 'postgres:hush@'));
    const url = await addressIn(lines);
    const location = (await create(url)).headers.get('location') ?? '';
    await cluster.stop();
    for (const answer of [await fetch(new URL(location, url), { headers }), await create(url)]) {
      expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
      expect(await answer.json()).toMatchObject({ status: 503, detail: expect.stringContaining('again') });
    }
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
  });

  test('takes the chunks of files that come to two hosts at once', async () => {
    const files = makeFolder();
    const place = await cluster.emptyPlace();
    const stores = await Promise.all([1, 2].map(() => openPostgresStore(place)));
    const hosts = stores.map((store) => createServer({ store, files }));
    onTestFinished(async () => {
      for (const host of hosts) await host.close();
      for (const store of stores) await store.close();
    });
    const urls = await Promise.all(hosts.map((host) => host.listen()));
    for (let round = 0; round < 10; round += 1) {
      const file = bytesOf(59_999, round);
      const chunks = [1, 2, 3, 4, 5, 6].map((number) => chunkRequest(`at-once/${round}`, file, 10_000, number));
      const answers = await Promise.all(chunks.map((chunk, index) => sentTo(urls[index % 2] ?? '', chunk)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
      const found = await Promise.all(urls.map((url) => fetch(`${url}${area}/at-once/${round}`, { headers })));
      expect(found.map((answer) => answer.headers.get('content-type'))).toEqual(['text/csv', 'text/csv']);
      for (const answer of found) expect(Buffer.from(await answer.arrayBuffer()).equals(file)).toBe(true);
    }
  });
});
