import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { controlTokenComplaint, readOrder } from '../contract/control/route.ts';
import { assertStatuses, type ServiceAnswer } from '../contract/control/script.ts';
import { mostLogLines, serviceControl } from '../contract/control/service.ts';
import { type AreaClasses, type Areas, composeAreas, type Ports, rightAreas, routesOf } from './areas.ts';
import { type Controlled, HostDirectory, controlRoutes, profileText } from './control.ts';
import type { Clockwork } from '../clock/control.ts';
import { type FaultChoice, FaultSwitch } from './control/faults.ts';
import { type IssuedToken, type TokenOrder, issueToken } from './control/issued-tokens.ts';
import { putSeed, SeedCreate, type SeededObject } from './control/seed.ts';
import { makeApp, type Way } from './http/app.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { Journal } from './http/journal.ts';
import type { Route } from './http/route.ts';
import { Script, type ScriptChange } from './http/script.ts';
import { type StartUpOptions, startUpConfiguration } from './load-configuration.ts';
import { type LogOptions, LogRing, logTo } from './log.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import { Activity } from '../clock/activity.ts';
import { clockToTakeOver, type ControlledClock, controlledClock, isControlled } from '../clock/controlled.ts';
import { openFileStore } from './ports/disk.ts';
import type { FileStore } from './ports/file-store.ts';
import { Outgoing } from './ports/outgoing.ts';
import { openSqliteStore } from './ports/sqlite.ts';
import type { Store } from './ports/store.ts';
import { type Run, Runs } from './runs.ts';

export interface ServerOptions extends StartUpOptions {
  /** In memory unless given. A store that is given stays open when the server closes. */
  readonly store?: Store;
  /** Folder that the file areas are kept below; unless given, a temporary one that goes when the server closes. A file store that is given stays open. */
  readonly files?: string | FileStore;
  /** Hosts that may be called, each with its port where that is not the usual one; any unless given. */
  readonly allowCallees?: readonly string[];
  /** Real time unless given; with `control` a clock that runs along with real time until a client takes it over. */
  readonly clock?: Clock;
  /** In ms since the epoch: time stands still there until somebody moves it; for a server without a clock of its own. */
  readonly startAt?: number;
  /** The right ones unless given. */
  readonly areas?: AreaClasses;
  /** Serves the control routes, and keeps the log for them: to this machine only, or to `any`. */
  readonly control?: boolean | 'any';
  /** Opens the control routes: 16 visible characters of ASCII or more. Made up unless given; one that is given stands in no profile. */
  readonly controlToken?: string;
  /** What takes the place of `areas` where the control routes may change it. */
  readonly faults?: FaultChoice;
  /** No log unless given. */
  readonly log?: LogOptions;
  /** Origins whose pages may read answers in a browser, as `https://app.example`; `*` for any; none unless given. */
  readonly allowOrigins?: readonly string[];
  /** What stands between clients and service from the start, and after a reset. */
  readonly script?: readonly ServiceAnswer[];
}

interface Address {
  /** 0 takes a free port. */
  readonly port?: number;
  readonly host?: string;
}

export interface Server {
  /** Base URL without a slash at its end. @throws {Error} before it listens */
  readonly url: string;
  readonly port: number;
  /** Opens the control routes. */
  readonly controlToken: string;
  /** Undefined where time cannot be moved. */
  readonly clock: ControlledClock | undefined;
  /** Puts objects into a space, all or none, past users, extensions and faults. @param order as the control route takes it @throws {OrderError | Refusal} */
  seed(order: object): Promise<readonly SeededObject[]>;
  /** Ids of the faults that it has at the moment. */
  faults(): readonly string[];
  /** These faults and no others, from when it resolves; data and connections stay. @throws {OrderError} there is no such fault @throws {Refusal} 409, it restarts already */
  setFaults(ids: readonly string[]): Promise<void>;
  /** What clients have sent, with `control` only. */
  readonly journal: Pick<Journal, 'requests' | 'clear'>;
  /** What stands between clients and service at the moment. */
  script(): readonly ServiceAnswer[];
  /** In the place of what was there, or behind it. @throws {OrderError} answers that are not right */
  changeScript(how: ScriptChange, answers: readonly ServiceAnswer[]): void;
  /** The bundled profile as YAML, bound to this server; what it says about the control routes is true with `control` only. */
  profile(): string;
  /** An access token as the server would grant it, or one that it has to refuse. @throws {RangeError} there is no such identity and no such user */
  issueToken(order: TokenOrder): Promise<IssuedToken>;
  /** Resolves with the base URL. By default on a free port of the loopback interface. */
  listen(address?: Address): Promise<string>;
  /** Begins without a port, in the place of `listen`, under that origin. Resolves with what takes the connections of clients in the same process. */
  serve(origin: string): Promise<(connection: Duplex) => void>;
  /** Becomes as new behind the same address: data, files, log, faults and clock are those of the start. Connections stay. @throws {Refusal} 409, it restarts already */
  reset(): Promise<void>;
  /** Takes no new request, finishes those it is answering, then ends. */
  close(): Promise<void>;
}

