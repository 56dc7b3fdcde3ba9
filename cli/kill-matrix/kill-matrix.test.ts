import { catalogue } from '../../suites/catalogue.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { inlineCode as code } from '../../reports/markdown.ts';
import { outcomeOf, someRules } from '../../judge/run/outcomes.fixture.ts';
import { extensionFaults } from '../../variants/extension-host/faults.ts';
import { matrixLines } from './lines.ts';
import { matrixMarkdown } from './markdown.ts';
import { controlKills, countsOf, exitCodeOfMatrix, type KillMatrix } from './matrix.ts';
import { pooled } from './pooled.ts';
import { faultRow, type FaultRow } from './verdict.ts';

const must: RuleId = 'paging.page-one.holds-the-rest';
const should: RuleId = 'hypermedia.editor.sees-write-links';
const onShould: RuleId = 'hypermedia.reader.sees-no-write-links';
const stranger: RuleId = 'openapi.dynamic.is-served';

function matrixOf(faults: readonly FaultRow[], killedBy: KillMatrix['control']['killedBy'] = []): KillMatrix {
  const fixed = { schemaVersion: 1, kind: 'kill-matrix', mode: 'all', seed: 1, runs: 20, durationMs: 1 } as const;
  return { ...fixed, control: { cases: 3, killedBy }, faults, counts: countsOf(faults) };
}

describe('the row of a fault', () => {
  test.each([
    [must, 'fail', 'killed'],
    [must, 'warn', 'survived'],
    [should, 'warn', 'killed'],
    [must, 'pass', 'survived'],
    [must, 'blocked', 'unjudged'],
    [must, 'broken', 'unjudged'],
  ] as const)('%s with %s is %s', (fault, own, verdict) => {
    expect(faultRow(fault, [outcomeOf(fault, own)]).verdict).toBe(verdict);
  });

  test('a fault that only another case finds is no success of its own', () => {
    const row = faultRow(must, [outcomeOf(must, 'pass'), outcomeOf(stranger, 'fail')]);
    expect(row).toMatchObject({ verdict: 'killed-by-other', unrelated: [{ rule: stranger }] });
  });

  test('rules that stand on the broken one, or it on them, may fail with it', () => {
    const up = faultRow(should, [outcomeOf(should, 'warn'), outcomeOf(onShould, 'fail'), outcomeOf(stranger, 'fail')]);
    expect(up).toMatchObject({ related: [onShould], unrelated: [{ rule: stranger }] });
    expect(faultRow(onShould, [outcomeOf(onShould, 'fail'), outcomeOf(should, 'warn')]).related).toEqual([should]);
  });

  test('every other rule that failed is either related or not, none is lost', () => {
    fc.assert(
      fc.property(fc.constantFrom(...someRules), fc.subarray([...someRules]), (fault, failing) => {
        const row = faultRow(
          fault,
          [...new Set([fault, ...failing])].map((rule) => outcomeOf(rule, 'fail')),
        );
        expect([...row.related, ...row.unrelated.map(({ rule }) => rule)].toSorted()).toEqual(
          failing.filter((rule) => rule !== fault).toSorted(),
        );
      }),
    );
  });
});

describe('the exit code of the matrix', () => {
  const killed = faultRow(must, [outcomeOf(must, 'fail')]);

  test('0 needs every fault killed by its own case, nothing unrelated hit, and a control that lives', () => {
    expect(exitCodeOfMatrix(matrixOf([killed]))).toBe(0);
    expect(exitCodeOfMatrix(matrixOf([killed, faultRow(stranger, [outcomeOf(stranger, 'pass')])]))).toBe(1);
    expect(exitCodeOfMatrix(matrixOf([{ ...killed, unrelated: [{ rule: stranger, found: '404' }] }]))).toBe(1);
    expect(exitCodeOfMatrix(matrixOf([killed], controlKills([outcomeOf(stranger, 'blocked')])))).toBe(1);
    expect(exitCodeOfMatrix(matrixOf([]))).toBe(3);
  });

  test('the control lives through pass and observed', () => {
    const outcomes = (['pass', 'observed', 'fail', 'warn', 'blocked', 'broken'] as const).map((verdict, index) =>
      outcomeOf(someRules[index] ?? must, verdict),
    );
    expect(controlKills(outcomes).map(({ verdict }) => verdict)).toEqual(['fail', 'warn', 'blocked', 'broken']);
  });
});

describe('the matrix as text', () => {
  const rows = [
    faultRow(must, [outcomeOf(must, 'fail')]),
    faultRow(stranger, [outcomeOf(stranger, 'pass'), outcomeOf(must, 'fail')]),
  ];

  test('Markdown holds every fault, and what is wrong twice', () => {
    const text = matrixMarkdown(matrixOf(rows));
    const timesOf = (rule: RuleId): number => text.split(code(rule)).length - 1;
    expect(timesOf(must)).toBe(3);
    expect(timesOf(stranger)).toBe(2);
    expect(text).toContain(`## ${catalogue.get(must).area}`);
  });

  test('the terminal is told each fault that is not as it should be', () => {
    const lines = matrixLines(matrixOf(rows));
    expect(lines.filter((line) => line.startsWith(stranger))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith(must))).toHaveLength(0);
    expect(lines.at(-1)).toContain('2 faults: 1 killed, 1 killed by another case only');
  });
});

describe('pooled', () => {
  test('keeps the order and the width, whatever takes how long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 30 }), fc.integer({ min: 1, max: 6 }), async (turns, width) => {
        let [now, most] = [0, 0];
        const results = await pooled(turns, width, async (count) => {
          now += 1;
          most = Math.max(most, now);
          for (let turn = 0; turn < count; turn += 1) await undefined;
          now -= 1;
          return count;
        });
        expect(results).toEqual(turns);
        expect(most).toBeLessThanOrEqual(width);
      }),
    );
  });
});

test('every rule about extension hosts that can fail has a fault, and no other rule', () => {
  const canFail = catalogue.all
    .filter(({ side, level }) => side === 'extension' && level !== 'observe')
    .map(({ id }) => id);
  const faults = Object.keys(extensionFaults).filter((id) => id !== 'control');
  expect(faults.toSorted()).toEqual(canFail.toSorted());
});
