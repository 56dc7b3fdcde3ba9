import { inject, test } from 'vitest';
import { judgedInTime } from './deadline.ts';
import type { JudgeModule } from './handover.ts';

// Runs in the thread of the cases: one test a rule, whose judgement travels to the main thread with the test.
const { rules, caseLimitMs, judgeModule, setup } = inject('handover');
const { judgeWith } = (await import(judgeModule)) as JudgeModule<unknown>;
const judge = await judgeWith(setup);

for (const rule of rules) {
  test.concurrent(rule, async ({ task, signal }) => {
    task.meta.judgement = await judgedInTime(judge, rule, caseLimitMs, signal);
  });
}
