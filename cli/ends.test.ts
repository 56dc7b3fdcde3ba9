import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startServer } from '../api/server.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const root = 'patch.content-type.selects-operations';

test('a process ends with the code that it prints, also where what failed stands on a known failure', async () => {
  await using server = await startServer({ faults: [root] });
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
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
  rmSync(folder, { recursive: true });
  expect(printed).toContain(`\nExit ${code}: `);
  expect(code).toBe(3);
});
