import { randomBytes } from 'node:crypto';
import type { Profile } from '../../contract/profile.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import { Listener } from '../../simulator/extension/listener.ts';
import { Site, type SiteOptions } from '../../simulator/extension/site.ts';
import type { TimeKeeper } from '../time/keeper.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';

/** A site of a case and where the service reaches it. */
export interface Place {
  readonly site: Site;
  readonly listener: Listener;
  /** Without a slash at its end. */
  readonly url: string;
}

/** The listeners of a run: one that all cases share, each at a path of its own, and those of single cases. */
export class Listeners {
  readonly #profile: Profile;
  readonly #time: TimeKeeper;
  readonly #own: Listener[] = [];
  #shared: Promise<Listener> | undefined;

  constructor(profile: Profile, time: TimeKeeper) {
    this.#profile = profile;
    this.#time = time;
  }

  /** At a path that nobody else has. */
  async place(options: SiteOptions): Promise<Place> {
    this.#shared ??= this.#open();
    const listener = await this.#shared;
    return this.#placed(listener, options);
  }

  /** On a port that nobody else has. @throws {Inconclusive} the profile names one port for all */
  async ownPlace(options: SiteOptions): Promise<Place> {
    const { bind, publicUrl } = this.#binding();
    if (!publicUrl.includes('{port}'))
      throw new Inconclusive(
        'the check needs a port of its own: let listener.publicUrl of the profile hold {port}, where ports need not be agreed on',
      );
    const listener = await this.#open(bind.replace(/\d+$/, '0'));
    this.#own.push(listener);
    return this.#placed(listener, options);
  }

  /** Everything that arrived at the shared listener in this run so far. */
  async trace(): Promise<readonly Entry[]> {
    return (await this.#shared)?.journal.entries() ?? [];
  }

  async close(): Promise<void> {
    const shared = await this.#shared?.catch(() => undefined);
    await Promise.all([...(shared === undefined ? [] : [shared]), ...this.#own].map((listener) => listener.close()));
  }

  /** Whoever does not know the path is no service that was told it. */
  #placed(listener: Listener, options: SiteOptions): Place {
    const base = `/x/${randomBytes(9).toString('base64url')}`;
    const { publicUrl } = this.#binding();
    const url = publicUrl.replaceAll('{port}', String(listener.port)) + base;
    const site = new Site(new URL(url).pathname.replace(/\/$/, ''), options);
    listener.mount(site);
    return { site, listener, url };
  }

  async #open(bind = this.#binding().bind): Promise<Listener> {
    await this.#time.begin();
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(bind) ?? [];
    const address = { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
    const listener = this.#listenerAt(address);
    await listener.listen().catch((error: unknown) => {
      throw new PreconditionFailed(
        `to listen on ${bind} (${messageOf(error)}): correct listener.bind in the profile, or end what listens there`,
      );
    });
    this.#time.watch(listener);
    return listener;
  }

  #listenerAt(address: { readonly host: string; readonly port: number }): Listener {
    const { tls } = this.#binding();
    try {
      return new Listener({ ...address, tls, clock: this.#time });
    } catch (error) {
      throw new PreconditionFailed(`to speak TLS (${messageOf(error)}): correct listener.tls in the profile`);
    }
  }

  #binding(): NonNullable<Profile['listener']> {
    if (this.#profile.listener === undefined) throw new PreconditionFailed('a listener: add listener to the profile');
    return this.#profile.listener;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
