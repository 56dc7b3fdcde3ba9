import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { createServer } from '../../reference-server/server.ts';
import { startExtensionHost } from './host.ts';

const apiKey = Buffer.alloc(64, 7).toString('base64');
const editor = 'svcpat-edda-7d1c0b9e5a';
const administrator = 'svcpat-cora-6f8b0d2e4a';
const said: string[] = [];
const server = createServer();
await server.listen();
const host = await startExtensionHost({
  apiKey,
  permissions: ['AdministrationAPI'],
  say: (problem) => said.push(problem),
});
const registration = JSON.stringify({ hostUri: host.url, apiKey, tokenLifeTime: 60 });
const administrating = { authorization: `Bearer ${administrator}` };
const registered = await asked('POST', '/api/admin/svcExtension', registration, administrating);
const { id: registrationId } = (await registered.json()) as { id: string };
afterAll(async () => {
  await host.close();
  await server.close();
});

function asked(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Response> {
  const usual = {
    authorization: `Bearer ${editor}`,
    'content-type': 'application/json',
    'Svc-InformationFilter': 'e30=',
  };
  return fetch(server.url + path, {
    method,
    headers: { ...usual, ...headers },
    ...(body !== undefined && method !== 'GET' && { body }),
  });
}

async function given(path: string, text: string): Promise<void> {
  const checksum = createHash('md5').update(text).digest('hex');
  const answer = await asked('POST', `/api/space/main/fs/file/stream/${path}`, text, {
    checksum,
    'content-type': 'text/csv',
  });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

async function ran(inputPath: string, taskSettings: object): Promise<Record<string, unknown>> {
  const body = { recordId: 'simulated-task', registrationId, inputPath, taskSettings, timeout: 30 };
  const scheduled = await asked('POST', '/api/space/main/dx', JSON.stringify(body));
  expect(scheduled.status).toBe(201);
  const job = scheduled.headers.get('location') ?? '';
  const read = async () => (await (await asked('GET', job)).json()) as Record<string, unknown>;
  await expect.poll(async () => (await read())['state']).not.toMatch(/Scheduled|Running/);
  return read();
}

test.for([
  ['stream', {}],
  ['chunks', { upload: 'chunks', chunkSize: 5 }],
] as const)('a job of the reference server runs through by %s', async ([way, settings]) => {
  await given(`work/${way}/list.csv`, 'a;b\nc;d\n');
  const job = await ran(`work/${way}/list.csv`, settings);
  expect(job, said.join('\n')).toMatchObject({
    state: 'Completed',
    outputFilePath: expect.stringMatching(/^work\/.*\.result\.csv$/),
  });
  const path = (name: string): string => `/api/space/main/fs/file/${String(job[name])}`;
  expect(await (await asked('GET', path('outputFilePath'))).text()).toBe('A;B\nC;D\n-- 2 lines, 8 bytes\n');
  expect(await (await asked('GET', path('logFilePath'))).text()).toContain('2 lines, 8 bytes');
});
