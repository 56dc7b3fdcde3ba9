import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allCells, cellsOf, emptinessOf } from '../../contract/coverage/cells.ts';
import { possibleCodes } from '../../contract/coverage/conditions.ts';
import { callers, coveredRoutes } from '../../contract/coverage/routes.ts';
import { untried } from '../../contract/coverage/untried.ts';
import type { RunFooter } from '../../judge/outcome.ts';
import { assess } from '../assessment.ts';
import { formats } from '../formats.ts';
import { writeJson } from '../json.ts';
import { runArbitrary } from '../run.fixture.ts';
import type { Run } from '../run.ts';
import { runSummary } from '../run-summary.ts';
import { terminalText } from '../terminal.ts';
import { coverageOf, coverageOfRules, emptyCells, rulesOfCells, unknownReason } from './coverage.ts';

const names = allCells().map(({ name }) => name);

/** What the requests of any run may have reached, and what no request of a run reaches. */
const reachedArbitrary: fc.Arbitrary<NonNullable<RunFooter['reached']>> = fc.record({
  facts: fc.array(
    fc.oneof(
      fc
        .tuple(
          fc.constantFrom(...Object.keys(coveredRoutes)),
          fc.integer({ min: 100, max: 599 }),
          fc.constantFrom(...callers),
        )
        .map((parts) => parts.join(' ')),
      fc.string(),
    ),
    { maxLength: 30 },
  ),
  conditions: fc.uniqueArray(fc.constantFrom(...possibleCodes()), { maxLength: 30 }),
  keys: fc.array(fc.string(), { maxLength: 5 }),
});

/** A run that judges a service: of one that judges an extension host alone nothing is told. */
const coveredRun: fc.Arbitrary<Run> = fc
  .tuple(runArbitrary, reachedArbitrary)
  .filter(([{ rules, header }]) => rules.some(({ id, side }) => side === 'service' && header.selected.includes(id)))
  .map(([run, reached]) => ({ ...run, footer: { kind: 'end', durationMs: 1, remains: [], requests: 1, reached } }));

describe('the coverage of any run', () => {
  test('has every cell once, in one state, and each empty one with a reason', () => {
    fc.assert(
      fc.property(coveredRun, (run) => {
        const coverage = coverageOf(run, assess(run));
        expect(coverage?.cells.map(({ name }) => name)).toEqual(names);
        const reached = cellsOf(run.footer?.reached ?? { facts: [], conditions: [] });
        const wrong = coverage?.cells.filter(
          ({ name, state, why = '' }) =>
            (state === 'reached') !== reached.has(name) ||
            (why === '') !== (state === 'reached') ||
            why === unknownReason,
        );
        expect(wrong).toEqual([]);
        const sum = coverage?.kinds.reduce(
          (all, one) => all + one.reached + one.reachable + one.never + one.excluded,
          0,
        );
        expect(sum).toBe(names.length);
      }),
      { numRuns: 30 },
    );
  });

  test('stands in every report, and where the record does not tell it in none', () => {
    fc.assert(
      fc.property(coveredRun, (run) => {
        const silent = { ...run, footer: { kind: 'end', durationMs: 1, remains: [], requests: 1 } as const };
        const { badge: _, 'badge-json': __, json: ___, ...reports } = formats;
        const texts = (of: Run): readonly string[] => [
          terminalText(runSummary(of)),
          ...Object.values(reports).map(({ write }) => write(of)),
        ];
        for (const text of texts(run)) expect(text).toMatch(/[Rr]eached/);
        for (const text of texts(silent)) expect(text).not.toMatch(/pairs of conditions|profile keys/);
        expect(JSON.parse(writeJson(run))).toHaveProperty('coverage.kinds');
        expect(JSON.parse(writeJson(silent))).not.toHaveProperty('coverage');
      }),
      { numRuns: 5 },
    );
  });
});

describe('what the rules reach at the bundled pair', () => {
  const { cells, kinds } = coverageOfRules();

  test('leaves no cell without a reason', () => {
    expect(cells.filter(({ state, why }) => state !== 'reached' && why === unknownReason)).toEqual([]);
  });

  test('has no reason for what is reached', () => {
    const reached = cells.filter(({ state }) => state === 'reached');
    // who wins a race is chance
    const isByChance = (name: string): boolean =>
      rulesOfCells.get(name)?.every((rule) => rule.includes('.race.')) === true;
    expect(reached.filter(({ name }) => emptinessOf(name) !== undefined && !isByChance(name))).toEqual([]);
  });

  test('has every pair of conditions', () => {
    expect(kinds.find(({ kind }) => kind === 'pairs')).toMatchObject({ never: 0, excluded: 0 });
  });
});

test('reasons are of cells that there are', () => {
  const known = new Set(names);
  const { cells } = coverageOfRules();
  const never = emptyCells({ cells, kinds: [], triples: { reached: 0, possible: 0 } });
  expect(new Set(never.map(({ why }) => why))).toEqual(new Set(untried.map(({ why }) => why)));
  expect(never.flatMap((group) => group.cells).filter(({ name }) => !known.has(name))).toEqual([]);
});
