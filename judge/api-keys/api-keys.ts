import type { Profile } from '../../contract/profile.ts';
import type { Script } from '../../simulator/extension/script.ts';
import type { Changes, Reply } from '../exchange.ts';
import type { Call } from '../extension/call.ts';
import type { CalledType, Extension, Reached, WaitOptions } from '../extension/extension.ts';

/** Who asks for keys. */
export type Acquirer = NonNullable<Profile['apiKeys']>['acquireAs'];

/** Source: extensions, Acquiring API keys */
export interface AcquireBody {
  readonly tokenCallback?: unknown;
  readonly permissions?: unknown;
}

/** Something that may have API keys, and where they are brought to. */
export interface KeyHolder {
  /** As the acquire route names it: of the metadata record, or of the trusted endpoint. */
  readonly id: string;
  readonly tokenCallback: string;
  /** Names that are configured. */
  readonly permissions: readonly string[];
  /** What plays the callback. */
  readonly reached: Reached;
  /** Undefined for a trusted endpoint. */
  readonly extension: Extension | undefined;
}

export interface KeyHolderOptions {
  /** AdministrationAPI unless given; null for a record without permissions. */
  readonly permissions?: readonly string[] | null;
  /** Path of the callback below the base; `/keys` unless given. */
  readonly callbackPath?: string;
  /** A trusted endpoint instead of an extension. */
  readonly trusted?: boolean;
  /** Type of the record; ExternalEvent unless given. */
  readonly type?: CalledType;
  /** Answers of the callback; 200 unless given. Has to answer everything but the metadata. */
  readonly script?: Script;
}

export interface AcquireChanges extends Changes {
  /** Instead of what apiKeys.acquireAs of the profile says. */
  readonly by?: Acquirer | 'nobody';
}

/** A POST on a callback. */
export interface KeysPost {
  readonly call: Call;
  readonly json: unknown;
  /** Members of the body that are objects with a text `apiKey`. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The acquire route and what it leads to. Needs `acquire-identity` unless `by` is given. */
export interface ApiKeys {
  /** POST for a holder, with its callback and its permissions unless given. */
  acquire(holder: KeyHolder, body?: AcquireBody, changes?: AcquireChanges): Promise<Reply>;
  /** As acquire, under another id than that of the holder. */
  acquireUnder(id: string, holder: KeyHolder, body?: AcquireBody, changes?: AcquireChanges): Promise<Reply>;
  /** What came to the callback of a holder so far, oldest first. */
  callbacks(holder: KeyHolder): readonly KeysPost[];
  /** The post at that place, counted from 0, come or yet to come; undefined when it does not come within apiKeys.callbackTimeoutSeconds of the profile (10 s). */
  callback(holder: KeyHolder, index?: number, options?: WaitOptions): Promise<KeysPost | undefined>;
  /** Asks and waits: keys by the name of their permission. @throws {PreconditionFailed} none come */
  keysOf(holder: KeyHolder, permissions?: readonly string[]): Promise<Readonly<Record<string, string>>>;
}

export interface MakesKeyHolders {
  /** A registered extension, or a trusted endpoint, whose configuration allows keys. It goes when the case ends. */
  keyHolder(options?: KeyHolderOptions): Promise<KeyHolder>;
}
