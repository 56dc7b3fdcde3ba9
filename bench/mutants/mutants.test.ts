import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome, Verdict } from '../../judge/outcome.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { bitOf } from './circumstances.ts';
import { controlOf, isHanging, signOf, worstOf } from './fate.ts';
import { instrument, root } from './instrument.ts';
import { diffOf, isMeant, isSame, type Mutant } from './mutant.ts';
import { foldersOf, isMutated, stratumOf } from './places.ts';
import { portionsOf } from './portions.ts';
import { judgeLinesOf, linesOf } from './print.ts';
import { ReachMap } from './reach.ts';
import { goneFrom, loadReviews, type Review, reviewOf } from './reviewed.ts';
import { sampleOf } from './sample.ts';
import { keptSurvey, type ServiceChildren } from './survey.ts';
import { ratesOf, tallyOf } from './tally.ts';

const right: Mutant = {
  id: '7',
  file: 'reference-server/areas/paging.ts',
  line: 12,
  lineText: 'return total > 10 ? next : last;',
  sameLinesAbove: 0,
  within: ['pagesOf(total: number): number {'],
  mutator: 'EqualityOperator',
  original: 'total > 10',
  replacement: 'total >= 10',
  area: 'paging',
};
const reviews: readonly Review[] = [
  {
    kind: 'equivalent',
    reason: 'ten entries have no second page anyway',
    mutants: [
      {
        file: right.file,
        line: right.lineText,
        mutator: 'EqualityOperator',
        replacement: 'total >=\n 10',
      },
    ],
  },
];

describe('a mutant', () => {
  test('is known by file, line, mutator and replacement, wherever its line has moved to', () => {
    expect(reviewOf({ ...right, id: '9', line: 400 }, reviews)).toBe(reviews[0]);
    for (const other of [{ file: 'x.ts' }, { lineText: 'x' }, { mutator: 'x' }, { replacement: 'x' }])
      expect(reviewOf({ ...right, ...other }, reviews)).toBeUndefined();
  });

  test('is told from another one of its line by what it replaces', () => {
    const key = { file: right.file, line: right.lineText, mutator: right.mutator, replacement: right.replacement };
    expect(isMeant({ ...key, of: 'total > 10' }, right)).toBe(true);
    expect(isMeant({ ...key, of: 'total > 11' }, right)).toBe(false);
  });

  test('is meant by its line, by what opens a block around it, and by its file alone', () => {
    const { file } = right;
    for (const key of [{ file }, { file, line: right.lineText }, { file, line: 'pagesOf(total: number): number {' }])
      expect(isMeant(key, right)).toBe(true);
    for (const key of [
      { file: 'x.ts' },
      { file, line: 'x' },
      { file, line: 'pagesOf(total: number): number {', mutator: 'x' },
    ])
      expect(isMeant(key, right)).toBe(false);
  });

  test('is the same in another run, unless its place or its change is another one', () => {
    expect(isSame(right, { ...right, id: '8', line: 13 })).toBe(true);
    expect(isSame(right, { ...right, sameLinesAbove: 1 })).toBe(false);
    expect(isSame(right, { ...right, replacement: 'total < 10' })).toBe(false);
  });

  test('that is gone is told of', () => {
    expect(goneFrom(reviews, [right])).toEqual([]);
    expect(goneFrom(reviews, [])).toEqual([`${right.file} ${right.lineText} EqualityOperator`]);
  });

  test('is shown as what stood there and what stands there now', () => {
    expect(diffOf(right)).toBe(
      'reference-server/areas/paging.ts:12 (EqualityOperator)\n  - total > 10\n  + total >= 10',
    );
  });

  test('belongs to an area in whatever file of the server it is', () => {
    for (const folder of [...foldersOf.service, ...foldersOf.host])
      for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
        if (isMutated(join(folder, name))) expect(stratumOf(join(folder, name))).toBeTypeOf('string');
    expect(() => stratumOf('reference-server/areas/unheard-of.ts')).toThrow(RangeError);
  });
});

describe('a sample', () => {
  const mutants = ['paging', 'files'].flatMap((area) =>
    ['Regex', 'BooleanLiteral'].flatMap((mutator) =>
      Array.from({ length: 50 }, (_, index) => ({
        ...right,
        id: `${area} ${mutator} ${index}`,
        area,
        mutator,
        line: index,
        sameLinesAbove: index,
      })),
    ),
  );
  const idsOf = (sample: readonly Mutant[]): readonly string[] => sample.map(({ id }) => id);

  test('takes of each area and each mutator its share', () => {
    const sample = sampleOf(mutants, 40, 1);
    for (const area of ['paging', 'files'])
      for (const mutator of ['Regex', 'BooleanLiteral'])
        expect(sample.filter((mutant) => mutant.area === area && mutant.mutator === mutator)).toHaveLength(10);
  });

  test('is the same for the same seed, in whatever order and by whatever ids they come', () => {
    const again = mutants.toReversed().map((mutant, index) => ({ ...mutant, id: String(index), was: mutant.id }));
    expect(
      sampleOf(again, 40, 3).map(
        (mutant) =>
          mutants.find(
            ({ area, mutator, line }) => area === mutant.area && mutator === mutant.mutator && line === mutant.line,
          )?.id,
      ),
    ).toEqual(idsOf(sampleOf(mutants, 40, 3)));
    expect(idsOf(sampleOf(mutants, 40, 2))).not.toEqual(idsOf(sampleOf(mutants, 40, 3)));
  });

  test('takes each mutant once, and all of them where there are no more', () => {
    expect(new Set(idsOf(sampleOf(mutants, 150, 1))).size).toBe(150);
    expect(idsOf(sampleOf(mutants, 1000, 1)).toSorted()).toEqual(idsOf(mutants).toSorted());
    expect(sampleOf([], 10, 1)).toEqual([]);
  });
});

