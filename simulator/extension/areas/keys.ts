import { messageOf } from '../../../contract/thrown.ts';
import { badRequest, joinUrl } from '../call.ts';
import { CallbackError, type Outgoing, type Reply } from '../client.ts';
import { rejectOnAbort, within } from '../within.ts';
import type { Entry } from '../entry.ts';
import { isObject } from '../envelope.ts';
import type { MetadataRecord } from '../metadata.ts';
import { signatureOf } from '../signature.ts';
import type { Step } from '../step.ts';
import { HostArea } from '../surroundings.ts';

/** Longest wait for the keys after they were asked for, in ms. */
const callbackPatienceMs = 30_000;
/** Waits before another attempt, in ms. */
const retryDelaysMs = [2000, 4000, 8000, 16_000, 32_000];
/** Installations that one host has keys of; beyond, none are asked for. */
const mostInstallations = 1000;
const keyLifetimeHours = 24;

/** API keys by permission, Base64. */
type KeysByPermission = ReadonlyMap<string, string>;

/** The record that asks for keys, where it does. */
export interface Asking {
  readonly id: string;
  readonly tokenCallback: string;
  readonly permissions: readonly string[];
}

/** JSON for a route of a service that takes the key of a permission. */
interface Posting {
  readonly baseAddress: string;
  readonly permission: string;
  readonly route: string;
  readonly body: unknown;
}

interface Outstanding {
  readonly installation: Installation;
  readonly names: readonly string[];
  readonly came: () => void;
}

/** A service, by its base address, and the keys that it gave. */
interface Installation {
  readonly baseAddress: string;
  readonly keys: Map<string, string>;
  /** While its keys are asked for. */
  acquiring?: Promise<void> | undefined;
}

/** The API keys of a host, in memory, for each installation that calls it. Source: extensions, Acquiring API keys */
export class Keys extends HostArea {
  readonly #installations = new Map<string, Installation>();
  readonly #closing = new AbortController();
  readonly #outstanding: Outstanding[] = [];
  readonly #loops = new Set<Promise<void>>();

  /** Whether a request arrives at the address to which keys are brought. */
  isCallback({ path }: Pick<Entry, 'path'>): boolean {
    return this.asking().some(({ tokenCallback }) => tokenCallback === this.surroundings.hostUri + path);
  }

