import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Deployment, startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { configurationOf, type TemplatesSource } from '../../reference-server/load-configuration.ts';
import { type Variant, replaces } from '../../variants/breaks.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { catalogue } from '../catalogue.ts';

/** A reference server whose entries inside entries cannot do without their text, which the profile gives as well. */
async function serverOfTexts(...faults: readonly Variant[]): Promise<Deployment> {
  const optional =
    'revisions:\n                kind: entries\n                members:\n                  text: { kind: string }';
  const text = await readFile(new URL('../../fixtures/space-template.yaml', import.meta.url), 'utf8');
  const changed = text.replace(optional, optional.replace('string }', 'string, mandatory: true }'));
  expect(changed).not.toBe(text);
  const space: TemplatesSource = parse(changed);
  const configuration = configurationOf({ space, seed: undefined });
  const server = await startReference({}, (options) => createVariant({ ...options, configuration, faults }));
  const { profile } = server.loaded;
  const named = JSON.stringify(profile).replace('"author":"someone"', '"author":"someone","text":"T {{unique}}"');
  return { ...server, loaded: { ...server.loaded, profile: JSON.parse(named) as typeof profile } };
}

async function judge({ loaded }: Deployment, rule: RuleId): Promise<Outcome | undefined> {
  await using open = openJudge(catalogue, { loaded, seed: 1, runs: 1 });
  return (await open.judge(rule, new AbortController().signal)).outcome;
}

test('an entry inside an entry goes with a text that it cannot do without, and no rule objects', async () => {
  await using server = await serverOfTexts();
  for (const rule of ['patch.remove.entry-with-trailing-slash', 'patch.remove.cascades-to-parent'] as const)
    expect(await judge(server, rule)).toMatchObject({ verdict: 'pass' });
});

test('an entry inside an entry that stays without its mandatory text is noticed', async () => {
  const keeps = replaces(
    'operations',
    'complies',
    (right, areas, members, content) => members.has('author') || right(areas, members, content),
  );
  await using server = await serverOfTexts(keeps);
  const outcome = await judge(server, 'patch.remove.cascades-to-parent');
  expect([outcome?.verdict, outcome?.violation?.expected]).toEqual([
    'fail',
    expect.stringContaining('inside the entries after the remove of one text'),
  ]);
});

test('an entry that tells no id is what is said to be wrong, and no request goes out for one without', async () => {
  const silent = replaces('entries', 'entryOut', (right, ...args) => {
    const entry = right(...args);
    Reflect.deleteProperty(entry, '$entryId');
    return entry;
  });
  await using server = await startReference({}, (options) => createVariant({ ...options, faults: [silent] }));
  for (const rule of ['patch.remove.entry-with-trailing-slash', 'patch.path.entry-member-addressed'] as const) {
    const { verdict, violation } = (await judge(server, rule)) ?? {};
    expect([verdict, violation?.expected, violation?.actual]).toEqual([
      'fail',
      '$entryId of an object inside an array to be an integer or a string',
      'nothing',
    ]);
    expect(violation?.exchange?.request.method).toBe('GET');
  }
});
