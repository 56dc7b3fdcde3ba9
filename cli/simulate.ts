import { Clean, stderr, stdout } from './outlet.ts';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { extensionHostControl } from '../contract/control/extension-host.ts';
import type { RuleId } from '../contract/rule.ts';
import { hasHostFault, hostFaults, type HostFaultId } from '../variants/extension-host/faults.ts';
import { controlTokenComplaint } from '../contract/control/route.ts';
import { messageOf } from '../contract/thrown.ts';
import { startCallee } from '../simulator/extension/callee.ts';
import { startExtensionHost, type ExtensionHost } from '../simulator/extension/host.ts';
import { loadScript, ScriptError } from '../simulator/extension/script-file.ts';
import type { Script } from '../simulator/extension/script.ts';
import { onInterrupt } from './check/interrupt.ts';
import type { SimulateCalleeOptions, SimulateExtensionOptions } from './options.ts';
import { cannotListen, throwAsUsage, UsageError } from './usage.ts';

/** The line that `simulate extension` prints; further members may come. */
export interface ExtensionAnnouncement {
  /** hostUri of a registration. */
  readonly url: string;
  /** What has arrived; only with `--control`. */
  readonly journal?: string;
  /** A page to watch; only with `--control`, and only where the token was made up. */
  readonly page?: string;
  /** What a profile says about this host, so that it can be judged; only with `--api-key`, as a profile names one. */
  readonly profile?: { readonly extensionHost: Readonly<Record<string, unknown>> };
  /** Opens the control routes; only with `--control`, and only where it was made up. */
  readonly controlToken?: string;
}

/** What the bundled host does with which payload. */
const bundledSamples = new URL('../fixtures/extension-host.yaml', import.meta.url);

/** Plays an extension host until SIGTERM or SIGINT. @throws {UsageError} a script, fault, journal or address that cannot be used */
export async function simulateExtensionCommand(options: SimulateExtensionOptions): Promise<number> {
  using interrupt = onInterrupt();
  const script =
    options.script === undefined ? undefined : await loadScript(options.script).catch(throwAsUsage(ScriptError));
  await using host = await started(options, script);
  const announcement = await announcementOf(host, options);
  stdout.write(Clean.own(`${JSON.stringify(announcement)}\n`));
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  return 0;
}

/** Plays what the service calls in scripts of findings, until SIGTERM or SIGINT. @throws {UsageError} an address that cannot be used */
export async function simulateCalleeCommand({ port, host }: SimulateCalleeOptions): Promise<number> {
  using interrupt = onInterrupt();
  await using callee = await startCallee({ port, host }).catch((error: unknown) => {
    throw cannotListen({ port, host }, messageOf(error));
  });
  stdout.write(Clean.own(`${JSON.stringify({ url: callee.url })}\n`));
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  return 0;
}

async function announcementOf(
  { url, control }: ExtensionHost,
  { apiKey, controlToken }: SimulateExtensionOptions,
): Promise<ExtensionAnnouncement> {
  const samples: Readonly<Record<string, unknown>> = parse(await readFile(bundledSamples, 'utf8'));
  const time = control === undefined ? {} : { time: { mode: 'controlled', control } };
  return {
    url,
    ...(control && { journal: `${url}${extensionHostControl.journal.path}` }),
    ...(apiKey !== undefined && { profile: { extensionHost: { hostUri: url, apiKey, ...time, ...samples } } }),
    ...(control && controlToken === undefined && { page: `${url}/#${control.token}`, controlToken: control.token }),
  };
}

async function started(options: SimulateExtensionOptions, script: Script | undefined): Promise<ExtensionHost> {
  const { port, host, apiKey, journal, control, controlToken, permissions, fault = [] } = options;
  if (controlToken !== undefined) assertToken(controlToken);
  const initial = fault.map(hostFault);
  try {
    return await startExtensionHost({
      listen: { host, port },
      faults: hostFaults(initial),
      say: (problem) => stderr.write(`${problem}\n`),
      ...(apiKey !== undefined && { apiKey }),
      ...(journal !== undefined && { journal }),
      ...(control && { control }),
      ...(controlToken !== undefined && { controlToken }),
      ...(permissions && { permissions }),
      ...(script && { script }),
    });
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(
      `Cannot play an extension host on ${host}, port ${port} (${reason}); choose another --port, --host or --journal.`,
    );
  }
}

/** @throws {UsageError} */
function assertToken(token: string): void {
  const complaint = controlTokenComplaint(token);
  if (complaint !== undefined) throw new UsageError(complaint);
}

/** @throws {UsageError} the rule is not about extension hosts, or cannot be broken */
function hostFault(id: RuleId): HostFaultId {
  if (hasHostFault(id)) return id;
  throw new UsageError(
    `${id} cannot be broken by an extension host; name a rule about extension hosts that can fail, as calls.host.validation-outcome.`,
  );
}
