import { once } from 'node:events';
import { startExtensionHost, type ExtensionHost } from '../simulator/extension/host.ts';
import { loadScript, ScriptError } from '../simulator/extension/script-file.ts';
import type { Script } from '../simulator/extension/script.ts';
import { onInterrupt } from './check/interrupt.ts';
import type { SimulateExtensionOptions } from './options.ts';
import { UsageError } from './usage.ts';

/** The line that `simulate extension` prints; further members may come. */
export interface ExtensionAnnouncement {
  /** hostUri of a registration; a page to watch. */
  readonly url: string;
  readonly journal: string;
}

/** Plays an extension host until SIGTERM or SIGINT. @throws {UsageError} a script, journal or address that cannot be used */
export async function simulateExtensionCommand(options: SimulateExtensionOptions): Promise<number> {
  using interrupt = onInterrupt();
  const script = options.script === undefined ? undefined : await scriptIn(options.script);
  await using host = await started(options, script);
  const announcement: ExtensionAnnouncement = { url: host.url, journal: `${host.url}/journal` };
  process.stdout.write(`${JSON.stringify(announcement)}\n`);
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  return 0;
}

async function scriptIn(file: string): Promise<Script> {
  try {
    return await loadScript(file);
  } catch (error) {
    if (error instanceof ScriptError) throw new UsageError(error.message);
    throw error;
  }
}

async function started({ port, host, apiKey, journal }: SimulateExtensionOptions, script: Script | undefined): Promise<ExtensionHost> {
  try {
    return await startExtensionHost({
      listen: { host, port },
      ...(apiKey !== undefined && { apiKey }),
      ...(journal !== undefined && { journal }),
      ...(script && { script }),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot play an extension host on ${host}, port ${port} (${reason}); choose another --port, --host or --journal.`);
  }
}
