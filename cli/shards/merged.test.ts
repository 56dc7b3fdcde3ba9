import { expect, test } from 'vitest';
import type { RuleId } from '../../contract/rule.ts';
import type { Verdict } from '../../judge/outcome.ts';
import { exitOf } from '../../reports/exit.ts';
import { outcomeWith, runWith } from '../../reports/run.fixture.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { merged } from './merged.ts';
import { type ShardRun, shardsOfOneRun } from './same-run.ts';

const [first, second] = catalogue.all.filter(({ id }) => catalogue.standsOn(id).length > 0).map(({ id }) => id);
if (first === undefined || second === undefined) throw new Error('fewer than two rules stand on others');
const [ground] = catalogue.standsOn(first);
if (ground === undefined) throw new Error('no rule stands on another');

/** A part that judged one rule and what that one stands on. */
function shardOf(index: number, rule: RuleId, found: Verdict): ShardRun {
  const shard = { index, of: 2 };
  const run = runWith([], { selected: [rule], shard });
  return {
    file: `shard-${index}`,
    shard,
    run: { ...run, outcomes: [outcomeWith(rule, 'broken'), outcomeWith(ground as RuleId, found)] },
  };
}

test.each<readonly [Verdict, Verdict]>([
  ['fail', 'pass'],
  ['pass', 'fail'],
  ['fail', 'broken'],
  ['blocked', 'fail'],
])('what one part saw as %s and another as %s is violated, in whatever order they come', (one, other) => {
  const { run } = merged([shardOf(1, first, one), shardOf(2, second, other)]);
  expect(run.outcomes).toContainEqual(expect.objectContaining({ rule: ground, verdict: 'fail' }));
  expect(exitOf(run).code).toBe(1);
});

test.each<readonly [string, readonly RuleId[], boolean]>([
  ['that one of its own was found to stand on is taken', [second], true],
  ['that none of its own stands on is refused', [], false],
])('what a part tells of a rule of another part %s', (_what, standsOn, isTaken) => {
  const part = (rule: RuleId, index: number): ShardRun['run'] => ({
    ...runWith([], { selected: [rule], shard: { index, of: 2 } }),
    outcomes: [{ ...outcomeWith(rule, 'blocked'), precondition: 'the case needs an array of entries', standsOn }],
  });
  const [one, two] = [part(first, 1), part(second, 2)];
  const runs = [{ ...one, outcomes: [...one.outcomes, ...two.outcomes] }, two];
  const together = (): readonly string[] =>
    merged(shardsOfOneRun(['shard-1', 'shard-2'], runs)).run.outcomes.map(({ rule }) => rule);
  if (isTaken) expect(together()).toEqual([first, second]);
  else expect(together).toThrow('no rule of shard 1 of 2');
});
