import { headerNames } from '../../contract/names.ts';
import { type Arrival, type ArrivalKind, askedBy, headerOf } from './arrival.ts';
import type { GivenOut } from './every-request.ts';
import { CallFilters } from './filters.ts';
import type { Envelope, HostCall, TaskSample } from './host.ts';
import { linksOf } from './links.ts';
import { inputOf, payloadFor, type PayloadParts } from './payloads.ts';
import type { Patience, Queue, Queued } from './queue.ts';
import type { AskingRecord, HostCalledType, HostRecord } from './records.ts';
import { type Acquired, type Deliver, isSignedWith, type Keys, mistakenPathOf } from './keys.ts';
import type { Creation, Edit } from './played/objects.ts';
import { PlayedService } from './played/service.ts';
import type { StageAnswer, StageServer } from './stage-server.ts';
import { aside, partHere, reading } from '../case/part.ts';
import type { Withheld } from './withheld.ts';

export interface TaskOptions {
  readonly sample?: TaskSample;
  /** In seconds; 600 unless given. */
  readonly timeout?: number;
  /** The links lead to unusual addresses that work, and stand in another order. */
  readonly unusualLinks?: boolean;
  /** The input lies in the root of the file area, and not in a directory of the job. */
  readonly inRoot?: boolean;
  /** The directory of the job and the input have signs in their names that an address has to encode, and what looks encoded. */
  readonly inOddPlace?: boolean;
  /** Input in the place of that of the sample. */
  readonly input?: Uint8Array;
  /** The settings of the job are those of another country. */
  readonly isAbroad?: boolean;
  /** Another job, which has the same input file. */
  readonly besides?: Task;
  /** A job of another installation, which has the same id. */
  readonly twin?: Task;
}

/** A job for a task of the host. */
export interface Task {
  readonly jobId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly inputPath: string;
  /** Path prefix of its links, and what their query holds; empty for usual ones. */
  readonly prefix: string;
  readonly mark: string;
  /** The call, with the id of the job in its envelope. */
  readonly call: (record: HostRecord) => HostCall;
}

/** Which arrivals are meant; everything that is stated has to fit. */
export interface ArrivalFilter {
  readonly kind?: ArrivalKind | readonly ArrivalKind[];
  /** It carried the token of that call, or is about its job. */
  readonly of?: HostCall;
  readonly where?: (arrival: Arrival) => boolean;
}

/** Answers that are withheld. */
export interface Held {
  readonly count: number;
  /** Answers them, and whatever comes later at once. */
  release(): void;
}

function fits(arrival: Arrival, { kind, of, where = () => true }: ArrivalFilter): boolean {
  const kinds = typeof kind === 'string' ? [kind] : kind;
  if (kinds !== undefined && !kinds.includes(arrival.kind)) return false;
  if (of !== undefined && !isOf(arrival, of)) return false;
  return where(arrival);
}

function isOf({ callId, token, target }: Arrival, { envelope }: HostCall): boolean {
  return token?.text === envelope.accessToken || callId === envelope.id || target.includes(envelope.id);
}

const lifetimeSeconds = 3600;

interface TokenOptions {
  /** What tells the call from others that wait for their turn; the id of the envelope unless given. */
  readonly queued?: string;
  readonly seconds?: number;
  /** Id of the record that is called. */
  readonly record?: string;
}

export interface InstallationParts extends Omit<PayloadParts, 'spaceId'> {
  readonly baseAddress: string;
  readonly server: StageServer;
  readonly keys: Keys;
  readonly asking: readonly AskingRecord[];
  readonly deliver: Deliver;
  /** Told each request of the host. */
  readonly arrivedHere: (arrival: Arrival, givenOut: GivenOut) => void;
  readonly until: <T>(promise: Promise<T>, withinMs: number) => Promise<T | undefined>;
  /** The same, while the host is at work on what was to be done before. */
  readonly untilInTurn: <T>(promise: Promise<T>, withinMs: number) => Promise<T | undefined>;
  /** Of all cases of the run. */
  readonly withheld: Withheld;
  /** Of all cases of the run. */
  readonly queue: Queue;
  /** Of the case. */
  readonly patience: Patience;
  /** ms since the epoch. */
  readonly wallNow: () => number;
  /** Members of the objects that the host can read, by their id; undefined where it can read any. */
  readonly objects: Readonly<Record<string, unknown>> | undefined;
  /** Members of jobSettings beside or in the place of the usual ones. */
  readonly jobSettings: Readonly<Record<string, unknown>> | undefined;
}

