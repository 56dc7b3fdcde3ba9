import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOf } from '../../contract/json.ts';
import { type Ending, showsStack, tailOf } from '../harness/endings.ts';

/** The rule that the judged server breaks; a run that ends well shows that as well. */
export const broken = 'caching.match.status-304';

/** What came of a run in which one call failed. */
export interface TortureEnding extends Ending {
  /** False where the run did not come to the call. */
  readonly hasFailed: boolean;
}

const mostSeconds = 120;
const root = join(import.meta.dirname, '../..');

interface Judged {
  readonly exitCode: number;
  readonly said: string;
  readonly seconds: number;
}

/** The calls that may fail in a run against a server with a fault, in the order in which they come. @param folder a new one */
export async function callsOf(profile: string, folder: string): Promise<readonly string[]> {
  mkdirSync(folder);
  const list = join(folder, 'calls');
  const { exitCode, said } = await judged(profile, folder, { TORTURE_LIST: list });
  if (exitCode !== 1) throw new Error(`Expected a run that finds the fault, found exit code ${exitCode}: ${said}`);
  return [...new Set(readFileSync(list, 'utf8').trim().split('\n'))];
}

/** Lets the call fail once. @param folder a new one */
export async function tryCall(call: string, profile: string, folder: string): Promise<TortureEnding> {
  mkdirSync(folder);
  const done = join(folder, 'done');
  const { exitCode, said, seconds } = await judged(profile, folder, { TORTURE_FAIL: call, TORTURE_DONE: done });
  const wrong = wrongIn(folder, exitCode, said);
  return { name: call, exitCode, seconds, hasFailed: existsSync(done), ...(wrong !== undefined && { wrong }) };
}

async function judged(profile: string, folder: string, env: Readonly<Record<string, string>>): Promise<Judged> {
  const startedAt = performance.now();
  const words = [
    'check',
    '--profile',
    profile,
    '--rules',
    broken,
    'caching.etag.present',
    '--out',
    join(folder, 'out'),
  ];
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'failing.ts'), join(root, 'cli/main.ts.js'), ...words],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, timeout: mostSeconds * 1000 },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-20_000)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { exitCode: code ?? 137, said, seconds: (performance.now() - startedAt) / 1000 };
}

function wrongIn(folder: string, exitCode: number, said: string): string | undefined {
  const tail = tailOf(said);
  if (exitCode === 0) return `green: ${tail}`;
  if (exitCode > 3) return `ended with ${exitCode}: ${tail}`;
  if (showsStack(said)) return `a stack: ${tail}`;
  const out = join(folder, 'out');
  if (isGreen(join(out, 'report.json'))) return `the report is green: ${tail}`;
  return isSeen(join(out, 'outcomes.ndjson')) && exitCode !== 1
    ? `the violation is on record, and the exit code ${exitCode}: ${tail}`
    : undefined;
}

function isGreen(report: string): boolean {
  if (!existsSync(report) || statSync(report).size === 0) return false;
  const found = jsonOf(readFileSync(report, 'utf8'));
  return typeof found === 'object' && found !== null && Reflect.get(found, 'exitCode') === 0;
}

function isSeen(record: string): boolean {
  return existsSync(record) && readFileSync(record, 'utf8').includes('"verdict":"fail"');
}
