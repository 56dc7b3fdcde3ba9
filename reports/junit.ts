import { assess, type Assessment, selectedAreas } from './assessment.ts';
import { besidesOf } from './besides.ts';
import { entriesOf, type Entry } from './entries.ts';
import { evidenceLines } from './finding.ts';
import type { Run } from './run.ts';
import { element, junitText, lines, placeAndTime, propertyElements, secondsOf, xmlText } from './xml.ts';

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
  const suites = runs.flatMap((run) => suitesOf(run)).map((suite, id) => suite(id));
  return junitText(suites);
}

/** Suites beside those of the areas, where there is something in them. */
const apart = ['profile', 'run'] as const;

function suitesOf(run: Run): ((id: number) => string)[] {
  const assessment = assess(run);
  const entries = entriesOf(run, assessment);
  const names = [
    ...selectedAreas(assessment).map(({ area }) => area),
    ...apart.filter((name) => entries.some(({ group }) => group === name)),
  ];
  const properties = propertiesOf(run, assessment);
  return names.map((name) => {
    const members = entries.filter(({ group }) => group === name);
    return (id) => suiteElement(run, { name, properties, entries: members, id });
  });
}

interface Suite {
  readonly name: string;
  readonly properties: readonly string[];
  readonly entries: readonly Entry[];
  readonly id: number;
}

function suiteElement(run: Run, { name, properties, entries, id }: Suite): string {
  const number = (kind: Entry['kind']) => entries.filter((entry) => entry.kind === kind).length;
  const attributes = {
    name,
    package: run.header.implementation,
    id,
    ...placeAndTime(run.header.baseUrl, run.header.startedAt),
    tests: entries.length,
    failures: number('failure'),
    errors: number('error'),
    skipped: number('skipped'),
    time: secondsOf(entries.reduce((sum, { standing }) => sum + (standing?.outcome?.durationMs ?? 0), 0)),
  };
  return element('testsuite', attributes, lines(suiteContent(run, properties, entries)));
}

function suiteContent(run: Run, properties: readonly string[], entries: readonly Entry[]): string[] {
  return [
    element('properties', {}, lines(properties)),
    ...entries.map((entry) => testCase(entry, run)),
    element('system-out', {}, xmlText(entries.flatMap(remarksOf).join('\n'))),
    element('system-err', {}, xmlText((run.notes ?? []).join('\n'))),
  ];
}

function propertiesOf(run: Run, assessment: Assessment): string[] {
  const { header, footer } = run;
  const { implementation, baseUrl, seed, suiteVersion, command } = header;
  const values = {
    implementation,
    baseUrl,
    seed,
    suiteVersion,
    command,
    complete: String(footer !== undefined && footer.aborted === undefined),
    ...besidesOf(run, assessment),
  };
  return propertyElements(values);
}

function testCase(entry: Entry, run: Run): string {
  const { name, group, standing } = entry;
  const attributes = {
    name,
    classname: `svc-conformance.${group}`,
    time: secondsOf(standing?.outcome?.durationMs ?? 0),
  };
  return element('testcase', attributes, resultOf(entry, run));
}

function resultOf(entry: Entry, run: Run): string {
  const { kind, type, message, standing } = entry;
  if (kind === 'passed') return '';
  if (kind === 'skipped') return element('skipped', { message });
  const facts = standing === undefined ? [] : [standing.rule.statement, ...evidenceLines(standing, run.header)];
  return element(kind, { message, type }, xmlText(facts.join('\n')));
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
