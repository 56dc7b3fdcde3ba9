import module from 'node:module';
import { inject, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import { judgedInTime } from './deadline.ts';
import type { JudgeModule, Plan } from './handover.ts';
import { openTurns } from './turns.ts';

// Runs in the thread of the cases: one test a rule, whose judgement travels to the main thread with the test.
const { rules, asGiven = false, caseLimitMs, concurrency, judgeModule, setup } = inject('handover');
// a thread does not inherit it, and most of its start is reading the suites
module.enableCompileCache();
const { judgeWith, planOf } = (await import(judgeModule)) as JudgeModule<unknown>;
const withoutSchedules: Plan = { secondsOf: () => undefined, jumps: false };
const plan = (await planOf?.(setup)) ?? withoutSchedules;
const judge = await judgeWith(setup);
// vitest starts every test at once; when a case begins is decided here
const turns = openTurns(rules, concurrency, plan);
const lasts = (rule: RuleId): boolean => !asGiven && (plan.lasts?.(rule) ?? false);

for (const rule of [...rules.filter(lasts), ...rules.filter((each) => !lasts(each))]) {
  test.concurrent(rule, async ({ task, signal }) => {
    const limitMs = caseLimitMs + (plan.jumps ? 0 : (plan.secondsOf(rule) ?? 0) * 1050);
    const judgement = await turns.take(rule, signal, () => judgedInTime(judge, rule, limitMs, signal));
    if (judgement !== undefined) task.meta.judgement = judgement;
  });
}
