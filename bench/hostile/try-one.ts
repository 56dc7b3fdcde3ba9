import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Authority } from '../../cli/doctor/tls.fixture.ts';
import { type Ending, showsStack, tailOf } from '../harness/endings.ts';
import type { Hostile } from './corpus.ts';
import { budgetSeconds, limitLines } from './profiles.ts';
import { openTarget } from './target.ts';

export interface HostileEnding extends Ending {
  /** Most memory that the process had, in MB; 0 where the system does not tell. */
  readonly megabytes: number;
}

/** Nobody tells this one how long it may wait for an answer. */
const initSeconds = 30;
const mostMegabytes = 300;
const root = join(import.meta.dirname, '../..');

/** Lets the judge meet it. @param folder a new one of its own @param besidesSeconds beyond the budget of a run: to begin, to clean up and to report */
export async function tryOne(
  hostile: Hostile,
  folder: string,
  besidesSeconds: number,
  authority?: Authority,
): Promise<HostileEnding> {
  mkdirSync(folder, { recursive: true });
  await using target = await openTarget(hostile.target, authority);
  const profile = profileIn(folder, hostile, target);
  const command = commandOf(hostile, profile, target.url, folder);
  const startedAt = performance.now();
  const child = spawn('/bin/bash', ['-c', hostile.shell ?? '"$@"', 'bash', ...command], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, OUT: folder, SVC_TOKEN: 'a-token-of-the-editor', ...hostile.env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-20_000)));
  const memory = watchMemory(child.pid ?? 0);
  const mostSeconds = (hostile.command === 'init' ? initSeconds : budgetSeconds) + besidesSeconds;
  const ended = await Promise.race([once(child, 'close').then(() => true), after(mostSeconds * 1000)]);
  if (!ended) endGroup(child.pid ?? 0);
  const seconds = (performance.now() - startedAt) / 1000;
  const exitCode = child.exitCode ?? 137;
  const megabytes = memory();
  const wrong = ended ? wrongIn({ hostile, exitCode, megabytes, said }) : `not over: ${tailOf(said)}`;
  return { name: hostile.name, exitCode, seconds, megabytes, ...(wrong !== undefined && { wrong }) };
}

function wrongIn(end: {
  readonly hostile: Hostile;
  readonly exitCode: number;
  readonly megabytes: number;
  readonly said: string;
}): string | undefined {
  const { hostile, exitCode, megabytes, said } = end;
  if (exitCode === 0) return `green: ${tailOf(said)}`;
  const isCut = hostile.shell?.includes('timeout') === true || hostile.shell?.includes('ulimit') === true;
  const isOfNode = hostile.env?.['NODE_OPTIONS'] !== undefined;
  if (exitCode > 3 && !isCut && !isOfNode) return `ended with ${exitCode}: ${tailOf(said)}`;
  if (showsStack(said) && !isCut && !isOfNode) return `a stack: ${tailOf(said)}`;
  if (megabytes > mostMegabytes) return `${megabytes} MB`;
  return undefined;
}

function after(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, ms, false).unref());
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile
  }
}

/** The profile as a path, where one is given or the target has one. */
function profileIn(
  folder: string,
  { profile }: Hostile,
  target: { readonly url: string; readonly profile?: string },
): string {
  if (profile !== undefined && 'at' in profile) return specialIn(folder, profile.at);
  const content = profile === undefined ? `${target.profile ?? ''}\n${limitLines}` : profile.text;
  const path = join(folder, 'profile.yaml');
  writeFileSync(path, typeof content === 'string' ? content.replaceAll('{{url}}', target.url) : content);
  return path;
}

function specialIn(folder: string, at: string): string {
  if (at === 'loop.yaml') symlinkSync('loop.yaml', join(folder, at));
  if (at === 'pipe.yaml') execFileSync('mkfifo', [join(folder, at)]);
  if (at.startsWith('profile.yaml')) writeFileSync(join(folder, 'profile.yaml'), '');
  return at;
}

function commandOf(hostile: Hostile, profile: string, url: string, folder: string): readonly string[] {
  const args = (hostile.args ?? []).map((text) => text.replaceAll('{{out}}', folder));
  const out = args.includes('--out') ? [] : ['--out', join(folder, 'report')];
  const words: Readonly<Record<Hostile['command'], readonly string[]>> = {
    check: ['check', '--profile', profile, ...out, ...args],
    doctor: ['doctor', '--profile', profile, ...args],
    init: [
      'init',
      '--yes',
      '--url',
      url,
      '--space',
      'main',
      '--token-env',
      'SVC_TOKEN',
      '--out',
      join(folder, 'new.yaml'),
      ...args,
    ],
    traffic: ['simulate', 'traffic', '--profile', profile, '--duration', '2s', ...out, ...args],
    'check-extension': ['check-extension', '--url', url, '--time-budget', '3s', ...out, ...args],
  };
  return [process.execPath, join(root, 'cli/main.ts.js'), ...words[hostile.command]];
}

/** Most memory of the processes below one, so far; the system keeps the peak of each. */
function watchMemory(pid: number): () => number {
  let most = 0;
  const look = async (): Promise<void> => {
    for (const one of [pid, ...(await childrenOf(pid))])
      most = Math.max(most, peakIn(await readFile(`/proc/${one}/status`, 'utf8').catch(() => '')));
  };
  const watching = setInterval(() => void look(), 40);
  return () => {
    clearInterval(watching);
    return most;
  };
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return listed.split(' ').filter(Boolean).map(Number);
}

function peakIn(status: string): number {
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
}