const must: RuleId = levelled('must');
const should: RuleId = levelled('should');
const observe: RuleId = levelled('observe');

describe('the fate of a mutant', () => {
  const well = [outcome(must, 'pass'), outcome(should, 'pass'), outcome(observe, 'observed', 'a')];
  const control = controlOf([well, well]);

  test.each([
    ['rule', outcome(must, 'fail')],
    ['guideline', outcome(should, 'warn')],
    ['unjudged', outcome(must, 'blocked')],
    ['unjudged', outcome(must, 'broken')],
    ['observed', outcome(observe, 'fail')],
    ['observed', outcome(observe, 'observed', 'b')],
    [undefined, outcome(observe, 'observed', 'a')],
    [undefined, { ...outcome(observe, 'observed'), observations: ['a', 'a'].map((seen) => ({ what: 'it', seen })) }],
    [undefined, outcome(must, 'pass')],
  ])('%s', (fate, seen) => expect(signOf(seen, control)).toBe(fate));

  test('is not told by a rule that the right server does not keep, nor by what changes from run to run', () => {
    expect(signOf(outcome(must, 'fail'), controlOf([[outcome(must, 'blocked')], well]))).toBeUndefined();
    const changing = controlOf([well, [outcome(observe, 'observed', 'c')]]);
    expect(signOf(outcome(observe, 'observed', 'b'), changing)).toBeUndefined();
  });

  test('is the one that says most', () => {
    expect(worstOf(['observed', 'guideline', 'unjudged'])).toBe('guideline');
    expect(worstOf([])).toBe('survived');
  });

  test('is to hang where case after case does not end', () => {
    const hanging = { ...outcome(must, 'broken'), reason: 'the case did not end within 20 s' };
    expect(isHanging(Array.from({ length: 5 }, () => hanging))).toBe(true);
    expect(isHanging([hanging, ...well])).toBe(false);
  });
});

test('cases of its own area meet a mutant first, then those that reach little else, and all what runs at the start', () => {
  const ofPaging = catalogue.all.filter(({ area }) => area === 'paging').map(({ id }) => id);
  const [own = must, wide = must] = ofPaging;
  const far = catalogue.all.find(({ area }) => area === 'files')?.id ?? must;
  const reach = new ReachMap([
    {
      loading: ['1'],
      start: ['2'],
      outcomes: [],
      byRule: [
        [far, [['3', 0]]],
        [
          wide,
          [
            ['3', bitOf('in a batch')],
            ['4', 0],
            ['5', 0],
          ],
        ],
        [
          own,
          [
            ['3', bitOf('in a batch') | bitOf('sent before')],
            ['4', 0],
          ],
        ],
      ],
    },
  ]);
  const of = (id: string) => reach.of({ id, area: 'paging' });
  expect(of('3')).toEqual({ atLoading: false, atStart: false, rules: [own, wide, far] });
  expect(of('4').rules).toEqual([own, wide]);
  expect(of('1')).toMatchObject({ atLoading: true, rules: [own, wide, far] });
  expect(of('2')).toMatchObject({ atStart: true, rules: [own, wide, far] });
  expect(of('6').rules).toEqual([]);
  const third = { id: '3', area: 'paging' };
  expect(reach.circumstancesOf(third)).toEqual(['in a batch', 'sent before']);
  expect(reach.under('in a batch', third).rules).toEqual([own, wide]);
  expect(reach.under('beside a query', third).rules).toEqual([]);
});

test('of the many that merely stand on what runs at the start, some meet it', () => {
  const elsewhere = catalogue.all.filter(({ area }) => area !== 'paging').map(({ id }) => id);
  const byRule = elsewhere.map(
    (rule, index) => [rule, [...(index < 2 ? ['1'] : []), '2'].map((id) => [id, 0] as const)] as const,
  );
  const { rules } = new ReachMap([{ loading: [], start: ['1'], outcomes: [], byRule }]).of({ id: '1', area: 'paging' });
  expect(rules.slice(0, 2)).toEqual(elsewhere.slice(0, 2));
  expect(rules).toHaveLength(62);
});

