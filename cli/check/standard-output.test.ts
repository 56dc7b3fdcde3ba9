import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { eventSchema } from '../../contract/schemas/events.ts';
import type { Report } from '../../contract/schemas/report.ts';
import { captureOutput } from '../output.fixture.ts';
import { run } from '../run.ts';

const folder = makeFolder();

const isEvent = new Ajv().compile(eventSchema);
const rule = 'headers.uoi-version.on-create';

interface Line {
  readonly event: string;
  readonly [member: string]: unknown;
}

async function linesOf(
  ...words: readonly string[]
): Promise<{ readonly exitCode: number; readonly lines: readonly Line[] }> {
  const { exitCode, stdout } = await captureOutput(() => run(['check', '--json', '--out', folder, ...words]));
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  for (const line of lines) expect([isEvent(line), line]).toEqual([true, line]);
  return { exitCode, lines };
}

test('--json prints events and nothing else', async () => {
  const { exitCode, lines } = await linesOf('--rules', rule);
  expect(lines.map(({ event }) => event)).toEqual(['run', 'verdict', 'end']);
  expect(lines[1]).toMatchObject({ rule, verdict: 'pass' });
  expect(lines[2]).toMatchObject({ exitCode, report: join(folder, 'report.json') });
});

test('a run that is refused has an end as well', async () => {
  const profile = join(folder, 'nobody.yaml');
  const bundled = readFileSync(new URL('../../fixtures/profile.yaml', import.meta.url), 'utf8');
  writeFileSync(
    profile,
    bundled.replaceAll('${BASE_URL}', 'http://127.0.0.1:9').replaceAll('${HOST_DIRECTORY}', folder),
  );
  const { exitCode, lines } = await linesOf('--rules', rule, '--profile', profile);
  expect(lines.at(-1)).toMatchObject({ event: 'end', exitCode });
  expect(exitCode).toBe(3);
});

test('--report with - prints one document and nothing else', async () => {
  const { stdout, stderr } = await captureOutput(() =>
    run(['check', '--rules', rule, '--report', 'json=-', '--out', folder]),
  );
  expect((JSON.parse(stdout) as Report).totals.pass).toBe(1);
  expect(stderr).toContain('Exit 0');
  expect(readdirSync(folder)).not.toContain('-');
});
