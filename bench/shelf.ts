import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Deployment, startBoth, startReference } from '../api/deployment.ts';
import { packageVersion } from '../api/version.ts';
import { startVariant } from '../cli/kill-matrix/judge-variant.ts';
import { cassetteBytes } from '../judge/cassette/file.ts';
import type { Outcome } from '../judge/outcome.ts';
import { runCases } from '../judge/run/run-cases.ts';
import { settle } from '../judge/run/settle.ts';
import { startThread } from '../judge/run/thread.ts';
import { catalogue, catalogueUrl } from '../suites/catalogue.ts';
import { sampleOfFaults } from './harness/sample.ts';

/**
 * Records a shelf of cassettes: full runs on the reference server, on the strange dialect, and on so many faults, dealt out over the areas.
 * `svc-conformance rejudge FOLDER/*.cassette` tries a rule that was relaxed or tightened on all of them.
 */
const {
  values: { faults, seed },
  positionals: [folder = 'shelf'],
} = parseArgs({
  allowPositionals: true,
  options: { faults: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
});

await mkdir(folder, { recursive: true });
await record('reference', () => startBoth());
await record('strange', () => startReference({ dialect: 'strange' }));
for (const fault of sampleOfFaults(Number(faults))) await record(fault, () => startVariant(fault));

async function record(name: string, start: () => Promise<Deployment>): Promise<void> {
  await using deployment = await start();
  await using thread = startThread(catalogueUrl);
  const judged: Outcome[] = [];
  const how = { seed: Number(seed), runs: 20 };
  const startedAt = new Date().toISOString();
  const run = { loaded: deployment.loaded, rules: catalogue.ids, ...how, record: true };
  const { aborted, ...ended } = await runCases(run, { onOutcome: (outcome) => judged.push(outcome) }, thread);
  const tape = await ended.tape;
  if (tape === undefined) throw new Error(`Expected a run on ${name} to come to its end: ${aborted ?? 'it did not'}.`);
  const verdicts = settle(judged, (rule) => catalogue.standsOn(rule)).map(({ rule, verdict }) => ({ rule, verdict }));
  const file = join(folder, `${name}.cassette`);
  const bytes = cassetteBytes({
    about: { implementation: name, suiteVersion: packageVersion(), startedAt, ...how, verdicts },
    tape,
  });
  await writeFile(file, bytes);
  const red = verdicts.filter(({ verdict }) => verdict === 'fail').length;
  console.log(`${file}: ${verdicts.length} verdicts, ${red} of them fail, ${(bytes.length / 1e6).toFixed(1)} MB`);
}