test('what is seen before the first mutant is kept for the same mutants, and asked anew for others', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-survey-')), 'survey.json');
  const asked: string[] = [];
  const answer = {
    outcomes: [outcome(must, 'broken')],
    loading: [],
    start: [],
    byRule: [[must, [['1', 0] as const]] as const],
  };
  const children: ServiceChildren = {
    width: 1,
    ask: async (task) => {
      asked.push(task.kind === 'try' ? task.others.join() : task.kind);
      // not right at first
      return asked.length < 3 ? answer : { ...answer, outcomes: [outcome(must, 'pass')] };
    },
    finish: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const surveying = { children, seed: 1, runs: 1, rules: new Set([must]) };
  const first = await keptSurvey('service', surveying, { file, mutants: [right] });
  expect(asked).toEqual(['cover', must, must]);
  expect(first.unsteady).toEqual([]);
  const again = await keptSurvey('service', surveying, { file, mutants: [right] });
  expect(asked).toHaveLength(3);
  expect(again.reach.of({ id: '1', area: 'paging' }).rules).toEqual([must]);
  await keptSurvey('service', surveying, { file, mutants: [{ ...right, line: 13 }] });
  expect(asked.length).toBeGreaterThan(3);
  rmSync(dirname(file), { recursive: true });
});

test('the last length of a portion holds for the rest', () => {
  expect(portionsOf([1, 2, 3, 4, 5, 6], [1, 2])).toEqual([[1], [2, 3], [4, 5], [6]]);
  expect(portionsOf([], [1])).toEqual([]);
});

describe('the tally', () => {
  const row = { mutant: right, by: [], cases: 3, ms: 5 };
  const other = { ...right, lineText: 'else', area: 'files' };

  test('counts what no reason excuses, and shows what survived without one', () => {
    const tally = tallyOf(
      [
        { ...row, fate: 'survived' },
        { ...row, mutant: other, fate: 'rule' },
        { ...row, mutant: other, fate: 'refused' },
        { ...row, mutant: other, fate: 'observed' },
      ],
      reviews,
    );
    expect(tally.total).toMatchObject({ sampled: 4, excused: 1, unexcused: 1 });
    expect(ratesOf(tally.total)).toEqual({ noticed: (100 * 2) / 3, byRule: 100 / 3 });
    expect(tally.newSurvivors.map(({ fate }) => fate)).toEqual(['observed']);
    expect(tally.strata.map(({ name }) => name)).toEqual(['files', 'paging']);
    expect(linesOf(tally, ['gone.ts: x (Regex)']).join('\n')).toMatch(/2 of 3 that no reason excuses.*66\.7 %/);
  });

  test('tells of a reason that is no longer one', () => {
    expect(tallyOf([{ ...row, fate: 'rule' }], reviews).stale).toHaveLength(1);
  });
});

test('of a judge with mistakes it is told how many the matrix noticed, and which it did not', () => {
  const lines = judgeLinesOf([
    { mutant: { ...right, area: 'suites' }, fate: 'survived', by: [], cases: 2 },
    { mutant: { ...right, area: 'judge' }, fate: 'noticed', by: ['x'], cases: 1 },
  ]).join('\n');
  expect(lines).toMatch(/^judge +1 +1 +0 +0 +100 %$/m);
  expect(lines).toMatch(/^all +2 +1 +0 +1 +50 %$/m);
  expect(lines).toContain(`${diffOf(right)}\n  2 rules met it`);
});

test('the reviewed list can be read, and names files that are mutated', async () => {
  for (const { mutants } of await loadReviews())
    for (const { file } of mutants) expect([file, isMutated(file)]).toEqual([file, true]);
});

test('a copy has every mutant in it, switched off, and goes again', async () => {
  const { mutants, folder, [Symbol.asyncDispose]: remove } = await instrument(['host']);
  try {
    expect(mutants.length).toBeGreaterThan(500);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(
      mutants.every(
        ({ file, line, lineText }) => file.startsWith('simulator/extension/') && line > 0 && lineText !== '',
      ),
    ).toBe(true);
    expect(readdirSync(join(folder, 'simulator/extension'))).toContain('host.ts');
    // what only people read is none of them, and each knows the blocks that it stands in, also behind a signature of several lines
    const inErrors = mutants.filter(({ lineText }) => /new CallbackError\([`']/.test(lineText));
    expect(inErrors.filter(({ mutator }) => mutator === 'StringLiteral')).toEqual([]);
    expect(
      mutants.some(
        ({ within }) =>
          within.includes('export class Tasks extends HostArea {') && within.includes('async #uploadLog('),
      ),
    ).toBe(true);
  } finally {
    await remove();
  }
  expect(() => readdirSync(folder)).toThrow(/ENOENT/);
});

function levelled(level: string): RuleId {
  const rule = catalogue.all.find((candidate) => candidate.level === level);
  if (rule === undefined) throw new Error(`no rule of the level ${level}`);
  return rule.id;
}

function outcome(rule: RuleId, verdict: Verdict, seen = 'x'): Outcome {
  return {
    rule,
    verdict,
    observations: [{ what: 'it', seen }],
    remarks: [],
    assertions: 1,
    exchanges: 1,
    durationMs: 1,
  };
}
