import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extensionHostControl } from '../../contract/control/extension-host.ts';
import { Background } from './areas/background.ts';
import { Calls } from './areas/calls.ts';
import { Keys } from './areas/keys.ts';
import { Metadata } from './areas/metadata.ts';
import { Reports } from './areas/reports.ts';
import { Signing } from './areas/signing.ts';
import { Tasks } from './areas/tasks.ts';
import { Uploads } from './areas/uploads.ts';
import { Wire } from './areas/wire.ts';
import { callOf, type Call } from './call.ts';
import { Client } from './client.ts';
import { Activity } from '../../clock/activity.ts';
import { clockToTakeOver, type ControlledClock } from '../../clock/controlled.ts';
import { type HostClock, hostClock, machineClock } from './clock.ts';
import { controlRoute } from './control.ts';
import type { Entry } from './entry.ts';
import { Listener, type ListenerOptions, nameOf } from './listener.ts';
import { livePage } from './live-page.ts';
import { defaultRecords, type MetadataRecord } from './metadata.ts';
import type { Script } from './script.ts';
import { signatureOf } from './signature.ts';
import { Site } from './site.ts';
import type { ScriptedAnswer, Step } from './step.ts';
import type { Surroundings } from './surroundings.ts';
import { stackOf } from '../../contract/thrown.ts';

/** The classes that a host is made of, as they are right. A wrong host has subclasses of some. */
export const rightAreas = {
  wire: Wire,
  client: Client,
  background: Background,
  keys: Keys,
  signing: Signing,
  metadata: Metadata,
  calls: Calls,
  uploads: Uploads,
  reports: Reports,
  tasks: Tasks,
};
export type HostAreas = Readonly<typeof rightAreas>;

export interface ExtensionHostOptions {
  /** Loopback and a free port unless given. */
  readonly listen?: Pick<ListenerOptions, 'host' | 'port' | 'tls'>;
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
  /** Opens the control routes, to this machine only or to `any`. Time is that of the host's own clock then, which takes the place of any other. */
  readonly control?: boolean | 'any';
  /** What opens the control routes; made up unless given. */
  readonly controlToken?: string;
  /** What it is made of, which the control routes may change; the right classes unless given. */
  readonly faults?: HostFaultChoice;
  /** Told of work that failed after its call was acknowledged. */
  readonly say?: (problem: string) => void;
}

/** Wrong hosts that the control routes may make of a host. */
export interface HostFaultChoice {
  /** Those that it starts with. */
  readonly initial: readonly string[];
  known(): readonly string[];
  /** @param ids known ones */
  areasWith(ids: readonly string[]): HostAreas;
}

/** A running extension host. */
export interface ExtensionHost extends AsyncDisposable {
  /** hostUri of a registration. */
  readonly url: string;
  readonly port: number;
  /** Where its clock is moved, and the bearer token for it; only where that was asked for. */
  readonly control?: { readonly url: string; readonly token: string };
  /** Its clock; only where control was asked for. */
  readonly clock: ControlledClock | undefined;
  /** Everything that arrived so far, oldest first. */
  entries(filter?: (entry: Entry) => boolean): readonly Entry[];
  /** The entries that the filter admits, once there are `count` of them or the signal aborts. */
  await(filter: (entry: Entry) => boolean, count: number, signal: AbortSignal): Promise<readonly Entry[]>;
  /** Forgets everything that arrived. */
  clearJournal(): void;
  readonly script: Script;
  /** Takes the place of the former script; its counts begin anew. */
  setScript(script: Script): void;
  /** Adds answers behind those that there are. @throws {TypeError} the script is a function */
  appendScript(answers: readonly ScriptedAnswer[]): void;
  setRecords(records: readonly MetadataRecord[]): void;
  /** Ids of the faults that it has at the moment. */
  faults(): readonly string[];
  /** These faults and no others, and work that is under way is given up. @param ids known ones */
  setFaults(ids: readonly string[]): Promise<void>;
  /** Becomes as new: gives up its work, and journal, script, records, faults and clock are those of the start. */
  reset(): Promise<void>;
  /** Ends the listening and the work; what is under way is aborted. */
  close(): Promise<void>;
}

/**
 * Starts a host that serves metadata, answers every kind of call as its script says, right without one, works on what it acknowledged,
 * refuses what is not signed where it has a key, and keeps a journal, which the control routes tell.
 * @throws the system's error where it cannot listen
 */
export async function startExtensionHost(options: ExtensionHostOptions = {}): Promise<ExtensionHost> {
  const parts = new HostParts(options);
  const { listener, site } = parts;
  await listener.listen();
  site.setRecords(recordsOf(options, parts.url));
  return {
    url: parts.url,
    port: listener.port,
    ...(parts.controlToken !== undefined && {
      control: { url: parts.url + extensionHostControl.clock.path, token: parts.controlToken },
    }),
    clock: parts.clock,
    get script() {
      return site.script;
    },
    clearJournal: () => listener.journal.clear(),
    entries: (filter) => listener.journal.entries(filter),
    await: (filter, count, signal) => listener.journal.await(filter, count, signal),
    setScript: (next) => site.setScript(next),
    appendScript: (answers) => site.appendScript(answers),
    setRecords: (next) => site.setRecords(next),
    faults: () => parts.faults,
    setFaults: (ids) => parts.renew(ids),
    reset: () => parts.reset(),
    close: () => parts.close(),
    [Symbol.asyncDispose]: () => parts.close(),
  };
}

class HostParts {
  readonly site: Site;
  readonly listener: Listener;
  readonly controlToken: string | undefined;
  readonly clock: ControlledClock | undefined;
  readonly #options: ExtensionHostOptions;
  readonly #surroundings: Surroundings;
  faults: readonly string[];
  #areas: Areas;

