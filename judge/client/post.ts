import { givenIn } from '../redact/given-in.ts';
import type { IdentityName } from '../../contract/profile.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Bookings } from '../case/bookings.ts';
import { claimsOf } from '../service/claims.ts';
import { sleep } from '../time/real-time.ts';
import { wallNowOf } from '../time/wall.ts';
import type { HttpClient, Patience, Sender } from './client.ts';
import { ConnectionLost, TargetUnreachable } from './failure.ts';
import { replyOf } from './reply.ts';
import { originOf, type WireAnswer, type WireRequest } from './wire.ts';
import { type Changes, isOfNothing, type Leave, type Reply, type RequestSpec, statedHeader } from '../exchange.ts';
import { isFromGateway } from '../every-answer/gateway.ts';
import { partHere } from '../case/part.ts';
import type { BoundProfile } from '../profile.ts';
import type { OtherReader } from '../every-answer/other-reader.ts';
import type { CaseRecord } from '../case/record.ts';
import type { Detouring } from '../case/detour-log.ts';
import type { Secrets } from '../redact/redact.ts';
import type { Roles } from '../service/roles.ts';
import type { EveryAnswer } from '../every-answer/every-answer.ts';
import type { ServerErrors } from '../every-answer/server-errors.ts';
import {
  absoluteUrl,
  addressBehind,
  isOfService,
  isTrusted,
  lastOfLocation,
  lastSegment,
  prepareRequest,
  withChanges,
} from '../service/requests.ts';
import { ShownEntries } from '../service/entry-ids.ts';
import { NoEntryId, PreconditionFailed, UnfitProfile } from '../violation.ts';
import { isObject } from '../json.ts';

export interface RawReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** The same as an ordinary reply, for reports. */
  readonly reply: Reply;
}

/**
 * How long one request waits, in ms, before each further try with a new token: a grant to another case may have ended the one before as
 * well, and one that makes many of them comes to its end.
 */
const renewalPausesMs = [0, 0, 0, 10, 20, 40, 80, 160, 320, 640];

/** What of a run it takes to send: its session has more. */
interface Sending {
  readonly profile: BoundProfile;
  readonly client: HttpClient;
  readonly bookings: Bookings;
  readonly roles: Roles;
  readonly serverErrors: ServerErrors;
  readonly everyAnswer: EveryAnswer;
  readonly secrets: Secrets;
  readonly tokens: {
    of(identity: IdentityName, sender: Sender): Promise<string | null>;
    /** Another token than the one that was refused; undefined where there is none. */
    afterRefusal(identity: IdentityName, refused: string, sender: Sender): Promise<string | undefined>;
  };
}

/** Sends on behalf of the part of the run that is under way, and records it there. */
export function senderFor(record: CaseRecord, signal?: AbortSignal): Sender {
  return {
    reuse: record.reuse,
    retries: record.retries,
    waits: record.waits,
    trace: record.trace,
    part: partHere().name,
    begins: (request, sentAt) => record.noteAsked(request, sentAt),
    add: (sent) => record.add(sent),
    ...(record.mayLose !== undefined && { mayLose: record.mayLose }),
    ...(signal && { signal }),
  };
}

interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  /** Who may ask for the same again. */
  readonly others?: OtherReader | undefined;
  /** What comes to the same. */
  readonly detours?: Detouring | undefined;
}

/** Sends the requests of one case: puts in the token, records the exchange, books what was created. */
export class Post {
  readonly profile: BoundProfile;
  readonly #session: Sending;
  readonly #record: CaseRecord;
  readonly #name: string;
  readonly #sender: Sender;
  readonly #reads = new KnownReads();
  readonly #entries = new ShownEntries();

  readonly #others: OtherReader | undefined;
  readonly #detours: Detouring | undefined;

  /** @param name rule or part of the run on whose behalf it sends */
  constructor(session: Sending, record: CaseRecord, name: string, { signal, others, detours }: PostOptions = {}) {
    this.#detours = detours;
    this.profile = session.profile;
    this.#session = session;
    this.#record = record;
    this.#name = name;
    this.#sender = senderFor(record, signal);
    this.#others = others;
  }

