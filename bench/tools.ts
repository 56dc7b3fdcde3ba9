import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { headerNames } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import { messageOf } from '../contract/thrown.ts';
import { breachesOf } from '../judge/model/register.ts';
import { tellAll } from '../simulator/traffic/engine.ts';
import { TrafficJudge } from '../simulator/traffic/judging/judge.ts';
import { users } from '../simulator/traffic/users.ts';
import { path } from './harness/client.ts';
import { machineLine, spreadOf, spreadText } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { startSide } from './harness/side.ts';
import { measureEngine } from './traffic/figure.ts';
import { authorization, connections, ground, hotObjects, informationFilter, objectIds } from './traffic/ground.ts';
import { handWritten } from './traffic/hand-written.ts';
import { visitsOn } from './traffic/one-visit.ts';

/**
 * The same visit by several tools, in turn: requests a second, and CPU of the tool a request. Of a program that is started it is told from two
 * runs, a short and a longer one, so that its start is in neither figure. A program that is not there is left out.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    k6: { type: 'string', default: join(homedir(), '.cache/svc-conformance/k6/k6') },
    wrk: { type: 'string', default: 'wrk' },
    artillery: { type: 'string', default: 'artillery' },
  },
});

interface Count {
  readonly requests: number;
  readonly seconds: number;
  readonly cpuUs: number;
}

type Tool = (seconds: number) => Promise<Count>;

const shortSeconds = 1;
/** Visits of a user of Artillery, which knows no duration, in what is about a second. */
const visitsPerSecond = 2;

await using target = await startSide('plausible', { refusesOldVersions: false });
await using scratch = await makeScratch();
const plan = {
  url: target.url,
  connections,
  objectIds,
  hotIds: objectIds.slice(0, hotObjects),
  read: pathOf(routes.instanceShort),
  page: pathOf(routes.page),
  edit: pathOf(routes.merge),
  headers: { Authorization: authorization, [headerNames.informationFilter]: informationFilter },
  versionHeader: headerNames.version,
};

const tools: Readonly<Record<string, Tool>> = {
  'wrk, answers not looked at': longerRun(runWrk),
  'simulate traffic, nothing judged': async (seconds) =>
    countOf(seconds, (await measureEngine((tally) => users(visitsOn(target.url, seconds), tally))).figure),
  'simulate traffic, all judged': async (seconds) => countOf(seconds, await judged(seconds)),
  'autocannon, requests by hand': async (seconds) => countOf(seconds, await handWritten(target.url, seconds)),
  k6: longerRun(runK6),
  Artillery: longerRun(runArtillery),
};

const found = new Map<string, Count[]>();
for (let round = 0; round <= Number(values.rounds); round += 1)
  for (const [name, tool] of Object.entries(tools)) {
    const count = await tool(Number(values.seconds)).catch((error: unknown) => {
      if (round === 0) console.log(`${name} is left out: ${messageOf(error)}`);
    });
    // the first round warms up
    if (count !== undefined && round > 0) found.set(name, [...(found.get(name) ?? []), count]);
  }
console.log(`${machineLine()}, ${values.rounds} rounds in turn, ${connections} connections\n`);
console.log('| tool | requests/s | CPU each, us |\n|---|---|---|');
for (const [name, counts] of found) {
  const rate = spreadOf(counts.map(({ requests, seconds }) => requests / seconds));
  const cpu = counts.map(({ requests, cpuUs }) => cpuUs / requests);
  const rounded = (value: number): string => Math.round(value).toLocaleString('en');
  console.log(
    `| ${name} | ${rounded(rate.median)} [${rounded(rate.min)}–${rounded(rate.max)}] | ${spreadText(cpu, 1)} |`,
  );
}

function pathOf(template: string): string {
  const { definitionId, inputSchemaId, outputSchemaId } = ground.softType;
  const names = { definitionId, softTypeId: definitionId, inputSchemaId, outputSchemaId };
  return path(template, {
    ...names,
    spaceId: ground.space,
    arrayPortId: 'files',
    objectId: 'OBJECTID',
    pageNumber: 'PAGENUMBER',
  });
}

function countOf(seconds: number, { perSecond, cpuUs }: { readonly perSecond: number; readonly cpuUs: number }): Count {
  const requests = perSecond * seconds;
  return { requests, seconds, cpuUs: cpuUs * requests };
}

