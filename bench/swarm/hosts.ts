import { startHostTaking } from '../../api/deployment.ts';
import { headerOf, judgeRun } from '../../api/judging.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { hostChoices } from '../../variants/extension-host/choices.ts';

export async function judgeHost(names: readonly string[], rules: readonly RuleId[], seed: number) {
  await using target = await startHostTaking(hostChoices(names));
  const run = { loaded: target.loaded, rules, seed, runs: 2 };
  const judging = { run, header: headerOf(run, { command: 'bench:swarm-hosts' }), startedAt: performance.now(), signal: new AbortController().signal };
  const judged = await judgeRun(judging, { onOutcome: () => undefined, onUnusable: (s) => console.log('unusable', s) });
  return { ...judged, declared: judging.header.notSupported ?? {} };
}
