import type { ExtensionHostProfile } from '../contract/profile/extension-host.ts';
import { assertOptions, type Options } from '../contract/option.ts';
import type { Entry } from '../simulator/extension/entry.ts';
import type { MetadataRecord, ReceivedKind } from '../simulator/extension/metadata.ts';
import type { Script } from '../simulator/extension/script.ts';
import type { ScriptedAnswer } from '../simulator/extension/step.ts';
import type { MovableClock } from './clock.ts';
import type { FaultSet } from './faults.ts';
import type { KnownRuleId } from './rule-ids.ts';

/** What an extension host is started with; everything has a default. */
export interface ExtensionHostOptions {
  /** A free one unless given. */
  readonly port?: number;
  /** The loopback interface unless given. */
  readonly host?: string;
  /** The key that it shares with the service, in Base64; made anew unless given. */
  readonly apiKey?: string;
  /** What its metadata show; a record of each type that the service calls, unless given. */
  readonly records?: readonly MetadataRecord[];
  /** Names of API keys that the first record asks for. */
  readonly permissions?: readonly string[];
  /** What it answers before it answers as the documents say: answers in order, or a function that chooses. */
  readonly script?: Script;
  /** Ids of rules about extension hosts that it is to break, until `faults` is told otherwise. */
  readonly faults?: readonly KnownRuleId[];
}

/** Which calls are meant: everything that is stated has to fit, or the function says so. */
export type CallFilter =
  | ((call: Entry) => boolean)
  | {
      readonly kind?: ReceivedKind;
      readonly method?: string;
      readonly path?: string;
      readonly recordId?: string;
      readonly correlationId?: string;
    };

/** What arrived at an extension host, oldest first. */
export interface CallJournal extends Iterable<Entry> {
  /** The calls that the filter admits; all unless given. */
  calls(filter?: CallFilter): readonly Entry[];
  /**
   * Resolves with the calls that the filter admits as soon as there are `count` of them (1 unless given), those of before included.
   * @throws {JournalTimeout | OptionError} after `timeoutMs` (10,000 unless given), with what came instead; a filter that is not right
   */
  waitFor(
    filter?: CallFilter,
    options?: { readonly count?: number; readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<readonly Entry[]>;
  /** Forgets what has arrived. */
  clear(): void;
}

/** What an extension host answers before it answers as the documents say. */
export interface HostScript {
  /** Takes the place of the former script; its counts begin anew. @throws {ScriptError} answers that are not right */
  set(script: Script): void;
  /** Adds answers behind those that are there: the first that fits a call counts. Takes the place of a function. */
  append(...answers: readonly ScriptedAnswer[]): void;
  /** Lets the host answer as the documents say. */
  clear(): void;
}

/** A running extension host, whose part is played by the tool. */
export interface ExtensionHost extends AsyncDisposable {
  /** The hostUri of its registration, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** The key that it shares with the service, in Base64. */
  readonly apiKey: string;
  /** What rules have to know of it. */
  readonly profile: ExtensionHostProfile;
  readonly clock: MovableClock;
  readonly journal: CallJournal;
  readonly script: HostScript;
  /** What it does wrong, which may change while it runs; work that is under way is given up then. */
  readonly faults: FaultSet;
  /** What its metadata show from now on. */
  setRecords(records: readonly MetadataRecord[]): void;
  /** Empties the journal, gives up work on what was acknowledged, and puts script, records, faults and clock back. */
  reset(): Promise<void>;
  /** Ends the listening and aborts what is under way. */
  close(): Promise<void>;
}

const known: Options<ExtensionHostOptions> = {
  port: 'number',
  host: 'string',
  apiKey: 'base64',
  records: 'list',
  permissions: 'list',
  script: 'any',
  faults: 'list',
};

/**
 * Starts an extension host in this process: it shows metadata, checks signatures, answers every kind of call, right unless the script says
 * otherwise, and keeps a journal. @throws {ScriptError | OptionError} a script or another option that is not right; the error of the system where it cannot
 * listen
 */
export async function startExtensionHost(options: ExtensionHostOptions = {}): Promise<ExtensionHost> {
  assertOptions('startExtensionHost', options, known);
  // what only a host needs is loaded for one
  const { openExtensionHost } = await import('./open-extension-host.ts');
  return openExtensionHost(options);
}
