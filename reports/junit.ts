import { assess, selectedAreas, type AreaCounts, type Assessment, type Standing } from './assessment.ts';
import { factsOf } from './violation.ts';
import type { Run } from './run.ts';
import { element, xmlText } from './xml.ts';

/** What a test case says to a reader of JUnit: passed, or one of three elements with a message. */
export interface Entry {
  readonly standing: Standing;
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  readonly type: string;
  readonly message: string;
}

/**
 * JUnit XML of one run: a test suite an area, a test case a rule. The structure is that of the JUnit schema of Ant, in which text output
 * belongs to the suite: what passed rules warn of or observe stands there, a line each. A known failure is skipped and a stale
 * one is a failure, so that a reader of the file is as red as the exit code.
 */
export function writeJunit(run: Run): string {
  return writeJunitOfAll([run]);
}

/** The test suites of several runs one after another; `package` names the implementation. */
export function writeJunitOfAll(runs: readonly Run[]): string {
  const suites = runs.flatMap((run) => suitesOf(run)).map((suite, id) => suite(id));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, lines(suites))}\n`;
}

function suitesOf(run: Run): ((id: number) => string)[] {
  const assessment = assess(run);
  return selectedAreas(assessment).map((area) => {
    const entries = entriesOf(area, assessment);
    return (id) => suiteElement(run, area, entries, id);
  });
}

/** The test cases of an area, in catalogue order; a rule that was not selected is none. */
export function entriesOf({ area }: AreaCounts, { standings, known }: Assessment): Entry[] {
  const expected = new Map(known.map((failure) => [failure.rule, failure]));
  return standings
    .filter(({ rule, state }) => rule.area === area && state !== 'not-selected')
    .map((standing) => {
      const failure = expected.get(standing.rule.id);
      if (failure === undefined || failure.status === 'not-judged') return entryOf(standing);
      return failure.status === 'fails' ? excused(standing, failure.reason) : stale(standing, failure.reason);
    });
}

function excused(standing: Standing, reason: string): Entry {
  return { standing, kind: 'skipped', type: 'known-failure', message: `known failure: ${reason}` };
}

function stale(standing: Standing, reason: string): Entry {
  const message = `known failure that passes now, take it off the profile: ${reason}`;
  return { standing, kind: 'failure', type: 'stale-known-failure', message };
}

const kinds = {
  pass: 'passed',
  warn: 'passed',
  observed: 'passed',
  fail: 'failure',
  broken: 'error',
  'not-run': 'error',
  blocked: 'skipped',
  'not-selected': 'skipped',
} as const;

function entryOf(standing: Standing): Entry {
  const { state } = standing;
  return { standing, kind: kinds[state], type: state, message: messageOf(standing) };
}

function messageOf({ state, outcome }: Standing): string {
  if (state === 'not-run') return 'not run: the run ended before this rule';
  return outcome?.violation?.expected ?? outcome?.reason ?? state;
}

function suiteElement(run: Run, { area }: AreaCounts, entries: readonly Entry[], id: number): string {
  const number = (kind: Entry['kind']) => entries.filter((entry) => entry.kind === kind).length;
  const attributes = {
    name: area,
    package: run.header.implementation,
    id,
    timestamp: run.header.startedAt.slice(0, 19),
    hostname: hostOf(run.header.baseUrl),
    tests: entries.length,
    failures: number('failure'),
    errors: number('error'),
    skipped: number('skipped'),
    time: secondsOf(entries.reduce((sum, { standing }) => sum + (standing.outcome?.durationMs ?? 0), 0)),
  };
  return element('testsuite', attributes, lines(suiteContent(run, entries)));
}

function suiteContent(run: Run, entries: readonly Entry[]): string[] {
  return [
    element('properties', {}, lines(propertiesOf(run))),
    ...entries.map((entry) => testCase(entry, run)),
    element('system-out', {}, xmlText(entries.flatMap(remarksOf).join('\n'))),
    element('system-err', {}, xmlText((run.notes ?? []).join('\n'))),
  ];
}

function propertiesOf({ header, footer }: Run): string[] {
  const { implementation, baseUrl, seed, suiteVersion, command } = header;
  const values = { implementation, baseUrl, seed, suiteVersion, command, complete: String(footer !== undefined && footer.aborted === undefined) };
  return Object.entries(values).map(([name, value]) => element('property', { name, value }));
}

function testCase(entry: Entry, run: Run): string {
  const { rule, outcome } = entry.standing;
  const attributes = { name: rule.id, classname: `svc-conformance.${rule.area}`, time: secondsOf(outcome?.durationMs ?? 0) };
  return element('testcase', attributes, resultOf(entry, run));
}

function resultOf(entry: Entry, run: Run): string {
  if (entry.kind === 'passed') return '';
  if (entry.kind === 'skipped') return element('skipped', { message: entry.message });
  const { rule } = entry.standing;
  const facts = factsOf(entry.standing, run.header).map(({ label, text }) => `${label}: ${text}`);
  return element(entry.kind, { message: entry.message, type: entry.type }, xmlText([rule.statement, ...facts].join('\n')));
}

function remarksOf({ standing, kind }: Entry): string[] {
  const { rule, state, outcome } = standing;
  const violation = outcome?.violation;
  const warned = state === 'warn' && kind === 'passed';
  return [
    ...(warned ? [`warned: expected ${violation?.expected ?? rule.statement}; actual ${violation?.actual ?? outcome?.reason ?? 'not recorded'}`] : []),
    ...(outcome?.observations ?? []).map(({ what, seen }) => `observed: ${what}: ${seen}`),
    ...(outcome?.remarks ?? []).map((remark) => `remark: ${remark}`),
  ].map((text) => `${rule.id}: ${text}`);
}

function hostOf(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === '' ? 'localhost' : host;
}

function secondsOf(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}

function lines(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `\n${parts.join('\n')}\n`;
}