/** A reference server that does not listen yet. @throws {ConfigurationError | RangeError} a file, a key, a number or a token that is not right */
export function createServer(options: ServerOptions = {}): Server {
  const parts = new ServerParts(options);
  const { runs } = parts;
  return {
    controlToken: parts.controlToken,
    get url() {
      return parts.baseUrl();
    },
    get port() {
      return Number(new URL(parts.baseUrl()).port);
    },
    clock: parts.clock,
    async seed(order) {
      const { body } = readOrder(serviceControl.seed, new URLSearchParams(), JSON.stringify(order));
      return (await putSeed(parts.controlled.rightAreas(), body)).objects;
    },
    faults: () => parts.controlled.faults.set(),
    setFaults: async (ids) => void (await parts.controlled.faults.put(ids, 0)),
    journal: parts.journal,
    script: () => parts.script.answers,
    changeScript: (how, answers) => parts.script[how](heldAnswers(answers)),
    profile: () => profileText(parts.controlled),
    issueToken: (order) => parts.controlled.issueToken(order),
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      await runs.listen({ port, host }, (url) => (parts.listening = new URL(url)));
      return parts.baseUrl();
    },
    serve(origin) {
      parts.listening = new URL(origin);
      return runs.open();
    },
    reset: () => parts.reset(0),
    close: () => parts.close(),
  };
}

class ServerParts {
  readonly controlToken: string;
  readonly controlled: Controlled;
  readonly runs: Runs;
  readonly script: Script;
  readonly journal = new Journal();
  listening: URL | undefined;
  readonly #options: ServerOptions;
  readonly #ring = new LogRing(mostLogLines);
  readonly #hostDirectory: HostDirectory;
  readonly #activity = new Activity();
  readonly #ports: Omit<Ports, 'outgoing'>;
  readonly #clockwork: Clockwork | undefined;
  readonly #leaveClock: (() => void) | undefined;
  readonly #faults: FaultSwitch;
  #rightAreas: Areas | undefined;

  constructor(options: ServerOptions) {
    const { controlToken = randomBytes(24).toString('base64url') } = options;
    const complaint = controlTokenComplaint(controlToken);
    if (complaint !== undefined) throw new RangeError(complaint);
    this.controlToken = controlToken;
    this.#options = options;
    this.#hostDirectory = new HostDirectory(options.bulkSources?.[0]);
    this.#ports = portsOf(options, this.#ring, () => this.baseUrl());
    this.#clockwork = clockworkOf(this.#ports.clock, this.#activity);
    this.#leaveClock = this.#clockwork?.clock.settleWith(() => this.#activity.settled());
    this.#faults = new FaultSwitch(options.faults ?? withoutFaults(options.areas), (besides) =>
      this.runs.renew(async () => undefined, besides),
    );
    // where time is moved, what an answer takes on its way is no part of it
    const clock = options.clock ?? systemClock;
    this.script = new Script(clock);
    if (options.script) this.script.set(heldAnswers(options.script));
    const journal = options.control ? this.journal : undefined;
    const way = { clock, script: this.script, journal, answersBrowser: crossOrigin(options.allowOrigins ?? []) };
    this.controlled = this.#controlledBy(options);
    const control = options.control ? controlRoutes(this.controlled) : [];
    this.runs = new Runs(() =>
      makeRun(this.#faults.areas(), { ...this.#ports, outgoing: this.#outgoing() }, control, way),
    );
  }

