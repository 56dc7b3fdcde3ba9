import { basePathOf, withoutSlash } from '../../contract/address.ts';
import { metadataPath } from '../../contract/names.ts';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { HttpClient, Sender } from '../client/client.ts';
import { TargetUnreachable, unlessCut, NoAnswer } from '../client/failure.ts';
import { replyOf } from '../client/reply.ts';
import { originOf, type WireRequest, type WireAnswer } from '../client/wire.ts';
import type { RuleId } from '../../contract/rule.ts';
import { reading } from '../case/part.ts';
import { PreconditionFailed } from '../violation.ts';
import { isSuccess, isTransient, type Reply } from '../exchange.ts';
import { type HostRecord, joinEndpoint } from './records.ts';
import type { Secrets } from '../redact/redact.ts';
import { signatureOver } from '../service/signature.ts';
import { ratePauseSeconds, rateWindowSeconds } from '../../contract/limits.ts';

/** How often a call is made again that others kept from being taken. */
const mostRounds = 3;
/** A rightly signed metadata request is sent so often while its status is transient: once, and as many times again as a service sends an event. */
const mostAsked = 6;

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
  /** The body goes out in the chunked coding, without its length. */
  readonly isChunked?: true;
  readonly method?: string;
  /** On a connection that served nothing before. */
  readonly fresh?: true;
}

/** A call that is about to be sent, or was. */
export interface HostCall {
  readonly record: HostRecord;
  readonly envelope: Envelope;
  /** Whether the suite made all of it up as it does for any case. */
  readonly isUsual?: boolean;
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
  /** Query parameter by which calls tell the token as well. */
  readonly queryTokenName: string;
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
  /** How many calls of an endpoint the host took in the last minutes in which a rate counts, from all cases. */
  takenLately(url: string): number;
  /** How often the host answered 429 to the case. */
  hurriedBack(): number;
  /** Lets requests of `run` wait for their answers this long instead of the usual time. */
  patiently<T>(run: (patient: Host) => Promise<T>): Promise<T>;
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

interface PostParts {
  readonly binding: ExtensionHostProfile;
  readonly client: HttpClient;
  /** Waits longer for answers. */
  readonly patient: HttpClient;
  readonly secrets: Secrets;
}

export interface PostOptions extends HostChanges {
  readonly patient?: boolean;
}

/** The name is not documented; these are that of trusted endpoints, that of downloads, and others that are usual. Source: ledger token-query-names */
const usualQueryTokenNames = ['access_token', 'token', 'accessToken', 'jwt'] as const;

/** Makes and sends the requests to the host. */
export class Post {
  readonly #parts: PostParts;
  readonly #queryTokenNames: readonly string[];
  /** Which of them is let in, as far as is known. */
  #queryTokenName = 0;
  /** Whether the signed path holds the path of hostUri. */
  #withBasePath: boolean;
  /** Paths by the signatures over them that the key of the profile made. */
  readonly #signed = new Map<string, string>();
  readonly #lanes = new Lanes();

  constructor(parts: PostParts) {
    this.#parts = parts;
    this.#withBasePath = parts.binding.signatureIncludesBasePath ?? true;
    const { queryTokenName } = parts.binding;
    this.#queryTokenNames = queryTokenName === undefined ? usualQueryTokenNames : [queryTokenName];
  }

  get queryTokenName(): string {
    return this.#queryTokenNames[reading('query token name', () => this.#queryTokenName)] ?? '';
  }

  /** A call with the token in its query. One that is not let in is made again by the other usual names, where the profile says none; what was let in is remembered. */
  async withQueryToken(token: string, send: (query: string) => Promise<Reply>): Promise<Reply> {
    const known = this.queryTokenName;
    const reply = await send(`${known}=${token}`);
    if (isLetIn(reply)) return reply;
    for (const [index, name] of this.#queryTokenNames.entries()) {
      const other = name === known ? reply : await send(`${name}=${token}`);
      if (!isLetIn(other)) continue;
      this.#queryTokenName = index;
      return other;
    }
    return reply;
  }

