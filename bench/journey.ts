import { closedLoop } from '../simulator/traffic/closed-loop.ts';
import { compare } from './harness/compare.ts';
import { startSide } from './harness/side.ts';
import { measureEngine } from './traffic/figure.ts';
import { connections, setupFor } from './traffic/ground.ts';
import { handWritten } from './traffic/hand-written.ts';

/** Journeys in a closed loop, with all that is counted of them, against the same requests written by hand for autocannon. */
await using target = await startSide('plausible', { refusesOldVersions: false });

await compare({
  title: `Readers and editors in a closed loop, ${connections} connections, nothing judged`,
  baseline: { name: 'autocannon, requests by hand', round: (seconds) => handWritten(target.url, seconds) },
  subject: { name: 'journeys in a closed loop', round: journeys },
  goal: '>= 0.9',
  ratio: 'rate',
  cpuOf: 'client',
});

async function journeys(seconds: number): ReturnType<typeof handWritten> {
  const setup = setupFor(target.url, { model: 'closed', users: connections }, seconds);
  const { figure } = await measureEngine((tally) => closedLoop(setup, tally));
  return figure;
}
