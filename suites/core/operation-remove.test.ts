import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startReference } from '../../api/deployment.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { configurationOf, type TemplatesSource } from '../../reference-server/load-configuration.ts';
import { createServer } from '../../reference-server/server.ts';
import { catalogue } from '../catalogue.ts';

test('an entry inside an entry goes with a text that it cannot do without, and no rule objects', async () => {
  const file = new URL('../../fixtures/space-template.yaml', import.meta.url);
  const optional =
    'revisions:\n                kind: entries\n                members:\n                  text: { kind: string }';
  const text = await readFile(file, 'utf8');
  const changed = text.replace(optional, optional.replace('string }', 'string, mandatory: true }'));
  expect(changed).not.toBe(text);
  const space: TemplatesSource = parse(changed);
  const configuration = configurationOf({ space, seed: undefined });
  await using server = await startReference({}, ({ control }) =>
    createServer({ configuration, ...(control !== undefined && { control }) }),
  );
  const { profile } = server.loaded;
  const named = JSON.stringify(profile).replace('"author":"someone"', '"author":"someone","text":"T {{unique}}"');
  const loaded = { ...server.loaded, profile: JSON.parse(named) as typeof profile };
  await using open = openJudge(catalogue, { loaded, seed: 1, runs: 1 });
  const { outcome } = await open.judge('patch.remove.entry-with-trailing-slash', new AbortController().signal);
  expect([outcome?.verdict, outcome?.violation?.expected]).toEqual(['pass', undefined]);
});
