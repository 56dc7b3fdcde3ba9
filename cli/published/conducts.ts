import type { RuleId } from '../../contract/rule.ts';
import type { Conduct } from '../../judge/conduct.ts';
import { isBreach, isStumble } from '../../judge/outcome.ts';
import { runCases } from '../../judge/run/run-cases.ts';
import { startThread } from '../../judge/run/thread.ts';
import { catalogue, catalogueUrl } from '../../suites/catalogue.ts';
import { startBoth } from '../../api/deployment.ts';

/** A race does not take the same way each time: what several runs saw together changes less. */
const times = 3;

/** What the case of each rule does with the bundled server and host, as the text of a file. @throws {Error} not all was judged, or a rule was not kept */
export async function conductsText(): Promise<string> {
  const seen = new Map<RuleId, Conduct>();
  for (let time = 0; time < times; time += 1)
    await watchCases((rule, conduct) => seen.set(rule, together(conduct, seen.get(rule))));
  const lines = catalogue.ids.map((id) => `  ${JSON.stringify(id)}: ${JSON.stringify(seen.get(id))}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

async function watchCases(onConduct: (rule: RuleId, conduct: Conduct) => void): Promise<void> {
  await using target = await startBoth();
  const failing: string[] = [];
  const { aborted } = await runCases(
    { loaded: target.loaded, rules: catalogue.ids, seed: 1, runs: 20, observe: true },
    {
      onConduct,
      onOutcome: (outcome) => {
        if (isBreach(outcome) || isStumble(outcome)) failing.push(`${outcome.rule} ${outcome.verdict}`);
      },
    },
    startThread(catalogueUrl),
  );
  if (aborted !== undefined || failing.length > 0)
    throw new Error(`Expected every rule to be kept, found ${aborted ?? failing.join(', ')}; run it again.`);
}

function together(one: Conduct, other: Conduct | undefined): Conduct {
  if (other === undefined) return one;
  const union = (list: readonly string[] = [], further: readonly string[] = []): string[] =>
    [...new Set([...list, ...further])].toSorted();
  const observations = union(one.observations, other.observations);
  const values = union(one.values, other.values);
  return {
    ...one,
    requests: union(one.requests, other.requests),
    assertions: union(one.assertions, other.assertions),
    ...(observations.length > 0 && { observations }),
    ...(values.length > 0 && { values }),
  };
}
