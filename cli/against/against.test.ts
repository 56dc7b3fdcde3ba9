import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { Differential } from '../../judge/differential/result.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { startReference } from '../../api/deployment.ts';
import { checkCommand } from '../check.ts';
import type { CheckOptions } from '../options.ts';
import { captureOutput, type Output } from '../output.fixture.ts';
import { serve } from '../served.fixture.ts';

const folder = makeFolder();
const { url } = await serve({ faults: ['paging.link.total-number'] });

function against(second: string, options: Partial<CheckOptions> = {}): Promise<Output> {
  return captureOutput(() => checkCommand({ out: join(folder, 'out'), seed: 5, runs: 1, against: second, ...options }));
}

const documents = (): readonly string[] =>
  ['json', 'md', 'html'].map((ending) => readFileSync(join(folder, 'out', `against.${ending}`), 'utf8'));

test('a violation ends with 1, names the side and the rule, deletes what was made, and shows no secret', async () => {
  const { exitCode, printed } = await against(url);
  expect(exitCode).toBe(1);
  expect(printed).toContain('paging.link.total-number  the second');
  expect(printed).toContain(`again: svc-conformance check --against ${url} --seed 5 --runs 1`);
  const [json = '', ...pages] = documents();
  const { breaches, differences, remains, assumed } = JSON.parse(json) as Differential;
  expect(breaches.map(({ rule, party }) => `${party} ${rule}`)).toEqual(['second paging.link.total-number']);
  expect(differences).toEqual([]);
  expect(remains).toEqual([]);
  expect(assumed).toHaveLength(2);
  await using right = await startReference();
  const secrets = Object.values(right.loaded.profile.identities).flatMap(({ pat, password }) =>
    [pat, password].filter((secret) => secret !== undefined),
  );
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of [...secrets, 'eyJ'])
    for (const text of [printed, json, ...pages]) expect(text).not.toContain(secret);
  expect(breaches[0]?.curl.join('\n')).toMatch(/SECOND_EDITOR_(?:TOKEN|PAT)/);
});

describe('what cannot be compared', () => {
  test('somebody who does not answer ends with 3, whichever side that is', async () => {
    const gone = createVariant();
    const url = await gone.listen();
    await gone.close();
    const { exitCode, printed } = await against(url);
    expect([exitCode, printed]).toEqual([3, expect.stringContaining('the second cannot be compared')]);
  });

  test('flags about the rules of one implementation are refused', async () => {
    expect(await against(url, { areas: ['paging'] })).toMatchObject({
      exitCode: 2,
      printed: expect.stringMatching(/^svc-conformance: --areas .* leave it out\n$/),
    });
    expect(await against(url, { report: [{ format: 'junit', file: 'x.xml' }] })).toMatchObject({
      exitCode: 2,
      printed: expect.stringContaining('json, markdown, html'),
    });
  });

  test('a profile that is none is told with file and line', async () => {
    const file = join(folder, 'no.yaml');
    writeFileSync(file, 'profileVersion: 2\n');
    expect(await against(file)).toMatchObject({ exitCode: 2, printed: expect.stringContaining(`${file}:1:`) });
  });
});
