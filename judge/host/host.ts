import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { Reply } from '../exchange.ts';
import type { Expect } from '../expect.ts';
import type { Notes } from '../notes.ts';
import type { Clock } from '../time/clock.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { CalledType, HostRecord } from './records.ts';
import type { Installation } from './stage/installation.ts';

/** What a case about an extension host is given: the suite plays the service. */
export interface HostContext {
  readonly host: Host;
  readonly records: Records;
  readonly stage: Stage;
  readonly given: HostGiven;
  readonly samples: Samples;
  readonly expect: Expect;
  readonly notes: Notes;
  readonly clock: Clock;
  readonly binding: ExtensionHostProfile;
}

/** What may be different in a request to the host. */
export interface HostChanges {
  /** Bearer value; null sends no Authorization header. The right one unless given. */
  readonly signature?: string | null;
  /** Scheme before it; Bearer unless given. */
  readonly scheme?: string;
  /** Query that is appended, as `name=value`; null for none. Unsigned. */
  readonly query?: string | null;
  /** Body as it stands. */
  readonly body?: string;
  readonly method?: string;
  /** On a connection that served nothing before. */
  readonly fresh?: true;
}

/** A call that is about to be sent, or was. */
export interface HostCall {
  readonly record: HostRecord;
  readonly envelope: Envelope;
}

/** Source: extensions, Call envelope */
export interface Envelope {
  readonly id: string;
  readonly accessToken: string;
  readonly baseAddress: string;
  readonly informationFilter: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The extension host under test. */
export interface Host {
  /** Without a slash at its end. */
  readonly hostUri: string;
  /** The metadata exchange. */
  metadata(changes?: HostChanges): Promise<Reply>;
  /** POST of the envelope to the endpoint of the record, with the token as query where the documents say so. */
  call(call: HostCall, changes?: HostChanges): Promise<Reply>;
  /** As call, but the connection is cut before the answer is read. */
  callAndLeave(call: HostCall): Promise<void>;
  /** A signed request to any address of the host. */
  send(method: string, url: string, changes?: HostChanges): Promise<Reply>;
  /** Right bearer value for an address, or that of another key. @param apiKey Base64 */
  signatureFor(url: string, apiKey?: string): string;
  /** Lets requests of `run` wait for their answers this long instead of the usual time. */
  patiently<T>(run: (patient: Host) => Promise<T>): Promise<T>;
}

/** The records of the host, as the metadata exchange showed them before the case. */
export interface Records {
  readonly all: readonly HostRecord[];
  /** The first of that type, unless the samples of the profile name one. */
  of(type: CalledType): HostRecord;
  /** A record of that id, else the first of the type. */
  named(id: string | undefined, type: CalledType): HostRecord;
  /** Those that ask for API keys. */
  readonly withPermissions: readonly HostRecord[];
}

/** The service that the suite plays. */
export interface Stage {
  /** One with an address, a space and tokens of its own. */
  installation(): Promise<Installation>;
  /** Whether several can have an address each. */
  readonly severalAddresses: boolean;
}

export interface HostGiven {
  unique(prefix?: string): string;
  assume(condition: boolean, sentence: string): void;
  present<T>(value: T | null | undefined, what: string, standsOn?: readonly RuleId[]): T;
  succeeded(reply: Reply, step: string, standsOn?: readonly RuleId[]): void;
  inconclusive(sentence: string): never;
  /** Ends the case as blocked: the host never does what the rule is about. */
  notExercised(what: string): never;
}

type AllSamples = NonNullable<ExtensionHostProfile['samples']>;
export type TaskSample = NonNullable<NonNullable<AllSamples['task']>['success']>;
export type ActionSample = NonNullable<NonNullable<AllSamples['action']>['success']>;

/** Samples of the profile; one that is asked for and missing ends the case as blocked and names its key. */
export interface Samples {
  readonly validation: NonNullable<AllSamples['validation']>;
  action(name: 'success' | 'failure' | 'batch'): ActionSample;
  task(name: 'success' | 'failure'): TaskSample;
  /** All that are there. */
  readonly all: AllSamples;
}