  /** Takes the keys that the service brings. */
  answerCallback(entry: Entry): Step {
    if (entry.method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
    const keys = keysIn(entry.json);
    if (keys === undefined)
      return badRequest('Expected a JSON object of permission names, each with an object that has "apiKey".');
    this.#take(keys);
    return { status: 200 };
  }

  /** A service called from here: gets its keys, where records ask for some and it has none yet, and renews them from then on. */
  learn(baseAddress: string): void {
    if (this.#installations.has(baseAddress) || this.asking().length === 0 || baseAddress === '') return;
    if (this.#installations.size >= mostInstallations || this.#closing.signal.aborted) return;
    const installation: Installation = { baseAddress, keys: new Map() };
    this.#installations.set(baseAddress, installation);
    const loop = this.#keep(installation).catch((error: unknown) => {
      this.#installations.delete(baseAddress);
      if (!this.#closing.signal.aborted) this.surroundings.say(`No keys from ${baseAddress}: ${messageOf(error)}`);
    });
    this.#loops.add(loop);
    void loop.finally(() => this.#loops.delete(loop));
  }

  /** POSTs signed with the key of the permission; with a new key once more where that one is refused. @throws {CallbackError | OutOfTimeError} */
  async post({ baseAddress, permission, route, body }: Posting, signal: AbortSignal): Promise<Reply> {
    const installation = this.#installations.get(baseAddress);
    if (installation === undefined)
      throw new CallbackError(`There are no keys for ${baseAddress}: no record of the host asks for ${permission}`);
    if (!installation.keys.has(permission)) await this.#acquire(installation);
    const key = installation.keys.get(permission);
    const url = joinUrl(baseAddress, route);
    const reply = await this.surroundings.client.send(signedPost(key, url, body), signal);
    if (!this.isKeyRefused(reply.status)) return reply;
    if (installation.keys.get(permission) === key) await this.#acquire(installation);
    return this.surroundings.client.send(signedPost(installation.keys.get(permission), url, body), signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the host closes'));
    await Promise.all(this.#loops);
  }

  /** Names to ask for: those of the metadata. */
  permissionsAsked({ permissions }: Asking): readonly string[] {
    return permissions;
  }

  /** How long a key is used before another is asked for, in ms. Source: extensions, Limits, permission key rotation */
  keyLifetimeMs(): number {
    return keyLifetimeHours * 3_600_000;
  }

  /** Whether this answer to a request that was signed with a key says that the key is over. */
  isKeyRefused(status: number): boolean {
    return status === 401 || status === 403;
  }

  async #keep(installation: Installation): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await this.#acquirePatiently(installation, signal);
      const lifetimeMs = this.keyLifetimeMs();
      if (lifetimeMs === Infinity) return;
      await this.surroundings.clock.sleep(lifetimeMs, signal, 'key renewal');
    }
  }

  /** Tries again after what may pass. */
  async #acquirePatiently(installation: Installation, signal: AbortSignal): Promise<void> {
    for (const delayMs of retryDelaysMs) {
      try {
        return await this.#acquire(installation);
      } catch (error) {
        signal.throwIfAborted();
        if (!isTransient(error)) throw error;
      }
      await this.surroundings.clock.sleep(delayMs, signal, 'key retry');
    }
    return this.#acquire(installation);
  }

  /** One request at a time for each service; whoever needs its keys meanwhile waits for the same. */
  #acquire(installation: Installation): Promise<void> {
    installation.acquiring ??= this.#acquireAll(installation).finally(() => {
      installation.acquiring = undefined;
    });
    return installation.acquiring;
  }

  async #acquireAll(installation: Installation): Promise<void> {
    for (const asking of this.asking()) await this.#acquireOf(installation, asking, this.#closing.signal);
  }

  /** Asks, and waits until the keys are brought. */
  async #acquireOf(installation: Installation, asking: Asking, signal: AbortSignal): Promise<void> {
    const came = Promise.withResolvers<void>();
    const outstanding = { installation, names: asking.permissions, came: came.resolve };
    this.#outstanding.push(outstanding);
    try {
      const { client, clock } = this.surroundings;
      await client.demand(this.#acquireRequest(installation.baseAddress, asking), signal);
      await within(clock, callbackPatienceMs, signal, 'keys that were asked for', (late) =>
        Promise.race([came.promise, rejectOnAbort(late)]),
      );
    } finally {
      const index = this.#outstanding.indexOf(outstanding);
      if (index !== -1) this.#outstanding.splice(index, 1);
    }
  }

  #acquireRequest(baseAddress: string, asking: Asking): Outgoing {
    const route = `/api/collection/externalExtension/acquireAccessToken/${encodeURIComponent(asking.id)}`;
    const body = { tokenCallback: asking.tokenCallback, permissions: this.permissionsAsked(asking) };
    return signedPost(this.surroundings.apiKey, joinUrl(baseAddress, route), body);
  }

  /** Keys belong to whom was asked last. Those nobody asked for are dropped. */
  #take(keys: KeysByPermission): void {
    const index = this.#outstanding.findLastIndex(({ names }) => names.some((name) => keys.has(name)));
    const [outstanding] = index === -1 ? [] : this.#outstanding.splice(index, 1);
    if (outstanding === undefined) return;
    for (const name of outstanding.names) {
      const key = keys.get(name);
      if (key !== undefined) outstanding.installation.keys.set(name, key);
    }
    outstanding.came();
  }

  asking(): readonly Asking[] {
    return askingIn(this.surroundings.records());
  }
}

/** The records that ask for keys; what a record holds beside its type is not trusted. */
function askingIn(records: readonly MetadataRecord[]): readonly Asking[] {
  return records.flatMap((record: unknown) => {
    if (!isObject(record) || typeof record['id'] !== 'string' || !isObject(record['permissions'])) return [];
    const { tokenCallback, permissions } = record['permissions'];
    if (typeof tokenCallback !== 'string' || !Array.isArray(permissions)) return [];
    return [{ id: record['id'], tokenCallback, permissions: permissions.filter((name) => typeof name === 'string') }];
  });
}

/** A POST that is signed with a key over the path of its address. Source: extensions, Authentication 2 */
function signedPost(key: string | undefined, url: string, body: unknown): Outgoing {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const signed = key === undefined ? {} : { Authorization: `Bearer ${signatureOf(key, path)}` };
  return {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json', ...signed },
    body: JSON.stringify(body ?? {}),
  };
}

/** The keys of a callback; undefined where a member is none. */
function keysIn(json: unknown): KeysByPermission | undefined {
  if (!isObject(json)) return undefined;
  const keys = new Map<string, string>();
  for (const [permission, value] of Object.entries(json)) {
    const key = isObject(value) ? value['apiKey'] : undefined;
    if (typeof key !== 'string' || key === '') return undefined;
    keys.set(permission, key);
  }
  return keys;
}

/** No answer, or one of the kind that is worth another attempt. Source: extensions, Errors 1 */
function isTransient(error: unknown): boolean {
  if (!(error instanceof CallbackError)) return true;
  return error.status === undefined || error.status >= 500 || error.status === 408;
}
