import { mkdirSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Esbuild from 'esbuild';
import { messageOf } from '../../../contract/thrown.ts';
import { thresholdsOf } from '../k6/options.ts';
import type { Plan } from '../k6/plan.ts';
import { manifestOf, mostConfigMapBytes, clusterNames } from './manifest.ts';
import { ExportError, planOf, type TrafficExport, variablesOf } from './plan.ts';
import { beginningOf } from '../journeys/steps.ts';

const k6Version = 'v2.2.0';

const byHand = `## One machine

    k6 run script.js

The counts go to \`counts.json\`, or to the file that \`TRAFFIC_COUNTS\` names. Then:

    svc-conformance simulate merge counts.json --report markdown=traffic.md

## Several machines, by hand

Copy the folder to each. Every machine gets its segment, all of them the same sequence; start them at the same time.

    TRAFFIC_COUNTS=counts-1.json k6 run --execution-segment '0:1/2' --execution-segment-sequence '0,1/2,1' script.js
    TRAFFIC_COUNTS=counts-2.json k6 run --execution-segment '1/2:1' --execution-segment-sequence '0,1/2,1' script.js

The sequence is not optional: k6 deals out the arrivals by it.`;

const merging = `## Merging

    svc-conformance simulate merge counts-*.json --report json=traffic.json --report markdown=traffic.md

adds up what the segments counted: one count for each operation and latency bucket, as percentiles cannot be averaged. Files of another mix
or seed, a segment that is missing and one that is there twice are refused.`;

const differences = `## What is different from one process of svc-conformance

- Latency counts from sending, as k6 tells it, not from the time that a request was due. A service that falls behind shows as journeys that could not begin.
- Statuses that a journey does not expect, and conditions that it looks at itself, are counted by rule. Pages, versions and contents are not judged.
- Each process makes its own objects before its load. Users of different segments edit different objects, so that they meet less often.
- Files that are uploaded are held in memory.`;

/** What was written, and what has to be known of it. */
export interface Exported {
  readonly files: readonly string[];
  /** Environment variables that the script needs. */
  readonly variables: readonly string[];
  readonly remarks: readonly string[];
}

/** Runners of the manifest. */
const parallelism = 4;

/**
 * Writes a folder from which k6 makes the same journeys: script, data without secrets, a manifest for a cluster, and how to use them. Files of those
 * names are written over. @throws {ExportError} the folder cannot be written, the profile does not say how to get tokens, or
 * esbuild is not installed
 */
export async function exportTraffic(what: TrafficExport, directory: string, write: WriteFile): Promise<Exported> {
  const { plan, remarks: without } = planOf(what);
  const remarks = [...without, ...remarksOn(plan)];
  const script = await bundleScript();
  const ground = `${JSON.stringify(plan, undefined, 1)}\n`;
  const sizeBytes = Buffer.byteLength(script) + Buffer.byteLength(ground);
  if (sizeBytes > mostConfigMapBytes)
    throw new ExportError(
      `Expected at most ${mostConfigMapBytes} bytes of script and data, which is what a cluster takes, found ${sizeBytes}. Leave out objects or shorten the bodies of the profile.`,
    );
  const files: Readonly<Record<string, string>> = {
    'script.js': script,
    'ground.json': ground,
    'testrun.yaml': manifestOf(plan, { 'script.js': script, 'ground.json': ground }, parallelism),
    'README.md': readmeOf(plan, parallelism, without),
  };
  writeAll(directory, files, write);
  return { files: Object.keys(files), variables: variablesOf(plan), remarks };
}

/** Writes a file in a folder that is there. */
type WriteFile = (file: string, text: string) => void;

function writeAll(directory: string, files: Readonly<Record<string, string>>, write: WriteFile): void {
  try {
    mkdirSync(directory, { recursive: true });
    readdirSync(directory);
    for (const [name, text] of Object.entries(files)) write(join(directory, name), text);
  } catch (error) {
    throw new ExportError(`Cannot write to ${directory} (${messageOf(error)}); name a folder that can be written.`);
  }
}

function remarksOn({ thresholds, load }: Plan): readonly string[] {
  const left = thresholdsOf(thresholds).left.map(
    (text) =>
      `The threshold ${text} is judged when segments are merged: a segment sees its own share of the rate only.`,
  );
  return load.model === 'open' && load.arrivals === 'poisson'
    ? [...left, 'k6 begins journeys at even distances only: arrivals by chance are left out.']
    : left;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const adaptor = fileURLToPath(new URL(`../k6/adaptor${extname(import.meta.url)}`, import.meta.url));

/** Source of the script: journeys, chooser and adaptor in one file. The modules of k6 are left to k6. */
export async function bundleScript(): Promise<string> {
  const { build } = await loadBundler();
  const { outputFiles } = await build({
    entryPoints: [adaptor],
    // so that the comments that name files are the same wherever this is started
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    external: ['k6', 'k6/*'],
    charset: 'ascii',
    logLevel: 'silent',
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('esbuild made no file of the adaptor.');
  const lacking = findLacking(script.text);
  if (lacking.length > 0) throw new Error(`The script holds ${lacking.join(' and ')}, which k6 cannot run.`);
  return script.text;
}

/** What nothing else needs is asked for when it is used. @throws {ExportError} it is not installed */
async function loadBundler(): Promise<typeof Esbuild> {
  try {
    return await import('esbuild');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ExportError(
      'Expected the package esbuild, which makes one script of the journeys, found none. Install it beside this one: npm install esbuild.',
    );
  }
}

/** Parts of regular expressions that k6 takes and gets wrong, or refuses, by what they are called. */
const patterns: Readonly<Record<string, RegExp>> = {
  'a class of Unicode properties': /\\p\{|\\P\{/,
  lookbehind: /\(\?<[=!]/,
  'an async generator': /\basync\s+function\s*\*|\basync\s*\*/,
  'for await': /\bfor\s+await\s*\(/,
};

/** What a source has that the engine of k6 lacks; the linter knows names, this knows forms. */
export function findLacking(source: string): readonly string[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => (pattern.test(source) ? [name] : []));
}

/** What the folder holds and how it is used, step by step. */
function readmeOf(plan: Plan, parallelism: number, without: readonly string[]): string {
  return (
    [
      folder(plan, parallelism),
      credentials(plan),
      byHand,
      cluster(plan, parallelism),
      merging,
      `## Thresholds\n\n${thresholdLines(plan)}`,
      [differences, leftBy(plan), ...without.map((sentence) => `- ${sentence}`)].join('\n'),
    ].join('\n\n') + '\n'
  );
}

function folder({ load, durationMs, seed, implementation, mixDigest }: Plan, parallelism: number): string {
  const loaded =
    load.model === 'open' ? `${load.rate} journeys that begin per second` : `${load.users} users in a closed loop`;
  return `# Traffic on ${implementation}, made by k6

${loaded}, ${durationMs / 1000} s, seed ${seed}, mix ${mixDigest}. The same seed makes the same journeys, in one process or in many.

| file | holds |
|---|---|
| \`script.js\` | journeys, their choice and what k6 needs to run them |
| \`ground.json\` | what they start from: mix, load, names and made-up data; no secret |
| \`testrun.yaml\` | ConfigMap and TestRun for k6-operator, ${parallelism} runners |

k6 is a program of its own under the AGPL-3.0. It is started, never linked: nothing of it is in this folder or in the package that
wrote it, and it is installed by whoever runs this. Tried with ${k6Version}.`;
}

function credentials(plan: Plan): string {
  return `## Credentials

They come from the environment:

${variablesOf(plan)
  .map((name) => `- \`${name}\``)
  .join('\n')}

\`TRAFFIC_BASE_URL\` takes the place of the address that was exported, ${plan.baseUrl}. Load disturbs whoever uses a service: agree on it first.`;
}

function cluster(plan: Plan, parallelism: number): string {
  const literals = variablesOf(plan).map((name) => `--from-literal=${name}="$${name}"`);
  return `## A cluster

With [k6-operator](https://github.com/grafana/k6-operator) installed:

    kubectl create secret generic ${clusterNames.secret} ${literals.join(' ')}
    kubectl apply -f testrun.yaml
    kubectl wait --for=jsonpath='{.status.stage}'=finished testrun/${clusterNames.test} --timeout=1h

\`parallelism\` in \`testrun.yaml\` is the number of runners. Each writes its counts as one line into its log:

    for n in $(seq 1 ${parallelism}); do kubectl logs job/${clusterNames.test}-$n | grep '"kind":"traffic-counts"' > counts-$n.json; done`;
}

function leftBy({ ground }: Plan): string {
  const [first] = ground.softType.scalars;
  const sign = first === undefined ? '' : `, known by \`${first}\`, which begins with \`${beginningOf(ground)}\``;
  return `- Nothing is deleted afterwards. What it makes stays in the space ${ground.space}${sign}.`;
}

function thresholdLines({ thresholds }: Plan): string {
  const { expressed, left } = thresholdsOf(thresholds);
  const names = Object.entries(expressed).flatMap(([metric, limits]) =>
    limits.map((limit) => `- \`${metric}\`: \`${limit}\`, for each segment by k6`),
  );
  const lines = [
    ...names,
    ...left.map((text) => `- \`${text}\`: by merging only, as a segment sees its own share of the rate`),
  ];
  return lines.length === 0
    ? 'None.'
    : `${lines.join('\n')}\n\nAll of them are judged again on the merged counts. The others that k6 lists (\`count>=0\`) make it keep the counts.`;
}
