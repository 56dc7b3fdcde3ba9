import { randomBytes } from 'node:crypto';
import { type AreaClasses, composeAreas, type Ports, rightAreas, routesOf } from './areas.ts';
import { type Clockwork, HostDirectory, controlRoutes } from './control.ts';
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
  /** Resolves with the base URL. By default on a free port of the loopback interface. */
  listen(address?: Address): Promise<string>;
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
  const ports = portsOf(options, ring, baseUrl);
  const clockwork = clockworkOf(ports.clock, activity);
  const control = options.control
    ? controlRoutes({
        token: controlToken,
        ring,
        baseUrl,
        hostDirectory,
        configuration: ports.configuration,
        restart: () => runs.restart(),
        ...(clockwork && { clockwork }),
      })
    : [];
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
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      await runs.listen({ port, host }, (url) => (listening.url = new URL(url)));
      return baseUrl();
    },
    async close() {
      await runs.close();
      leaveClock?.();
      hostDirectory.remove();
      if (typeof options.files !== 'object') await ports.fileStore.close();
      if (options.store === undefined) await ports.store.close();
    },
  };
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

function originOf(url: URL | undefined): string {
  if (url === undefined) throw new Error('The server does not listen yet; call listen() first.');
  return url.origin;
}