const usualWaitMs = 5000;

/** How often something may have to wait for its turn. */
const mostTurns = 4;

/** What is less is not waited for, in ms. */
const leastLeftMs = 50;

/** So long a host that works off a queue, in whatever order, sends nothing at most, in ms. */
const restMs = 5000;

/** Longest time that a case withholds answers, in ms. */
const mostHeldMs = 60_000;

/** How many edits others make at once. */
const editsElsewhere = 7;

const usualTaskSeconds = 600;

const usualJobSettings = { timeZone: 'UTC', language: 'en', culture: 'en-US', effectivityMode: 'None' };
const settingsAbroad = { timeZone: 'Europe/Berlin', language: 'de', culture: 'de-DE' };
const uncredited: readonly ArrivalKind[] = ['acquire', 'keyed'];

const byQueryToo: readonly ArrivalKind[] = ['download', 'directory'];

interface GivenToken {
  /** Id of the envelope. */
  readonly callId: string;
  /** ms of the clock of the host. */
  readonly endsAt: number;
}

/** Why something did not come in its time. */
interface Kept {
  /** How long a host that is at work on others is waited for, in ms; 0 where it is not. */
  readonly busyMs: number;
  readonly isWithheld: boolean;
  readonly leftMs: number;
}

interface Hold extends Held {
  readonly covers: (kind: ArrivalKind) => boolean;
  readonly released: Promise<void>;
  count: number;
}

/** One installation of the service that the suite plays, with what the host sends to it. Everything in it ends with the case. */
export class Installation {
  readonly spaceId: string;
  /** Paths of the inputs of its tasks, below the file area. */
  readonly inputPaths: string[] = [];
  /** Requests of the host are taken elsewhere than in the case that made it. */
  readonly #part = partHere();
  readonly #parts: InstallationParts;
  /** What was given out, by the text of the token. */
  readonly #tokens = new Map<string, GivenToken>();
  readonly #arrivals: Arrival[] = [];
  readonly #strangers: Arrival[] = [];
  readonly #holds: Hold[] = [];
  readonly #refused = new Map<
    ArrivalKind,
    { readonly answer: StageAnswer; readonly isMeant: (arrival: Arrival) => boolean }
  >();
  readonly #refusedKeys = new Set<string>();
  #cutsDownloads = false;
  #isOvertaken: (arrival: Arrival) => boolean = () => false;
  readonly #changed = new Set<() => void>();
  readonly #service: PlayedService;
  readonly #filters: CallFilters;
  #turns = 0;
  readonly #calls = new Set<Queued>();
  /** Ids of spaces, in the payloads of calls. */
  readonly #namedSpaces = new Set<unknown>();
  readonly #brought: string[] = [];
  /** How many requests the host had sent when the last turn began. */
  #heardBefore = 0;

  constructor(parts: InstallationParts) {
    this.#parts = parts;
    this.#filters = new CallFilters(parts.informationFilter);
    this.spaceId = `Space-${this.#part.id().slice(0, 8)}`;
    this.#service = new PlayedService({ known: parts.objects, hasTextIds: this.#part.bytes(1).readUInt8() % 2 === 1 });
  }

  /** Without a slash at its end. */
  get baseAddress(): string {
    return this.#parts.baseAddress;
  }

  get port(): number {
    return this.#parts.server.port;
  }

  /** What came to the address of this one and names its space or one of its calls, though its token is that of a call of another. */
  get strangers(): readonly Arrival[] {
    return this.#strangers;
  }

  /** Requests for API keys of this run, whichever installation they came to. */
  get acquired(): readonly Acquired[] {
    return this.#parts.keys.acquired;
  }

