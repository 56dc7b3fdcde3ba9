import { users } from '../simulator/traffic/users.ts';
import { compare } from './harness/compare.ts';
import { startSide } from './harness/side.ts';
import { measureEngine } from './traffic/figure.ts';
import { connections } from './traffic/ground.ts';
import { handWritten } from './traffic/hand-written.ts';
import { visitsOn } from './traffic/one-visit.ts';

/** Users who do not wait, with all that is counted of them, against the same requests written by hand for autocannon. */
await using target = await startSide('plausible', { refusesOldVersions: false });

await compare({
  title: `Readers and editors in a closed loop, ${connections} connections, nothing judged`,
  baseline: { name: 'autocannon, requests by hand', round: (seconds) => handWritten(target.url, seconds) },
  subject: { name: 'journeys in a closed loop', round: journeys },
  goal: '>= 1.4',
  ratio: 'rate',
  cpuOf: 'client',
});

async function journeys(seconds: number): ReturnType<typeof handWritten> {
  const { figure } = await measureEngine((tally) => users(visitsOn(target.url, seconds), tally));
  return figure;
}
