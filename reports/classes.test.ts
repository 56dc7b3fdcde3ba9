import { describe, expect, it } from 'vitest';
import { classes, classNames, type ClassName } from '../contract/classes.ts';
import type { RuleId } from '../contract/rule.ts';
import type { Outcome, RunHeader, Verdict } from '../judge/outcome.ts';
import { assess } from './assessment.ts';
import { classBlocks, classResults, classSentence } from './classes.ts';
import { exitOf } from './exit.ts';
import { writeMarkdown } from './formats.ts';
import { writeJunit } from './junit.ts';
import { allIds, outcomeWith, runWith } from './run.fixture.ts';

const heartOfFiles: readonly RuleId[] = classes.files.heart;
const otherOfFiles = 'files.chunk.two-chunks';

function resultOf(name: ClassName, outcomes: readonly Outcome[], header: Partial<RunHeader> = {}) {
  const run = runWith(outcomes, header);
  return classResults(run, assess(run)).find((one) => one.name === name);
}

function all(rules: readonly RuleId[], verdict: Verdict, more: Partial<Outcome> = {}): readonly Outcome[] {
  return rules.map((rule) => outcomeWith(rule, verdict, more));
}

describe('a class', () => {
  it.each(classNames)('is kept where everything passes: %s', (name) => {
    expect(resultOf(name, [])).toMatchObject({ state: 'kept', claimed: false, violated: 0, declared: 0, open: 0 });
  });

  it('is partly kept where any of its musts is violated, known or not', () => {
    const broken = all([otherOfFiles], 'fail');
    expect(resultOf('files', broken)).toMatchObject({ state: 'partly', violated: 1 });
    expect(resultOf('files', broken, { knownFailures: { [otherOfFiles]: 'soon' } })?.state).toBe('partly');
    expect(resultOf('reader', broken)?.state).toBe('kept');
  });

  it('is kept where a guideline is not', () => {
    expect(resultOf('files', all(['files.names.unusual'], 'warn'))?.state).toBe('kept');
  });

  it('is kept beside what is not offered for a reason on record, and partly beside what is blocked without one', () => {
    const lacking = all([otherOfFiles], 'blocked', { missing: ['file-area-any'] });
    const declared = { notSupported: { 'file-area-any': 'none' } };
    expect(resultOf('files', lacking, declared)).toMatchObject({ state: 'kept', declared: 1, open: 0 });
    expect(resultOf('files', lacking)).toMatchObject({ state: 'partly', declared: 0, open: 1 });
    const run = runWith(lacking, declared);
    const { kept, rules } = resultOf('files', lacking, declared) ?? {};
    expect(JSON.stringify(classSentence(run, assess(run)))).toContain(`files (${kept} of ${rules} rules)`);
    expect(JSON.stringify(classSentence(run, assess(run)))).toMatch(/kept reader,/);
  });

  it('is not kept by a reason in the place of its heart', () => {
    const [first = otherOfFiles, ...others] = heartOfFiles;
    const declared = { notSupported: { 'file-area-any': 'none' } };
    const lacking = { missing: ['file-area-any'] };
    expect(resultOf('files', all([first], 'blocked', lacking), declared)?.state).toBe('partly');
    expect(resultOf('files', all([first, ...others], 'blocked', lacking), declared)?.state).toBe('not-offered');
  });

  it('is not judged where nothing of it was selected, and partly where a part of it was', () => {
    const run = runWith([], { selected: allIds.filter((id) => id.startsWith('paging.')) });
    const paging = { ...run, outcomes: run.outcomes.filter(({ rule }) => rule.startsWith('paging.')) };
    const states = new Map(classResults(paging, assess(paging)).map(({ name, state }) => [name, state]));
    expect(states.get('files')).toBe('not-judged');
    expect(states.get('reader')).toBe('partly');
  });
});

describe('a gate', () => {
  const declared = { notSupported: { 'file-area-any': 'none' } };
  const withoutFiles = all(heartOfFiles, 'blocked', { missing: ['file-area-any'] });

  it('ends with 0 where each class that it requires is kept', () => {
    expect(exitOf(runWith([], { gate: { require: ['files', 'reader'] } })).code).toBe(0);
    expect(exitOf(runWith(withoutFiles, { ...declared, gate: { require: ['reader'] } })).code).toBe(0);
  });

  it('ends with 1 where one is not, though no rule is violated and every gap is declared', () => {
    const run = runWith(withoutFiles, { ...declared, gate: { require: ['files', 'reader'] } });
    const { code, words } = exitOf(run);
    expect(code).toBe(1);
    expect(words).toMatch(
      /^no rule is violated, but the gate is not passed: the class files is required, and not offered: of \d+ rules/,
    );
    expect(writeJunit(run)).toContain('class: files');
  });

  it('asks no part of a run for a class, only the whole', () => {
    const part = { ...declared, gate: { require: ['files'] as const }, shard: { index: 1, of: 2 } };
    expect(exitOf(runWith(withoutFiles, part)).code).toBe(0);
  });
});

describe('reports', () => {
  it('say of a claim that it is not kept', () => {
    const run = runWith(all([otherOfFiles], 'fail'), { claims: ['files', 'reader'] });
    expect(JSON.stringify(classSentence(run, assess(run)))).toContain('Claimed and not kept: files.');
    expect(writeMarkdown(run)).toMatch(/<code>files<\/code> \|[^|]*\| claimed \| partly \|/);
    expect(writeMarkdown(run)).toMatch(/<code>reader<\/code> \|[^|]*\| claimed \| kept \|/);
  });

  it('leave out classes that nobody asked about', () => {
    const run = runWith([], { selected: [] });
    const none = { ...run, outcomes: [] };
    expect(classBlocks(none, assess(none))).toEqual([]);
    expect(classSentence(none, assess(none))).toEqual([]);
  });
});
