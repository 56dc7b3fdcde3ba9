import type { RuleId } from '../../contract/rule.ts';
import { type Call, type CalledType, type CallFilter, callOf, fits } from './call.ts';
import type { Listeners, Place } from './listeners.ts';
import type { Called } from '../repeat/calls.ts';
import type { Registration, RegistrationKind, Registrations } from './registrations.ts';
import type { BoundProfile } from '../profile.ts';
import type { ValidatorChanges } from './validator-changes.ts';
import { longestPutToUseMs, type PutToUse } from './put-to-use.ts';
import type { Draw } from '../case/draw.ts';
import type { CaseRecord } from '../case/record.ts';
import type { Thing } from '../things.ts';
import type { Clock } from '../time/clock.ts';
import { Inconclusive, PreconditionFailed, TooLate } from '../violation.ts';
import { type Entry, isCallOfKind } from '../../simulator/extension/entry.ts';
import type { MetadataRecord as ListenerRecord, ReceivedKind } from '../../simulator/extension/metadata.ts';
import { objectIdOf, type Script as ListenerScript } from '../../simulator/extension/script.ts';
import type { SiteOptions } from '../../simulator/extension/site.ts';
import type { ScriptedAnswer as ListenerAnswer, Step as ListenerStep } from '../../simulator/extension/step.ts';
import { partHere } from '../case/part.ts';
import { readTime, sleep } from '../time/real-time.ts';

/** What an endpoint is registered with where it needs no header of its own. */
export const jsonHeader = { name: 'content-type', value: 'application/json' } as const;

/** A record of the metadata that an extension of the suite shows. */
export type MetadataRecord = ListenerRecord;
/** How something that the suite plays answers its calls. */
export type Script = ListenerScript;
/** One answer of a script, with the calls that it is for. */
export type ScriptedAnswer = ListenerAnswer;
/** What is done with one call. */
export type Step = ListenerStep;

