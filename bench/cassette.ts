import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVariant } from '../cli/kill-matrix/judge-variant.ts';
import { rejudge } from '../cli/rejudge.ts';
import type { RuleId } from '../contract/rule.ts';
import { cassetteBytes } from '../judge/cassette/file.ts';
import { openJudge } from '../judge/run/judge.ts';
import { catalogue } from '../suites/catalogue.ts';
import { machineLine, spreadText } from './harness/figures.ts';
import { sampleOfFaults } from './harness/sample.ts';
import { makeScratch } from './harness/scratch.ts';

/**
 * What a cassette costs: runs of `check` with and without `--record` take turns, and each cassette is judged again. With `--faults N` so many
 * faults, dealt out over the areas, are recorded and judged again as well: the verdict has to be the one that was recorded.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, faults: { type: 'string', default: '0' } },
});

/** So much of what a command said last is told where it fails. */
const longestSaid = 2000;

const here = fileURLToPath(new URL('..', import.meta.url));
await using folder = await makeScratch();

console.log(`a cassette of the bundled server and host; ${machineLine()}`);
await measureRuns(Number(values.rounds));
await tryFaults(Number(values.faults));

async function measureRuns(rounds: number): Promise<void> {
  const file = folder.file('run.cassette');
  const seen = { plain: [] as number[], recorded: [] as number[], rejudged: [] as number[] };
  const bytes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const check = ['check', '--seed', String(round + 1), '--quiet', '--out', folder.file('report')];
    const ways = [
      async () => void seen.plain.push(await secondsOf(check)),
      async () => void seen.recorded.push(await secondsOf([...check, '--record', file])),
    ];
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) await way();
    bytes.push((await stat(file)).size);
    seen.rejudged.push(await secondsOf(['rejudge', file]));
  }
  const ratios = seen.recorded.map((seconds, round) => seconds / (seen.plain[round] ?? Number.NaN));
  tell('without it, s', seen.plain);
  tell('recorded, s', seen.recorded);
  tell('ratio', ratios);
  tell('judged again, s', seen.rejudged);
  tell(
    'size, MB',
    bytes.map((size) => size / 1e6),
  );
}

function tell(name: string, figures: readonly number[]): void {
  if (figures.length === 0) return;
  console.log(`  ${name.padEnd(18)} ${spreadText(figures)}`);
}

/** @throws {Error} it does not end with 0 */
async function secondsOf(words: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(here, 'cli/main.ts'), ...words], { cwd: here });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const code = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  if (code !== 0)
    throw new Error(`Expected ${words.join(' ')} to end with 0, found ${code}: ${said.slice(-longestSaid)}`);
  return (performance.now() - startedAt) / 1000;
}

async function tryFaults(count: number): Promise<void> {
  const others: string[] = [];
  const verdicts: Record<string, number> = {};
  for (const fault of sampleOfFaults(count)) {
    const { recorded, now, reason } = await judgedTwice(fault);
    verdicts[recorded] = (verdicts[recorded] ?? 0) + 1;
    if (recorded !== now) others.push(`${fault}: ${recorded} when it was recorded, ${now} now: ${reason}`);
  }
  if (count === 0) return;
  const told = Object.entries(verdicts).map(([verdict, number]) => `${number} ${verdict}`);
  console.log(`  ${count} faults recorded (${told.join(', ')}), ${count - others.length} judged again alike`);
  for (const line of others) console.log(`    ${line}`);
}

async function judgedTwice(
  rule: RuleId,
): Promise<{ readonly recorded: string; readonly now: string; readonly reason: string }> {
  await using deployment = await startVariant(rule);
  const run = { loaded: deployment.loaded, rules: [rule], seed: 1, runs: 20, record: true };
  const open = openJudge(catalogue, run);
  const { outcome } = await open.judge(rule, new AbortController().signal);
  const tape = (await open.recorded?.()) ?? new Uint8Array();
  await open[Symbol.asyncDispose]();
  const recorded = outcome?.verdict ?? 'broken';
  const about = { implementation: rule, suiteVersion: '', startedAt: '', seed: 1, runs: 20 };
  const bytes = cassetteBytes({ about: { ...about, verdicts: [{ rule, verdict: recorded }] }, tape });
  const { outcomes } = await rejudge(bytes, rule);
  const [again] = outcomes;
  return { recorded, now: again?.verdict ?? 'none', reason: again?.reason ?? again?.violation?.actual ?? '' };
}
