import { describe, expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { outcomeOf } from '../../judge/run/outcome.fixture.ts';
import type { Mistake } from '../../variants/mistakes/mistake.ts';
import { startReference } from '../../api/deployment.ts';
import {
  mistakeMatrix,
  exitCodeOfMistakes,
  mistakeRow,
  type MistakeMatrix,
  type MistakeRow,
} from './mistake-matrix.ts';
import { mistakeLines } from './print-mistakes.ts';

const must: RuleId = 'paging.page-one.holds-the-rest';
const should: RuleId = 'hypermedia.editor.sees-write-links';
const observing: RuleId = 'signing.extension-host.other-notation';
const etag = 'caching.etag.present' satisfies RuleId;
const unharmed: RuleId = 'caching.match.still-needs-access';
const name = 'caching.tag-of-a-list-by-its-ids';

const mistake: Mistake = {
  source: 'core: Server side paging 4',
  breaks: 'A page holds the rest.',
  variant: (classes) => classes,
  shows: async () => true,
};
const excused: Mistake = { ...mistake, survives: 'The document does not say so.' };

function matrixOf(...mistakes: readonly MistakeRow[]): MistakeMatrix {
  return { mode: 'all', durationMs: 1, control: { cases: 3, killedBy: [] }, mistakes };
}

describe('the row of a mistake', () => {
  test.each([
    [must, 'fail', 'killed'],
    [should, 'warn', 'killed'],
    [observing, 'warn', 'observed'],
    [must, 'pass', 'survived'],
    [must, 'blocked', 'survived'],
    [must, 'broken', 'survived'],
  ] as const)('%s with %s: %s', (rule, verdict, expected) => {
    expect(mistakeRow(name, mistake, [outcomeOf(rule, verdict)]).verdict).toBe(expected);
  });

  test('a case that stumbles is told apart from what kills', () => {
    const row = mistakeRow(name, mistake, [outcomeOf(must, 'fail'), outcomeOf(should, 'broken')]);
    expect(row).toMatchObject({ verdict: 'killed', killedBy: [{ rule: must }], broken: [{ rule: should }] });
    expect(exitCodeOfMistakes(matrixOf(row))).toBe(1);
    expect(mistakeLines(matrixOf(row)).join('\n')).toContain('Cases that stumble');
  });
});

test('what survived is listed with the cases that it kept from judging', () => {
  const row = mistakeRow(name, mistake, [outcomeOf(must, 'blocked'), outcomeOf(should, 'pass')]);
  expect(row.blocked).toMatchObject([{ rule: must }]);
  expect(mistakeLines(matrixOf(row)).join('\n')).toContain(`kept from judging: ${must}`);
});

describe('the exit code', () => {
  const killed = [outcomeOf(must, 'fail')];
  const survived = [outcomeOf(must, 'pass')];
  test.each([
    ['killed', mistake, killed, 0],
    ['excused and alive', excused, survived, 0],
    ['alive', mistake, survived, 1],
    ['excused and killed', excused, killed, 1],
  ] as const)('of a mistake that is %s', (_what, each, outcomes, expected) => {
    expect(exitCodeOfMistakes(matrixOf(mistakeRow(name, each, outcomes)))).toBe(expected);
  });

  test('of none at all', () => expect(exitCodeOfMistakes(matrixOf())).toBe(3));
});

test('what survived is listed with its sentence, and counted', () => {
  const rows = [mistakeRow('links.one', mistake, [outcomeOf(must, 'pass')]), mistakeRow('links.two', mistake, [])];
  const text = mistakeLines(matrixOf(...rows, mistakeRow('links.three', excused, [outcomeOf(must, 'fail')]))).join(
    '\n',
  );
  expect(text).toContain(`links.one (${mistake.source})\n    ${mistake.breaks}`);
  expect(text).toContain('3 mistakes: 1 killed, 0 observed only, 2 survived');
  expect(text).toContain('the reason is to be taken out');
});

describe('a mistake', () => {
  const start = (fault: string) => startReference(fault === 'control' ? {} : { faults: [etag] });
  const trial = { mistakes: [name], all: false, runs: 2, start };

  test('is killed by the rule that sees it, the control lives', async () => {
    const { mistakes, control } = await mistakeMatrix({ ...trial, rules: [unharmed, etag] });
    expect(mistakes).toMatchObject([{ mistake: name, verdict: 'killed', killedBy: [{ rule: etag, level: 'must' }] }]);
    expect(control).toEqual({ cases: 2, killedBy: [] });
  });

  test('survives those that do not', async () => {
    const { mistakes } = await mistakeMatrix({ ...trial, rules: [unharmed] });
    expect(mistakes).toMatchObject([{ verdict: 'survived', killedBy: [], cases: 1 }]);
  });
});
