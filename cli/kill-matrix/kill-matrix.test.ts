import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogue } from '../../suites/catalogue.ts';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { inlineCode as code } from '../../reports/markdown.ts';
import { hasFault } from '../../variants/faults.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { outcomeOf, someRules } from '../../judge/run/outcome.fixture.ts';
import { doubtAbout, publishedAfter, readPublished, writePublished } from './collateral.ts';
import { mapAtOnce } from './map-at-once.ts';
import {
  acceptDifferences,
  controlKills,
  countsOf,
  exitCodeOfMatrix,
  faultRow,
  rulesInDoubt,
  type FaultRow,
  type KillMatrix,
} from './matrix.ts';
import { terminalText } from '../../reports/terminal.ts';
import { matrixReport, matrixPage } from './print.ts';
import { triedAgain } from './try-faults.ts';

const must: RuleId = 'paging.page-one.holds-the-rest';
const should: RuleId = 'hypermedia.editor.sees-write-links';
const onShould: RuleId = 'hypermedia.reader.sees-no-write-links';
const stranger: RuleId = 'openapi.dynamic.is-served';

function matrixOf(faults: readonly FaultRow[], killedBy: KillMatrix['control']['killedBy'] = []): KillMatrix {
  const fixed = { schemaVersion: 1, kind: 'kill-matrix', mode: 'all', seed: 1, runs: 20, durationMs: 1 } as const;
  return { ...fixed, control: { cases: 3, killedBy }, faults, counts: countsOf(faults) };
}

test('every rule that can fail has a fault, and no other', () => {
  const rulesThatCanFail = catalogue.all.filter(({ level }) => level !== 'observe').map(({ id }) => id);
  expect(catalogue.ids.filter((id) => hasFault(id) || hasHostFault(id))).toEqual(rulesThatCanFail);
});

describe('the row of a fault', () => {
  test.each([
    [must, 'fail', 'killed'],
    [must, 'warn', 'survived'],
    [should, 'warn', 'killed'],
    [must, 'pass', 'survived'],
    [must, 'blocked', 'unjudged'],
    [must, 'broken', 'unjudged'],
  ] as const)('%s with %s is %s', (fault, own, verdict) => {
    expect(faultRow(fault, { outcomes: [outcomeOf(fault, own)] }).verdict).toBe(verdict);
  });

  test('a fault that only another case finds is no success of its own', () => {
    const outcomes = [outcomeOf(must, 'pass'), outcomeOf(stranger, 'fail')];
    expect(faultRow(must, { outcomes })).toMatchObject({ verdict: 'killed-by-other', collateral: [stranger] });
  });

  const fault = must;
  const others = fc.subarray(someRules.filter((rule) => rule !== fault));
  const failing = (rules: readonly RuleId[]) => rules.map((rule) => outcomeOf(rule, 'fail'));

  test('every rule that failed or was to fail is told once, and what is told is what the tries saw', () => {
    fc.assert(
      fc.property(others, others, others, (first, second, published) => {
        const outcomes = failing([fault, ...first]);
        const inDoubt = rulesInDoubt(fault, outcomes, published);
        const again = failing(second.filter((rule) => inDoubt.includes(rule)));
        const { collateral, appeared, vanished } = faultRow(fault, { outcomes, again, published });
        const byChance = appeared.filter(({ repeated }) => !repeated).map(({ rule }) => rule);
        expect([...collateral, ...byChance, ...vanished].toSorted()).toEqual(
          [...new Set([...first, ...published])].toSorted(),
        );
        for (const { rule, repeated } of appeared) expect(second.includes(rule)).toBe(repeated);
        for (const rule of vanished) expect([...first, ...second]).not.toContain(rule);
      }),
    );
  });

  test('where both tries see what is published nothing is in doubt', () => {
    fc.assert(
      fc.property(others, (first) => {
        expect(rulesInDoubt(fault, failing([fault, ...first]), first)).toEqual([]);
        const { collateral, appeared, vanished } = faultRow(fault, { outcomes: failing(first), published: first });
        expect({ collateral, appeared, vanished }).toEqual({
          collateral: first.toSorted(),
          appeared: [],
          vanished: [],
        });
      }),
    );
  });
});

test('a fault whose case stood still with the machine is tried again, four times at most, and no other', async () => {
  const row = (rule: RuleId, reason?: string): FaultRow =>
    faultRow(rule, {
      outcomes: [reason === undefined ? outcomeOf(rule, 'fail') : outcomeOf(rule, 'broken', { reason })],
    });
  const stalled = 'machine stalled 900 ms: four attempts';
  const other: RuleId = 'paging.link.follows-growth';
  const rows = [row(must), row(should, stalled), row(stranger, 'the case stumbled'), row(other, stalled)];
  const tried: RuleId[] = [];
  const settled = await triedAgain(rows, async (fault) => {
    tried.push(fault);
    return fault === other || tried.length < 3 ? row(fault, stalled) : row(fault);
  });
  expect(tried).toEqual([should, should, should, other, other, other, other]);
  expect(settled.map(({ own }) => own)).toEqual(['fail', 'fail', 'broken', 'broken']);
});