  constructor(options: ExtensionHostOptions) {
    const { listen = {}, apiKey, script, journal, control = false, say = () => undefined } = options;
    const activity = new Activity();
    this.clock = control ? clockToTakeOver() : undefined;
    this.clock?.settleWith(() => activity.settled());
    const clock = this.clock === undefined ? (options.clock ?? machineClock) : hostClock(this.clock);
    this.controlToken = control ? (options.controlToken ?? randomBytes(24).toString('base64url')) : undefined;
    this.#options = options;
    const url = (): string => this.url;
    const client = (): Client => this.#areas.client;
    this.#surroundings = {
      clock,
      activity,
      get client() {
        return client();
      },
      apiKey,
      get hostUri() {
        return url();
      },
      records: () => this.site.records,
      say,
    };
    this.faults = options.faults?.initial ?? [];
    this.#areas = this.#composed();
    this.site = new Site('', {
      records: [],
      refusalOf: (entry) => (this.#areas.signing.isAdmitted(entry) ? undefined : this.#areas.signing.refusal()),
      answer: (entry) => answerTo(this.#areas, entry).catch((error: unknown) => excuse(error, say)),
      ...(apiKey !== undefined && { apiKey }),
      ...(script && { script }),
    });
    this.listener = new Listener({
      ...listen,
      clock,
      ...(journal !== undefined && { journalFile: journal }),
      before: (request, response) =>
        this.#control(request, response) || livePage(request, response) || this.#pass(request, response),
    });
    this.listener.mount(this.site);
    this.listener.journal.watch((entry) => {
      if (entry.endedAt !== undefined) this.#areas.background.release(entry);
    });
  }

  get url(): string {
    const { host, tls } = this.#options.listen ?? {};
    return `${tls === undefined ? 'http' : 'https'}://${nameOf(host)}:${this.listener.port}`;
  }

  async close(): Promise<void> {
    await Promise.all([this.listener.close(), end(this.#areas)]);
  }

  #control(request: IncomingMessage, response: ServerResponse): boolean {
    const { clock, controlToken: token } = this;
    if (clock === undefined || token === undefined) return false;
    const controlled = {
      token,
      isOpenToOthers: this.#options.control === 'any',
      clockwork: { clock, activity: this.#surroundings.activity },
      site: this.site,
      journal: this.listener.journal,
      faults: {
        set: () => this.faults,
        known: () => this.#options.faults?.known() ?? [],
        put: (ids: readonly string[]) => this.renew(ids),
      },
      reset: () => this.reset(),
    };
    return controlRoute(controlled, request, response);
  }

  /** Whether that answered the request: it never does. */
  #pass(request: IncomingMessage, response: ServerResponse): false {
    this.#areas.wire.pass(request, response);
    return false;
  }

  async reset(): Promise<void> {
    await this.renew(this.#options.faults?.initial ?? []);
    this.site.setScript(this.#options.script ?? []);
    this.site.setRecords(recordsOf(this.#options, this.url));
    this.listener.journal.clear();
    await this.clock?.reset();
  }

  /** Gives up the work under way, and forgets what was acquired. */
  async renew(faults: readonly string[]): Promise<void> {
    const former = this.#areas;
    this.faults = faults;
    this.#areas = this.#composed();
    await end(former);
  }

  #composed(): Areas {
    return compose(this.#options.faults?.areasWith(this.faults) ?? rightAreas, this.#surroundings);
  }
}

async function end({ background, keys, client }: Areas): Promise<void> {
  await Promise.all([background.close(), keys.close()]);
  await client.close();
}

type Areas = ReturnType<typeof compose>;

/** The areas of one host, from the ones that need nothing upwards. */
function compose(classes: HostAreas, surroundings: Surroundings) {
  const background = new classes.background(surroundings);
  const keys = new classes.keys(surroundings);
  const uploads = new classes.uploads(surroundings);
  const reports = new classes.reports(surroundings);
  return {
    wire: new classes.wire(),
    client: new classes.client(surroundings.clock, surroundings.activity),
    background,
    keys,
    signing: new classes.signing(surroundings, keys),
    metadata: new classes.metadata(surroundings),
    calls: new classes.calls(surroundings, background, keys),
    tasks: new classes.tasks(surroundings, { background, uploads, reports }),
  };
}

/** What a request gets that the script leaves alone. */
async function answerTo(areas: Areas, entry: Entry): Promise<Step> {
  if (entry.kind === 'metadata') return areas.metadata.answer();
  if (entry.kind === 'other') return areas.keys.isCallback(entry) ? areas.keys.answerCallback(entry) : { status: 404 };
  const found = callOf(entry);
  if ('refusal' in found) return found.refusal;
  if (areas.background.isFull) return { status: 503, headers: { 'Retry-After': '60' } };
  areas.keys.learn(found.call.baseAddress);
  return answerToCall(areas, found.call);
}

function answerToCall({ calls, tasks }: Areas, call: Call): Step | Promise<Step> {
  switch (call.kind) {
    case 'event':
      return calls.answerEvent(call);
    case 'email':
      return calls.answerEmail(call);
    case 'task':
      return tasks.answer(call);
    case 'validation':
      return calls.answerValidation(call);
    case 'action':
      return calls.answerAction(call);
    default:
      return { status: 404 };
  }
}

/** Whatever goes wrong in a host is a 500, never its end. */
function excuse(error: unknown, say: (problem: string) => void): Step {
  say(stackOf(error));
  return { status: 500, json: { errors: [{ message: 'The host failed.' }] } };
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
