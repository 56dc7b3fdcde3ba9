import { assert, boolean, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawTasks, ofJobs, type TaskScope, tellTasks } from './task-history.ts';

const scopes = record({
  several: boolean(),
  answers: boolean(),
  timeouts: boolean(),
  files: constantFrom('none', 'fixed', 'own'),
  secondEditor: boolean(),
  elsewhere: boolean(),
  updates: boolean(),
});

const whole: TaskScope = {
  several: true,
  answers: true,
  timeouts: true,
  files: 'own',
  secondEditor: true,
  elsewhere: true,
  updates: true,
};

const fileDeeds: readonly string[] = ['upload', 'download', 'list'];

describe('a history of tasks', () => {
  test('follows from its seed', () => {
    expect(drawTasks(7, whole)).toEqual(drawTasks(7, whole));
    expect(drawTasks(7, whole)).not.toEqual(drawTasks(8, whole));
  });

  test('has two jobs of one input that say something', () => {
    assert(
      property(integer(), scopes, (seed, scope) => {
        const { jobs, steps } = drawTasks(seed, scope);
        for (const job of [0, 1]) {
          expect(jobs[job]?.input).toBe(0);
          const kinds = steps.filter((step) => step.job === job).map(({ kind }) => kind);
          expect(kinds[0]).toBe('schedule');
          expect(kinds).toContain('progress');
        }
      }),
    );
  });

  test('holds nothing that the target does not offer', () => {
    assert(
      property(integer(), scopes, (seed, scope) => {
        const { records, inputs, jobs, steps } = drawTasks(seed, scope);
        expect(records.length > 1 && !scope.several).toBe(false);
        expect(inputs.some(({ by }) => by === 'secondEditor') && !scope.secondEditor).toBe(false);
        expect(jobs.some(({ isElsewhere }) => isElsewhere) && !scope.elsewhere).toBe(false);
        expect(jobs.some(({ timeout }) => timeout !== undefined) && !scope.timeouts).toBe(false);
        expect(jobs.some(({ answers }) => answers.length > 1) && !scope.answers).toBe(false);
        expect(steps.some(({ kind }) => fileDeeds.includes(kind)) && scope.files === 'none').toBe(false);
        expect(steps.some(({ kind }) => kind === 'update') && !scope.updates).toBe(false);
      }),
    );
  });

  test('of one job is told by what happens to it', () => {
    const alone = ofJobs(drawTasks(1, whole), [1]);
    expect(tellTasks(alone)).toMatch(
      /^job 2 of editor with input 1 .* for record \d of host \d, which answers .*; 2: scheduled; 2: /,
    );
  });
});
