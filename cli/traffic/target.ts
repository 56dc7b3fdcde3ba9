import { catalogue } from '../../suites/catalogue.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FaultId } from '../../variants/faults.ts';
import { loadProfile, type LoadedProfile } from '../../judge/profile/load.ts';
import { isDoneWithin, unlessAborted } from '../../simulator/traffic/interruption.ts';
import { UsageError } from '../usage.ts';

export interface TrafficTarget extends AsyncDisposable {
  readonly loaded: LoadedProfile;
}

const main = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));
/** How long the server may take to end, in ms; when the run is interrupted, it has to be over within a second. */
const [usualPatienceMs, interruptedPatienceMs] = [10_000, 250];
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The deployment that a profile describes, or undefined when the signal aborts before it is there; without one a reference server in a process of its own, so that it and the load do not share
 * an event loop. @param allowed host that may be loaded although it is not this machine.
 * @throws {UsageError} another host
 */
export async function openTrafficTarget(
  profile: string | undefined,
  allowed: string | undefined,
  faults: readonly FaultId[],
  signal: AbortSignal,
): Promise<TrafficTarget | undefined> {
  if (profile === undefined) return startOwn(faults, signal);
  const loaded = await unlessAborted(loadProfile(profile, { rules: catalogue.all }), signal);
  if (loaded === undefined) return undefined;
  const { hostname } = new URL(loaded.profile.baseUrl);
  if (!loopback.includes(hostname) && hostname !== allowed)
    throw new UsageError(
      `The profile names the host ${hostname}, which is not this machine. Load disturbs whoever uses it: say --yes-load ${hostname} when that is agreed.`,
    );
  if (loaded.profile.proxy !== undefined)
    throw new UsageError(
      'The profile names a proxy, and the figures of a load through it would be those of the proxy: make the load on a machine behind it, with a profile without proxy.',
    );
  return { loaded, [Symbol.asyncDispose]: async () => undefined };
}

/**
 * In a process group of its own: Ctrl-C on a terminal goes to the whole group, and the target has to stay until the load has ended. Over a
 * channel, whose end it hears however this process ends.
 */
async function startOwn(faults: readonly FaultId[], signal: AbortSignal): Promise<TrafficTarget | undefined> {
  const argv = [main, 'serve', '--control', '--log', 'error', ...faults.flatMap((fault) => ['--fault', fault])];
  const server = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], detached: true });
  const close = (): Promise<void> => ended(server, signal.aborted ? interruptedPatienceMs : usualPatienceMs);
  const loaded = await unlessAborted(
    announced(server).then(({ url }) => loadProfile(`${url}/_control/profile.yaml`, { isOurs: true })),
    signal,
  );
  if (loaded !== undefined) return { loaded, [Symbol.asyncDispose]: close };
  await close();
  return undefined;
}

async function announced(server: ChildProcess): Promise<{ readonly url: string }> {
  const { stdout } = server;
  if (stdout === null) throw new Error('The server has no output.');
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line) as { readonly url: string };
  throw new Error(`The reference server ended before it listened (exit code ${server.exitCode}).`);
}

/** @param patienceMs how long it may take to finish what it is doing */
async function ended(server: ChildProcess, patienceMs: number): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  if (await isDoneWithin(patienceMs, exit)) return;
  server.kill('SIGKILL');
  await exit;
}
