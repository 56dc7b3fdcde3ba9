import { rm } from 'node:fs/promises';
import { parse } from 'yaml';
import type { IdentityName, Profile } from '../contract/profile.ts';
import { configurationOf, type SeedSource, type TemplatesSource } from '../reference-server/load-configuration.ts';
import { openSqliteStore } from '../reference-server/ports/sqlite.ts';
import type { Store } from '../reference-server/ports/store.ts';
import type { Server as ReferenceServer } from '../reference-server/server.ts';
import { createVariant } from '../variants/create-variant.ts';
import type { FaultId } from '../variants/faults.ts';
import { type MovableClock, movableClock } from './clock.ts';

/** The service as a process of yours has it, whichever way its clients reach it. */
export interface Service extends AsyncDisposable {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  /** What clients and rules have to know of it: identities with their credentials, SoftTypes, routes. */
  readonly profile: Profile;
  /** Its time, which runs along with real time until you move it. */
  readonly clock: MovableClock;
  /**
   * An access token, as the token endpoint would give one. `lifetimeSeconds` takes the place of the usual lifetime; with -1 the token has expired.
   * @param identity one of the profile, as `editor` or `reader`, or the name of a user of the seed
   * @throws {RangeError} there is no such identity and no such user
   */
  tokens(identity: IdentityName | (string & {}), options?: { readonly lifetimeSeconds?: number }): Promise<string>;
  /** Begins anew at the same address: ends what is under way, empties the store and the file areas, puts the clock back, and keeps faults and dialect. */
  reset(): Promise<void>;
  /** Finishes what is being answered, then ends and takes temporary files away. To close twice is to close once. */
  close(): Promise<void>;
}

/** What a service is started with; everything has a default. */
export interface ServiceOptions {
  /** Its SoftTypes, schemas, filters and maturity processes: a YAML file like `fixtures/space-template.yaml`, or what would stand in it. */
  readonly space?: string | URL | TemplatesSource;
  /** Its users, roles and spaces, and how tokens are made: a YAML file like `fixtures/seed.yaml`, or what would stand in it. */
  readonly seed?: string | URL | SeedSource;
  /** A SQLite file that outlives the service; in memory unless given. */
  readonly store?: string;
  /** Ids of rules that it is to break, each in the smallest way. */
  readonly faults?: readonly FaultId[];
  /** `strange` answers differently wherever the documents leave it open, for clients that may rely on nothing else. */
  readonly dialect?: 'strange';
  /** Where its time stands still until it is moved; a number is ms since the epoch. It runs along with real time unless given. */
  readonly clock?: Date | number | string;
}

/** The parts of a service that do not depend on how clients reach it. @throws {ConfigurationError | RangeError} an option that is not right */
export function openService({ space, seed, store, faults, dialect, clock }: ServiceOptions): {
  readonly server: ReferenceServer;
  /** The service, once the server is there at that URL. */
  at(url: string, close?: () => Promise<void>): Service;
} {
  const opened = store === undefined ? undefined : openStore(store);
  const server = createVariant({
    control: true,
    ...(opened && { store: opened.store }),
    ...((space ?? seed) !== undefined && { configuration: configurationOf({ space, seed }) }),
    ...(faults && { faults }),
    ...(dialect && { dialect }),
    ...(clock !== undefined && { startAt: instantOf(clock) }),
  });
  return { server, at: (url, close) => serviceAt(url, server, opened, close) };
}

interface OpenedStore {
  readonly store: Store;
  empty(): Promise<Store>;
  close(): Promise<void>;
}

function openStore(file: string): OpenedStore {
  let store = openSqliteStore(file);
  return {
    store,
    async empty() {
      await store.close();
      for (const ending of ['', '-wal', '-shm']) await rm(file + ending, { force: true });
      store = openSqliteStore(file);
      return store;
    },
    close: () => store.close(),
  };
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
  store: OpenedStore | undefined,
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
      const identities: Readonly<Record<string, { readonly username?: string } | undefined>> = known().identities;
      return server.issueToken(identities[identity]?.username ?? identity, lifetimeSeconds);
    },
    reset: async () => {
      profile = undefined;
      await server.reset(store && (() => store.empty()));
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => service.close(),
  };
  return service;
}
