import { randomBytes } from 'node:crypto';
import { bindingOf } from './bundled-host.ts';
import type { ExtensionHostProfile } from '../contract/profile/extension-host.ts';
import type { Entry } from '../simulator/extension/entry.ts';
import { startExtensionHost as startHost } from '../simulator/extension/host.ts';
import { defaultRecords, type MetadataRecord, type ReceivedKind } from '../simulator/extension/metadata.ts';
import type { Script } from '../simulator/extension/script.ts';
import type { ScriptedAnswer } from '../simulator/extension/step.ts';
import { hasHostFault, hostFaults, type HostFaultId } from '../variants/extension-host/faults.ts';
import { type FaultSet, faultSet } from './faults.ts';
import type { KnownRuleId } from './rule-ids.ts';
import { type MovableClock, movableClock } from './clock.ts';

/** What an extension host is started with; everything has a default. */
export interface ExtensionHostOptions {
  /** A free one unless given. */
  readonly port?: number;
  /** The loopback interface unless given. */
  readonly host?: string;
  /** The key that it shares with the service, in Base64; made anew unless given. */
  readonly apiKey?: string;
  /** What its metadata show; a record of each type that the service calls, unless given. */
  readonly records?: readonly MetadataRecord[];
  /** Names of API keys that the first record asks for. */
  readonly permissions?: readonly string[];
  /** What it answers before it answers as the documents say: answers in order, or a function that chooses. */
  readonly script?: Script;
  /** Ids of rules about extension hosts that it is to break, until `faults` is told otherwise. */
  readonly faults?: readonly KnownRuleId[];
}

/** Which calls are meant: everything that is stated has to fit, or the function says so. */
export type CallFilter =
  | ((call: Entry) => boolean)
  | {
      readonly kind?: ReceivedKind;
      readonly method?: string;
      readonly path?: string;
      readonly recordId?: string;
      readonly correlationId?: string;
    };

/** What arrived at an extension host, oldest first. */
export interface CallJournal extends Iterable<Entry> {
  /** The calls that the filter admits; all unless given. */
  calls(filter?: CallFilter): readonly Entry[];
  /**
   * Resolves with the calls that the filter admits as soon as there are `count` of them (1 unless given), those of before included.
   * @throws {JournalTimeout} after `timeoutMs` (10,000 unless given), with what came instead
   */
  waitFor(
    filter?: CallFilter,
    options?: { readonly count?: number; readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<readonly Entry[]>;
  /** Forgets what has arrived. */
  clear(): void;
}

/** What an extension host answers before it answers as the documents say. */
export interface HostScript {
  /** Takes the place of the former script; its counts begin anew. */
  set(script: Script): void;
  /** Adds answers behind those that are there: the first that fits a call counts. Takes the place of a function. */
  append(...answers: readonly ScriptedAnswer[]): void;
  /** Lets the host answer as the documents say. */
  clear(): void;
}

/** A running extension host, whose part is played by the tool. */
export interface ExtensionHost extends AsyncDisposable {
  /** The hostUri of its registration, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** The key that it shares with the service, in Base64. */
  readonly apiKey: string;
  /** What rules have to know of it. */
  readonly profile: ExtensionHostProfile;
  readonly clock: MovableClock;
  readonly journal: CallJournal;
  readonly script: HostScript;
  /** What it does wrong, which may change while it runs; work that is under way is given up then. */
  readonly faults: FaultSet;
  /** What its metadata show from now on. */
  setRecords(records: readonly MetadataRecord[]): void;
  /** Empties the journal, gives up work on what was acknowledged, and puts script, records, faults and clock back. */
  reset(): Promise<void>;
  /** Ends the listening and aborts what is under way. */
  close(): Promise<void>;
}

/** The calls that were waited for did not come in time. */
export class JournalTimeout extends Error {
  readonly code = 'JOURNAL_TIMEOUT';
  override readonly name = 'JournalTimeout';
}

const usualTimeoutMs = 10_000;
const mostNamed = 10;

/**
 * Starts an extension host in this process: it shows metadata, checks signatures, answers every kind of call, right unless the script says
 * otherwise, and keeps a journal. @throws the error of the system where it cannot listen
 */
export async function startExtensionHost(options: ExtensionHostOptions = {}): Promise<ExtensionHost> {
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
    ...(script && { script }),
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

/** @throws {RangeError} there is no such fault */
function hostFaultOf(id: string): HostFaultId {
  if (hasHostFault(id)) return id;
  throw new RangeError(
    `There is no fault ${id} of extension hosts; rules whose side is extension have one where they can fail.`,
  );
}

type Host = Awaited<ReturnType<typeof startHost>>;

function scriptOf(host: Host): HostScript {
  return {
    set: (script) => host.setScript(script),
    append(...further) {
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
    async waitFor(filter, { count = 1, timeoutMs = usualTimeoutMs, signal } = {}) {
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

function predicateOf(filter: CallFilter = {}): (call: Entry) => boolean {
  if (typeof filter === 'function') return filter;
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
