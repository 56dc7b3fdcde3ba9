import { makeFolder } from '../fixtures/folder.fixture.ts';
import { catalogue } from '../suites/catalogue.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { fingerprint } from '../reports/published-results.ts';
import { readReport } from '../reports/report-file.ts';
import { parseRun } from '../reports/run.ts';
import { listedRules } from './rule-list.ts';
import type { Outcome } from '../judge/outcome.ts';
import { startReference } from '../api/deployment.ts';
import { judgeTarget } from './check/judge-target.ts';
import { captureOutput } from './output.fixture.ts';
import { expectPlayedAsRecorded } from './played.fixture.ts';
import { patient, publishedFolder } from './published/texts.ts';

const seed = 20;
const rules = catalogue.all.filter(({ side }) => side === 'service');
const ids = rules.map(({ id }) => id);

/** The share of the rules that only record by which each is seen to differ, as a divisor: the peculiar one is about what no rule records. */
const seenBy = { strange: 3, foreign: 3, peculiar: 15 } as const;

/** More than these are no matter of a busy machine. */
const mostUndecided = 5;

/** All rules about the service as `check` judges them, with the bundled profile. What the plain server does, the published results tell. */
describe.each(['strange', 'foreign', 'peculiar'] as const)('the %s dialect', (dialect) => {
  const out = makeFolder();
  /** The strange one alone is judged again: the published run is as well. */
  const record = dialect === 'strange' ? join(out, 'run.cassette') : undefined;
  let outcomes: ReadonlyMap<RuleId, Outcome>;

  beforeAll(async () => {
    outcomes = await judged(dialect, { rules: ids, out, ...(record !== undefined && { record }) });
    const undecided = ids.filter((id) => ['broken', 'blocked'].includes(outcomes.get(id)?.verdict ?? 'broken'));
    // a machine that stood still for a while proves nothing: neither that a rule is kept nor that it is not
    if (undecided.length > 0 && undecided.length < mostUndecided)
      outcomes = new Map([...outcomes, ...(await judged(dialect, { rules: undecided, out: join(out, 'again') }))]);
  });

  test(`keeps every rule about the service that the plain server keeps, without a remark, under seed ${seed}`, () => {
    expect([...outcomes.keys()].toSorted()).toEqual([...ids].toSorted());
    const differing = rules.filter(({ id, level }) => {
      const { verdict, remarks } = outcomes.get(id) ?? {};
      return verdict !== (level === 'observe' ? 'observed' : 'pass') || remarks?.length !== 0;
    });
    expect(differing.map(({ id }) => said(outcomes.get(id)))).toEqual([]);
  });

  test('is seen to differ by many rules that only record', () => {
    const plain = readFileSync(join(publishedFolder, 'fingerprint.md'), 'utf8').split('\n');
    const own = fingerprint(readReport(join(out, 'report.json'))).split('\n');
    const rulesOf = (lines: readonly string[]): ReadonlySet<string> =>
      new Set(lines.flatMap((line) => /^\| <code>([^<]+)/.exec(line)?.[1] ?? []));
    const differing = rulesOf(own.filter((line) => !plain.includes(line)));
    expect(differing.size).toBeGreaterThan(rulesOf(own).size / seenBy[dialect]);
  });

  test.runIf(record !== undefined)('is judged again from its cassette as it was', () =>
    expectPlayedAsRecorded(record ?? '', ids),
  );
});

/** @param options `record`: file to which the run is recorded */
async function judged(
  dialect: keyof typeof seenBy,
  { rules: chosen, ...options }: { readonly rules: readonly RuleId[]; readonly out: string; readonly record?: string },
): Promise<ReadonlyMap<RuleId, Outcome>> {
  await using target = await startReference({ dialect });
  const tracing = { sends: true, keeps: false };
  const run = {
    loaded: patient(target.loaded),
    rules: chosen,
    seed,
    // what is looked for does not hang on chance
    runs: 1,
    record: options.record !== undefined,
    tracing,
  };
  const signal = new AbortController().signal;
  const judging = { options: { ...options, quiet: true as const }, run, startedAt: performance.now(), signal };
  await captureOutput(() => judgeTarget(judging).then(() => 0));
  const { outcomes } = parseRun(
    readFileSync(join(options.out, 'outcomes.ndjson'), 'utf8'),
    'outcomes.ndjson',
    listedRules,
  );
  return new Map(outcomes.map((outcome) => [outcome.rule, outcome]));
}

function said(outcome: Outcome | undefined): string {
  const found =
    outcome?.violation === undefined
      ? outcome?.reason
      : `expected ${outcome.violation.expected}, found ${outcome.violation.actual}`;
  return `${outcome?.rule}: ${outcome?.verdict}, ${found}`;
}
