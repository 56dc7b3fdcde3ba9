import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startServer } from '../api/server.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';

const folder = makeFolder();
const main = fileURLToPath(new URL('./main.ts', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a command in a process in which that code was carried out before everything else. */
async function endedAfter(code: string, words: readonly string[]): Promise<Ended> {
  const before = `data:text/javascript,${encodeURIComponent(code)}`;
  const child = spawn(process.execPath, ['--import', before, main, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 100_000,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [ended] = (await once(child, 'close')) as [number | null];
  return { code: ended, said };
}

test('a process that waits for what never comes has shown nothing, although Node would end it well', async () => {
  const never = `import fs from 'node:fs'; import module from 'node:module';
    fs.promises.stat = () => new Promise(() => {}); module.syncBuiltinESMExports();`;
  const words = ['init', '--url', 'http://127.0.0.1:9', '--out', join(folder, 'profile.yaml')];
  const { code, said } = await endedAfter(never, words);
  expect({ code, said }).toEqual({ code: 3, said: expect.stringMatching(/^svc-conformance: [^\n]+\n$/) });
});

test('a module that cannot be loaded is a sentence, and no violation', async () => {
  const broken = `JSON.stringify = () => { throw new Error('out of everything'); };`;
  expect(await endedAfter(broken, ['check'])).toEqual({
    code: 3,
    said: 'svc-conformance: the suite could not be loaded: out of everything\n',
  });
});
const root = 'patch.content-type.selects-operations';

test('a command that broke off in the middle ends its process, whatever it has left running', async () => {
  await using server = await startServer();
  const profile = join(folder, 'whole.yaml');
  writeFileSync(profile, JSON.stringify(server.profile));
  const mute = `import { Worker } from 'node:worker_threads'; const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message) { if (message?.kind === 'run') throw new Error('out of everything'); postMessage.call(this, message); };`;
  const words = ['check', '--profile', profile, '--rules', 'caching.etag.present', '--out', join(folder, 'whole')];
  expect(await endedAfter(mute, words)).toEqual({
    code: 3,
    said: 'svc-conformance: the suite stumbled: out of everything\n',
  });
});

test('a process ends with the code that it prints, also where what failed stands on a known failure', async () => {
  await using server = await startServer({ faults: [root] });
  const profile = join(folder, 'profile.yaml');
  writeFileSync(
    profile,
    JSON.stringify({ ...server.profile, restart: undefined, knownFailures: { [root]: 'ticket 7' } }),
  );
  const rules = [root, 'versioning.mismatch.operations-409', 'versioning.restart.same-versions'];
  const words = ['check', '--profile', profile, '--rules', ...rules, '--out', folder, '--quiet'];
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = (await once(child, 'close')) as [number | null];
  expect(printed).toContain(`\nExit ${code}: `);
  expect(code).toBe(3);
});