  /** A call of the record with a token of its own, which lasts an hour unless given. The payload is one of its type, a sample where the profile has one, unless given. */
  call(
    record: HostRecord,
    payload?: Envelope['payload'],
    changes: Partial<Envelope> = {},
    tokenSeconds = lifetimeSeconds,
  ): HostCall {
    if (record.type === 'ExternalTask' && payload === undefined) return this.task().call(record);
    const id = changes.id ?? this.#part.id();
    const { baseAddress } = this.#parts;
    const informationFilter = this.#filters.next(id);
    const usual =
      payload === undefined
        ? payloadFor(record, { ...this.#parts, informationFilter, spaceId: this.spaceId })
        : this.#filters.inPayload(payload, informationFilter);
    const envelope = {
      id,
      // the events of one request have one id of the envelope, and those of another installation may have the same ids
      accessToken: this.#tokenFor(id, record.type, {
        queued: record.type === 'ExternalEvent' ? `${id} ${String(usual['id'])} ${this.spaceId}` : id,
        seconds: tokenSeconds,
        record: record.id,
      }),
      baseAddress,
      informationFilter,
      payload: usual,
    };
    this.#namedSpaces.add(usual['spaceId']);
    this.#brought.push(JSON.stringify(usual));
    const { objectId, svcUOIVersion } = usual;
    if (typeof objectId === 'string' && typeof svcUOIVersion === 'number')
      this.#service.objects.tell(objectId, svcUOIVersion);
    const isUsual = payload === undefined && Object.keys(changes).length === 0 && tokenSeconds === lifetimeSeconds;
    return { record, envelope: { ...envelope, ...changes }, isUsual };
  }

