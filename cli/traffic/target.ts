import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FaultId } from '../../reference-server/faults/faults.ts';
import { loadProfile, type LoadedProfile } from '../../suites/engine/profile/load.ts';
import { UsageError } from '../usage.ts';

/** What the traffic is for. */
export interface TrafficTarget extends AsyncDisposable {
  readonly loaded: LoadedProfile;
}

const main = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The deployment that a profile describes; without one a reference server in a process of its own, so that it and the load do not share
 * an event loop. @param allowed host that may be loaded although it is not this machine. @throws {UsageError} another host
 */
export async function openTrafficTarget(profile: string | undefined, allowed: string | undefined, faults: readonly FaultId[] = []): Promise<TrafficTarget> {
  if (profile === undefined) return startOwn(faults);
  const loaded = await loadProfile(profile);
  const { hostname } = new URL(loaded.profile.baseUrl);
  if (!loopback.includes(hostname) && hostname !== allowed)
    throw new UsageError(`The profile names the host ${hostname}, which is not this machine. Load disturbs whoever uses it: say --yes-load ${hostname} when that is agreed.`);
  return { loaded, [Symbol.asyncDispose]: async () => undefined };
}

async function startOwn(faults: readonly FaultId[]): Promise<TrafficTarget> {
  const server = spawn(process.execPath, [main, 'serve', '--control', '--log', 'error', ...faults.flatMap((fault) => ['--fault', fault])], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { url } = await announced(server);
  const loaded = await loadProfile(`${url}/_control/profile.yaml`);
  return { loaded, [Symbol.asyncDispose]: () => ended(server) };
}

async function announced(server: ChildProcess): Promise<{ readonly url: string }> {
  const { stdout } = server;
  if (stdout === null) throw new Error('The server has no output.');
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as { readonly url: string };
  throw new Error(`The reference server ended before it listened (exit code ${server.exitCode}).`);
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  await exit;
}
