import { afterEach, beforeEach, expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { OperationSummary } from '../../../contract/schemas/traffic.ts';
import { systemProgram } from '../../../fixtures/system-program.ts';
import { type LoadedProfile, loadProfile } from '../../../judge/profile/load.ts';
import { closeSession, openSession } from '../../../judge/run/session.ts';
import { exportTraffic } from '../export/export.ts';
import type { TrafficExport } from '../export/plan.ts';
import { addBuckets, bucketOf, percentileOf } from '../merge/buckets.ts';
import { readCounts, type SegmentCounts } from '../merge/counts.ts';
import { mergeCounts } from '../merge/merge.ts';
import { openModel } from '../open-model.ts';
import { makeTraffic } from '../traffic.ts';
import { bundle, recordedBuiltIns } from './world.fixture.ts';

const k6 = systemProgram('k6');
const main = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));
/** Nobody meets anybody in it: who meets whom is chance, and would change what is counted. */
const mix = {
  mixVersion: 1 as const,
  objects: 12,
  journeys: {
    reader: { weight: 4, thinkMs: [0, 5] as [number, number] },
    author: { weight: 3 },
    approver: { weight: 1 },
    importer: { weight: 1 },
    'file-user': { weight: 1 },
    'gate-keeper': { weight: 2 },
  },
};
/** 26 arrivals, the last of them 100 ms before the end. */
const plan: TrafficExport['plan'] = {
  mix,
  load: { model: 'open', rate: 5 },
  durationMs: 5100,
  rampMs: 0,
  seed: 11,
};
const arrivals = 26;
const endings: (() => unknown)[] = [];
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-k6-'));
  endings.push(() => rmSync(folder, { recursive: true, force: true }));
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

test.skipIf(k6.path === undefined)(
  `two segments of k6 count what one process of it counts, and what it measured itself${k6.note}`,
  { retry: 1 },
  async () => {
    const loaded = await served();
    await exportTraffic(
      { profile: loaded.profile, plan, thresholds: ['errors<1%', 'read:p99<20s'] },
      folder,
      writeFileSync,
    );
    const sequence = ['--execution-segment-sequence', '0,1/2,1'];
    const [one, other] = await Promise.all([
      counted('first.json', '--execution-segment', '0:1/2', ...sequence),
      counted('second.json', '--execution-segment', '1/2:1', ...sequence),
    ]);
    const halves = new Map([...one, ...other]);
    const whole = await counted('whole.json', '--out', `json=${join(folder, 'samples.json')}`);

    const [together, alone] = [mergeCounts(halves), mergeCounts(whole)];
    expect(requestsIn(together.operations)).toEqual(requestsIn(alone.operations));
    expect(requestsIn(alone.operations)).toEqual(requestsIn(await countedHere(withoutKey(loaded))));
    expect(together.journeys).toEqual(alone.journeys);
    expect(alone.journeys.reduce((sum, { whole }) => sum + whole, 0)).toBe(arrivals);
    for (const half of halves.values()) expect(half.journeys).not.toEqual({});
    for (const { violations, thresholds, all } of [together, alone]) {
      expect({ violations, missed: thresholds.filter(({ met }) => !met), errors: all.errors }).toEqual({
        violations: [],
        missed: [],
        errors: 0,
      });
    }
    for (const counts of whole.values()) compareWithSamples(counts);
  },
);

