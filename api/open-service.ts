import { parse } from 'yaml';
import type { Profile } from '../contract/profile.ts';
import { configurationOf } from '../reference-server/load-configuration.ts';
import { assertOptions } from '../contract/option.ts';
import type { Store } from '../reference-server/ports/store.ts';
import type { Server as ReferenceServer } from '../reference-server/server.ts';
import { createVariant } from '../variants/create-variant.ts';
import { faultIdOf } from '../variants/faults.ts';
import { instantOf, movableClock } from './clock.ts';
import { faultSet } from './faults.ts';
import { openStore, type StoreChoice } from './open-store.ts';
import type { Service, ServiceOptions } from './service.ts';

/** A service that is not reached yet. */
interface OpenedService {
  readonly server: ReferenceServer;
  /** The service, once the server is there at that URL. */
  at(url: string, close?: () => Promise<void>): Service;
  /** Gives it up. */
  close(): Promise<void>;
}

/**
 * The parts of a service that do not depend on how clients reach it.
 * @throws {ConfigurationError | OptionError | StoreError} an option that is not right
 */
export async function openService(options: ServiceOptions): Promise<OpenedService> {
  const store = await openStore(choiceOf(options.store));
  try {
    const server = serverOf(options, store);
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

function choiceOf(store: string | undefined): StoreChoice {
  if (store === undefined || store === 'memory') return { kind: 'memory' };
  return /^postgres(?:ql)?:/i.test(store)
    ? { kind: 'postgres', url: store }
    : { kind: 'sqlite', file: store.replace(/^sqlite:/, '') };
}

function serverOf({ space, seed, faults, dialect, clock }: ServiceOptions, store: Store): ReferenceServer {
  return createVariant({
    control: true,
    store,
    ...((space ?? seed) !== undefined && { configuration: configurationOf({ space, seed }) }),
    ...(faults && { faults: faults.map(faultIdOf) }),
    ...(dialect && { dialect }),
    ...(clock !== undefined && { startAt: instantOf(clock) }),
  });
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
  const known = (): Profile => (profile ??= parse(server.profile()) as Profile);
  const service: Service = {
    url,
    get profile() {
      return known();
    },
    clock: movableClock(server.clock),
    faults: faultSet({ now: () => server.faults(), put: async (ids) => server.setFaults(ids.map(faultIdOf)) }),
    tokens: async (identity, options = {}) => {
      assertOptions('tokens', options, { lifetimeSeconds: 'number' });
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