  /** A job of its own whose input file is here. */
  task({
    sample = this.#parts.samples.task?.success,
    timeout = usualTaskSeconds,
    unusualLinks = false,
    inRoot = false,
    inOddPlace = false,
    input = inputOf(sample),
    isAbroad = false,
    besides,
    twin,
  }: TaskOptions = {}): Task {
    const jobId = twin?.jobId ?? this.#part.id();
    const directory = `jobs/${jobId.slice(0, 8)}${inOddPlace ? ' #1 Ü 50% A+b %41' : ''}/`;
    const name = sample?.inputName ?? 'input.txt';
    const inputPath = besides?.inputPath ?? `${inRoot ? '' : directory}${inOddPlace ? oddly(name) : name}`;
    this.#service.files.put(this.spaceId, inputPath, input);
    this.inputPaths.push(inputPath);
    const prefix = unusualLinks ? `/gateway-${jobId.slice(0, 6)}` : '';
    const accessToken = this.#tokenFor(jobId, 'ExternalTask', { queued: `${jobId}${twin ? ` ${this.spaceId}` : ''}` });
    const mark = unusualLinks ? `via=${jobId.slice(0, 6)}` : '';
    const links = linksOf({
      base: `${this.baseAddress}${prefix}`,
      spaceId: this.spaceId,
      jobId,
      inputPath,
      token: accessToken,
      mark,
    });
    const jobSettings = { ...usualJobSettings, ...(isAbroad && settingsAbroad), ...this.#parts.jobSettings };
    const payload = { timeout, jobSettings, taskSettings: sample?.taskSettings ?? {}, links };
    return {
      jobId,
      payload,
      inputPath,
      prefix,
      mark,
      call: (record) => this.call(record, payload, { id: jobId, accessToken }),
    };
  }

  /** What arrived so far, oldest first. */
  arrivals(filter: ArrivalFilter = {}): readonly Arrival[] {
    return this.#arrivals.filter((arrival) => fits(arrival, filter));
  }

  /** The first that the filter admits, or undefined when `withinMs` pass first; 5 s unless given. */
  async arrived(filter: ArrivalFilter = {}, withinMs = usualWaitMs): Promise<Arrival | undefined> {
    return this.#arrived(filter, (promise) => this.#parts.until(promise, withinMs));
  }

  async #arrived(
    filter: ArrivalFilter,
    wait: (promise: Promise<void>) => Promise<void> | Promise<undefined>,
  ): Promise<Arrival | undefined> {
    const [found] = this.arrivals(filter);
    if (found !== undefined) return found;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.arrivals(filter).length > 0) resolve();
    };
    this.#changed.add(look);
    await wait(promise).finally(() => this.#changed.delete(look));
    return this.arrivals(filter)[0];
  }

  /** As `arrived`, but time in which other cases withhold answers, or before the host is done with the call that was made here last, while it works on others without a rest, does not count: it may do one thing after another, in any order. */
  async arrivedInTurn(filter: ArrivalFilter, withinMs: number): Promise<Arrival | undefined> {
    const { queue, patience, until, untilInTurn, withheld } = this.#parts;
    let wait = (promise: Promise<void>): Promise<void | undefined> => until(promise, withinMs);
    for (let turn = 1; ; turn += 1) {
      const { ended } = withheld;
      this.#heardBefore = queue.heard;
      const found = await this.#arrived(filter, wait);
      if (found !== undefined) return found;
      const { busyMs, isWithheld, leftMs } = await this.#whyKeptWaiting(ended, withinMs);
      const hasTurn = isWithheld && turn < mostTurns;
      const patientMs = busyMs > 0 ? patience.take(busyMs) : leftMs;
      const ms = hasTurn ? withinMs : patientMs;
      if (ms === 0) return undefined;
      wait = (promise) => untilInTurn(promise, ms);
    }
  }

  /** Whether a call of that record set off a request of the host in the run. */
  isWorkedOnElsewhere({ record }: HostCall): Promise<boolean> {
    return aside(`record ${record.id} at ${this.spaceId}`, async () => this.#parts.queue.hasWorkedOn(record.id));
  }

  /** Whether the host was still at work on earlier calls when `arrivedInTurn` last waited, and has not come to the one that was made here last. */
  isBehind(): Promise<boolean> {
    return aside(`behind ${this.#turns} of ${this.spaceId}`, async () => this.#isBehind());
  }

  #isBehind(): boolean {
    const { queue } = this.#parts;
    const last = queue.latestOf(this.#calls);
    return last !== undefined && queue.isBehind(last, this.#heardBefore);
  }

  #isElsewhere(lastMs: number): boolean {
    const { queue, server } = this.#parts;
    const last = queue.latestOf(this.#calls);
    return last !== undefined && queue.isElsewhere(last, server.now() - lastMs);
  }

  /** What is left of the time of the call that was made last, where the host came to it while it was waited for, in ms. */
  #leftMs(withinMs: number): number {
    const { queue, server } = this.#parts;
    const last = queue.latestOf(this.#calls);
    const cameAt = last === undefined ? undefined : queue.cameAt(last, this.#heardBefore);
    const leftMs = cameAt === undefined ? 0 : cameAt + withinMs - server.now();
    return leftMs < leastLeftMs ? 0 : Math.ceil(leftMs);
  }

  /** Whether the host is behind, whether others withheld answers since they had let go of so many, whose end is waited for, and what is left where it came late. */
  #whyKeptWaiting(endedBefore: number, withinMs: number): Promise<Kept> {
    const { withheld, untilInTurn } = this.#parts;
    this.#turns += 1;
    return aside(`turn ${this.#turns} of ${this.spaceId}`, async () => {
      const leftMs = this.#leftMs(withinMs);
      const others = withheld.ofOthers(this.#part);
      if (others.length > 0) await untilInTurn(Promise.all(others), mostHeldMs);
      const isWithheld = others.length > 0 || withheld.ended !== endedBefore;
      const mostMs = Math.min(withinMs, restMs);
      const busyMs = this.#isElsewhere(mostMs) ? mostMs : 0;
      return { busyMs: this.#isBehind() ? withinMs : busyMs, isWithheld, leftMs };
    });
  }

  /** Withholds the answers to what comes from now on; of these kinds only where some are named. */
  hold(...kinds: readonly ArrivalKind[]): Held {
    const { promise, resolve } = Promise.withResolvers<void>();
    const hold: Hold = {
      covers: (kind) => kinds.length === 0 || kinds.includes(kind),
      released: promise,
      release: resolve,
      count: 0,
    };
    this.#holds.push(hold);
    return hold;
  }

  /** Answers what comes from now on with that status; only those that are meant, where that is said. */
  refuse(kind: ArrivalKind, status: number, isMeant: (arrival: Arrival) => boolean = () => true): void {
    this.#refused.set(kind, { answer: { status, body: { title: 'Refused' } }, isMeant });
  }

  /** Ends the connection of what comes from now on and is meant, without an answer. */
  lose(kind: ArrivalKind, isMeant: (arrival: Arrival) => boolean): void {
    this.#refused.set(kind, { answer: { status: 0, isLost: true }, isMeant });
  }

  /** Keys that work, as a callback gets them. */
  newKeys(names: readonly string[]): object {
    return this.#parts.keys.newKeys(names, this.#part);
  }

  /** Edits of objects, oldest first. */
  get edits(): readonly Edit[] {
    return this.#service.objects.edits;
  }

  /** Objects that were created, oldest first. */
  get creations(): readonly Creation[] {
    return this.#service.objects.creations;
  }

  /** All objects get another version, as by the edits of others. */
  editElsewhere(): void {
    this.#service.objects.editElsewhere(editsElsewhere);
  }

  /** Lets others edit all objects once more, between what the host read and the next request that is meant. */
  editElsewhereBefore(isMeant: (arrival: Arrival) => boolean): void {
    this.#isOvertaken = isMeant;
  }

  /** Lets others make an object like a model, or edit it so; whether the profile tells what the model holds. */
  makeElsewhere(oid: string, model: string, spaceId = this.spaceId): boolean {
    return this.#service.objectsIn(spaceId).makeLike(oid, model);
  }

  /** Another space of the service, with objects of its own. */
  addSpace(): string {
    const spaceId = `${this.spaceId}-beside`;
    this.#service.addSpace(spaceId);
    return spaceId;
  }

  /** Downloads from now on break off before their end. */
  cutDownloads(): void {
    this.#cutsDownloads = true;
  }

  /** Whether there is a file at that path of the file area. */
  holdsFile(path: string): boolean {
    return this.#service.files.pathsIn(this.spaceId).includes(path);
  }

  /** Id of the envelope that holds that filter, in whichever alphabet of Base64; undefined for one of the host's own. */
  callOfFilter(text: string): string | undefined {
    return this.#filters.callOf(text);
  }

  /** Whether a text is a key that was given out, in whichever alphabet of Base64. */
  isKey(text: string): boolean {
    const bytes = Buffer.from(text, 'base64');
    return [...this.#parts.keys.administration].some((key) => Buffer.from(key, 'base64').equals(bytes));
  }

  /** What a request is signed over with a key that was given out, or carries, in the place of its path, signed with the right key; undefined where it is none of what the suite knows. */
  mistakenPathOf(arrival: Arrival): string | undefined {
    const { administration, others } = this.#parts.keys;
    if (arrival.callId !== undefined) return 'nothing: it is the token of a call';
    if (arrival.token !== undefined && this.isKey(arrival.token.text)) return 'nothing: it is the key itself';
    if (isSignedWith(arrival, others)) return 'its path, with the key of another permission';
    return mistakenPathOf(arrival, administration);
  }

  /** Whether a request is signed with a key that this one gave out. */
  isSignedWithOwnKey(arrival: Arrival): boolean {
    return this.#parts.keys.isSignedFor(arrival, this.port);
  }

  /** Answers 401 to the keys that were given out so far. */
  refuseKeys(): void {
    for (const key of this.#parts.keys.administration) this.#refusedKeys.add(key);
  }

  /** A token that was given out here and is past its expiry. */
  expiredToken(): string {
    const id = this.#part.id();
    const token = this.#parts.keys.newToken(id, this.#parts.wallNow() - 7_200_000, lifetimeSeconds);
    this.#tokens.set(token, { callId: id, endsAt: -Infinity });
    return token;
  }

  /** Whether a call of that id was made from here. */
  gaveOut(id: string): boolean {
    return this.#tokens.values().some(({ callId }) => callId === id);
  }

  /** Whether a call was made from here that is about that space. */
  hasNamed(spaceId: string): boolean {
    return this.#namedSpaces.has(spaceId);
  }

  /** Whether the payload of a call from here holds what a request sends: it is not the host's own then. */
  hasBrought({ json }: Arrival): boolean {
    const text = json === undefined ? undefined : JSON.stringify(json);
    return text !== undefined && this.#brought.some((payload) => payload.includes(text));
  }

  /** Whether a request speaks for a call of this one, wherever it arrives. */
  speaksFor({ token }: Arrival): boolean {
    return token !== undefined && this.#tokens.has(token.text);
  }

  /** Whether the correlation id of a request is the id of a call of this one. Source: extensions, Call envelope, row id */
  isNamedBy(received: Arrival): boolean {
    const named = headerOf(received, headerNames.correlationId);
    return named !== undefined && this.#tokens.values().some(({ callId }) => callId === named);
  }

  /** Told of what came to its address with the token of a call of another one, which takes it. */
  meet(stranger: Arrival): void {
    const told = `${stranger.target} ${stranger.text} ${headerOf(stranger, headerNames.correlationId) ?? ''}`;
    const own = [this.spaceId, ...[...this.#tokens.values()].map(({ callId }) => callId)];
    if (own.some((id) => told.includes(id))) this.#strangers.push(stranger);
  }

  /** Lets go of everything that is withheld. */
  end(): void {
    for (const hold of this.#holds) hold.release();
  }

  async take(received: Arrival): Promise<StageAnswer> {
    const owned = { ...received, callId: this.#tokens.get(received.token?.text ?? '')?.callId };
    const arrival = { ...owned, isAllowed: this.#isAllowed(owned) };
    this.#arrivals.push(arrival);
    this.#parts.arrivedHere(arrival, this);
    if (arrival.kind === 'acquire') this.#parts.keys.take(arrival, this.#part, this.#parts);
    for (const look of this.#changed) look();
    const isWithheld = await this.#withheld(arrival);
    const answer = this.#answerTo(arrival);
    const isRefused = answer.status >= 300 && answer.status !== 304;
    if (isWithheld || isRefused || answer.isCut === true || answer.isLost === true)
      this.#parts.queue.disturb(arrival.token?.text);
    return answer;
  }

  async #withheld(arrival: Arrival): Promise<boolean> {
    const holds = this.#holds.filter(({ covers }) => covers(arrival.kind));
    for (const hold of holds) {
      hold.count += 1;
      await this.#parts.withheld.hold(this.#part, this.#parts.server.withhold(arrival, hold.released));
    }
    return holds.length > 0;
  }

  #answerTo(arrival: Arrival): StageAnswer {
    if (!arrival.isAllowed)
      return {
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer' },
        body: { title: 'The token is missing or not known here' },
      };
    if (this.#isOvertaken(arrival)) {
      this.#isOvertaken = () => false;
      this.editElsewhere();
    }
    const refused = this.#refused.get(askedBy(arrival).kind);
    return refused?.isMeant(arrival) === true ? refused.answer : this.#served(arrival);
  }

  #served(arrival: Arrival): StageAnswer {
    const answer = this.#service.answer(arrival);
    return this.#cutsDownloads && arrival.kind === 'download' ? { ...answer, isCut: true } : answer;
  }

  #isAllowed(arrival: Arrival): boolean {
    const { kind, token, arrivedAt, port } = askedBy(arrival);
    if (kind === 'keyed') return isSignedWith(arrival, this.#parts.keys.administration.difference(this.#refusedKeys));
    if (uncredited.includes(kind)) return true;
    // another installation knows nothing of what was given out here
    if (port !== this.port) return false;
    const given = this.#tokens.get(token?.text ?? '');
    if (given === undefined || given.endsAt < arrivedAt) return false;
    return token?.in === 'header' || byQueryToo.includes(kind);
  }

  #tokenFor(
    id: string,
    type: HostCalledType,
    { queued = id, seconds = lifetimeSeconds, record }: TokenOptions = {},
  ): string {
    const token = this.#parts.keys.newToken(this.#part.id(), this.#parts.wallNow(), seconds);
    const givenAt = reading('given', () => this.#parts.server.now());
    this.#tokens.set(token, { callId: id, endsAt: givenAt + seconds * 1000 });
    const made = this.#parts.queue.made(queued, token, type, record);
    if (made !== undefined) this.#calls.add(made);
    return token;
  }
}

/** With signs before its end, by which a host may tell what it is. */
function oddly(name: string): string {
  return name.replace(/(?=\.[^.]*$)|(?<!\.[^.]*)$/, ' #1 50%');
}
