import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allIds, allRules, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';
import { OutcomesError, parseRun, readRun, type Run } from './run.ts';

const plain = runWith([]);

function textOf({ header, outcomes, footer }: Omit<Run, 'rules'>): string {
  return [header, ...outcomes, ...(footer === undefined ? [] : [footer])]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

describe('outcomes.ndjson', () => {
  test('a run is read as it was written', () => {
    fc.assert(
      fc.property(runArbitrary, ({ notes: _, rules: _rules, ...run }) => {
        expect(parseRun(textOf(run), 'a.ndjson', allRules)).toEqual({
          rules: allRules,
          ...JSON.parse(JSON.stringify(run)),
        });
      }),
    );
  });

  test('wherever a file is cut after its first line, it is read, without its end', () => {
    const text = textOf(runWith([], { selected: [] }));
    const first = text.indexOf('\n') + 1;
    fc.assert(
      fc.property(fc.integer({ min: first, max: text.length - 2 }), (length) => {
        const run = parseRun(text.slice(0, length), 'a.ndjson', allRules);
        expect(run.footer).toBeUndefined();
        expect(run.notes ?? []).toHaveLength(lastLineIsWhole(text.slice(0, length)) ? 0 : 1);
      }),
    );
  });

  test('a whole last line counts without its line feed', () => {
    const run = parseRun(textOf(plain).slice(0, -1), 'a.ndjson', allRules);
    expect(run.footer).toEqual(plain.footer);
    expect(run.notes).toBeUndefined();
  });

  test('the last line of a rule counts', () => {
    const [rule] = allIds;
    if (rule === undefined) throw new Error('no rule is built');
    const lines = [plain.header, outcomeWith(rule, 'pass'), outcomeWith(rule, 'blocked')].map(
      (line) => `${JSON.stringify(line)}\n`,
    );
    expect(parseRun(lines.join(''), 'a', allRules).outcomes).toEqual([outcomeWith(rule, 'blocked')]);
  });
});

describe('what cannot be read names file and line', () => {
  const header = `${JSON.stringify(plain.header)}\n`;
  const footer = `${JSON.stringify(plain.footer)}\n`;
  const outcome = `${JSON.stringify(plain.outcomes[0])}\n`;
  test.each([
    ['', 'a.ndjson: the file is empty'],
    [outcome, 'a.ndjson:1: expected the line that starts a run'],
    ['{"kind":', 'a.ndjson:1: expected a line of JSON'],
    [`${header}{"rule":\n${outcome}`, 'a.ndjson:2: expected a line of JSON'],
    [`${header}\n{"rule":"reading.no.such","verdict":"pass"}\n`, 'a.ndjson:3: expected the outcome of a rule'],
    [header + outcome.replace('"pass"', '"green"'), 'a.ndjson:2: expected the outcome of a rule'],
    [
      header + outcome.replace(/"rule":"[^"]*"/, '"rule":"no.such"'),
      'a.ndjson:2: rule "no.such" is not in the catalogue',
    ],
    [header + footer + outcome, 'a.ndjson:3: there is a line after the one that ends the run'],
  ])('%#', (text, message) => {
    expect(() => parseRun(text, 'a.ndjson', allRules)).toThrow(OutcomesError);
    expect(() => parseRun(text, 'a.ndjson', allRules)).toThrow(message);
  });

  const mark = { label: 'attempt 1', atMs: 0 };
  const timeline = { title: 'attempts', zero: 'the first attempt', expected: [], seen: [mark] };
  test.each([
    ['timelines.0.seen must be a list of 40 at most', [{ ...timeline, seen: Array.from({ length: 41 }, () => mark) }]],
    ['timelines must be a list of 12 at most', Array.from({ length: 13 }, () => timeline)],
    ['timelines.0.title must be a text of 200 characters at most', [{ ...timeline, title: 'a'.repeat(201) }]],
    ['timelines.0.seen.0.atMs must be', [{ ...timeline, seen: [{ ...mark, atMs: 1e11 }] }]],
    ['timelines.0.seen.0.atMs must be', [{ ...timeline, seen: [{ ...mark, atMs: '<b>' }] }]],
    ['timelines.0 lacks', [{ title: 'attempts' }]],
  ])('a timeline beyond its limits: %s', (message, timelines) => {
    const line = `${JSON.stringify({ ...plain.outcomes[0], timelines })}\n`;
    expect(() => parseRun(header + line, 'a.ndjson', allRules)).toThrow(
      `a.ndjson:2: expected the outcome of a rule or the line that ends the run: ${message}`,
    );
  });

  test('a timeline at its limits is read, one of an infinite time is not', () => {
    const full = { ...timeline, title: 'a'.repeat(200), seen: Array.from({ length: 40 }, () => mark) };
    const line = `${JSON.stringify({ ...plain.outcomes[0], timelines: Array.from({ length: 12 }, () => full) })}\n`;
    expect(parseRun(header + line, 'a.ndjson', allRules).outcomes[0]?.timelines).toHaveLength(12);
    expect(() => parseRun(header + line.replace('"atMs":0', '"atMs":1e999'), 'a.ndjson', allRules)).toThrow(
      OutcomesError,
    );
  });

  test('a file that is not there', async () => {
    await expect(readRun('/nowhere/outcomes.ndjson', allRules)).rejects.toThrow(
      '/nowhere/outcomes.ndjson: cannot be read',
    );
  });
});

function lastLineIsWhole(text: string): boolean {
  try {
    JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
    return true;
  } catch {
    return false;
  }
}
