import { randomBytes } from 'node:crypto';
import type { Entry } from '../simulator/extension/entry.ts';
import { startExtensionHost as startHost } from '../simulator/extension/host.ts';
import { defaultRecords } from '../simulator/extension/metadata.ts';
import { assertOptions, OptionError, type Options } from '../contract/option.ts';
import type { Script } from '../simulator/extension/script.ts';
import { heldAnswers } from '../simulator/extension/script-file.ts';
import { nearNames } from '../contract/spelling.ts';
import { extensionFaults, hasHostFault, hostFaults, type HostFaultId } from '../variants/extension-host/faults.ts';
import { bindingOf } from './bundled-host.ts';
import { movableClock } from './clock.ts';
import type { CallFilter, CallJournal, ExtensionHost, ExtensionHostOptions, HostScript } from './extension-host.ts';
import { faultSet } from './faults.ts';

/** The calls that were waited for did not come in time. */
export class JournalTimeout extends Error {
  readonly code = 'JOURNAL_TIMEOUT';
  override readonly name = 'JournalTimeout';
}

const filterOptions: Options<Exclude<CallFilter, (call: Entry) => boolean>> = {
  kind: {
    words: {
      metadata: true,
      event: true,
      validation: true,
      task: true,
      email: true,
      action: true,
      endpoint: true,
      other: true,
    },
  },
  method: 'string',
  path: 'string',
  recordId: 'string',
  correlationId: 'string',
};

const waitOptions: Options<NonNullable<Parameters<CallJournal['waitFor']>[1]>> = {
  count: 'number',
  timeoutMs: 'number',
  signal: 'any',
};

const usualTimeoutMs = 10_000;
const mostNamed = 10;

/** Starts a host of this process. */
export async function openExtensionHost(options: ExtensionHostOptions): Promise<ExtensionHost> {
  const {
    port = 0,
    host: name,
    apiKey = randomBytes(48).toString('base64'),
    records = defaultRecords,
    permissions,
    script,
    faults = [],
  } = options;
  const host = await startHost({
    listen: { port, ...(name !== undefined && { host: name }) },
    apiKey,
    control: true,
    records,
    ...(permissions && { permissions }),
    faults: hostFaults(faults.map(hostFaultOf)),
    ...(script && { script: heldScript(script) }),
  });
  const profile = await bindingOf(host, apiKey);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= host.close());
  return {
    url: host.url,
    port: host.port,
    apiKey,
    profile,
    clock: movableClock(host.clock),
    journal: journalOf(host),
    script: scriptOf(host),
    faults: faultSet({ now: () => host.faults(), put: async (ids) => host.setFaults(ids.map(hostFaultOf)) }),
    setRecords: (next) => host.setRecords(next),
    reset: () => host.reset(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @throws {OptionError} there is no such fault */
function hostFaultOf(id: string): HostFaultId {
  if (hasHostFault(id)) return id;
  const [near] = nearNames(id, Object.keys(extensionFaults));
  const hint =
    near === undefined ? 'rules whose side is extension have one where they can fail.' : `did you mean "${near}"?`;
  throw new OptionError(`There is no fault ${id} of extension hosts; ${hint}`);
}

/** @throws {ScriptError} answers that are not right */
function heldScript(script: Script): Script {
  return typeof script === 'function' ? script : heldAnswers(script);
}

type Host = Awaited<ReturnType<typeof startHost>>;

function scriptOf(host: Host): HostScript {
  return {
    set: (script) => host.setScript(heldScript(script)),
    append(...added) {
      const further = heldAnswers(added);
      if (typeof host.script === 'function') host.setScript(further);
      else host.appendScript(further);
    },
    clear: () => host.setScript([]),
  };
}

function journalOf(host: Host): CallJournal {
  const calls = (filter?: CallFilter): readonly Entry[] => host.entries(predicateOf(filter));
  return {
    calls,
    [Symbol.iterator]: () => calls()[Symbol.iterator](),
    async waitFor(filter, options = {}) {
      assertOptions('waitFor', options, waitOptions);
      const { count = 1, timeoutMs = usualTimeoutMs, signal } = options;
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), timeoutMs);
      const limit = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
      try {
        const found = await host.await(predicateOf(filter), count, limit);
        signal?.throwIfAborted();
        if (found.length >= count) return found;
        throw new JournalTimeout(
          `Expected ${count} of the calls within ${timeoutMs} ms, found ${found.length}; ${toldAs(host.entries())}.`,
        );
      } finally {
        clearTimeout(timer);
      }
    },
    clear: () => host.clearJournal(),
  };
}

/** @throws {OptionError} a member or a kind that there is not */
function predicateOf(filter: CallFilter = {}): (call: Entry) => boolean {
  if (typeof filter === 'function') return filter;
  assertOptions('the filter of calls', filter, filterOptions);
  const { kind, method, path, recordId, correlationId } = filter;
  const wanted = { kind, method, path, recordId, correlationId };
  const stated = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return (call) =>
    stated.every(([name, value]) => Object.entries(call).some(([key, own]) => key === name && own === value));
}

function toldAs(calls: readonly Entry[]): string {
  if (calls.length === 0) return 'nothing came';
  const last = calls.slice(-mostNamed).map(({ kind, method, target }) => `${method} ${target} (${kind})`);
  return `what came: ${calls.length > mostNamed ? '…, ' : ''}${last.join(', ')}`;
}
