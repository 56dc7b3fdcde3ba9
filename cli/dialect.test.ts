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
import { replaces } from '../variants/breaks.ts';
import { createVariant } from '../variants/create-variant.ts';
import { furtherHabits } from '../variants/further-habits.fixture.ts';
import { creationsWait, latestValidationAsked } from '../variants/habits.fixture.ts';
import { judgeTarget } from './check/judge-target.ts';
import { captureOutput } from './output.fixture.ts';
import { patient, publishedFolder } from './published/texts.ts';

const seed = 20;
const rules = catalogue.all.filter(({ side }) => side === 'service');
const ids = rules.map(({ id }) => id);

/** The share of the rules that only record by which each is seen to differ, as a divisor: the peculiar one is about what no rule records. */
const seenBy = { strange: 3, foreign: 3, peculiar: 15 } as const;

/** More than these are no matter of a busy machine. */
const mostUndecided = 5;

/**
 * Cases take turns where one of several validators is asked, and do not wait in vain where others wait for a validation: what is found out
 * ahead of them is tried with the peculiar one. Who makes few calls at once lets late come what many schedules wait for together.
 */
const habits = {
  strange: [furtherHabits.eightPlaces],
  foreign: [],
  peculiar: [latestValidationAsked, creationsWait],
} as const;

/** Objects that each validator was asked about, by whoever promoted them. */
const askedAbout = new Map<string, { readonly limit: number; readonly objects: Set<string> }>();

const witness = replaces('validation', 'askValidator', (right, areas, call, object, validator) => {
  const { rateLimitNumberOfExecutions: limit } = validator.callee;
  const seen = askedAbout.get(validator.registrationId) ?? { limit, objects: new Set() };
  askedAbout.set(validator.registrationId, seen);
  seen.objects.add(object.oid);
  return right(areas, call, object, validator);
});

/** All rules about the service as `check` judges them, with the bundled profile. What the plain server does, the published results tell. */
describe.each(['strange', 'foreign', 'peculiar'] as const)('the %s dialect', (dialect) => {
  const out = makeFolder();
  let outcomes: ReadonlyMap<RuleId, Outcome>;

  beforeAll(async () => {
    outcomes = await judged(dialect, { rules: ids, out });
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
});

test('a validator that may be asked seldom is asked about objects of its own case only', () => {
  const seldom = [...askedAbout.values()].filter(({ limit }) => limit < 100);
  expect(seldom.length).toBeGreaterThan(0);
  expect(seldom.filter(({ objects }) => objects.size > 1)).toEqual([]);
});

async function judged(
  dialect: keyof typeof seenBy,
  { rules: chosen, out }: { readonly rules: readonly RuleId[]; readonly out: string },
): Promise<ReadonlyMap<RuleId, Outcome>> {
  await using target = await startReference({ dialect }, (options) =>
    createVariant({ ...options, faults: [witness, ...habits[dialect]] }),
  );
  const { duringValidation: _, ...foundOut } = target.loaded.profile.expect ?? {};
  const tracing = { sends: true, keeps: false };
  const run = {
    loaded: patient({ ...target.loaded, profile: { ...target.loaded.profile, expect: foundOut } }),
    rules: chosen,
    seed,
    // what is looked for does not hang on chance
    runs: 1,
    tracing,
  };
  const signal = new AbortController().signal;
  const judging = { options: { out, quiet: true as const }, run, startedAt: performance.now(), signal };
  await captureOutput(() => judgeTarget(judging).then(() => 0));
  const { outcomes } = parseRun(readFileSync(join(out, 'outcomes.ndjson'), 'utf8'), 'outcomes.ndjson', listedRules);
  return new Map(outcomes.map((outcome) => [outcome.rule, outcome]));
}

function said(outcome: Outcome | undefined): string {
  const found =
    outcome?.violation === undefined
      ? outcome?.reason
      : `expected ${outcome.violation.expected}, found ${outcome.violation.actual}`;
  return `${outcome?.rule}: ${outcome?.verdict}, ${found}`;
}
