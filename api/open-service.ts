import { loadYaml } from '../contract/packages.ts';
import type { Profile } from '../contract/profile.ts';
import { configurationOf } from '../reference-server/load-configuration.ts';
import { assertOptions, OptionError, type Options } from '../contract/option.ts';
import { rightAreas } from '../reference-server/areas.ts';
import type { FaultChoice } from '../reference-server/control/faults.ts';
import type { ReceivedRequest } from '../reference-server/http/journal.ts';
import { fits } from '../reference-server/http/script.ts';
import type { Store } from '../reference-server/ports/store.ts';
import { createServer, type Server as ReferenceServer } from '../reference-server/server.ts';
import type { FaultId } from '../variants/faults.ts';
import { instantOf, movableClock } from './clock.ts';
import { faultSet } from './faults.ts';
import { openStore, type StoreChoice } from './open-store.ts';
import type { RequestFilter, Service, ServiceOptions } from './service.ts';

/** A service that is not reached yet. */
interface OpenedService {
  readonly server: ReferenceServer;
  /** The service, once the server is there at that URL. */
  at(url: string, close?: () => Promise<void>): Service;
  /** Gives it up. */
  close(): Promise<void>;
}

/**
 * The parts of a service that do not depend on how clients reach it. @param allowOrigins origins whose pages may read answers
 * @throws {ConfigurationError | OptionError | StoreError} an option that is not right
 */
export async function openService(
  options: ServiceOptions,
  allowOrigins: readonly string[] = [],
): Promise<OpenedService> {
  const store = await openStore(choiceOf(options.store));
  try {
    const server = await serverOf(options, store, allowOrigins);
    const close = async (): Promise<void> => {
      await server.close();
      await store.close();
    };
    return { server, close, at: (url, closeBefore) => serviceAt(url, server, close, closeBefore) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws {OptionError} another kind of store, which would become the name of a file */
function choiceOf(store: string | undefined): StoreChoice {
  if (store === undefined || store === 'memory') return { kind: 'memory' };
  if (/^postgres(?:ql)?:/i.test(store)) return { kind: 'postgres', url: store };
  const [, kind, file = store] = /^([a-z][a-z0-9+.-]+):(.*)$/is.exec(store) ?? [];
  if (kind !== undefined && kind !== 'sqlite')
    throw new OptionError(
      `Expected memory, sqlite:FILE or postgres://USER@HOST:PORT/DATABASE as store, found one that begins with ${kind}:.`,
    );
  return { kind: 'sqlite', file };
}

async function serverOf(
  { space, seed, faults = [], dialect, clock, script }: ServiceOptions,
  store: Store,
  allowOrigins: readonly string[],
): Promise<ReferenceServer> {
  const options = {
    control: true,
    store,
    allowOrigins,
    ...((space ?? seed) !== undefined && { configuration: configurationOf({ space, seed }) }),
    ...(clock !== undefined && { startAt: instantOf(clock) }),
    ...(script !== undefined && { script }),
  };
  if (faults.length === 0 && dialect === undefined) return createServer({ ...options, faults: faultsToCome });
  const { createVariant } = await import('../variants/create-variant.ts');
  return createVariant({ ...options, faults: await faultIdsOf(faults), ...(dialect && { dialect }) });
}

/** Those of a server that begins without: they take longer to load than it takes to start, and most tests do without them. */
const faultsToCome: FaultChoice = {
  initial: [],
  areas: () => rightAreas,
  all: async () => (await import('../variants/create-variant.ts')).faultsWith(),
};

/** @throws {OptionError} there is no such fault */
async function faultIdsOf(ids: readonly string[]): Promise<readonly FaultId[]> {
  const { faultIdOf } = await import('../variants/faults.ts');
  return ids.map(faultIdOf);
}

function serviceAt(
  url: string,
  server: ReferenceServer,
  closeServer: () => Promise<void>,
  closeBefore: () => Promise<void> = async () => undefined,
): Service {
  let profile: Profile | undefined;
  let closing: Promise<void> | undefined;
  // it takes time, and most clients do without
  const known = (): Profile => (profile ??= loadYaml().parse(server.profile()) as Profile);
  const service: Service = {
    url,
    get profile() {
      return known();
    },
    clock: movableClock(server.clock),
    faults: faultSet({ now: () => server.faults(), put: async (ids) => server.setFaults(await faultIdsOf(ids)) }),
    journal: {
      requests: (filter) => server.journal.requests().filter(predicateOf(filter)),
      clear: () => server.journal.clear(),
      [Symbol.iterator]: () => [...server.journal.requests()][Symbol.iterator](),
    },
    script: {
      set: (answers) => server.changeScript('set', answers),
      append: (...answers) => server.changeScript('append', answers),
      clear: () => server.changeScript('set', []),
      [Symbol.iterator]: () => server.script()[Symbol.iterator](),
    },
    tokens: async (identity, options = {}) => {
      assertOptions('tokens', options, { lifetimeSeconds: 'number' });
      if (typeof identity !== 'string')
        throw new OptionError(
          `tokens needs an identity of the profile or a user, as editor; found ${String(identity)}.`,
        );
      const { lifetimeSeconds } = options;
      const order = { identity, ...(lifetimeSeconds !== undefined && { lifetimeSeconds }) };
      return (await server.issueToken(order)).accessToken;
    },
    seed: async (objects, options = {}) => {
      assertOptions('seed', options, { space: 'string' });
      return server.seed({ objects, ...options });
    },
    reset: () => server.reset(),
    close: () => (closing ??= closeBefore().then(closeServer)),
    [Symbol.asyncDispose]: () => service.close(),
  };
  return service;
}

const filterOptions: Options<Exclude<RequestFilter, (request: ReceivedRequest) => boolean>> = {
  method: 'string',
  path: 'string',
  correlationId: 'string',
};

/** @throws {OptionError} members that no filter has, for which nothing would fit */
function predicateOf(filter: RequestFilter = {}): (request: ReceivedRequest) => boolean {
  if (typeof filter === 'function') return filter;
  assertOptions('requests', filter, filterOptions);
  return (request) => fits(filter, request);
}