async function judged(seconds: number): ReturnType<typeof handWritten> {
  // a history begins with the versions of the ground
  await using strict = await startSide('plausible', { refusesOldVersions: true });
  const judge = new TrafficJudge({ ground, ratio: 1, breachesOf });
  const { figure } = await measureEngine((tally) =>
    users(
      visitsOn(strict.url, seconds),
      tellAll([tally, judge], () => undefined),
    ),
  );
  for (const { rule, actual } of judge.finish()) console.log(`${rule}: ${actual}`);
  return figure;
}

/** What a longer run has more than a short one. */
function longerRun(run: Tool): Tool {
  return async (seconds) => {
    const short = await run(shortSeconds);
    const long = await run(shortSeconds + seconds);
    return {
      requests: long.requests - short.requests,
      seconds: long.seconds - short.seconds,
      cpuUs: long.cpuUs - short.cpuUs,
    };
  };
}

async function runWrk(seconds: number): Promise<Count> {
  const given = {
    objectIds: plan.objectIds.join(','),
    hotIds: plan.hotIds.join(','),
    read: plan.read,
    page: plan.page,
    edit: plan.edit,
    authorization,
    filter: informationFilter,
    filterHeader: headerNames.informationFilter,
    versionHeader: headerNames.version,
  };
  const told = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  const script = fileURLToPath(new URL('traffic/tools/wrk.lua', import.meta.url));
  const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', script, plan.url];
  const { output, ...used } = await started(values.wrk, [...options, '--', ...told]);
  return { ...used, requests: Number(/(\d+) requests in/.exec(output)?.[1]) };
}

async function runK6(seconds: number): Promise<Count> {
  const summary = scratch.file('k6.json');
  const script = fileURLToPath(new URL('traffic/tools/k6.ts', import.meta.url));
  const options = ['run', '--quiet', '--no-usage-report', '--summary-export', summary];
  const used = await started(values.k6, [...options, '--env', `PLAN=${JSON.stringify({ ...plan, seconds })}`, script]);
  const told = JSON.parse(readFileSync(summary, 'utf8')) as {
    readonly metrics: { readonly http_reqs: { readonly count: number } };
  };
  return { ...used, requests: told.metrics.http_reqs.count };
}

async function runArtillery(seconds: number): Promise<Count> {
  const [script, report] = [scratch.file('artillery.json'), scratch.file('artillery-report.json')];
  writeFileSync(script, JSON.stringify(artilleryScript(seconds * visitsPerSecond)));
  const used = await started(values.artillery, ['run', '--quiet', '--output', report, script]);
  const told = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly aggregate: { readonly counters: Readonly<Record<string, number>> };
  };
  return { ...used, requests: told.aggregate.counters['http.responses'] ?? NaN };
}

/** As many users as connections, all at once, each with so many visits. */
function artilleryScript(visits: number): object {
  const { headers, versionHeader } = plan;
  const read = (ids: string): object => ({
    get: { url: plan.read.replace('OBJECTID', `{{ ${ids} }}`), headers, capture: { json: '$.version', as: 'version' } },
  });
  const page = (pageNumber: number): object => ({
    get: { url: plan.page.replace('OBJECTID', '{{ oid }}').replace('PAGENUMBER', String(pageNumber)), headers },
  });
  const edit = {
    patch: {
      url: plan.edit.replace('OBJECTID', '{{ hot }}'),
      headers: { ...headers, [versionHeader]: '{{ version }}' },
      json: { note: '{{ $randomString(12) }}' },
    },
  };
  return {
    config: {
      target: plan.url,
      phases: [{ duration: 1, arrivalCount: connections }],
      http: { pool: connections },
      variables: { oid: plan.objectIds, hot: plan.hotIds },
    },
    scenarios: [{ flow: [{ loop: [read('oid'), page(0), page(1), page(2), read('hot'), edit], count: visits }] }],
  };
}

/** Runs a program to its end. @throws {Error} it is not there, or ends with an error */
async function started(
  command: string,
  args: readonly string[],
): Promise<{ readonly seconds: number; readonly cpuUs: number; readonly output: string }> {
  const begunAt = performance.now();
  const timed = ['-c', 'TIMEFORMAT="cpu %U %S"; time "$0" "$@"', command, ...args];
  // another language may write a comma into the times
  const child = spawn('bash', timed, { env: { ...process.env, LC_ALL: 'C' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = (performance.now() - begunAt) / 1000;
  const [, user, system] = /cpu (\d+\.\d+) (\d+\.\d+)\s*$/.exec(output) ?? [];
  if (code !== 0 || user === undefined)
    throw new Error(`${command} ended with ${code}: ${output.trim().slice(0, 300)}`);
  return { seconds, cpuUs: (Number(user) + Number(system)) * 1_000_000, output };
}
