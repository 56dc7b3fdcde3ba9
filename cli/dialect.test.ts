import { catalogue } from '../suites/catalogue.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RuleId } from '../contract/rule.ts';
import { parseRun } from '../reports/run.ts';
import { listedRules } from './rule-list.ts';
import type { Outcome } from '../judge/outcome.ts';
import { startReference } from './check/deployment.ts';
import { judgeTarget } from './check/judge-target.ts';
import type { CheckOptions } from './options.ts';

const seed = 20;
const rules = catalogue.all.filter(({ side }) => side === 'service');
const ids = rules.map(({ id }) => id);

type Verdicts = ReadonlyMap<RuleId, Outcome>;
let folder: string;
let plain: Verdicts;
let strange: Verdicts;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-dialect-'));
  plain = await judged('plain');
  strange = await judged('strange');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Judges all rules about the service as `check` does, with the bundled profile. */
async function judged(dialect: 'plain' | 'strange'): Promise<Verdicts> {
  await using target = await startReference(dialect === 'strange' ? { dialect } : {});
  const out = join(folder, dialect);
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
  const options: CheckOptions = { out, quiet: true };
  const judging = {
    options,
    run: { loaded: target.loaded, rules: ids, seed, runs: 3 },
    startedAt: performance.now(),
    signal: new AbortController().signal,
  };
  await judgeTarget(judging).finally(() => spies.forEach((spy) => spy.mockRestore()));
  const { outcomes } = parseRun(readFileSync(join(out, 'outcomes.ndjson'), 'utf8'), 'outcomes.ndjson', listedRules);
  return new Map(outcomes.map((outcome) => [outcome.rule, outcome]));
}

describe('the strange dialect', () => {
  test('is judged by every rule about the service, as the plain server is', () => {
    expect([...strange.keys()].toSorted()).toEqual([...ids].toSorted());
    expect([...plain.keys()].toSorted()).toEqual([...ids].toSorted());
  });

  test(`keeps every rule that the plain server keeps, under seed ${seed}`, () => {
    const differing = ids.filter((rule) => plain.get(rule)?.verdict !== strange.get(rule)?.verdict);
    expect(differing.map((rule) => said(strange.get(rule)))).toEqual([]);
  });

  test('draws no remark that the plain server does not draw', () => {
    const drawing = (verdicts: Verdicts): readonly RuleId[] =>
      ids.filter((rule) => (verdicts.get(rule)?.remarks.length ?? 0) > 0);
    expect(drawing(strange).filter((rule) => !drawing(plain).includes(rule))).toEqual([]);
  });

  test('is seen to differ by most rules that only record', () => {
    const recording = ids.filter((rule) => plain.get(rule)?.verdict === 'observed');
    const alike = recording.filter((rule) => seen(plain.get(rule)) === seen(strange.get(rule)));
    expect(alike.length).toBeLessThan(recording.length / 2);
  });
});

function said(outcome: Outcome | undefined): string {
  const found =
    outcome?.violation === undefined
      ? outcome?.reason
      : `expected ${outcome.violation.expected}, found ${outcome.violation.actual}`;
  return `${outcome?.rule}: ${outcome?.verdict}, ${found}`;
}

function seen(outcome: Outcome | undefined): string {
  return JSON.stringify(outcome?.observations.map(({ what, seen }) => [what, seen]));
}