test.skipIf(k6.path === undefined)(
  `users of a closed loop are driven as well, and a rule that is broken is counted${k6.note}`,
  async () => {
    const { profile } = await served('--fault', 'auth.missing-token.answers-401');
    const closed: TrafficExport = {
      profile,
      plan: {
        mix: { ...mix, journeys: { 'gate-keeper': { weight: 1 } } },
        load: { model: 'closed', users: 2 },
        durationMs: 1000,
        rampMs: 0,
        seed: 1,
      },
      thresholds: [],
    };
    await exportTraffic(closed, folder, writeFileSync);
    const { output } = await ran(k6.path ?? '', ['run', '--quiet', '--env', 'TRAFFIC_COUNTS=-', 'script.js'], folder);
    writeFileSync(
      join(folder, 'log.json'),
      output.split('\n').find((line) => line.includes('"kind":"traffic-counts"')) ?? '',
    );
    const { exitCode, output: said } = await ran(
      process.execPath,
      [main, 'simulate', 'merge', join(folder, 'log.json'), '--report', `json=${join(folder, 'report.json')}`],
      folder,
    );
    expect({ exitCode, said }).toMatchObject({
      exitCode: 1,
      said: expect.stringContaining('auth.missing-token.answers-401'),
    });
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as ReturnType<typeof mergeCounts>;
    expect(report.violations.map(({ rule }) => rule)).toEqual(['auth.missing-token.answers-401']);
    expect(report.violations[0]?.count).toBe(report.operations.find(({ op }) => op === 'without token')?.errors);
  },
);

test.skipIf(k6.path === undefined)(
  `k6 waits where a service asks for patience, and asks for no token where one ends another${k6.note}`,
  async () => {
    const { profile } = await served('--dialect', 'foreign');
    await exportTraffic({ profile, plan, thresholds: [] }, folder, writeFileSync);
    const { operations, violations } = mergeCounts(await counted('foreign.json'));
    expect(violations).toEqual([]);
    const asUsual = operations.filter(({ op }) => ['read', 'create', 'operations', 'upload'].includes(op));
    expect(asUsual.length).toBeGreaterThan(2);
    for (const { outcomes } of asUsual) expect(Object.keys(outcomes)).not.toContain('401');
  },
);

test.skipIf(k6.path === undefined)(`k6 says what is missing from the environment${k6.note}`, async () => {
  const { profile } = await served();
  await exportTraffic({ profile, plan, thresholds: [] }, folder, writeFileSync);
  const { exitCode, errors } = await ran(k6.path ?? '', ['run', '--quiet', 'script.js'], folder, {});
  expect({ exitCode, errors }).toMatchObject({
    errors: expect.stringContaining('Expected TRAFFIC_EDITOR_USERNAME in the environment'),
  });
  expect(exitCode).not.toBe(0);
});

test.skipIf(k6.path === undefined)(`journeys are tried in the world that k6 has${k6.note}`, async () => {
  const { source } = await bundle('built-ins.fixture.ts');
  const script = `${source}\nexport default function () {}\nexport function handleSummary() { return { stdout: JSON.stringify(bundle.builtInsOf(globalThis)) }; }\n`;
  writeFileSync(join(folder, 'built-ins.js'), script);
  const { output } = await ran(k6.path ?? '', ['run', '--quiet', 'built-ins.js'], folder);
  const found = JSON.parse(output) as typeof recordedBuiltIns;
  for (const [name, { own, proto }] of Object.entries(recordedBuiltIns)) {
    expect({ name, own: found[name]?.own.toSorted(), proto: found[name]?.proto.toSorted() }).toEqual({
      name,
      own: own.toSorted(),
      proto: proto.toSorted(),
    });
  }
});

/** Counts of one run of the script, by their file. */
async function counted(file: string, ...argv: readonly string[]): Promise<ReadonlyMap<string, SegmentCounts>> {
  const { exitCode, errors } = await ran(
    k6.path ?? '',
    ['run', '--quiet', '--env', `TRAFFIC_COUNTS=${file}`, ...argv, 'script.js'],
    folder,
  );
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return new Map([[file, readCounts(join(folder, file))]]);
}

/** Without the key of its tokens there are no expired ones, as in k6. */
function withoutKey({ profile, ...rest }: LoadedProfile): LoadedProfile {
  const { signingKey: _signingKey, ...auth } = profile.auth ?? {};
  return { ...rest, profile: { ...profile, auth } };
}