  get clock(): ControlledClock | undefined {
    return this.#clockwork?.clock;
  }

  baseUrl(): string {
    if (this.listening === undefined) throw new Error('The server does not listen yet; call listen() first.');
    return this.listening.origin;
  }

  /** @param besides whether a request asks for it, which is answered when it is done */
  async reset(besides: 0 | 1): Promise<void> {
    this.script.set(this.#options.script ?? []);
    this.script.release();
    await this.runs.renew(async () => {
      await this.#ports.store.change((writing) => writing.empty());
      await this.#ports.fileStore.empty();
      this.#hostDirectory.empty();
      this.#ring.clear();
      this.journal.clear();
      this.#faults.reset();
      this.#rightAreas = undefined;
      await this.clock?.reset();
    }, besides);
  }

  async close(): Promise<void> {
    this.script.release();
    await this.runs.close();
    this.#leaveClock?.();
    this.#hostDirectory.remove();
    if (typeof this.#options.files !== 'object') await this.#ports.fileStore.close();
    if (this.#options.store === undefined) await this.#ports.store.close();
  }

  #controlledBy({ control, controlToken }: ServerOptions): Controlled {
    return {
      token: this.controlToken,
      tokenIsGiven: controlToken !== undefined,
      reach: control === 'any' ? 'any' : 'same machine',
      ring: this.#ring,
      baseUrl: () => this.baseUrl(),
      hostDirectory: this.#hostDirectory,
      configuration: this.#ports.configuration,
      restart: () => this.runs.restart(),
      reset: () => this.reset(1),
      faults: this.#faults,
      script: this.script,
      journal: this.journal,
      rightAreas: () => this.#areasWithoutFault(),
      issueToken: (order) => issueToken(this.runs.areas, this.#ports.configuration, order),
      ...(this.#clockwork && { clockwork: this.#clockwork }),
    };
  }

  #outgoing(): Outgoing {
    return new Outgoing(this.#activity, this.#options.allowCallees);
  }

  #areasWithoutFault(): Areas {
    this.#rightAreas ??= composeAreas(
      { ...rightAreas, multiCreate: SeedCreate },
      { ...this.#ports, outgoing: this.#outgoing() },
    );
    return this.#rightAreas;
  }
}

/** Answers that a program has made. @throws {OrderError} they are not right */
function heldAnswers(answers: readonly ServiceAnswer[]): readonly ServiceAnswer[] {
  const { body } = readOrder(serviceControl.setScript, new URLSearchParams(), JSON.stringify({ answers }));
  assertStatuses(body.answers);
  return body.answers;
}

/** A server that stays as it is. */
function withoutFaults(areas: AreaClasses = rightAreas): FaultChoice {
  return { initial: [], areas: () => areas, all: async () => ({ known: [], areasWith: () => areas }) };
}

/** What stays open from one run to the next. */
function portsOf(options: ServerOptions, ring: LogRing, baseAddress: () => string): Omit<Ports, 'outgoing'> {
  const clock = options.clock ?? ownClock(options);
  const probe: LogOptions = { level: 'info', destination: ring };
  return {
    store: options.store ?? openSqliteStore(),
    fileStore: typeof options.files === 'object' ? options.files : openFileStore(options.files),
    clock,
    configuration: startUpConfiguration(options),
    log: logTo([...(options.control ? [probe] : []), ...(options.log ? [options.log] : [])], clock),
    baseAddress,
  };
}

function ownClock({ control, startAt }: ServerOptions): Clock {
  if (startAt !== undefined) return controlledClock({ startAt });
  return control ? clockToTakeOver() : systemClock;
}

/** Undefined where time cannot be moved. */
function clockworkOf(clock: Clock, activity: Activity): Clockwork | undefined {
  return isControlled(clock) ? { clock, activity } : undefined;
}

function makeRun(classes: AreaClasses, ports: Ports, control: readonly Route[], way: Way): Run {
  const areas = composeAreas(classes, ports);
  const app = makeApp(areas, routesOf(areas), control, way);
  return { areas, app };
}
