import { parseArgs } from 'node:util';
import { startReference } from '../api/deployment.ts';
import { findShortest } from '../judge/model/shortest.ts';
import { machineLine } from './harness/figures.ts';
import { drawParts, partsIn, textOfAll, namesOf, type Part } from './swarm/draw.ts';
import { keysOf } from './swarm/profile.ts';
import { breachesOf } from '../judge/model/register.ts';
import { closeSession, openSession } from '../judge/run/session.ts';
import { journeyNames } from '../simulator/traffic/journey.ts';
import type { Mix } from '../simulator/traffic/mix.ts';
import type { Load } from '../simulator/traffic/engine.ts';
import { engines } from '../simulator/traffic/engines.ts';
import { PreparationFailed } from '../simulator/traffic/preparation.ts';
import { makeTraffic, type TrafficEnd } from '../simulator/traffic/traffic.ts';
import { withoutParts } from './swarm/judge.ts';
import { serviceOf } from './swarm/service.ts';

const usualLoad: Load = { model: 'open', rate: 40 };

/** One after the other, by seed. */
const loads: readonly Load[] = [usualLoad, { model: 'closed', users: 12 }];

const mix: Mix = {
  mixVersion: 1,
  objects: 8,
  journeys: Object.fromEntries(journeyNames.map((name) => [name, { weight: 1 }])),
};

/** What a service may do under any load: end a connection, or ask for patience. */
const usual: ReadonlySet<string> = new Set(['closed before the answer', 'ECONNRESET', '429', '503']);

/**
 * Right services and careless profiles by lot under a load of every journey: no rule may be seen broken, and nothing refused. What is found is
 * told with the fewest choices and left out keys that still show it, and with the command that repeats it. Exit 1 when something was.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3' },
    with: { type: 'string' },
  },
});

const seconds = Number(values.seconds);
const first = Number(values.seed);
const keys = await (async () => {
  await using target = await startReference();
  return keysOf(target.loaded.profile);
})();

let [requests, found] = [0, 0];
for (let seed = first; seed < first + (values.with === undefined ? Number(values.runs) : 1); seed += 1) {
  const parts = values.with === undefined ? drawParts(seed, keys) : partsIn(values.with);
  const loaded = await loadParts(parts, seed, seconds);
  requests += loaded.requests;
  found += loaded.findings.length;
  console.log(`seed ${seed}, ${parts.length} parts: ${loaded.requests} requests, ${loaded.findings.length} findings`);
  for (const { name, said } of loaded.findings) {
    const shows = async (fewer: typeof parts): Promise<boolean> =>
      (await loadParts(fewer, seed, seconds)).findings.some((finding) => finding.name === name);
    const fewest = (await shows(parts)) ? await findShortest(parts, shows) : parts;
    console.log(`  ${name} ${said.slice(0, 400)}`);
    console.log(`    npm run bench:swarm-traffic -- --seed ${seed} --with '${textOfAll(fewest)}'`);
  }
}
console.log(`traffic by lot: ${requests} requests, ${found} findings; ${machineLine()}`);
if (found > 0) process.exitCode = 1;

/** What a load came to that no right service may be blamed for. */
interface Loaded {
  readonly requests: number;
  /** A rule or an operation, and what is said of it. */
  readonly findings: readonly { readonly name: string; readonly said: string }[];
}

/** Loads the server that takes the choices, by the profile that lacks the rest, with every journey. */
async function loadParts(parts: readonly Part[], seed: number, seconds: number): Promise<Loaded> {
  await using target = await startReference({ faults: [serviceOf(namesOf('choice', parts))] });
  const { profile } = withoutParts(target.loaded, parts);
  const session = openSession(target.loaded);
  const load = loads[seed % loads.length] ?? usualLoad;
  // a trigger that lost a part of its body is refused, and rightly so
  const isCareless = parts.some(({ kind }) => kind === 'key');
  try {
    const end = await makeTraffic({
      profile,
      plan: { load, mix, durationMs: seconds * 1000, rampMs: 0, seed },
      engine: engines[load.model],
      tokenOf: session.tokens.current,
      judging: { ratio: 1, breachesOf },
      signal: new AbortController().signal,
    });
    const violations = end.violations.map(({ rule, expected, actual }) => ({
      name: rule,
      said: `violated: expected ${expected}, found ${actual}`,
    }));
    return {
      requests: end.tally.all.summary('all').requests,
      findings: [...violations, ...(isCareless ? [] : refusalsIn(end))],
    };
  } catch (error) {
    if (!(error instanceof PreparationFailed)) throw error;
    return { requests: 0, findings: isCareless ? [] : [{ name: 'preparation', said: error.message }] };
  } finally {
    await closeSession(session);
  }
}

function refusalsIn({ tally }: TrafficEnd): Loaded['findings'] {
  return tally.operations().flatMap(({ op, errors, outcomes }) => {
    const unusual = errors - Object.entries(outcomes).reduce((sum, [name, n]) => sum + (usual.has(name) ? n : 0), 0);
    return unusual > 0 ? [{ name: op, said: `refused: ${JSON.stringify(outcomes)}` }] : [];
  });
}
