import type { RunHeader } from '../judge/outcome.ts';
import { assess, selectedAreas } from './assessment.ts';
import { besidesOf } from './besides.ts';
import { entriesOf, type Entry } from './entries.ts';
import { evidenceLines } from './finding.ts';
import type { Run } from './run.ts';
import { type JunitCase, type JunitSuite, junitText } from './xml.ts';

/**
 * JUnit XML of one run: a test suite an area, a test case a rule. The structure is that of the JUnit schema of Ant, in which text output
 * belongs to the suite: what passed rules warn of or observe stands there, a line each. Expired entries of the profile are a suite of
 * their own, and so is what makes the run as a whole incomplete: the file has a failure wherever the exit code is 1, and an error at least
 * wherever it is 3.
 */
export function writeJunit(run: Run): string {
  return writeJunitOfAll([run]);
}

/** The test suites of several runs one after another; `package` names the implementation. */
export function writeJunitOfAll(runs: readonly Run[]): string {
  return junitText(runs.flatMap(suitesOf));
}

/** Suites beside those of the areas, where there is something in them. */
const apart = ['profile', 'run'] as const;

function suitesOf(run: Run): readonly JunitSuite[] {
  const { header, footer, notes = [] } = run;
  const { implementation, baseUrl, seed, suiteVersion, command, startedAt } = header;
  const assessment = assess(run);
  const entries = entriesOf(run, assessment);
  const names = [
    ...selectedAreas(assessment).map(({ area }) => area),
    ...apart.filter((name) => entries.some(({ group }) => group === name)),
  ];
  const properties = {
    implementation,
    baseUrl,
    seed,
    suiteVersion,
    command,
    complete: String(footer !== undefined && footer.aborted === undefined),
    ...besidesOf(run, assessment),
  };
  return names.map((name) => {
    const members = entries.filter(({ group }) => group === name);
    const cases = members.map((entry) => caseOf(entry, header));
    return {
      name,
      about: { implementation, url: baseUrl, startedAt },
      durationMs: cases.reduce((sum, { durationMs }) => sum + durationMs, 0),
      properties,
      cases,
      out: members.flatMap(remarksOf),
      err: notes,
    };
  });
}

function caseOf({ name, group, kind, type, message, standing }: Entry, header: RunHeader): JunitCase {
  const about = { name, group, durationMs: standing?.outcome?.durationMs ?? 0 };
  if (kind === 'passed') return about;
  if (kind === 'skipped') return { ...about, end: { kind, message } };
  const facts = standing === undefined ? [] : [standing.rule.statement, ...evidenceLines(standing, header)];
  return { ...about, end: { kind, message, type, text: facts.join('\n') } };
}

function remarksOf({ standing, kind }: Entry): string[] {
  if (standing === undefined) return [];
  const { rule, state, outcome } = standing;
  const violation = outcome?.violation;
  const warned = state === 'warn' && kind === 'passed';
  return [
    ...(warned
      ? [
          `warned: expected ${violation?.expected ?? rule.statement}; actual ${violation?.actual ?? outcome?.reason ?? 'not recorded'}`,
        ]
      : []),
    ...(outcome?.observations ?? []).map(({ what, seen }) => `observed: ${what}: ${seen}`),
    ...(outcome?.remarks ?? []).map((remark) => `remark: ${remark}`),
  ].map((text) => `${rule.id}: ${text}`);
}
