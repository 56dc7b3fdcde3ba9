import { randomBytes, randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { type AreaClasses, type Areas, composeAreas, type Ports, rightAreas, routesOf } from './areas.ts';
import { type Clockwork, HostDirectory, controlRoutes, profileText } from './control.ts';
import type { Configuration } from './configuration.ts';
import { makeApp } from './http/app.ts';
import type { Route } from './http/route.ts';
import { type StartUpOptions, startUpConfiguration } from './load-configuration.ts';
import { type LogOptions, LogRing, logTo } from './log.ts';
import { Activity, type Clock, systemClock } from './ports/clock.ts';
import { clockToTakeOver, type ControlledClock, controlledClock, isControlled } from './ports/controlled-clock.ts';
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
  /** In ms since the epoch: time stands still there until somebody moves it; for a server without a clock of its own. */
  readonly startAt?: number;
  /** The right ones unless given. */
  readonly areas?: AreaClasses;
  /** Serves the control routes, and keeps the log for them. */
  readonly control?: boolean;
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
  /** Undefined where time cannot be moved. */
  readonly clock: ControlledClock | undefined;
  /** The bundled profile as YAML, bound to this server; what it says about the control routes is true with `control` only. */
  profile(): string;
  /** An access token as the token endpoint gives one to that user; with a lifetime in seconds of its own where one is given, which may be over. @throws {RangeError} there is no such user */
  issueToken(user: string, lifetimeSeconds?: number): Promise<string>;
  /** Resolves with the base URL. By default on a free port of the loopback interface. */
  listen(address?: Address): Promise<string>;
  /** Begins without a port, in the place of `listen`, under that origin. Resolves with what takes the connections of clients in the same process. */
  serve(origin: string): Promise<(connection: Duplex) => void>;
  /**
   * Ends all that is under way and begins anew at the same address, with an empty store, without files, and with time as it was at first.
   * @param open the store that takes the place of the former one; one in memory unless given. @throws {Refusal} 409, it restarts already
   */
  reset(open?: () => Store | Promise<Store>): Promise<void>;
  /** Takes no new request, finishes those it is answering, then ends. */
  close(): Promise<void>;
}

/** Lines that the control routes can show: those of some thousand requests. Whoever asks gets all of them, so more would cost each time. */
const ringCapacity = 5000;

/** A reference server that does not listen yet. @throws {ConfigurationError} a file that is not right */
export function createServer(options: ServerOptions = {}): Server {
  const controlToken = randomBytes(24).toString('base64url');
  const ring = new LogRing(ringCapacity);
  const hostDirectory = new HostDirectory(options.bulkSources?.[0]);
  const listening: { url?: URL } = {};
  const baseUrl = (): string => originOf(listening.url);
  const activity = new Activity();
  let ports = portsOf(options, ring, baseUrl);
  const clockwork = clockworkOf(ports.clock, activity);
  const bound = {
    token: controlToken,
    baseUrl,
    hostDirectory,
    configuration: ports.configuration,
    ...(clockwork && { clockwork }),
  };
  const control = options.control ? controlRoutes({ ...bound, ring, restart: () => runs.restart() }) : [];
  const leaveClock = clockwork?.clock.settleWith(() => clockwork.activity.settled());
  // where time is moved, what an answer takes on its way is no part of it
  const wireClock = options.clock ?? systemClock;
  const runs = new Runs(() =>
    makeRun(options.areas ?? rightAreas, { ...ports, outgoing: new Outgoing(activity) }, control, wireClock),
  );
  return {
    controlToken,
    get url() {
      return baseUrl();
    },
    get port() {
      return Number(new URL(baseUrl()).port);
    },
    clock: clockwork?.clock,
    profile: () => profileText(bound),
    issueToken: (user, lifetimeSeconds) => issueToken(runs.areas.tokens, ports.configuration, user, lifetimeSeconds),
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      await runs.listen({ port, host }, (url) => (listening.url = new URL(url)));
      return baseUrl();
    },
    serve(origin) {
      listening.url = new URL(origin);
      return runs.open();
    },
    reset: (open = openSqliteStore) =>
      runs.replace(async () => {
        hostDirectory.remove();
        await closeOwn(ports, options);
        clockwork?.clock.beginAnew();
        ports = { ...ports, store: await open(), fileStore: fileStoreOf(options) };
      }),
    async close() {
      await runs.close();
      leaveClock?.();
      hostDirectory.remove();
      await closeOwn(ports, options);
    },
  };
}

/** What was given to the server stays open. */
async function closeOwn(
  { fileStore, store }: Pick<Ports, 'fileStore' | 'store'>,
  options: ServerOptions,
): Promise<void> {
  if (typeof options.files !== 'object') await fileStore.close();
  if (options.store === undefined) await store.close();
}

async function issueToken(
  tokens: Areas['tokens'],
  { users }: Configuration,
  name: string,
  lifetimeSeconds: number | undefined,
): Promise<string> {
  const user = users.get(name);
  if (user === undefined) throw new RangeError(`There is no user ${name}; there are ${[...users.keys()].join(', ')}.`);
  if (lifetimeSeconds === undefined) return tokens.issueToken(user);
  const iat = tokens.secondsNow();
  return tokens.signClaims({ sub: name, iat, exp: iat + lifetimeSeconds, jti: randomUUID() });
}

function fileStoreOf({ files }: ServerOptions): FileStore {
  return typeof files === 'object' ? files : openFileStore(files);
}

/** What stays open from one run to the next. */
function portsOf(options: ServerOptions, ring: LogRing, baseAddress: () => string): Omit<Ports, 'outgoing'> {
  const clock = options.clock ?? ownClock(options);
  const probe: LogOptions = { level: 'info', destination: ring };
  return {
    store: options.store ?? openSqliteStore(),
    fileStore: fileStoreOf(options),
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

function makeRun(classes: AreaClasses, ports: Ports, control: readonly Route[], wireClock: Clock): Run {
  const areas = composeAreas(classes, ports);
  const app = makeApp(areas, routesOf(areas), control, wireClock);
  app.fastify.register(async (scope) => areas.openApi.registerDocs(scope));
  return { areas, app };
}

function originOf(url: URL | undefined): string {
  if (url === undefined) throw new Error('The server does not listen yet; call listen() first.');
  return url.origin;
}
