import type { IdentityName } from '../contract/profile.ts';
import type { Patience } from './client.ts';
import type { Changes, Reply, RequestSpec } from './exchange.ts';
import type { Port, Thing } from './given.ts';

/** Makes requests of the documented routes without sending them; the sender is the editor, version and filter are valid. */
export interface Requests {
  /** GET by the short route. */
  read(thing: Thing): RequestSpec;
  /** GET by the long route, with the output schema of the profile unless another is named. */
  readLong(thing: Thing, outputSchemaId?: string): RequestSpec;
  page(thing: Thing, pageNumber: number | string, port?: Port): RequestSpec;
  create(body: unknown, thing?: Pick<Thing, 'type' | 'space'>): RequestSpec;
  merge(thing: Thing, body: unknown, version?: number): RequestSpec;
  operations(thing: Thing, operations: unknown, version?: number): RequestSpec;
  /** Needs `put-route`. */
  put(thing: Thing, body: unknown, version?: number): RequestSpec;
  /** Needs `delete-route`. */
  remove(thing: Thing): RequestSpec;
  /** Needs `maturity`. */
  promote(thing: Thing, version?: number): RequestSpec;
  /** Needs `demote-route` and `maturity`. */
  demote(thing: Thing, version?: number): RequestSpec;
  batch(operations: readonly object[]): RequestSpec;
  multiCreate(items: readonly object[]): RequestSpec;
  openApi(): RequestSpec;
  /** Any GET; `uri` may be relative to `base`. */
  get(uri: string, base?: Reply): RequestSpec;
}

/** The implementation under test. Every method of `requests` can be sent at once: `service.read(thing, { as: 'reader' })`. */
export interface Target {
  readonly requests: Requests;
  send(request: RequestSpec, changes?: Changes): Promise<Reply>;
  read(thing: Thing, changes?: Changes): Promise<Reply>;
  readLong(thing: Thing, changes?: Changes & { readonly outputSchemaId?: string }): Promise<Reply>;
  page(thing: Thing, pageNumber: number | string, changes?: Changes & { readonly port?: Port }): Promise<Reply>;
  create(body: unknown, changes?: Changes & { readonly of?: Pick<Thing, 'type' | 'space'> }): Promise<Reply>;
  /** `version` in `changes` takes the place of `thing.version`; an accepted write does not change `thing`. */
  merge(thing: Thing, body: unknown, changes?: Changes): Promise<Reply>;
  operations(thing: Thing, operations: unknown, changes?: Changes): Promise<Reply>;
  put(thing: Thing, body: unknown, changes?: Changes): Promise<Reply>;
  remove(thing: Thing, changes?: Changes): Promise<Reply>;
  promote(thing: Thing, changes?: Changes): Promise<Reply>;
  demote(thing: Thing, changes?: Changes): Promise<Reply>;
  batch(operations: readonly object[], changes?: Changes): Promise<Reply>;
  multiCreate(items: readonly object[], changes?: Changes): Promise<Reply>;
  openApi(changes?: Changes): Promise<Reply>;
  get(uri: string, changes?: Changes & { readonly base?: Reply }): Promise<Reply>;
  /**
   * The state of an object as far as the profile knows its members: version and data with all pages of both array ports, read as
   * the editor. Two snapshots are deeply equal exactly when nothing changed. Throws PreconditionFailed where it cannot be read.
   */
  snapshot(thing: Thing): Promise<Snapshot>;
  /**
   * As send, on a connection of its own and below any HTTP client: `body` holds every byte between the head and the end of the
   * connection, so that a 204 or 304 with content shows.
   */
  raw(request: RequestSpec, changes?: Changes): Promise<RawReply>;
  /** Sends the request whole and cuts the connection before an answer can arrive. */
  abandon(request: RequestSpec, changes?: Changes): Promise<void>;
  /** Every 429 and 503 of the run so far that made the suite wait. */
  patience(): readonly Patience[];
  /** Access token of an identity (password grant, or as the profile gives it); null where there is none. */
  token(identity: IdentityName): Promise<string | null>;
}

export interface RawReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** The same as an ordinary reply, for reports. */
  readonly reply: Reply;
}

export interface Snapshot {
  readonly version: number;
  readonly oid: string;
  /** Known root members that are not array ports; absent members left out. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Entries of all pages, per array port member: known members and `$entryId` as text. */
  readonly arrays: Readonly<Record<string, readonly Entry[]>>;
  readonly reply: Reply;
}

/** An entry as read: `$entryId` as text, its known members. */
export interface Entry {
  readonly entryId: string;
  readonly members: Readonly<Record<string, unknown>>;
}
