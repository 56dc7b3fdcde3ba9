import { schemaVersion } from '../contract/schemas/outcomes.ts';
import type { Report, RuleResult } from '../contract/schemas/report.ts';
import { apartCounts, assess, isWorthRepeating, type Standing } from './assessment.ts';
import { classResults } from './classes.ts';
import { type Coverage, coverageOf, emptyCells } from './coverage/coverage.ts';
import { exitOf } from './exit.ts';
import { replayCommand } from './finding.ts';
import { likenessOf } from './likeness.ts';
import type { Run } from './run.ts';
import { printableJson } from './text.ts';

/** As the schema has it, made of what nobody may change. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : { readonly [Name in keyof T]: Immutable<T[Name]> };

const untouched = { observations: [], remarks: [], assertions: 0, exchanges: 0, durationMs: 0 };

/** report.json of one run. Schema: contract/schemas/report.ts. */
export function writeJson(run: Run): string {
  return printableJson(reportOf(run));
}

/** One report for one run, an array of them for several. */
export function writeJsonOfAll(runs: readonly Run[]): string {
  return printableJson(runs.map(reportOf));
}

function reportOf(run: Run): Immutable<Report> {
  const assessment = assess(run);
  const { totals, areas, standings, known } = assessment;
  const exit = exitOf(run, assessment);
  const coverage = coverageOf(run, assessment);
  const { kind: _line, selected: _selected, schemaVersion: _version, ...header } = run.header;
  return {
    schemaVersion,
    kind: 'report',
    ...header,
    exitCode: exit.code,
    meaning: exit.words,
    ...endOf(run),
    notes: run.notes ?? [],
    totals,
    areas,
    rules: standings.map((standing) => resultOf(standing, run)),
    classes: classResults(run, assessment),
    known,
    looksLike: likenessOf(assessment),
    ...(coverage !== undefined && { coverage: coverageJson(coverage) }),
    apart: apartCounts(run, assessment),
  };
}

/** What was reached stands by name for the kinds that are small, and what is empty by its reason. */
function coverageJson(coverage: Coverage): Immutable<NonNullable<Report['coverage']>> {
  return {
    kinds: coverage.kinds,
    triples: coverage.triples,
    reached: coverage.cells
      .filter(({ state, kind }) => state === 'reached' && kind !== 'pairs')
      .map(({ name }) => name),
    empty: emptyCells(coverage).map(({ state, why, cells }) => ({
      state: state === 'reachable' ? 'reachable' : 'never',
      why,
      cells: cells.map(({ name }) => name),
    })),
  };
}

function endOf({ footer }: Run) {
  if (footer === undefined) return { complete: false, remains: [] };
  const { kind: _line, reached: _reached, ...end } = footer;
  return { complete: end.aborted === undefined, ...end };
}

function resultOf(standing: Standing, { header }: Run): Immutable<RuleResult> {
  const { rule, state, outcome } = standing;
  const { id, area, level, statement, source } = rule;
  const { rule: _id, verdict: _verdict, ...found } = outcome ?? { ...untouched, rule: id, verdict: state };
  return {
    id,
    area,
    level,
    statement,
    source,
    state,
    ...(outcome !== undefined && !header.selected.includes(id) && { ground: true as const }),
    ...(isWorthRepeating(standing) && { replay: replayCommand(id, header) }),
    ...found,
  };
}
