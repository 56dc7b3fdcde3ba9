import { randomBytes } from 'node:crypto';
import { behaviours as rightBehaviours } from './behaviours.ts';
import type { Clock } from './clock/clock.ts';
import { clockToTakeOver, isControlled } from './clock/controlled.ts';
import { systemClock } from './clock/system.ts';
import { startUpConfiguration, type StartUpOptions } from './configuration/start-up.ts';
import { controlRoutes } from './control.ts';
import type { Clockwork } from './control/clock.ts';
import { HostDirectory } from './control/host-directory.ts';
import { outgoingOf } from './delivery/outgoing.ts';
import { strangeDialect } from './dialect/strange.ts';
import type { Fault } from './faults/fault.ts';
import { together } from './faults/fault.ts';
import { faultOf, type FaultId } from './faults/faults.ts';
import { openFileStore } from './files/disk/disk.ts';
import type { FileStore } from './files/file-store.ts';
import { appOf, type App } from './http/app.ts';
import { LogRing } from './log-ring.ts';
import { logTo, type LogOptions } from './log.ts';
import { registerDocs } from './openapi.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { Runs } from './runs.ts';
import type { Service } from './service.ts';
import { openSqliteStore } from './store/sqlite.ts';
import type { Store } from './store/store.ts';

export interface ServerOptions extends StartUpOptions {
  /** In memory unless given. A store that is given stays open when the server closes. */
  readonly store?: Store;
  /** Folder that the file areas are kept below; unless given, a temporary one that goes when the server closes. A file store that is given stays open. */
  readonly files?: string | FileStore;
  /** Real time unless given; with `control` a clock that runs along with real time until a client takes it over. */
  readonly clock?: Clock;
  /** Rules that the server breaks; a fault that is no rule's can be handed over itself. */
  readonly faults?: readonly (FaultId | Fault)[];
  /** `strange` changes all that the documents leave open. */
  readonly dialect?: 'strange';
  /** Serves the control routes, and keeps the log for them. */
  readonly control?: boolean;
  /** No log unless given. */
  readonly log?: LogOptions;
}

export interface Address {
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

/** Lines that the control routes can show. */
const ringCapacity = 20_000;

/** A reference server that does not listen yet. @throws {ConfigurationError | RangeError} a file or a fault that is not right */
export function createServer(options: ServerOptions = {}): Server {
  const controlToken = randomBytes(24).toString('base64url');
  const ring = new LogRing(ringCapacity);
  const hostDirectory = new HostDirectory(options.bulkSources?.[0]);
  const listening: { url?: URL } = {};
  const baseUrl = (): string => originOf(listening.url);
  const { service, ownsStore } = serviceOf(options, ring, baseUrl);
  const clockwork = clockworkOf(service);
  const control = options.control
    ? controlRoutes({
        token: controlToken,
        ring,
        baseUrl,
        hostDirectory,
        restart: () => runs.restart(),
        ...(clockwork && { clockwork }),
      })
    : [];
  const leaveClock = clockwork?.clock.settleWith(() => clockwork.activity.settled());
  // where time is moved, what an answer takes on its way is no part of it
  const runs = new Runs(service, (of) => assembled(of, routes, control, options.clock ?? systemClock));
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
      if (typeof options.files !== 'object') await service.files.close();
      if (ownsStore) await service.store.close();
    },
  };
}

function serviceOf(
  options: ServerOptions,
  ring: LogRing,
  baseUrl: () => string,
): { readonly service: Service; readonly ownsStore: boolean } {
  const clock = options.clock ?? (options.control ? clockToTakeOver() : systemClock);
  const probe: LogOptions = { level: 'info', destination: ring };
  const service: Service = {
    behaviours: composed(options)(rightBehaviours),
    store: options.store ?? openSqliteStore(),
    files: typeof options.files === 'object' ? options.files : openFileStore(options.files),
    clock,
    configuration: startUpConfiguration(options),
    log: logTo([...(options.control ? [probe] : []), ...(options.log ? [options.log] : [])], clock),
    baseAddress: baseUrl,
  };
  return { service, ownsStore: options.store === undefined };
}

/** Undefined where time cannot be moved. */
function clockworkOf(service: Service): Clockwork | undefined {
  const { clock } = service;
  return isControlled(clock) ? { clock, activity: outgoingOf(service).activity } : undefined;
}

/** Faults stand under the dialect: a strange server that breaks a rule breaks it strangely. */
function composed({ faults = [], dialect }: ServerOptions): Fault {
  const wrongs = faults.map((fault) => (typeof fault === 'function' ? fault : faultOf(fault)));
  return together(...wrongs, ...(dialect === undefined ? [] : [dialects[dialect]]));
}

const dialects: Readonly<Record<NonNullable<ServerOptions['dialect']>, Fault>> = {
  strange: strangeDialect,
};

function assembled(service: Service, served: readonly Route[], control: readonly Route[], wireClock: Clock): App {
  const app = appOf(service, served, control, wireClock);
  app.fastify.register(async (scope) => registerDocs(scope, service));
  return app;
}

function originOf(url: URL | undefined): string {
  if (url === undefined) throw new Error('The server does not listen yet; call listen() first.');
  return url.origin;
}
