import { randomBytes } from 'node:crypto';
import { behaviours } from './behaviours.ts';
import { machineClock, type HostClock } from './clock.ts';
import { Activity } from './clock/activity.ts';
import { ControlledClock } from './clock/controlled.ts';
import { clockPath, clockRoute } from './control/clock.ts';
import { answerTo } from './calls/answer.ts';
import type { Entry } from './entry.ts';
import { hostFaultOf, type HostFaultId } from './faults/faults.ts';
import { journalRoutes } from './journal-routes.ts';
import { Keys } from './keys/keys.ts';
import { Listener } from './listener.ts';
import { defaultRecords, type MetadataRecord } from './metadata.ts';
import type { Script } from './script.ts';
import { signatureOf } from './signature.ts';
import { Site } from './site.ts';
import { Background } from './work/background.ts';
import { Client } from './work/client.ts';
import type { WorkingHost } from './working-host.ts';

export interface ExtensionHostOptions {
  /** Loopback and a free port unless given. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** Base64; without one signatures are not checked. */
  readonly apiKey?: string;
  /** A record of each type that the service calls, unless given. */
  readonly records?: readonly MetadataRecord[];
  /** Names of API keys that the first record asks for; the host acquires them from each service that calls it. */
  readonly permissions?: readonly string[];
  readonly script?: Script;
  /** File to which the journal is appended as JSON lines. It holds what was sent, access tokens included. */
  readonly journal?: string;
  /** That of the machine unless given. */
  readonly clock?: HostClock;
  /** Opens routes that move the host's own clock, which takes the place of any other. */
  readonly control?: boolean;
  /** Wrong variants of single behaviours. */
  readonly faults?: readonly HostFaultId[];
  /** Told of work that failed after its call was acknowledged. */
  readonly say?: (problem: string) => void;
}

/** A running extension host. */
export interface ExtensionHost extends AsyncDisposable {
  /** hostUri of a registration. */
  readonly url: string;
  readonly port: number;
  /** Where its clock is moved, and the bearer token for it; only where that was asked for. */
  readonly control?: { readonly url: string; readonly token: string };
  /** Everything that arrived so far, oldest first. */
  entries(filter?: (entry: Entry) => boolean): readonly Entry[];
  /** The entries that the filter admits, once there are `count` of them or the signal aborts. */
  await(filter: (entry: Entry) => boolean, count: number, signal: AbortSignal): Promise<readonly Entry[]>;
  setScript(script: Script): void;
  setRecords(records: readonly MetadataRecord[]): void;
  /** Ends the listening and the work; what is under way is aborted. */
  close(): Promise<void>;
}

/**
 * Starts a host that serves metadata, answers every kind of call as its script says, right without one, works on what it acknowledged,
 * refuses what is not signed where it has a key, and keeps a journal, shown at `/` and told at `/journal`.
 * @throws the system's error where it cannot listen
 * @throws {RangeError} there is no such fault
 */
export async function startExtensionHost(options: ExtensionHostOptions = {}): Promise<ExtensionHost> {
  const parts = new HostParts(options);
  const { listener, site } = parts;
  await listener.listen();
  site.setRecords(recordsOf(options, parts.url));
  return {
    url: parts.url,
    port: listener.port,
    ...(parts.controlToken !== undefined && { control: { url: parts.url + clockPath, token: parts.controlToken } }),
    entries: (filter) => listener.journal.entries(filter),
    await: (filter, count, signal) => listener.journal.await(filter, count, signal),
    setScript: (next) => site.setScript(next),
    setRecords: (next) => site.setRecords(next),
    close: () => parts.close(),
    [Symbol.asyncDispose]: () => parts.close(),
  };
}

class HostParts implements WorkingHost {
  readonly behaviours;
  readonly activity = new Activity();
  readonly clock: HostClock;
  readonly client: Client;
  readonly background: Background;
  readonly keys: Keys;
  readonly apiKey: string | undefined;
  readonly site: Site;
  readonly listener: Listener;
  readonly say: (problem: string) => void;
  readonly controlToken: string | undefined;
  readonly #host: string | undefined;

  constructor({
    listen = {},
    apiKey,
    script,
    journal,
    clock,
    control = false,
    faults = [],
    say = () => undefined,
  }: ExtensionHostOptions) {
    this.behaviours = faults.reduce((record, id) => hostFaultOf(id)(record), behaviours);
    const controlled = control ? new ControlledClock(() => this.activity.settled()) : undefined;
    this.controlToken = control ? randomBytes(24).toString('base64url') : undefined;
    this.clock = controlled ?? clock ?? machineClock;
    this.say = say;
    this.apiKey = apiKey;
    this.#host = listen.host;
    this.client = new Client(this.clock, this.activity);
    this.background = new Background(say);
    this.keys = new Keys(this);
    this.site = new Site('', {
      records: [],
      isAdmitted: (entry) => this.behaviours.isAdmitted(this, entry),
      answer: (entry) => answerTo(this, entry),
      ...(apiKey !== undefined && { apiKey }),
      ...(script && { script }),
    });
    this.listener = new Listener({
      ...listen,
      clock: this.clock,
      ...(journal !== undefined && { journalFile: journal }),
      before: (request, response) =>
        (controlled !== undefined &&
          clockRoute(
            { clock: controlled, activity: this.activity, token: this.controlToken ?? '' },
            request,
            response,
          )) ||
        journalRoutes(this.listener.journal, request, response),
    });
    this.listener.mount(this.site);
    this.listener.journal.watch((entry) => {
      if (entry.endedAt !== undefined) this.background.ended(entry);
    });
  }

  get url(): string {
    return `http://${nameOf(this.#host)}:${this.listener.port}`;
  }

  records(): readonly MetadataRecord[] {
    return this.site.records;
  }

  async close(): Promise<void> {
    await Promise.all([this.listener.close(), this.background.close(), this.keys.close()]);
    await this.client.close();
  }
}

/** The address of the keys holds something that nobody guesses and that stays when the host starts anew. */
function recordsOf(
  { records = defaultRecords, permissions = [], apiKey }: ExtensionHostOptions,
  url: string,
): readonly MetadataRecord[] {
  if (permissions.length === 0) return records;
  const secret =
    apiKey === undefined
      ? randomBytes(18).toString('base64url')
      : signatureOf(apiKey, 'address of the keys').slice(0, 24);
  const asked = { tokenCallback: `${url}/keys/${secret}`, permissions };
  return records.map((record, index) => (index === 0 ? { ...record, permissions: asked } : record));
}

/** An address that a client can call: not one that stands for all of them. */
function nameOf(host = '127.0.0.1'): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
