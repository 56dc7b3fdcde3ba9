import type { EngineEnd } from '../../simulator/traffic/engine.ts';
import { Tally } from '../../simulator/traffic/measure/tally.ts';
import type { Figure } from '../harness/load.ts';

export interface Measured {
  readonly figure: Figure;
  readonly end: EngineEnd;
}

/** What a run of an engine came to, with the CPU of this process, which makes the load. A conflict is no failure. */
export async function measureEngine(run: (tally: Tally) => Promise<EngineEnd>): Promise<Measured> {
  const tally = new Tally(performance.now());
  const before = process.cpuUsage();
  const end = await run(tally);
  const { user, system } = process.cpuUsage(before);
  const { requests, errors } = tally.all.summary('all');
  const figure = { perSecond: (requests * 1000) / end.durationMs, cpuUs: (user + system) / requests, failures: errors };
  return { figure, end };
}
