import type { Options } from '../contract/option.ts';
import type { ServiceAnswer } from '../contract/control/script.ts';
import type { IdentityName, Profile } from '../contract/profile.ts';
import type { ReceivedRequest } from '../reference-server/http/journal.ts';
import type { SeedSource, TemplatesSource } from '../reference-server/load-configuration.ts';
import type { MovableClock } from './clock.ts';
import type { FaultSet } from './faults.ts';
import type { KnownRuleId } from './rule-ids.ts';

/** The service as a process of yours has it, whichever way its clients reach it. */
export interface Service extends AsyncDisposable {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  /** What clients and rules have to know of it: identities with their credentials, SoftTypes, routes. */
  readonly profile: Profile;
  /** Its time, which runs along with real time until you move it. */
  readonly clock: MovableClock;
  /** What it does wrong, which may change while it runs. */
  readonly faults: FaultSet;
  /** What clients have sent to it; the last 1,000 requests. */
  readonly journal: RequestJournal;
  /** What a gateway or a bad line makes of requests, until it is told otherwise: other statuses, late answers, lost connections. */
  readonly script: ServiceScript;
  /**
   * An access token, as the token endpoint would give one. `lifetimeSeconds` takes the place of the usual lifetime; with -1 the token has expired.
   * @param identity one of the profile, as `editor` or `reader`, or the name of a user of the seed
   * @throws {OptionError} there is no such identity and no such user
   */
  tokens(identity: IdentityName | (string & {}), options?: { readonly lifetimeSeconds?: number }): Promise<string>;
  /**
   * Puts objects into a space, all or none: with ids and versions of your choice, and without a user, an extension or a fault in between.
   * Resolves with where they are, in their order. @throws {OrderError | Refusal} what they hold does not fit, or an id is taken
   */
  seed(objects: readonly SeedObject[], options?: { readonly space?: string }): Promise<readonly SeededObject[]>;
  /** Becomes as new at the same address: ends what is under way, empties the store, the file areas and the journal, and puts clock, faults and script back as they were at the start. */
  reset(): Promise<void>;
  /** Finishes what is being answered, then ends and takes temporary files away. To close twice is to close once. */
  close(): Promise<void>;
}

/** Which requests are meant: everything that is stated has to fit, and in `path` stands `*` for any text; or the function says so. */
export type RequestFilter =
  | ((request: ReceivedRequest) => boolean)
  | { readonly method?: string; readonly path?: string; readonly correlationId?: string };

/** What arrived at a service, oldest first. */
export interface RequestJournal extends Iterable<ReceivedRequest> {
  /** The requests that the filter admits; all unless given. @throws {OptionError} a filter that is not right */
  requests(filter?: RequestFilter): readonly ReceivedRequest[];
  /** Forgets what has arrived. */
  clear(): void;
}

/** What stands between the clients and a service. The first answer that fits a request decides; where none does, the service answers. */
export interface ServiceScript extends Iterable<ServiceAnswer> {
  /** Takes the place of what was there; steps are counted anew. @throws {OrderError} answers that are not right */
  set(answers: readonly ServiceAnswer[]): void;
  /** Adds answers behind those that are there, whose counts go on. @throws {OrderError} answers that are not right */
  append(...answers: readonly ServiceAnswer[]): void;
  /** Leaves the service alone again. */
  clear(): void;
}

/** An object as a test wants it to be there. */
export interface SeedObject {
  /** Becomes its `$oid`; others of the same seed refer to it by that. Made up unless given. */
  readonly $id?: string;
  /** Definition of the object, as `Document`. */
  readonly $softType: string;
  /** What it holds, by the first input schema of the definition. Left out, what it has to hold is made up: readable, and the same each time. */
  readonly data?: unknown;
  /** 1 unless given. */
  readonly version?: number;
}

/** Where an object of a seed is. */
export interface SeededObject {
  readonly $oid: string;
  readonly href: string;
  readonly version: number;
}

/** What a service is started with; everything has a default. */
export interface ServiceOptions {
  /** Its SoftTypes, schemas, filters and maturity processes: a YAML file like `fixtures/space-template.yaml`, or what would stand in it. */
  readonly space?: string | URL | TemplatesSource;
  /** Its users, roles and spaces, and how tokens are made: a YAML file like `fixtures/seed.yaml`, or what would stand in it. */
  readonly seed?: string | URL | SeedSource;
  /**
   * A SQLite file that outlives the service, with or without `sqlite:` before it, or the address of a PostgreSQL database, as
   * `postgres://USER@HOST:PORT/DATABASE`, which several services may share; `memory` unless given.
   */
  readonly store?: string;
  /** Ids of rules that it is to break, each in the smallest way, until `faults` is told otherwise. */
  readonly faults?: readonly KnownRuleId[];
  /** Each answers differently where the documents leave it open, and elsewhere than the others: for clients that may rely on nothing else. */
  readonly dialect?: 'strange' | 'foreign' | 'peculiar';
  /** Where its time stands still until it is moved; a number is ms since the epoch. It runs along with real time unless given. */
  readonly clock?: Date | number | string;
  /** What stands between the clients and the service from the start. */
  readonly script?: readonly ServiceAnswer[];
}

export const serviceOptions: Options<ServiceOptions> = {
  space: 'any',
  seed: 'any',
  store: 'string',
  faults: 'list',
  dialect: { words: { strange: true, foreign: true, peculiar: true } },
  clock: 'any',
  script: 'list',
};
