import module from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { CaseTimedOut } from '../../judge/client/failure.ts';
import type { Reach, Variant } from './judge-variant.ts';
import { stackOf } from '../../contract/thrown.ts';

/** What a thread is asked. */
export type Task =
  | { readonly variant: Variant }
  | { readonly reachOf: readonly RuleId[]; readonly seed: number; readonly runs: number };
/** What it answers: the outcomes under a variant, or what cases reach. */
export type TaskAnswer =
  | { readonly outcomes: readonly Outcome[] }
  | { readonly reach: Reach }
  | { readonly error: string };

// a thread does not inherit it, and more than half of its start is reading the suites
module.enableCompileCache();
const { judgeVariant, reachOf } = await import('./judge-variant.ts');

// A case that was ended in the middle leaves promises behind; what they come to later must not take the next variant with it.
process.on('unhandledRejection', (error) => {
  if (!(error instanceof CaseTimedOut)) throw error;
});

parentPort?.on('message', (task: Task) => {
  answerTo(task).then(
    (answer) => parentPort?.postMessage(answer),
    (error: unknown) => parentPort?.postMessage({ error: stackOf(error) }),
  );
});

async function answerTo(task: Task): Promise<TaskAnswer> {
  if ('variant' in task) return { outcomes: await judgeVariant(task.variant) };
  return { reach: await reachOf(task.reachOf, task.seed, task.runs) };
}
