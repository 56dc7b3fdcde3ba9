import { withoutUser } from '../../contract/credentials.ts';
import { catalogue } from '../../suites/catalogue.ts';
import type { Run } from '../../reports/run.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome, RunFooter, RunHeader, Verdict } from '../../judge/outcome.ts';
import { reachedTogether } from '../../judge/coverage/reached.ts';
import { settle } from '../../judge/run/settle.ts';
import { selectedIn, withoutShard, type ShardRun } from './same-run.ts';

/** The parts of a run as if they had been one. */
export interface MergedRun {
  readonly run: Run;
  /** Outcomes as the cases ended by themselves, before they were held against each other. */
  readonly judged: readonly Outcome[];
}

/** Puts the parts of one run together: what stands on a rule that failed in another part is settled here. */
export function merged(shards: readonly ShardRun[]): MergedRun {
  const judged = worstOfEach(shards.flatMap(({ run }) => run.outcomes));
  return {
    run: {
      rules: shards[0]?.run.rules ?? [],
      header: headerOf(shards),
      outcomes: settle(judged, (rule) => catalogue.standsOn(rule)),
      footer: footerOf(shards),
      notes: [...targetNotes(shards), ...shards.flatMap(({ run }) => run.notes ?? [])],
    },
    judged,
  };
}

/** What one of several outcomes of a rule says for them all. */
const order: readonly Verdict[] = ['fail', 'warn', 'pass', 'observed', 'broken', 'blocked'];

/** What nobody selected and much stands on may have been judged by several parts: a violation that one of them saw stays one. */
function worstOfEach(outcomes: readonly Outcome[]): readonly Outcome[] {
  const byRule = new Map<RuleId, Outcome>();
  for (const outcome of outcomes) {
    const other = byRule.get(outcome.rule);
    if (other === undefined || order.indexOf(outcome.verdict) < order.indexOf(other.verdict))
      byRule.set(outcome.rule, outcome);
  }
  return [...byRule.values()];
}

/** Each part may have a deployment of its own, and a reader has to know that no single one was judged whole. */
function targetNotes(shards: readonly ShardRun[]): readonly string[] {
  const byTarget = Map.groupBy(shards, ({ run }) => run.header.baseUrl);
  if (byTarget.size < 2) return [];
  const named = [...byTarget].map(
    ([url, parts]) => `${withoutUser(url)} (shard ${parts.map(({ shard }) => shard.index).join(', ')})`,
  );
  return [`the shards judged ${byTarget.size} addresses: ${named.join('; ')}`];
}

function headerOf(shards: readonly ShardRun[]): RunHeader {
  const [first] = shards;
  if (first === undefined) throw new Error('a run has no part');
  const { shard: _part, ...header } = first.run.header;
  return {
    ...header,
    startedAt: new Date(beginning(shards)).toISOString(),
    command: withoutShard(header.command),
    selected: selectedIn(shards),
  };
}

/** The time is that from the first beginning to the last end; a part without an end is why the whole is incomplete. */
function footerOf(shards: readonly ShardRun[]): RunFooter {
  const ends = shards.map(({ run }) => Date.parse(run.header.startedAt) + (run.footer?.durationMs ?? 0));
  const aborted = shards.flatMap(({ run: { footer }, shard }) => {
    const why = footer === undefined ? 'the run was cut off' : footer.aborted;
    return why === undefined ? [] : [`shard ${shard.index} of ${shard.of}: ${why}`];
  });
  const reached = shards.flatMap(({ run }) => run.footer?.reached ?? []);
  return {
    kind: 'end',
    durationMs: Math.max(...ends) - beginning(shards),
    remains: shards.flatMap(({ run }) => run.footer?.remains ?? []),
    ...(aborted.length > 0 && { aborted: aborted.join('; ') }),
    ...(reached.length > 0 && {
      reached: { ...reachedTogether(reached), keys: [...new Set(reached.flatMap(({ keys }) => keys))] },
    }),
    requests: shards.reduce((sum, { run }) => sum + (run.footer?.requests ?? 0), 0),
  };
}

/** In ms since 1970. */
function beginning(shards: readonly ShardRun[]): number {
  return Math.min(...shards.map(({ run }) => Date.parse(run.header.startedAt)));
}