describe('the exit code of the matrix', () => {
  const killed = faultRow(must, { outcomes: [outcomeOf(must, 'fail')] });
  const withStray = (rule: RuleId, repeated: boolean): KillMatrix =>
    matrixOf([{ ...killed, appeared: [{ rule, found: '404', repeated }] }]);

  test('0 needs every fault killed by its own case and a control that lives', () => {
    expect(exitCodeOfMatrix(matrixOf([killed]))).toBe(0);
    const survivor = faultRow(stranger, { outcomes: [outcomeOf(stranger, 'pass')] });
    expect(exitCodeOfMatrix(matrixOf([killed, survivor]))).toBe(1);
    expect(exitCodeOfMatrix(matrixOf([killed], controlKills([outcomeOf(stranger, 'blocked')])))).toBe(1);
    expect(exitCodeOfMatrix(matrixOf([]))).toBe(3);
  });

  test('what fails anew in another area each time is an error until it is accepted, all other changes are told', () => {
    expect(exitCodeOfMatrix(withStray(stranger, true))).toBe(1);
    expect(exitCodeOfMatrix(acceptDifferences(withStray(stranger, true)))).toBe(0);
    expect(exitCodeOfMatrix(withStray(stranger, false))).toBe(0);
    expect(exitCodeOfMatrix(withStray('paging.link.follows-growth', true))).toBe(0);
    expect(exitCodeOfMatrix(matrixOf([{ ...killed, vanished: [stranger] }]))).toBe(0);
  });

  test('a case that a fault breaks each time is an error, however it is published', () => {
    const outcomes = [outcomeOf(must, 'fail'), outcomeOf(stranger, 'broken', { reason: 'stumbled' })];
    expect(rulesInDoubt(must, outcomes, [])).toEqual([stranger]);
    const twice = faultRow(must, { outcomes, again: [outcomeOf(stranger, 'broken')], published: [] });
    expect(twice.stumbled.map(({ rule }) => rule)).toEqual([stranger]);
    expect(exitCodeOfMatrix(acceptDifferences(matrixOf([twice])))).toBe(1);
    const once = faultRow(must, { outcomes, again: [outcomeOf(stranger, 'blocked')], published: [] });
    expect(exitCodeOfMatrix(matrixOf([once]))).toBe(0);
  });

  test('what is published stays where its case stumbles, and nothing is published of a run whose control does not live', () => {
    const outcomes = [outcomeOf(must, 'fail'), outcomeOf(stranger, 'broken', { reason: 'stumbled' })];
    const rowAfter = (verdict: 'broken' | 'pass') =>
      faultRow(must, { outcomes, again: [outcomeOf(stranger, verdict)], published: [stranger] });
    expect(rowAfter('broken')).toMatchObject({ collateral: [stranger], vanished: [] });
    expect(rowAfter('pass')).toMatchObject({ collateral: [], vanished: [stranger] });
    expect(doubtAbout(matrixOf([killed]))).toBeUndefined();
    expect(doubtAbout(matrixOf([killed], controlKills([outcomeOf(stranger, 'broken')])))).toContain(stranger);
  });

  test('the control lives through pass and observed', () => {
    const outcomes = (['pass', 'observed', 'fail', 'warn', 'blocked', 'broken'] as const).map((verdict, index) =>
      outcomeOf(someRules[index] ?? must, verdict),
    );
    expect(controlKills(outcomes).map(({ verdict }) => verdict)).toEqual(['fail', 'warn', 'blocked', 'broken']);
  });
});

test('the terminal is told each fault that is not as it should be, and what has changed', () => {
  const survivor = faultRow(stranger, { outcomes: [outcomeOf(stranger, 'pass'), outcomeOf(must, 'fail')] });
  const changed: FaultRow = {
    ...faultRow(must, { outcomes: [outcomeOf(must, 'fail')] }),
    appeared: [
      { rule: stranger, found: '404', repeated: true },
      { rule: should, found: 'none', repeated: false },
    ],
    vanished: [onShould],
  };
  const lines = terminalText(matrixReport(matrixOf([survivor, changed])))
    .split('\n')
    .map((line) => line.trim());
  expect(lines).toContain(`${must}: + ${stranger}, + ${should} (in one of two tries), - ${onShould}`);
  expect(lines).toContain(`${must}: also fails ${stranger} of another area: 404`);
  expect(lines.filter((line) => line.startsWith(stranger))).toEqual([
    `${stranger}: killed-by-other (its case: pass) the case ended with pass`,
  ]);
  expect(lines.at(-2)).toContain('2 faults: 1 killed, 1 killed by another case only');
});

describe('what is published', () => {
  const rowOf = (fault: RuleId, collateral: readonly RuleId[]): FaultRow =>
    faultRow(fault, { outcomes: [fault, ...collateral].map((rule) => outcomeOf(rule, 'fail')) });
  const before = publishedAfter(undefined, matrixOf([rowOf(must, [stranger]), rowOf(should, [])]), true);

  test('a part of the faults leaves the others as they were, the whole forgets those that are gone', () => {
    const part = matrixOf([rowOf(should, [onShould])]);
    expect(publishedAfter(before, part, false).faults).toMatchObject({
      [must]: { collateral: [stranger] },
      [should]: { collateral: [onShould] },
    });
    expect(Object.keys(publishedAfter(before, part, true).faults)).toEqual([should]);
  });

  test('a run of the own cases alone says nothing about what else fails', () => {
    const own: KillMatrix = { ...matrixOf([rowOf(must, [])]), mode: 'own' };
    expect(publishedAfter(before, own, false)).toEqual(before);
  });

  test('reads back as it was written, with a page that holds every fault', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-matrix-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect(readPublished(folder)).toBeUndefined();
    writePublished(folder, before);
    expect(readPublished(folder)).toEqual(before);
    const page = matrixPage(before);
    expect(await readFile(join(folder, 'kill-matrix.md'), 'utf8')).toBe(page);
    for (const rule of [must, should, stranger]) expect(page.split(code(rule))).toHaveLength(2);
    expect(page).toContain(`## ${catalogue.get(must).area}`);
  });
});

describe('mapAtOnce', () => {
  test('keeps the order and the width, whatever takes how long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 30 }), fc.integer({ min: 1, max: 6 }), async (turns, width) => {
        let [now, most] = [0, 0];
        const results = await mapAtOnce(turns, width, async (count) => {
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
