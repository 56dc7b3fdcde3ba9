import { Clean } from '../outlet.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import type { Run } from '../../reports/run.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from '../../reports/run.fixture.ts';
import { announceOnGithub } from './reports.ts';

const folder = makeFolder();

function announced(run: Run, env: Readonly<Record<string, string>>): { lines: string[]; complaints: string[] } {
  let text = '';
  const complaints: string[] = [];
  announceOnGithub(Clean.of(run), {
    env,
    write: (more) => (text += more.value),
    complain: (sentence) => complaints.push(sentence),
  });
  return { lines: text.split('\n').slice(0, -1), complaints };
}

function failing(count: number): Run {
  const violation = { expected: '100 %\nof it', actual: '::error::x', curl: [] };
  return runWith(allIds.slice(0, count).map((id) => outcomeWith(id, 'fail', { violation })));
}

describe('annotations', () => {
  const env = { GITHUB_ACTIONS: 'true' };

  test('one a failure, at most ten, and a line for the rest', () => {
    expect(announced(failing(0), env).lines).toEqual([]);
    expect(announced(failing(10), env).lines).toHaveLength(10);
    const { lines } = announced(failing(12), env);
    expect(lines).toHaveLength(11);
    expect(lines[10]).toBe('::error title=svc-conformance::2 more failures; the reports hold all of them');
  });

  test('stand wherever the exit code is not 0, failures before gaps', () => {
    const [first, ...others] = allIds.slice(0, 12);
    if (first === undefined) throw new Error('no rule is built');
    const broken = others.map((id) => outcomeWith(id, 'broken', { reason: 'stumbled' }));
    const { lines } = announced(runWith([...broken, outcomeWith(first, 'fail')]), env);
    expect(lines[0]).toContain(`title=${first}`);
    expect(lines.at(-1)).toBe('::error title=svc-conformance::2 more gaps; the reports hold all of them');
    expect(announced({ ...runWith([]), outcomes: [] }, env).lines).toHaveLength(11);
  });

  test('begin with why the run says nothing, which hundreds of rules that were not run do not', () => {
    const { footer, ...run } = runWith([]);
    const aborted = {
      ...run,
      outcomes: [],
      footer: { kind: 'end', requests: 1, durationMs: 1, remains: [], ...footer, aborted: 'nothing answers' },
    } as const;
    const { lines } = announced(aborted, env);
    expect(lines[0]).toBe(
      '::error title=the run::incomplete: the run is incomplete and proves nothing: it ended early: nothing answers',
    );
    expect(lines).toHaveLength(11);
  });

  test('name the rule and escape what would end the line', () => {
    const [line] = announced(failing(1), env).lines;
    expect(line).toMatch(new RegExp(`^::error title=${allIds[0]}::.* Expected: 100 %25 of it; actual: ::error::x$`));
  });

  test('of any run are whole commands', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        for (const line of announced(run, env).lines) expect(line).toMatch(/^::error title=[^:,\r\n]+::[^\r\n]+$/);
      }),
    );
  });

  test('do not repeat what the profile expects', () => {
    const [id = ''] = allIds;
    const run = failing(1);
    expect(announced({ ...run, header: { ...run.header, knownFailures: { [id]: 'ticket' } } }, env).lines).toEqual([]);
  });
});

describe('the summary of the step', () => {
  test('gets the page after what is there', () => {
    const file = join(folder, 'summary.md');
    writeFileSync(file, 'before\n');
    expect(announced(failing(1), { GITHUB_STEP_SUMMARY: file })).toEqual({ lines: [], complaints: [] });
    expect(readFileSync(file, 'utf8')).toMatch(/^before\n## Conformance of somebody\n/);
  });

  test('is left alone when the page would not fit, and a folder that is not there ends nothing', () => {
    const full = join(folder, 'full.md');
    writeFileSync(full, 'x'.repeat(1024 * 1024 - 100));
    expect(announced(failing(1), { GITHUB_STEP_SUMMARY: full }).complaints).toEqual([
      expect.stringContaining('is full'),
    ]);
    expect(announced(failing(1), { GITHUB_STEP_SUMMARY: join(folder, 'nowhere', 'x.md') }).complaints).toEqual([
      expect.stringContaining('cannot be written'),
    ]);
  });
});

test('nowhere else is anything said', () => {
  expect(announced(failing(3), { GITHUB_ACTIONS: 'false', GITHUB_STEP_SUMMARY: '' })).toEqual({
    lines: [],
    complaints: [],
  });
});
