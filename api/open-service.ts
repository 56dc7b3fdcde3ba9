import { parse } from 'yaml';
import type { Profile } from '../contract/profile.ts';
import { configurationOf } from '../reference-server/load-configuration.ts';
import { openSqliteStore } from '../reference-server/ports/sqlite.ts';
import type { Server as ReferenceServer } from '../reference-server/server.ts';
import { createVariant } from '../variants/create-variant.ts';
import { faultIdOf } from '../variants/faults.ts';
import { movableClock } from './clock.ts';
import type { Service, ServiceOptions } from './service.ts';

/** The parts of a service that do not depend on how clients reach it. @throws {ConfigurationError | RangeError} an option that is not right */
export function openService({ space, seed, store, faults, dialect, clock }: ServiceOptions): {
  readonly server: ReferenceServer;
  /** The service, once the server is there at that URL. */
  at(url: string, close?: () => Promise<void>): Service;
} {
  const opened = store === undefined ? undefined : openSqliteStore(store);
  const server = createVariant({
    control: true,
    ...(opened && { store: opened }),
    ...((space ?? seed) !== undefined && { configuration: configurationOf({ space, seed }) }),
    ...(faults && { faults: faults.map(faultIdOf) }),
    ...(dialect && { dialect }),
    ...(clock !== undefined && { startAt: instantOf(clock) }),
  });
  return { server, at: (url, close) => serviceAt(url, server, opened, close) };
}

/** @throws {RangeError} no moment */
function instantOf(moment: Date | number | string): number {
  const at = new Date(moment).getTime();
  if (Number.isNaN(at))
    throw new RangeError(`Expected a moment for the clock, as 2027-01-31T12:00:00Z, found ${String(moment)}.`);
  return at;
}

function serviceAt(
  url: string,
  server: ReferenceServer,
  store: { close(): Promise<void> } | undefined,
  closeAlso: () => Promise<void> = async () => undefined,
): Service {
  let profile: Profile | undefined;
  let closing: Promise<void> | undefined;
  // it takes time, and most clients do without
  const known = (): Profile => (profile ??= parse(server.profile()) as Profile);
  const close = async (): Promise<void> => {
    await closeAlso();
    await server.close();
    await store?.close();
  };
  const service: Service = {
    url,
    get profile() {
      return known();
    },
    clock: movableClock(server.clock),
    tokens: async (identity, { lifetimeSeconds } = {}) => {
      const order = { identity, ...(lifetimeSeconds !== undefined && { lifetimeSeconds }) };
      return (await server.issueToken(order)).accessToken;
    },
    reset: () => server.reset(),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => service.close(),
  };
  return service;
}