  async send(request: RequestSpec, changes?: Changes): Promise<Reply> {
    const spec = withChanges(request, changes);
    const lacking = this.#record.isOfRule ? this.#entries.lackedBy(spec) : undefined;
    if (lacking !== undefined)
      throw new NoEntryId(lacking, this.#record.history(lacking.exchange), this.#record.history());
    const other = this.#others?.drawFor(spec);
    const send = (one: RequestSpec): Promise<Reply> =>
      this.#answerTo(one).catch((error: unknown) => {
        throw error instanceof ConnectionLost ? Object.assign(error, { asked: one }) : error;
      });
    const reply = await (this.#detours?.send(spec, send) ?? send(spec));
    if (other !== undefined && reply.isOfBatch !== true && this.#session.everyAnswer.isRead(spec, reply))
      this.#session.everyAnswer.noteAgain(spec, reply, await this.#answerTo({ ...spec, as: other }), this.#name);
    return reply;
  }

  async #answerTo(spec: RequestSpec): Promise<Reply> {
    const { answer, token } = await this.#withLivingToken(spec, (held) => this.#sendWith(spec, held));
    const url = absoluteUrl(this.profile.all, spec.url);
    const reply = replyOf(answer, url);
    if (answer.status === 401 && token !== null) this.#assertLives(spec.as, token, reply);
    reply.missingMethod = this.#session.roles.learn(spec, reply);
    if (isFromGateway(reply) && !this.#isExpected(reply)) this.#noteInPlace(spec, reply);
    this.#entries.note(reply);
    this.#session.bookings.note(spec, reply, this.#name);
    this.#session.serverErrors.note(spec, reply, this.#name);
    this.#session.everyAnswer.note(spec, reply, this.#name);
    for (const [name, secret] of givenIn(reply)) this.#session.secrets.add(name, secret);
    return this.#reads.isLost(spec, url, reply) ? Object.assign(reply, { isLost: true }) : reply;
  }

  async #withLivingToken(
    spec: RequestSpec,
    send: (token: string | null) => Promise<WireAnswer>,
  ): Promise<{ readonly answer: WireAnswer; readonly token: string | null }> {
    let token = statesCredential(spec) ? null : await this.#tokenFor(spec.as);
    let answer = await send(token);
    for (const pauseMs of renewalPausesMs) {
      if (answer.status !== 401 || token === null || spec.as === null) break;
      if (pauseMs > 0) await sleep(pauseMs, this.#sender.signal);
      const renewed = await this.#renewed(spec.as, token);
      if (renewed === undefined) break;
      token = renewed;
      answer = await send(token);
    }
    return { answer, token };
  }

  /** What is refused to a token that the profile states, once it has ended, is no word about the service. @throws {UnfitProfile} */
  #assertLives(as: RequestSpec['as'], token: string, reply: Reply): void {
    if (as === null || this.profile.all.identities[as]?.token !== token) return;
    const endedAt = 1000 * Number(claimsOf(token)['exp']);
    if (endedAt > wallNowOf(reply.exchange) || Number.isNaN(endedAt)) return;
    throw new UnfitProfile(
      `a token of the ${as} that lives: that in identities.${as}.token ended at ${new Date(endedAt).toISOString()}; put a fresh one there, or what it takes to get one`,
    );
  }

