import { joined } from '../calls/event.ts';
import type { Entry } from '../entry.ts';
import { CallbackError, type Reply } from '../work/client.ts';
import { within } from '../work/within.ts';
import type { WorkingHost } from '../working-host.ts';
import { acquireRequest, askingIn, signedPost, type Asking, type KeysByPermission } from './acquire.ts';

/** Longest wait for the keys after they were asked for, in ms. */
const callbackPatienceMs = 30_000;
/** Waits before another attempt, in ms. */
const retryDelaysMs = [2000, 4000, 8000, 16_000, 32_000];
/** Installations that one host has keys of; beyond, none are asked for. */
const mostInstallations = 1000;

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

/** The API keys of a host, in memory, for each installation that calls it. */
export class Keys {
  readonly #host: WorkingHost;
  readonly #installations = new Map<string, Installation>();
  readonly #closing = new AbortController();
  readonly #outstanding: Outstanding[] = [];
  readonly #loops = new Set<Promise<void>>();

  constructor(host: WorkingHost) {
    this.#host = host;
  }

  /** Whether a request arrives at the address to which keys are brought. */
  isCallback({ path }: Pick<Entry, 'path'>): boolean {
    return this.#asking().some(({ tokenCallback }) => tokenCallback === this.#host.url + path);
  }

  /** A service called from here: gets its keys, where records ask for some and it has none yet, and renews them from then on. */
  learn(baseAddress: string): void {
    if (this.#installations.has(baseAddress) || this.#asking().length === 0 || baseAddress === '') return;
    if (this.#installations.size >= mostInstallations || this.#closing.signal.aborted) return;
    const installation: Installation = { baseAddress, keys: new Map() };
    this.#installations.set(baseAddress, installation);
    const loop = this.#keep(installation).catch((error: unknown) => {
      this.#installations.delete(baseAddress);
      if (!this.#closing.signal.aborted)
        this.#host.say(`No keys from ${baseAddress}: ${error instanceof Error ? error.message : String(error)}`);
    });
    this.#loops.add(loop);
    void loop.finally(() => this.#loops.delete(loop));
  }

  /** Keys that were brought; they belong to whom was asked last. Those nobody asked for are dropped. */
  take(keys: KeysByPermission): void {
    const index = this.#outstanding.findLastIndex(({ names }) => names.some((name) => keys.has(name)));
    const [outstanding] = index === -1 ? [] : this.#outstanding.splice(index, 1);
    if (outstanding === undefined) return;
    for (const name of outstanding.names) {
      const key = keys.get(name);
      if (key !== undefined) outstanding.installation.keys.set(name, key);
    }
    outstanding.came();
  }

  /** POSTs JSON to a route, signed with the key of a permission; with a new key once more where that one is refused. @throws {CallbackError | OutOfTimeError} */
  async post(
    baseAddress: string,
    permission: string,
    route: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Reply> {
    const installation = this.#installations.get(baseAddress);
    if (installation === undefined)
      throw new CallbackError(`There are no keys for ${baseAddress}: no record of the host asks for ${permission}`);
    if (!installation.keys.has(permission)) await this.#acquire(installation);
    const key = installation.keys.get(permission);
    const reply = await this.#host.client.send(signedPost(key, joined(baseAddress, route), body), signal);
    if (!this.#host.behaviours.isKeyRefused(reply.status)) return reply;
    if (installation.keys.get(permission) === key) await this.#acquire(installation);
    return this.#host.client.send(
      signedPost(installation.keys.get(permission), joined(baseAddress, route), body),
      signal,
    );
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the host closes'));
    await Promise.all(this.#loops);
  }

  async #keep(installation: Installation): Promise<void> {
    const { clock, behaviours } = this.#host;
    const { signal } = this.#closing;
    for (;;) {
      await this.#acquirePatiently(installation, signal);
      const lifetimeMs = behaviours.keyLifetimeMs();
      if (lifetimeMs === Infinity) return;
      await clock.sleep(lifetimeMs, signal, 'key renewal');
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
      await this.#host.clock.sleep(delayMs, signal, 'key retry');
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
    for (const asking of this.#asking()) await this.#acquireOf(installation, asking, this.#closing.signal);
  }

  /** Asks, and waits until the keys are brought. */
  async #acquireOf(installation: Installation, asking: Asking, signal: AbortSignal): Promise<void> {
    const came = Promise.withResolvers<void>();
    const outstanding = { installation, names: asking.permissions, came: came.resolve };
    this.#outstanding.push(outstanding);
    try {
      const { client, clock } = this.#host;
      await client.demand(acquireRequest(this.#host, installation.baseAddress, asking), signal);
      await within(clock, callbackPatienceMs, signal, 'keys that were asked for', (late) =>
        Promise.race([came.promise, aborted(late)]),
      );
    } finally {
      const index = this.#outstanding.indexOf(outstanding);
      if (index !== -1) this.#outstanding.splice(index, 1);
    }
  }

  #asking(): readonly Asking[] {
    return askingIn(this.#host.records());
  }
}

/** No answer, or one of the kind that is worth another attempt. Source: extensions, Errors 1 */
function isTransient(error: unknown): boolean {
  if (!(error instanceof CallbackError)) return true;
  return error.status === undefined || error.status >= 500 || error.status === 408;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
