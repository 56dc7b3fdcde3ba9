import type { HostClock } from './clock.ts';
import type { Entry } from './entry.ts';
import { journalRoutes } from './journal-routes.ts';
import { Listener } from './listener.ts';
import { defaultRecords, type MetadataRecord } from './metadata.ts';
import type { Script } from './script.ts';
import { Site } from './site.ts';

export interface ExtensionHostOptions {
  /** Loopback and a free port unless given. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** Base64; without one signatures are not checked. */
  readonly apiKey?: string;
  /** A record of each type that the service calls, unless given. */
  readonly records?: readonly MetadataRecord[];
  readonly script?: Script;
  /** File to which the journal is appended as JSON lines. It holds what was sent, access tokens included. */
  readonly journal?: string;
  readonly clock?: HostClock;
}

/** A running extension host. */
export interface ExtensionHost extends AsyncDisposable {
  /** hostUri of a registration. */
  readonly url: string;
  readonly port: number;
  /** Everything that arrived so far, oldest first. */
  entries(filter?: (entry: Entry) => boolean): readonly Entry[];
  /** The entries that the filter admits, once there are `count` of them or the signal aborts. */
  await(filter: (entry: Entry) => boolean, count: number, signal: AbortSignal): Promise<readonly Entry[]>;
  setScript(script: Script): void;
  setRecords(records: readonly MetadataRecord[]): void;
  close(): Promise<void>;
}

/**
 * Starts a host that serves metadata, answers every kind of call as its script says, right without one, refuses what is not signed where
 * it has a key, and keeps a journal, shown at `/` and told at `/journal`. @throws the system's error where it cannot listen
 */
export async function startExtensionHost(options: ExtensionHostOptions = {}): Promise<ExtensionHost> {
  const { listen = {}, apiKey, records = defaultRecords, script, journal, clock } = options;
  const site = new Site('', { records, refusesUnsigned: apiKey !== undefined, ...(apiKey !== undefined && { apiKey }), ...(script && { script }) });
  const listener: Listener = new Listener({
    ...listen,
    ...(clock && { clock }),
    ...(journal !== undefined && { journalFile: journal }),
    before: (request, response) => journalRoutes(listener.journal, request, response),
  });
  listener.mount(site);
  await listener.listen();
  return {
    url: `http://${nameOf(listen.host)}:${listener.port}`,
    port: listener.port,
    entries: (filter) => listener.journal.entries(filter),
    await: (filter, count, signal) => listener.journal.await(filter, count, signal),
    setScript: (next) => site.setScript(next),
    setRecords: (next) => site.setRecords(next),
    close: () => listener.close(),
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

/** An address that a client can call: not one that stands for all of them. */
function nameOf(host = '127.0.0.1'): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