  async raw(request: RequestSpec, changes?: Changes): Promise<RawReply> {
    const spec = withChanges(request, changes);
    const { answer } = await this.#withLivingToken(spec, (token) =>
      this.#session.client.sendRaw({ ...this.#wire(spec, token), raw: true }, this.#sender),
    );
    const reply = replyOf(answer, absoluteUrl(this.profile.all, spec.url));
    this.#session.bookings.note(spec, reply, this.#name);
    for (const [name, secret] of givenIn(reply)) this.#session.secrets.hide(name, secret);
    return { status: reply.status, headers: reply.headers, body: reply.bytes, reply };
  }

  /** Sends the request and does not wait: what comes of it shows later. */
  async abandon(request: RequestSpec, { stayMs, ...changes }: Leave = {}): Promise<void> {
    const spec = withChanges(request, changes);
    const wire = this.#wire(spec, statesCredential(spec) ? null : await this.#tokenFor(spec.as));
    await this.#session.client.sendAndLeave(wire, this.#sender, stayMs);
  }

  /** What is read from now on is worth as much as these rules are kept. */
  leanOn(...rules: readonly RuleId[]): void {
    for (const rule of rules) this.#record.leansOn.add(rule);
  }

  patience(): readonly Patience[] {
    return this.#session.client.patience;
  }

  token(identity: IdentityName): Promise<string | null> {
    return this.#session.tokens.of(identity, this.#sender);
  }

  async #tokenFor(as: RequestSpec['as']): Promise<string | null> {
    if (as === null) return null;
    if (this.profile.all.identities[as] === undefined)
      throw new UnfitProfile(`the identity ${as}, which the profile does not bind`);
    return this.token(as);
  }

  /** The profile tells what the service itself says in some place. */
  #isExpected({ status }: Reply): boolean {
    return Object.values(this.profile.all.expect ?? {})
      .flat()
      .includes(status);
  }

  #noteInPlace(spec: RequestSpec, reply: Reply): void {
    Object.assign(reply, { isInPlace: true });
    Object.assign(this.#record.inPlace, { any: reply, ...(spec.method !== 'GET' && { toWrite: reply }) });
    const places = new URL(reply.url).pathname.split('/').length;
    if (spec.method !== 'GET') this.#record.writesInPlace.add(`${spec.method} ${places} ${reply.status}`);
  }

  async #renewed(identity: IdentityName, refused: string): Promise<string | undefined> {
    const token = await this.#session.tokens.afterRefusal(identity, refused, this.#sender);
    if (token !== undefined)
      this.#record.retries.push(`the token of the ${identity} had run out, sent again with a new one`);
    return token;
  }

  /** @throws {PreconditionFailed} it would go to a host that is not known to be the service */
  #wire(spec: RequestSpec, token: string | null): WireRequest {
    const wire = prepareRequest(spec, token, this.profile.all);
    if (isTrusted(wire.url, this.profile.all)) return wire;
    const { host = wire.url, origin = wire.url } = addressBehind(wire.url, this.profile.all.baseUrl) ?? {};
    const isDowngrade = origin.startsWith('http:') && isOfService(`https://${host}`, this.profile.all);
    const advice = isDowngrade
      ? 'nothing is sent in plain text where baseUrl is not'
      : `add ${host} to allowHosts in the profile where that is the same service`;
    throw new UnfitProfile(`to send ${wire.method} to ${origin}, to which the target leads (${advice})`, undefined, [
      leadsAway,
    ]);
  }

  async #sendWith(spec: RequestSpec, token: string | null): Promise<WireAnswer> {
    const wire = this.#wire(spec, token);
    const { baseUrl } = this.profile.all;
    try {
      return await this.#session.client.send(wire, this.#sender);
    } catch (error) {
      const isElsewhere = isOfService(wire.url, this.profile.all) && originOf(wire.url) !== originOf(baseUrl);
      if (!isElsewhere || !(error instanceof TargetUnreachable)) throw error;
      throw new PreconditionFailed(`an answer from ${originOf(wire.url)}, to which the target leads`, undefined, [
        leadsAway,
      ]);
    }
  }
}

/** Judges whether addresses stay with the service. */
const leadsAway: RuleId = 'headers.uris.stay-on-gateway';

function statesCredential(spec: RequestSpec): boolean {
  return statedHeader(spec.headers, 'authorization') !== undefined;
}

/** The objects that a case has read or created so far, by the request that shows each. */
class KnownReads {
  readonly #shown = new Set<string>();
  readonly #created = new Set<string>();
  /** Whether something may have been deleted as the case asked, which may be any of them. */
  #mayBeGone = false;

  /** Whether the same request showed an object before, or one was created whose id ends its address, and this answer shows none. */
  isLost(spec: RequestSpec, url: string, reply: Reply): boolean {
    if (deletes(spec) && !isRefused(reply)) this.#mayBeGone = true;
    if (spec.method === 'POST' && reply.status === 201) this.#created.add(readOf(spec, lastOfLocation(reply) ?? ''));
    // with further headers another answer may be right
    if (this.#mayBeGone || spec.method !== 'GET' || Object.keys(spec.headers ?? {}).length > 0) return false;
    const request = readOf(spec, url);
    if (showsObject(reply)) {
      this.#shown.add(request);
      return false;
    }
    const isGone = isOfNothing(reply.status);
    if (this.#shown.has(request)) return isGone || reply.status === 200;
    return isGone && this.#created.has(readOf(spec, lastSegment(new URL(url).pathname) ?? ''));
  }
}

function readOf({ as, filter }: RequestSpec, of: string): string {
  return `${as ?? ''} ${of} ${JSON.stringify(filter)}`;
}

/** Whether nothing was done; what is not found may have gone by the request that it repeats. */
function isRefused({ status }: Reply): boolean {
  return status >= 400 && status < 500 && ![404, 408, 410].includes(status);
}

function deletes({ method, body }: RequestSpec): boolean {
  if (method === 'DELETE') return true;
  return (
    Array.isArray(body) && body.some((operation: unknown) => isObject(operation) && operation['method'] === 'DELETE')
  );
}

/** Whether the answer is a read response, in whose `data` the content stands; that of a page is an array. */
function showsObject({ status, json }: Reply): boolean {
  return status === 200 && isObject(json) && isObject(json['data']);
}
