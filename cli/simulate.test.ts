import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExtensionAnnouncement } from './simulate.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-simulate-'));
});
afterAll(() => rm(folder, { recursive: true }));

function simulated(...argv: readonly string[]) {
  const child = spawn(process.execPath, [main, 'simulate', 'extension', ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  return { child, exited, said: text(child.stderr) };
}

describe('simulate extension', () => {
  test('says where it is, answers as its script says, keeps a journal and ends on SIGTERM', async () => {
    const [script, journal] = [join(folder, 'script.yaml'), join(folder, 'journal.ndjson')];
    await writeFile(script, 'answers:\n  - when: { kind: event }\n    steps: [{ status: 503 }]\n');
    const { child, exited } = simulated('--script', script, '--journal', journal);
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const { url, journal: told } = JSON.parse(value ?? 'null') as ExtensionAnnouncement;
    const post = async (): Promise<number> => (await fetch(`${url}/event`, { method: 'POST', body: '{"id":"one"}' })).status;
    expect([await post(), await post()]).toEqual([503, 200]);
    const lines = (await (await fetch(told)).text()).trim().split('\n');
    expect(lines).toHaveLength(2);
    child.kill('SIGTERM');
    expect((await exited)[0]).toBe(0);
    expect((await readFile(journal, 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  test('runs a script that is a module', async () => {
    const script = join(folder, 'script.ts');
    await writeFile(script, 'export const script = (request: { kind: string }, count: number) => (request.kind === "task" ? { status: 500 + count } : undefined);\n');
    const { child } = simulated('--script', script);
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const { url } = JSON.parse(value ?? 'null') as ExtensionAnnouncement;
    const statuses = [];
    for (const kind of ['event', 'task', 'email']) statuses.push((await fetch(`${url}/${kind}`, { method: 'POST', body: '{}' })).status);
    child.kill('SIGKILL');
    expect(statuses).toEqual([200, 501, 200]);
  });

  test.for([
    ['answers:\n  - steps: [{ statsu: 503 }]\n', 'script.yaml:2:'],
    ['answers: [', 'this is no YAML'],
  ])('a script that cannot be used is exit 2 and a place: %s', async ([content = '', expected = '']) => {
    const script = join(folder, 'script.yaml');
    await writeFile(script, content);
    const { exited, said } = simulated('--script', script);
    expect((await exited)[0]).toBe(2);
    expect(await said).toContain(expected);
  });

  test('a key that is no Base64 is exit 2', async () => {
    const { exited, said } = simulated('--api-key', 'not base64!');
    expect((await exited)[0]).toBe(2);
    expect(await said).toContain('Expected a key in Base64');
  });
});