/** What the engine of this package counts of the same run. */
async function countedHere(loaded: LoadedProfile): Promise<readonly OperationSummary[]> {
  const session = openSession(loaded);
  try {
    const { tally } = await makeTraffic({
      profile: loaded.profile,
      plan,
      engine: openModel,
      tokenOf: (identity) => session.tokens.of(identity),
      judging: { ratio: 0, breachesOf: () => [] },
      signal: new AbortController().signal,
    });
    return tally.operations();
  } finally {
    await closeSession(session);
  }
}

function requestsIn(operations: readonly OperationSummary[]): readonly object[] {
  return operations.map(({ op, requests, errors }) => ({ op, requests, errors }));
}

interface Sample {
  readonly type: string;
  readonly metric: string;
  readonly data: { readonly value: number; readonly tags?: Readonly<Record<string, string>> };
}

/** Every latency that k6 wrote down is in its bucket, and percentiles are where the exact ones are. */
function compareWithSamples({ operations }: SegmentCounts): void {
  const lines = readFileSync(join(folder, 'samples.json'), 'utf8').trimEnd().split('\n');
  const samples = lines
    .map((line) => JSON.parse(line) as Sample)
    .filter(
      ({ type, metric, data }) =>
        type === 'Point' && metric === 'http_req_duration' && data.tags?.['scenario'] === 'traffic',
    );
  const byOperation = Map.groupBy(samples, ({ data }) => data.tags?.['op'] ?? '');
  byOperation.delete('token');
  expect([...byOperation.keys()].toSorted()).toEqual(Object.keys(operations).toSorted());
  for (const [op, { accepted, errors, maxMs }] of Object.entries(operations)) {
    const latencies = (byOperation.get(op) ?? []).map(({ data }) => data.value).toSorted((one, other) => one - other);
    const buckets = addBuckets(accepted, errors);
    expect(buckets).toEqual(latencies.map((ms) => ({ [bucketOf(ms)]: 1 })).reduce(addBuckets, {}));
    for (const percent of [50, 90, 99]) {
      const exact = latencies[Math.ceil((percent / 100) * latencies.length) - 1] ?? NaN;
      expect(Math.abs(bucketOf(percentileOf(buckets, percent, maxMs)) - bucketOf(exact))).toBeLessThanOrEqual(1);
    }
  }
}

/** Starts a reference server of its own, which ends with the test. */
async function served(...argv: readonly string[]): Promise<LoadedProfile> {
  const server = spawn(process.execPath, [main, 'serve', '--control', ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(server, 'exit');
  endings.push(async () => {
    server.kill('SIGKILL');
    await exited;
  });
  const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  const { url } = JSON.parse(value ?? 'null') as { readonly url: string };
  return loadProfile(`${url}/_control/profile.yaml`);
}

const credentials: Readonly<Record<string, string>> = {
  TRAFFIC_EDITOR_USERNAME: 'edda',
  TRAFFIC_EDITOR_PASSWORD: 'edda-password',
  TRAFFIC_ADMINISTRATOR_USERNAME: 'cora',
  TRAFFIC_ADMINISTRATOR_PASSWORD: 'cora-password',
  TRAFFIC_NO_ROLE_USERNAME: 'nora',
  TRAFFIC_NO_ROLE_PASSWORD: 'nora-password',
  TRAFFIC_OUTSIDER_USERNAME: 'otto',
  TRAFFIC_OUTSIDER_PASSWORD: 'otto-password',
  TRAFFIC_READER_USERNAME: 'rita',
  TRAFFIC_READER_PASSWORD: 'rita-password',
  TRAFFIC_CLIENT_ID: 'conformance',
  TRAFFIC_CLIENT_SECRET: 'conformance-secret',
};

async function ran(
  program: string,
  argv: readonly string[],
  cwd: string,
  env = credentials,
): Promise<{ readonly exitCode: number | null; readonly output: string; readonly errors: string }> {
  const child = spawn(program, argv, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: folder, K6_NO_USAGE_REPORT: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { exitCode, output, errors };
}
