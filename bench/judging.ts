import { users } from '../simulator/traffic/users.ts';
import { tellAll } from '../simulator/traffic/engine.ts';
import { TrafficJudge } from '../simulator/traffic/judging/judge.ts';
import { breachesOf } from '../judge/model/register.ts';
import { compare } from './harness/compare.ts';
import type { Figure } from './harness/load.ts';
import { startSide } from './harness/side.ts';
import { spreadText } from './harness/figures.ts';
import { measureEngine } from './traffic/figure.ts';
import { connections, ground, setupFor } from './traffic/ground.ts';

/** The same closed loop with every answer judged and without; what the histories take when the load is over is told beside it. */
const afterwards: number[] = [];

await compare({
  title: `Readers and editors in a closed loop, ${connections} connections`,
  baseline: { name: 'nothing judged', round: (seconds) => round(seconds, false) },
  subject: { name: 'every answer judged', round: (seconds) => round(seconds, true) },
  goal: '>= 0.7',
  ratio: 'rate',
  cpuOf: 'client',
});
console.log(`  histories when the load is over ${spreadText(afterwards, 0)} ms a second of load`);

/** Versions begin anew with each target, so each round has its own. */
async function round(seconds: number, isJudged: boolean): Promise<Figure> {
  await using target = await startSide('plausible', { refusesOldVersions: true });
  const judge = new TrafficJudge({ ground, ratio: 1, breachesOf });
  const setup = setupFor(target.url, { model: 'closed', users: connections }, seconds);
  const { figure } = await measureEngine((tally) =>
    users(
      setup,
      tellAll(isJudged ? [tally, judge] : [tally], () => undefined),
    ),
  );
  if (!isJudged) return figure;
  const endedAt = performance.now();
  const found = judge.finish();
  afterwards.push((performance.now() - endedAt) / seconds);
  for (const { rule, expected, actual } of found) console.error(`${rule}: expected ${expected}, found ${actual}`);
  return { ...figure, failures: figure.failures + found.length };
}