  get hostUri(): string {
    return withoutSlash(this.#parts.binding.hostUri);
  }

  get metadataUrl(): string {
    return joinEndpoint(this.hostUri, metadataPath);
  }

  /** The metadata exchange. Where hostUri has a path and the profile does not say whether it is signed, both forms are tried. */
  async discover(sender: Sender): Promise<Reply> {
    const isTold =
      this.#parts.binding.signatureIncludesBasePath !== undefined || new URL(this.hostUri).pathname === '/';
    const first = this.metadata({}, sender);
    // a host may end the connection of who is not let in
    const reply = await (isTold ? first : unlessCut(() => first));
    // or send him to where one logs in
    if (reply !== undefined && (isSuccess(reply.status) || isTold)) return reply;
    this.#withBasePath = false;
    const other = await unlessCut(() => this.metadata({}, sender));
    if (other !== undefined && isSuccess(other.status)) return other;
    this.#withBasePath = true;
    return reply ?? first;
  }

  /** What ends with a transient status is asked again, as a service does, each time being told. Source: extensions, Errors, rule 1 */
  async metadata(changes: PostOptions, sender: Sender, again?: (status: number) => void): Promise<Reply> {
    for (let asked = 1; ; asked += 1) {
      const reply = await this.send('GET', this.metadataUrl, changes, sender);
      if (asked === mostAsked || changes.signature !== undefined || !isTransient(reply.status)) return reply;
      again?.(reply.status);
    }
  }

  signatureFor(url: string, apiKey: string = this.#parts.binding.apiKey): string {
    const path = this.#signedPath(url);
    const signature = signatureOver(apiKey, path);
    if (apiKey === this.#parts.binding.apiKey) {
      this.#parts.secrets.add('SIGNATURE', signature);
      this.#signed.set(signature, path);
    }
    return signature;
  }

  /** @throws {TargetUnreachable | ConnectionLost | NoAnswer} */
  async send(method: string, url: string, changes: PostOptions, sender: Sender): Promise<Reply> {
    const request = this.request(method, url, changes);
    const { client, patient } = this.#parts;
    const by = changes.patient === true ? patient : client;
    const asked = changes.fresh === true ? freshly(sender) : sender;
    // what is not signed rightly counts for no rate
    const answer = await (
      changes.signature === undefined ? this.#lanes.send(endpointOf(url), by, request, asked) : by.send(request, asked)
    ).catch(told(this.hostUri, url));
    return replyOf(answer, url);
  }

  takenLately(url: string): number {
    return reading('taken', () => this.#lanes.takenLately(endpointOf(url)));
  }

  async sendAndLeave(url: string, body: string, sender: Sender): Promise<void> {
    await this.#parts.client.sendAndLeave(this.request('POST', url, { body }), sender).catch(told(this.hostUri, url));
  }

  request(
    method: string,
    url: string,
    { signature, scheme = 'Bearer', query, body, isChunked }: HostChanges,
  ): WireRequest {
    const value = signature === undefined ? this.signatureFor(url) : signature;
    const headers: (readonly [string, string])[] = value === null ? [] : [['Authorization', `${scheme} ${value}`]];
    if (body !== undefined) headers.push(['Content-Type', 'application/json']);
    if (body !== undefined && isChunked === true) headers.push(['Transfer-Encoding', 'chunked']);
    const signedPath = this.#signed.get(value ?? '');
    const separator = url.includes('?') ? '&' : '?';
    return {
      method,
      headers,
      url: query === undefined || query === null ? url : `${url}${separator}${query}`,
      ...(body !== undefined && { body: Buffer.from(body) }),
      ...(signedPath !== undefined && { signedPath }),
    };
  }

  #signedPath(url: string): string {
    const [, path = '/'] = /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url) ?? [];
    const base = basePathOf(this.hostUri);
    return this.#withBasePath || !path.startsWith(`${base}/`) ? path : path.slice(base.length);
  }
}

function endpointOf(url: string): string {
  return url.split('?')[0] ?? url;
}

function isLetIn({ status }: Reply): boolean {
  return status !== 401 && status !== 403;
}

function freshly(sender: Sender): Sender {
  return { ...sender, reuse: false, add: (sent) => sender.add(sent), retries: sender.retries };
}

/** Judges whether the metadata place a record below the address of the host. */
const placesElsewhere: RuleId = 'metadata.host.endpoint-relative';

function told(hostUri: string, url: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TargetUnreachable)) throw error;
    if (originOf(url) !== originOf(hostUri))
      throw new PreconditionFailed(`an answer from ${originOf(url)}, where the metadata place a record`, undefined, [
        placesElsewhere,
      ]);
    if (error.message.endsWith(', and start it again')) throw error;
    const [, what = `nothing answers at ${hostUri}: start the service`] =
      /^(.*), or correct baseUrl in the profile$/s.exec(error.message) ?? [];
    const change = what.replace(/start the service$/, 'start the extension host');
    throw new TargetUnreachable(`${change}, or correct its address (--url, or extensionHost.hostUri of the profile)`);
  };
}

