import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { extensionHost } from '../contract/profile/extension-host.ts';
import { signatureOf } from '../simulator/extension/signature.ts';
import { announced } from './announced.fixture.ts';
import { captureOutput } from './output.fixture.ts';
import { run } from './run.ts';
import type { ExtensionAnnouncement } from './simulate.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const folder = makeFolder();

const simulated = (...argv: readonly string[]) => announced<ExtensionAnnouncement>(['simulate', 'extension', ...argv]);

describe('simulate extension', () => {
  test('says where it is, answers as its script says, keeps a journal and ends on SIGTERM', async () => {
    const [script, journal] = [join(folder, 'script.yaml'), join(folder, 'journal.ndjson')];
    await writeFile(script, 'answers:\n  - when: { kind: event }\n    steps: [{ status: 503 }]\n');
    const words = ['simulate', 'extension', '--script', script, '--journal', journal, '--control'];
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const { url, journal: told = '', controlToken } = JSON.parse(value ?? 'null') as ExtensionAnnouncement;
    const post = async (): Promise<number> =>
      (await fetch(`${url}/event`, { method: 'POST', body: '{"id":"one","payload":{}}' })).status;
    expect([await post(), await post()]).toEqual([503, 200]);
    const headers = { authorization: `Bearer ${controlToken}` };
    expect(await (await fetch(told, { headers })).json()).toMatchObject({ entries: { length: 2 } });
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect((await readFile(journal, 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  test('says what a profile needs to judge it, moves its clock and breaks rules where asked to', async () => {
    const apiKey = Buffer.alloc(32, 1).toString('base64');
    await using host = await simulated(
      '--api-key',
      apiKey,
      '--control',
      '--permissions',
      'AdministrationAPI,SnapshotAPI',
      '--fault',
      'calls.host.event-acknowledged',
    );
    const { url, profile, controlToken } = host.announcement;
    const ajv = new Ajv({ strict: false });
    const isBinding = ajv.compile(extensionHost);
    expect(isBinding(profile?.extensionHost), JSON.stringify(isBinding.errors)).toBe(true);
    expect(profile?.extensionHost).toMatchObject({
      hostUri: url,
      apiKey,
      time: { control: { token: controlToken } },
      samples: {},
    });
    const asked = (path: string, bearer: string, body?: string) =>
      fetch(url + path, {
        headers: { authorization: `Bearer ${bearer}` },
        ...(body !== undefined && { method: 'POST', body }),
      });
    const [record] = (await (await asked('/svc/extension', signatureOf(apiKey, '/svc/extension'))).json()) as {
      permissions: { permissions: string[] };
    }[];
    expect(record?.permissions.permissions).toEqual(['AdministrationAPI', 'SnapshotAPI']);
    expect((await asked('/event', signatureOf(apiKey, '/event'), '{"id":"one","payload":{}}')).status).toBe(202);
    expect(await (await asked('/_control/clock', controlToken ?? '')).json()).toMatchObject({ running: true });
    expect(await host.end('SIGTERM')).toBe(0);
  });

  test('runs a script that is a module', async () => {
    const script = join(folder, 'script.ts');
    await writeFile(
      script,
      'export const script = (request: { kind: string }, count: number) => (request.kind === "task" ? { status: 500 + count } : undefined);\n',
    );
    await using host = await simulated('--script', script);
    const { url } = host.announcement;
    const statuses = [];
    for (const kind of ['event', 'task', 'email'])
      statuses.push((await fetch(`${url}/${kind}`, { method: 'POST', body: '{"id":"one","payload":{}}' })).status);
    expect(statuses).toEqual([200, 501, 200]);
  });

  test.for([
    ['answers:\n  - steps: [{ statsu: 503 }]\n', 'script.yaml:2:'],
    ['answers: [', 'this is no YAML'],
  ])('a script that cannot be used is exit 2 and a place: %s', async ([content = '', expected = '']) => {
    const script = join(folder, 'script.yaml');
    await writeFile(script, content);
    const { exitCode, stderr } = await captureOutput(() => run(['simulate', 'extension', '--script', script]));
    expect(exitCode).toBe(2);
    expect(stderr).toContain(expected);
  });
});

describe('simulate callee', () => {
  test('says where it is, takes orders and ends on SIGTERM', async () => {
    await using callee = await announced<{ readonly url: string }>(['simulate', 'callee']);
    const { url } = callee.announcement;
    const body = JSON.stringify({ sites: [{ base: '/x/hook' }] });
    expect((await fetch(`${url}/_callee`, { method: 'PUT', body })).status).toBe(204);
    await fetch(`${url}/x/hook`, { method: 'POST', body: 'a call' });
    expect(await (await fetch(`${url}/_callee/1/x/hook`)).text()).toBe('a call');
    const taken = await captureOutput(() => run(['simulate', 'callee', '--port', new URL(url).port]));
    expect(taken).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('choose another --port') });
    expect(await callee.end('SIGTERM')).toBe(0);
  });
});
