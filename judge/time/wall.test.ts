import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVariant } from '../../variants/create-variant.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

const minute = 60_000;
const shift = new URL('../../bench/harness/shift-clock.ts', import.meta.url).href;

test.each([-90 * minute, 40 * 24 * 60 * minute])(
  'the clock of the judge may be wrong by %i ms: tokens are judged by their own times',
  async (shiftMs) => {
    const server = createVariant({ control: true });
    const url = await server.listen();
    const out = makeFolder();
    const profile = `${url}/_control/profile.yaml`;
    const { promise, resolve } = Promise.withResolvers<string>();
    execFile(
      process.execPath,
      `--import ${shift} cli/main.ts check --profile ${profile} --time real --quiet --out ${join(out, 'report')} --rules auth.jwt.* --rules auth.grant.*`.split(
        ' ',
      ),
      { env: { ...process.env, SHIFT_CLOCK_MS: String(shiftMs) } },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
    const said = await promise;
    const lines = (await readFile(join(out, 'report/outcomes.ndjson'), 'utf8')).trim().split('\n').slice(1, -1);
    const wrong = lines
      .map((line) => JSON.parse(line))
      .filter(({ verdict }) => ['fail', 'warn', 'broken'].includes(verdict));
    expect(wrong, said).toEqual([]);
    expect(lines.length).toBeGreaterThan(10);
    await server.close();
  },
);