export interface WaitOptions {
  /** 5000 unless given; time of the clock in a schedule, real time elsewhere. */
  readonly withinMs?: number;
  /** Each is due only after the one before, so that each may be late by the granularity of the service, and the time is that from the first. */
  readonly oneByOne?: true;
  /** So many calls that were set off together may go out before, one after another. */
  readonly behind?: number;
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
  /** The script is over, also for whoever is kept waiting. */
  release(): void;
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
  /** Behind the route of each of those records. */
  readonly routeEnd?: string;
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

type LookedAt = Place & Pick<Called, 'looks'>;

interface ReachedParts {
  readonly place: LookedAt;
  readonly url: string;
  readonly clock: Clock;
  readonly registration: Registration | undefined;
  readonly ownListener: boolean;
  /** Calls that belong to other cases. */
  readonly isForeign?: (entry: Entry) => boolean;
}

const usualWaitMs = 5000;

/** Rules that say that a call of the kind comes at all. */
const standsOn: Readonly<Partial<Record<ReceivedKind, readonly RuleId[]>>> = {
  metadata: ['metadata.fetch.on-registration'],
  event: ['calls.extension.post-to-endpoint'],
  endpoint: ['calls.simple.method'],
};

/**
 * Executions a minute: so many that nothing is ever held back, also where retries count and where a validator is asked about the objects
 * of all cases.
 */
export const plentyOfExecutions = 1000;

export interface ExtensionParts {
  readonly listeners: Listeners;
  readonly registrations: Registrations;
  readonly profile: BoundProfile;
  readonly clock: Clock;
  readonly record: CaseRecord;
  readonly unique: (prefix?: string) => string;
  readonly draw: Draw;
  readonly putToUse: PutToUse;
  readonly validatorChanges: ValidatorChanges;
  /** Sets off an event for an extension, and tells whether it was accepted; undefined where the profile has no trigger for one. */
  readonly probeTrigger: ((extension: Extension) => Promise<boolean>) | undefined;
}

/** Words that make what the service can call. */
export interface MakesExtensions {
  /** A registered extension at a path of its own, its metadata exchange done. It goes when the case ends. */
  extension(options?: ExtensionOptions): Promise<Extension>;
  /** A registered external endpoint at a path of its own. It goes when the case ends. */
  endpoint(options?: EndpointOptions): Promise<Endpoint>;
}

const keyBytes = 64;

const usualLifeMinutes = 60;

/** Longest wait for the metadata exchange, of a service that answers the registration before it. */
const metadataWaitMs = 10_000;

/** How long the call of a probe is waited for, and the pause after one that was refused, in ms. */
const probeWaitMs = 400;
const probePauseMs = 100;

/** How long the removal of a registration may take, in ms. */
const removalMs = 5000;

export function openExtensions(parts: ExtensionParts): MakesExtensions {
  return {
    extension: (options = {}) => extension(parts, options),
    endpoint: (options = {}) => endpoint(parts, options),
  };
}

async function extension(parts: ExtensionParts, options: ExtensionOptions): Promise<Extension> {
  const made = await madeExtension(parts, options);
  if (made.registration === undefined) return made;
  const { putToUse, record } = parts;
  if (!(await isFetched(made))) putToUse.cameAfterAnswer();
  if (putToUse.isAfterAnswers) await untilUsed(parts, made);
  // what raced before anything told of it has another try
  else record.settling.push(() => putToUse.isAfterAnswers && made.calls().length === 0);
  return untilUsedAnew(parts, made);
}

async function madeExtension(parts: ExtensionParts, options: ExtensionOptions): Promise<Extension> {
  const { apiKey = partHere().key(keyBytes).toString('base64'), ownListener = false, suffix = '' } = options;
  const concerns = new Set((options.concerns ?? []).map(({ oid }) => oid));
  const isForeign = foreignTo(concerns);
  const place = await openPlace(
    parts,
    { apiKey, records: [], isForeign, ...(options.script && { script: options.script }) },
    ownListener,
  );
  const url = place.url + suffix;
  let records =
    typeof options.records === 'function' ? options.records(url) : (options.records ?? recordsOf(parts, options));
  const besides = options.records === undefined ? drawBesides(parts) : (own: Extension['records']) => own;
  const served = besides(records);
  place.site.setRecords(served);
  const body = {
    hostUri: url,
    apiKey,
    tokenLifeTime: options.tokenLifeTime ?? usualLifeMinutes,
    ...options.registration,
  };
  watchWhereAsked(parts, url, served);
  const registration = options.unregistered === true ? undefined : await register(parts, 'svcExtension', body);
  const reached = reachedAt({ place, url, clock: parts.clock, registration, ownListener, isForeign });
  return Object.defineProperties(
    {
      ...reached,
      apiKey,
      records,
      record: (type?: string) => recordIn(records, type),
      setRecords: (next) => {
        records = next;
        const all = besides(next);
        place.site.setRecords(all);
        watchWhereAsked(parts, url, all);
      },
      metadata: () => reached.calls({ kind: 'metadata' }),
      concern: ({ oid }) => void concerns.add(oid),
    } satisfies Extension,
    { records: { get: () => records } },
  );
}

/** What an update has brought is to be put to use as well, from when it was got: where that goes by a timer of the service, long behind the answer. */
function untilUsedAnew({ putToUse, record }: ExtensionParts, made: Extension): Extension {
  const ended: Extension['ended'] = async (count, ...rest) => {
    const calls = await made.ended(count, ...rest);
    if (rest[0]?.kind === 'metadata' && calls.length >= count) await putToUse.again(record);
    return calls;
  };
  return Object.defineProperties({ ...made, ended }, { records: { get: () => made.records } });
}

/** Whether the metadata were got before the registration was answered; else resolves when they were got. */
async function isFetched(reached: Reached): Promise<boolean> {
  const metadata = { kind: 'metadata' } as const;
  // one that has come and not ended may have been sent right behind the answer
  if (reached.calls(metadata)[0]?.endedAt !== undefined) return true;
  await reached.call(metadata, { withinMs: metadataWaitMs });
  await reached.ended(1, metadata);
  return false;
}

/** A service that answers a registration before it asks for the metadata has still to put them to use when it got them. */
async function untilUsed(parts: ExtensionParts, made: Extension): Promise<void> {
  const { putToUse, record, clock } = parts;
  const gotAt = readTime();
  if (!clock.controlled) await putToUse.learn(() => probeUse(parts));
  const leftMs = Math.max(putToUse.ms, record.patienceMs) - (readTime() - gotAt);
  if (leftMs > 0) await sleep(leftMs);
  record.settlesAt = readTime() + longestPutToUseMs;
  record.settling.push(() => made.calls().length === 0);
}

/** How long after its metadata were got an extension is called first, in ms; undefined where it is not. */
async function probeUse(parts: ExtensionParts): Promise<number | undefined> {
  const { probeTrigger } = parts;
  if (probeTrigger === undefined) return undefined;
  const probe = await madeExtension(parts, {});
  if (await isFetched(probe)) return 0;
  const gotAt = readTime();
  for (;;) {
    const ms = readTime() - gotAt;
    if (ms > longestPutToUseMs) return undefined;
    if (!(await probeTrigger(probe))) await sleep(probePauseMs);
    else if ((await probe.arrived({}, { withinMs: probeWaitMs })) !== undefined) return ms;
  }
}

async function endpoint(parts: ExtensionParts, options: EndpointOptions): Promise<Endpoint> {
  const { trusted = false, method = 'POST', target = '/hook', headers = [jsonHeader] } = options;
  const place = await openPlace(parts, options.script === undefined ? {} : { script: options.script }, false);
  const url = place.url + target;
  const body = {
    url,
    id: fresh(parts)('endpoint'),
    method,
    category: 'conformance',
    headers,
    rateLimitNumberOfExecutions: plentyOfExecutions,
    ...(trusted && { tokenLifeTime: usualLifeMinutes }),
    ...options.registration,
  };
  const kind = trusted ? 'trustedExternalEndpoint' : 'externalEndpoint';
  const registration = options.unregistered === true ? undefined : await register(parts, kind, body);
  return { ...reachedAt({ place, url, clock: parts.clock, registration, ownListener: false }), id: body.id };
}

/** Once its case has ended a site answers everything rightly, so that what is still on its way comes to an end. */
async function openPlace(
  parts: ExtensionParts,
  options: SiteOptions & { readonly isForeign?: (entry: Entry) => boolean },
  own: boolean,
): Promise<LookedAt> {
  const place = own ? await parts.listeners.ownPlace(options) : await parts.listeners.place(options);
  const looks: Called['looks'] = { scripts: [{ at: 0, upcoming: place.site.upcoming() }] };
  parts.record.called.push({ ...place, isForeign: options.isForeign ?? (() => false), isShared: !own, looks });
  parts.record.atEnd(async () => {
    place.site.setScript([]);
    // told once, by the first case that ends after it
    for (const stray of place.listener.strays.splice(0))
      parts.record.remarks.push(
        `a request came to the listener of the suite by a path that it gave to nobody: ${stray}`,
      );
  });
  return { ...place, looks };
}

async function register(
  parts: ExtensionParts,
  kind: RegistrationKind,
  body: Readonly<Record<string, unknown>>,
): Promise<Registration> {
  const { registrations } = parts;
  const registration = registrations.made(kind, body, await registrations.post(kind, body));
  parts.record.atEnd(async () => void (await registrations.remove(registration).catch(() => undefined)), removalMs);
  return registration;
}

/** A service may ask whoever validates about the objects of all cases. */
function watchWhereAsked({ validatorChanges }: ExtensionParts, hostUri: string, records: Extension['records']): void {
  if (records.some(({ extensionType }) => extensionType === 'ExternalValidation')) validatorChanges.watch(hostUri);
}

function recordsOf(
  parts: ExtensionParts,
  { types = ['ExternalEvent'], routeEnd = '', record = {} }: ExtensionOptions,
): Extension['records'] {
  const softTypes = types.includes('ExternalValidation') ? [parts.profile.primary.definitionId] : [];
  return types.map((type) => {
    const made = recordOf(type, fresh(parts), softTypes);
    return { ...made, endpoint: made.endpoint + routeEnd, ...record };
  });
}

function recordIn(records: Extension['records'], type: string | undefined): Extension['records'][number] {
  const found = records.find(({ extensionType }) => type === undefined || extensionType === type);
  if (found === undefined)
    throw new PreconditionFailed(`a record of the type ${type ?? 'ExternalEvent'} in the metadata of the case`);
  return found;
}

/** Now and then another record stands before or behind those of the case, of a type that nobody calls and with settings of its own. */
function drawBesides(parts: ExtensionParts): (records: Extension['records']) => Extension['records'] {
  const place = parts.draw(['nowhere', 'before', 'behind']);
  const beside = { ...recordOf('NameValue', fresh(parts), []), retryForever: true, requestTimeout: 7 };
  if (place === 'nowhere') return (records) => records;
  return (records) => (place === 'before' ? [beside, ...records] : [...records, beside]);
}

/** Ids of registrations outlive a run that was cut off, so that the same seed must not give them again. */
function fresh({ unique }: ExtensionParts): (prefix?: string) => string {
  return (prefix) => `${unique(prefix)}-${partHere().bytes(4).toString('hex')}`;
}

/** A record with an id and an endpoint of its own, and nothing optional but the rate limit. `softTypes`: what a validation is for. */
function recordOf(
  type: CalledType | 'NameValue',
  unique: (prefix?: string) => string,
  softTypes: readonly string[],
): MetadataRecord {
  const id = unique('record');
  return {
    id,
    version: '1.0.0',
    name: `Conformance ${type}`,
    // of both letter cases: a signature stands for the path as it is; without a slash before it, where all services join alike
    endpoint: `T/${id}`,
    extensionType: type,
    category: 'conformance',
    rateLimitNumberOfExecutions: plentyOfExecutions,
    ...(type === 'ExternalValidation' && { capabilities: [{ capabilityType: 'SoftType', capabilities: softTypes }] }),
  };
}

/** What both extensions and endpoints show of what arrived. */
function reachedAt(parts: ReachedParts): Reached {
  const { place, clock, url, registration } = parts;
  const reached: Reached = {
    url,
    registration,
    everything: () => arrivalsAt(parts),
    calls: (filter = {}) => {
      noteLook(parts, filter);
      return arrivalsAt(parts).filter((call) => isCall(call, filter) && fits(call, filter));
    },
    arrived: async (filter = {}, options = {}) => (await waitForCalls(parts, filter, 1, false, options))[0],
    ended: (count, filter = {}, options = {}) => waitForCalls(parts, filter, count, true, options),
    call: async (filter = {}, options = {}) => {
      const call = await reached.arrived(filter, options);
      if (call !== undefined) return call;
      const kind = filter.kind ?? (registration?.kind === 'svcExtension' ? 'event' : 'endpoint');
      throw new PreconditionFailed(
        `a call of kind ${kind} within ${waitMs(parts, 1, options) / 1000} s`,
        undefined,
        standsOn[kind],
      );
    },
    gaps: (filter) => clock.gaps(reached.calls(filter)),
    setScript: (script) => {
      place.site.setScript(script);
      place.looks.scripts.push({ at: performance.now(), upcoming: place.site.upcoming() });
    },
    release: () => place.site.release(),
    shut: () => onOwnListener(parts, () => place.listener.shut()),
    reopen: () => onOwnListener(parts, () => listenAgain(() => place.listener.listen())),
  };
  return reached;
}

function noteLook({ place }: ReachedParts, { about }: CallFilter): void {
  if (about !== undefined) place.looks.last = { marker: about.marker, at: performance.now() };
}

function arrivalsAt({ place, isForeign = () => false }: ReachedParts): readonly Call[] {
  return place.listener.journal
    .entriesAt(place.site.base)
    .filter((entry) => !isForeign(entry))
    .map((entry) => callOf(entry, place.site.apiKey));
}

function isCall({ kind }: Call, filter: CallFilter): boolean {
  return filter.kind === kind || isCallOfKind(kind);
}

async function waitForCalls(
  parts: ReachedParts,
  filter: CallFilter,
  count: number,
  ended: boolean,
  options: WaitOptions,
): Promise<readonly Call[]> {
  const { place, clock } = parts;
  noteLook(parts, filter);
  // what comes one by one is counted from the first: when that comes is not what a schedule is about
  if (options.oneByOne === true && count > 1) await waitForCalls(parts, filter, 1, false, options);
  const found = (): readonly Call[] =>
    arrivalsAt(parts)
      .filter((call) => isCall(call, filter) && fits(call, filter) && (!ended || call.endedAt !== undefined))
      .slice(0, count);
  if (found().length >= count) return found();
  const { promise, resolve } = Promise.withResolvers<void>();
  const unwatch = place.listener.journal.watch(({ base }) => {
    if (base === place.site.base && found().length >= count) resolve();
  });
  await clock.until(promise, waitMs(parts, count, options)).finally(unwatch);
  return found();
}

/** Calls that come together are late together, those that come one after another each by itself. */
function waitMs({ clock }: ReachedParts, count: number, options: WaitOptions): number {
  const { withinMs = usualWaitMs, oneByOne, behind = 0 } = options;
  return withinMs + ((oneByOne === true ? count : 1) + behind) * clock.granularityMs;
}

async function onOwnListener({ ownListener }: ReachedParts, act: () => Promise<void>): Promise<void> {
  if (!ownListener) throw new Inconclusive('only a listener of its own can be shut: the case has to ask for one');
  await act();
}

/** @throws {TooLate} another program has the port by now: it was free as long as nobody listened */
export async function listenAgain(listen: () => Promise<unknown>): Promise<void> {
  await listen().catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new TooLate(`another program took the port of the listener while it was shut (${error.message})`);
    throw error;
  });
}

/** Whether a validation is about none of these objects, so that it belongs to another case. */
function foreignTo(objects: ReadonlySet<string>): (entry: Entry) => boolean {
  return (entry) => entry.kind === 'validation' && !objects.has(objectIdOf(entry) ?? '');
}
