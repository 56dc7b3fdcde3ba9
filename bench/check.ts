import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machineLine, spreadText } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';

/**
 * What a run of `check` costs as a process: the bundled server and host judged by every rule. With `--before FOLDER` a second checkout
 * takes turns with this one. `--areas` takes fewer rules.
 */
const { values } = parseArgs({
  options: { before: { type: 'string' }, rounds: { type: 'string', default: '5' }, areas: { type: 'string' } },
});

interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly memoryMb: number;
  /** From the start of the process to the first outcome on record. */
  readonly firstVerdictSeconds: number;
}

const here = fileURLToPath(new URL('..', import.meta.url));
const sides = [...(values.before === undefined ? [] : [values.before]), here];
/** Tells what the process took when it ends, in us and KiB. */
const teller = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); console.error(`COST ${userCPUTime + systemCPUTime} ${maxRSS}`); });",
)}`;
const readings: readonly (readonly [string, keyof Cost])[] = [
  ['wall s', 'wallSeconds'],
  ['CPU s', 'cpuSeconds'],
  ['memory MB', 'memoryMb'],
  ['first verdict s', 'firstVerdictSeconds'],
];

const costs = new Map<string, Cost[]>(sides.map((side) => [side, []]));
await using folder = await makeScratch();
// the first one fills the caches of compiled code
for (const side of sides) await judgedOnce(side);
for (let round = 0; round < Number(values.rounds); round += 1)
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) costs.get(side)?.push(await judgedOnce(side));

console.log(`check of the bundled server and host, ${values.rounds} rounds; ${machineLine()}`);
for (const [side, seen] of costs) {
  const figures = readings.map(([name, key]) => `${name} ${spreadText(seen.map((cost) => cost[key]))}`);
  console.log(`  ${side === here ? 'this' : 'before'}   ${figures.join('   ')}`);
}

async function judgedOnce(root: string): Promise<Cost> {
  const out = folder.file('report');
  await rm(out, { recursive: true, force: true });
  const selection = values.areas === undefined ? [] : ['--areas', values.areas];
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...flagsOf(root),
      '--import',
      teller,
      join(root, 'cli/main.ts'),
      'check',
      '--seed',
      '1',
      '--quiet',
      '--out',
      out,
      ...selection,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const first = await Promise.race([firstOutcome(join(out, 'outcomes.ndjson')), ended]);
  const firstVerdictSeconds = (performance.now() - startedAt) / 1000;
  const exitCode = first === 'seen' ? await ended : first;
  const wallSeconds = (performance.now() - startedAt) / 1000;
  // threads tell theirs first
  const [, cpuUs = '', memoryKib = ''] = [...said.matchAll(/COST (\d+) (\d+)/g)].at(-1) ?? [];
  if (exitCode !== 0 || cpuUs === '') throw new Error(`Expected a run that conforms, found ${exitCode}: ${said}`);
  return {
    wallSeconds,
    cpuSeconds: Number(cpuUs) / 1e6,
    memoryMb: Number(memoryKib) / 1024,
    firstVerdictSeconds,
  };
}

/** What `npm run check` tells Node there. */
function flagsOf(root: string): readonly string[] {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  return (scripts['check'] ?? '').split(' ').filter((word) => word.startsWith('--'));
}

/** Resolves when the record holds more than its head. */
async function firstOutcome(file: string): Promise<'seen'> {
  while (!existsSync(file) || readFileSync(file, 'utf8').split('\n').length <= 2) await sleep(10);
  return 'seen';
}
