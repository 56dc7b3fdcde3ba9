import { randomBytes } from 'node:crypto';
import { controlTokenComplaint } from '../contract/control/route.ts';
import { type AreaClasses, type Areas, composeAreas, type Ports, rightAreas, routesOf } from './areas.ts';
import { type ControlReach, HostDirectory, controlRoutes } from './control.ts';
import type { Clockwork } from './control/clock.ts';
import { type FaultChoice, FaultSwitch } from './control/faults.ts';
import { SeedCreate } from './control/seed.ts';
import { makeApp } from './http/app.ts';
import type { Route } from './http/route.ts';
import { type StartUpOptions, startUpConfiguration } from './load-configuration.ts';
import { type LogOptions, LogRing, logTo } from './log.ts';
import { Activity, type Clock, systemClock } from './ports/clock.ts';
import { clockToTakeOver, isControlled } from './ports/controlled-clock.ts';
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
  /** Real time unless given; with `control` a clock that runs along with real time until a client takes it over. */
  readonly clock?: Clock;
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
  /** Resolves with the base URL. By default on a free port of the loopback interface. */
  listen(address?: Address): Promise<string>;
  /** Becomes as new behind the same address: data, files, log, faults and clock are those of the start. */
  reset(): Promise<void>;
  /** Takes no new request, finishes those it is answering, then ends. */
  close(): Promise<void>;
}

/** Lines that the control routes can show. */
const ringCapacity = 20_000;

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
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      await runs.listen({ port, host }, (url) => (parts.listening = new URL(url)));
      return parts.baseUrl();
    },
    reset: () => parts.reset(0),
    close: () => parts.close(),
  };
}

class ServerParts {
  readonly controlToken: string;
  readonly runs: Runs;
  listening: URL | undefined;
  readonly #options: ServerOptions;
  readonly #ring = new LogRing(ringCapacity);
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
    this.#faults = new FaultSwitch(options.faults ?? withoutFaults(options.areas), () =>
      this.runs.renew(async () => undefined, 1),
    );
    const control = options.control ? this.#controlRoutes(options.control) : [];
    // where time is moved, what an answer takes on its way is no part of it
    const wireClock = options.clock ?? systemClock;
    this.runs = new Runs(() =>
      makeRun(this.#faults.areas(), { ...this.#ports, outgoing: new Outgoing(this.#activity) }, control, wireClock),
    );
  }

  baseUrl(): string {
    if (this.listening === undefined) throw new Error('The server does not listen yet; call listen() first.');
    return this.listening.origin;
  }

  /** @param besides whether a request asks for it, which is answered when it is done */
  async reset(besides: 0 | 1): Promise<void> {
    await this.runs.renew(async () => {
      await this.#ports.store.change((writing) => writing.empty());
      await this.#ports.fileStore.empty();
      this.#hostDirectory.empty();
      this.#ring.clear();
      this.#faults.reset();
      this.#clockwork?.clock.reset();
    }, besides);
  }

  async close(): Promise<void> {
    await this.runs.close();
    this.#leaveClock?.();
    this.#hostDirectory.remove();
    if (typeof this.#options.files !== 'object') await this.#ports.fileStore.close();
    if (this.#options.store === undefined) await this.#ports.store.close();
  }

  #controlRoutes(control: true | 'any'): readonly Route[] {
    return controlRoutes({
      token: this.controlToken,
      tokenIsGiven: this.#options.controlToken !== undefined,
      reach: reachOf(control),
      ring: this.#ring,
      baseUrl: () => this.baseUrl(),
      hostDirectory: this.#hostDirectory,
      configuration: this.#ports.configuration,
      restart: () => this.runs.restart(),
      reset: () => this.reset(1),
      faults: this.#faults,
      rightAreas: () => this.#areasWithoutFault(),
      ...(this.#clockwork && { clockwork: this.#clockwork }),
    });
  }

  #areasWithoutFault(): Areas {
    this.#rightAreas ??= composeAreas(
      { ...rightAreas, multiCreate: SeedCreate },
      { ...this.#ports, outgoing: new Outgoing(this.#activity) },
    );
    return this.#rightAreas;
  }
}

function reachOf(control: true | 'any'): ControlReach {
  return control === 'any' ? 'any' : 'same machine';
}

/** A server that stays as it is. */
function withoutFaults(areas: AreaClasses = rightAreas): FaultChoice {
  return { initial: [], known: () => [], areasWith: () => areas };
}

/** What stays open from one run to the next. */
function portsOf(options: ServerOptions, ring: LogRing, baseAddress: () => string): Omit<Ports, 'outgoing'> {
  const clock = options.clock ?? (options.control ? clockToTakeOver() : systemClock);
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

/** Undefined where time cannot be moved. */
function clockworkOf(clock: Clock, activity: Activity): Clockwork | undefined {
  return isControlled(clock) ? { clock, activity } : undefined;
}

function makeRun(classes: AreaClasses, ports: Ports, control: readonly Route[], wireClock: Clock): Run {
  const areas = composeAreas(classes, ports);
  const app = makeApp(areas, routesOf(areas), control, wireClock);
  app.fastify.register(async (scope) => areas.openApi.registerDocs(scope));
  return { areas, app };
}
