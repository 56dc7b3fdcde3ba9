import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import type { Script } from '../../simulator/extension/script.ts';
import type { Changes, Reply } from '../exchange.ts';
import type { Thing } from '../given.ts';
import type { Call, CallFilter } from './call.ts';

/** Types of records that the service calls in a way that the documents show. */
export type CalledType = 'ExternalEvent' | 'ExternalValidation' | 'ExternalTask' | 'Email' | 'ExternalAction';
/** Last segment of the documented registration routes. */
export type RegistrationKind = 'externalEndpoint' | 'trustedExternalEndpoint' | 'svcExtension';

export interface WaitOptions {
  /** 5000 unless given; time of the clock in a schedule, real time elsewhere. */
  readonly withinMs?: number;
  /** Each is due only after the one before, so that each may be late by the granularity of the service. */
  readonly oneByOne?: true;
}

/** Something of the suite's own that the service may call. */
export interface Reached {
  /** Address that was registered: hostUri or url. */
  readonly url: string;
  /** The registration, unless it was made without one. */
  readonly registration: Registration | undefined;
  /** What arrived so far and fits, oldest first; without the metadata exchange and what fits no kind of call. */
  calls(filter?: CallFilter): readonly Call[];
  /** Everything that arrived, metadata and unknown paths included. */
  everything(): readonly Call[];
  /** The first call that fits, come or yet to come. @throws {PreconditionFailed} it does not come: for what the case does not judge */
  call(filter?: CallFilter, options?: WaitOptions): Promise<Call>;
  /** As `call`, undefined when it does not come: for what the case judges. */
  arrived(filter?: CallFilter, options?: WaitOptions): Promise<Call | undefined>;
  /** The first `count` calls that fit, once they have ended; fewer when the time is over. */
  ended(count: number, filter?: CallFilter, options?: WaitOptions): Promise<readonly Call[]>;
  /** Gaps from the end of each call to the arrival of the next, in ms. */
  gaps(filter?: CallFilter): readonly number[];
  /** Takes the place of the former script; counts begin anew. */
  setScript(script: Script): void;
  /** Only with a listener of its own: connections are refused from now on, until `reopen`. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
}

/** A registered extension that the suite plays. */
export interface Extension extends Reached {
  /** Base64. */
  readonly apiKey: string;
  readonly records: readonly MetadataRecord[];
  /** The record of that type, or of the only one. */
  record(type?: CalledType): MetadataRecord;
  /** What the metadata exchange shows from now on. */
  setRecords(records: readonly MetadataRecord[]): void;
  /** The metadata exchanges so far. */
  metadata(): readonly Call[];
  /** Validations of that object are this extension's business too: others get the right answer and are not shown. */
  concern(thing: Thing): void;
}

/** An external endpoint, simple or trusted, that the suite plays. */
export interface Endpoint extends Reached {
  readonly id: string;
}

export interface ExtensionOptions {
  /** One record of each, with a rate limit of 100; `ExternalEvent` unless given. */
  readonly types?: readonly CalledType[];
  /** Further members of each of those records. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** The metadata as it stands, instead; made from hostUri where it names it. */
  readonly records?: readonly MetadataRecord[] | ((url: string) => readonly MetadataRecord[]);
  readonly script?: Script;
  /** Base64; 64 random bytes unless given. */
  readonly apiKey?: string;
  /** Minutes; 60 unless given. */
  readonly tokenLifeTime?: number;
  /** Further members of the registration. */
  readonly registration?: Readonly<Record<string, unknown>>;
  /** Objects whose validations are this extension's business. */
  readonly concerns?: readonly Thing[];
  /** A port of its own, with an empty base path, so that it can be shut. Blocked where publicUrl names no {port}. */
  readonly ownListener?: boolean;
  /** Stands ready without being registered. */
  readonly unregistered?: boolean;
  /** Added to hostUri, as a slash or a path. */
  readonly suffix?: string;
}

export interface EndpointOptions {
  readonly trusted?: boolean;
  /** POST unless given. */
  readonly method?: string;
  /** Path and query behind the base; `/hook` unless given. */
  readonly target?: string;
  /** One `content-type` of JSON unless given. */
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  /** Further members of the registration. */
  readonly registration?: Readonly<Record<string, unknown>>;
  readonly script?: Script;
  readonly unregistered?: boolean;
}

/** A registration that the suite made. */
export interface Registration {
  readonly kind: RegistrationKind;
  /** By which the routes of the profile name it. */
  readonly id: string;
  /** As it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly reply: Reply;
}

/** The registration routes, sent as administrator unless changed. */
export interface Registrations {
  /** POST as documented; what it makes is booked. */
  post(kind: RegistrationKind, body: unknown, changes?: Changes): Promise<Reply>;
  /** The registration behind an answer. @throws {PreconditionFailed} it was refused, or names no id */
  made(kind: RegistrationKind, body: Readonly<Record<string, unknown>>, reply: Reply): Registration;
  /** Needs `registration-update`: the registered body with these members changed. */
  update(registration: Registration, members?: Readonly<Record<string, unknown>>, changes?: Changes): Promise<Reply>;
  /** undefined where the profile has no routes.registrationRead. */
  read(registration: Registration, changes?: Changes): Promise<Reply | undefined>;
  /** undefined where the profile has no routes.registrationDelete. */
  remove(registration: Registration): Promise<Reply | undefined>;
}

/** What a trigger set off. */
export interface Triggered {
  readonly reply: Reply;
  /** A text that stands in what was sent, for `about` in a filter. */
  readonly marker: string;
  /** Id of the event or job; undefined where the answer shows none. */
  readonly id: string | undefined;
}

/** Requests of the profile that make the service call out. Each needs the `trigger-` word of its name. */
export interface Triggers {
  /** One event for the ExternalEvent record; `payload` is its content. @throws {PreconditionFailed} unless it is accepted */
  event(
    extension: Extension,
    payload?: Readonly<Record<string, unknown>>,
    changes?: Changes & { readonly recordId?: string },
  ): Promise<Triggered>;
  /** One call of a simple or trusted endpoint. @throws {PreconditionFailed} unless it is accepted */
  endpoint(endpoint: Endpoint, payload?: unknown, changes?: Changes): Promise<Triggered>;
  /** The validated operation on an object; its reply is the outcome. */
  validation(thing: Thing, changes?: Changes & { readonly contextObjectId?: string }): Promise<Triggered>;
  /** @throws {PreconditionFailed} unless it is accepted */
  task(
    extension: Extension,
    values?: {
      readonly inputPath?: string;
      readonly taskSettings?: Readonly<Record<string, unknown>>;
      readonly timeout?: number;
    },
    changes?: Changes,
  ): Promise<Triggered>;
  /** @throws {PreconditionFailed} unless it is accepted */
  email(extension: Extension, mail?: Partial<Mail>, changes?: Changes): Promise<Triggered & Mail>;
  actionForm(
    extension: Extension,
    form: {
      readonly requestedRoute: string;
      readonly httpVerb: string;
      readonly payload: unknown;
      readonly thing?: Thing;
    },
    changes?: Changes,
  ): Promise<Triggered>;
  actionRibbon(
    extension: Extension,
    selection?: { readonly thing?: Thing; readonly context?: Thing },
    changes?: Changes,
  ): Promise<Triggered>;
  /** Needs `event-delete`. */
  deleteEvent(event: Triggered, changes?: Changes): Promise<Reply>;
  /** Needs `job-read`. */
  job(task: Triggered, changes?: Changes): Promise<Reply>;
  /** Log entries of deliveries; undefined where the profile has no routes.deliveryLog. */
  log(changes?: Changes): Promise<Reply | undefined>;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}
