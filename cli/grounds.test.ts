import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import type { Report } from '../contract/schemas/report.ts';
import { readReport } from '../reports/report-file.ts';
import { checkCommand } from './check.ts';
import type { CheckOptions } from './options.ts';
import { captureOutput } from './output.fixture.ts';
import { reportMergeCommand } from './report-merge.ts';
import { serve } from './served.fixture.ts';

const root = 'patch.content-type.selects-operations';
const above = 'versioning.mismatch.operations-409';
const folder = makeFolder();
const { profile: bundled } = await serve({ faults: [root] });

interface Judged {
  readonly record: string;
  readonly report: Report;
}

async function judging(rules: readonly string[], options: Partial<CheckOptions>, added = ''): Promise<Judged> {
  const out = mkdtempSync(join(folder, 'out-'));
  const profile = join(out, 'profile.yaml');
  writeFileSync(profile, bundled + added);
  await captureOutput(() => checkCommand({ profile, out, seed: 7, runs: 2, rules, quiet: true, ...options }));
  return { record: join(out, 'outcomes.ndjson'), report: readReport(join(out, 'report.json')) };
}

function statesIn({ rules }: Report): unknown {
  const told = rules.filter(({ state }) => state !== 'not-selected');
  return told.map(({ id, state, standsOn }) => ({ id, state, standsOn }));
}

test('shards of a selection judge what it stands on, once where several do', async () => {
  const rules = [above, 'versioning.absent.operations-412'];
  const parts: string[] = [];
  for (const index of [1, 2]) {
    const { record, report } = await judging(rules, { shard: { index, of: 2 } });
    expect(report.rules.filter(({ state }) => state === 'fail').map(({ id }) => id)).toEqual([root]);
    parts.push(record);
  }
  const whole = await judging(rules, {});
  const out = mkdtempSync(join(folder, 'merged-'));
  await captureOutput(() => reportMergeCommand(parts, { out, quiet: true }));
  expect(statesIn(readReport(join(out, 'report.json')))).toEqual(statesIn(whole.report));
});

test.each([[[above]], [[above, root]]])(
  'a run of %j with --bail does not end at what a known failure explains',
  async (rules) => {
    const { report } = await judging(rules, { bail: true }, `knownFailures: { ${root}: ticket 7 }\n`);
    expect(report.aborted).toBeUndefined();
    expect(report.rules.find(({ id }) => id === above)).toMatchObject({ state: 'blocked', standsOn: [root] });
  },
);

test('a run with --bail ends at the first violation, which is the one at the root', async () => {
  const { report } = await judging([above], { bail: true });
  expect(report.aborted).toContain('--bail');
  expect(report.rules.filter(({ state }) => state === 'fail').map(({ id }) => id)).toEqual([root]);
});

test('a rule by itself finds its cause through one that is not judged for what the profile lacks', async () => {
  const rule = 'patch.add.object-value';
  const lacking = 'notSupported: { array-port: none of them }\n';
  for (const options of [{}, { bail: true }] as const) {
    const { report } = await judging([rule], options, lacking);
    expect(report.rules.find(({ id }) => id === rule)).toMatchObject({ state: 'blocked', standsOn: [root] });
    expect(report.rules.filter(({ state }) => state === 'fail').map(({ id }) => id)).toEqual([root]);
  }
});