/**
 * The calls of each endpoint go one after the other once the host has asked for patience: a host may hold its callers to the rate of the
 * record, and of many that come again together the last would never be taken. Where one was refused as often as it may be sent again, the others
 * are sent at once and have one round each: nobody waits for what may never be taken. Source: extensions, Limits, rate limit
 */
export class Lanes {
  readonly #lasts = new Map<string, Promise<unknown>>();
  /** Endpoints that took a call in none of its rounds, and no other since. */
  readonly #closed = new Set<string>();
  /** When calls were taken, by their endpoint; monotonic, in ms. */
  readonly #taken = new Map<string, number[]>();

  /** How many calls of an endpoint were taken in the last minutes in which a rate counts: that of the executions, and that of the pause. */
  takenLately(endpoint: string): number {
    const since = performance.now() - (rateWindowSeconds + ratePauseSeconds) * 1000;
    return (this.#taken.get(endpoint) ?? []).filter((at) => at > since).length;
  }

  /** @throws {TargetUnreachable | ConnectionLost | NoAnswer} */
  async send(endpoint: string, client: HttpClient, request: WireRequest, sender: Sender): Promise<WireAnswer> {
    for (let round = 1; ; round += 1) {
      try {
        const answer = await (isHurried(client) && !this.#closed.has(endpoint)
          ? this.#inTurn(endpoint, sender, () => client.send(request, sender))
          : client.send(request, sender));
        this.#closed.delete(endpoint);
        this.#taken.set(endpoint, [...(this.#taken.get(endpoint) ?? []), performance.now()]);
        return answer;
      } catch (error) {
        if (isOfRate(error) && round === mostRounds) this.#closed.add(endpoint);
        if (!isOfRate(error) || this.#closed.has(endpoint)) throw error;
      }
    }
  }

  #inTurn<T>(endpoint: string, sender: Sender, send: () => Promise<T>): Promise<T> {
    const before = this.#lasts.get(endpoint) ?? Promise.resolve();
    const turn = sender.waits?.heldBack(() => `the turn of a call of ${new URL(endpoint).pathname}`, before) ?? before;
    const sent = turn.then(send);
    this.#lasts.set(
      endpoint,
      sent.catch(() => undefined),
    );
    return sent;
  }
}

function isHurried({ patience }: HttpClient): boolean {
  return patience.some(({ status }) => status === 429);
}

/** Whether the last answer was 429 still. */
export function isOfRate(error: unknown): boolean {
  return error instanceof NoAnswer && error.message.includes('answered with 429');
}
