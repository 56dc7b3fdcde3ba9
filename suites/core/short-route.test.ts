import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import type { RuleId } from '../../contract/rule.ts';
import { Base } from '../../judge/run/base.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { configurationOf, type TemplatesSource } from '../../reference-server/load-configuration.ts';
import { createVariant } from '../../variants/create-variant.ts';
import { catalogue } from '../catalogue.ts';

/** The template of the package, but that the short route of a Document applies the smaller one of its output schemas. */
async function configurationWithSmallFirst() {
  const url = new URL('../../fixtures/space-template.yaml', import.meta.url);
  const space = parse(await readFile(url, 'utf8')) as TemplatesSource;
  const { Document } = space.templates['engineering']?.softTypes ?? {};
  if (Document !== undefined) Document.outputs = Object.fromEntries(Object.entries(Document.outputs).toReversed());
  return configurationOf({ space, seed: undefined });
}

const rules: readonly RuleId[] = [
  'reading.create.content-reads-back',
  'reading.filter.narrows-entries',
  'paging.instance-read.at-most-ten',
  'patch.merge.edits-named-member',
  'patch.add.object-value',
  'batch.route.create-and-edit',
  'batch.result.create-href',
  'batch.result.create-carries-no-data',
  'batch.rollback.objects-stay-writable',
  'headers.location.leads-to-object',
  'multi-create.items.all-created',
  'maturity.state-field.shape',
];

test('which schema the short route applies is found out, and no rule objects to it', async () => {
  const configuration = await configurationWithSmallFirst();
  await using server = await startReference({}, (options) => createVariant({ ...options, configuration }));
  const base = new Base({ loaded: server.loaded, seed: 1 }, new AbortController().signal, new Set(['soft-type']));
  expect(await base.preflight()).toBeUndefined();
  const profile = base.completed();
  await base.close();
  expect(profile.softTypes?.primary.shortRouteSchemaId).toBe('documentSummary');
  expect(profile.softTypes?.second?.shortRouteSchemaId).toBeUndefined();
  await using open = openJudge(catalogue, { loaded: { ...server.loaded, profile }, seed: 1, runs: 1 });
  for (const rule of rules) {
    const { outcome } = await open.judge(rule, new AbortController().signal);
    expect([rule, outcome?.verdict, outcome?.reason ?? outcome?.violation?.actual]).toEqual([rule, 'pass', undefined]);
  }
});
