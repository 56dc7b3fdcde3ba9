import { basePathOf, withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import { isLocal, nearListener } from './near-listener.ts';
import { Callee } from '../../simulator/extension/callee.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import type { Journal } from '../../simulator/extension/journal.ts';
import { Listener } from '../../simulator/extension/listener.ts';
import { Site, type SiteOptions } from '../../simulator/extension/site.ts';
import type { Tape } from '../cassette/tape.ts';
import type { TimeKeeper } from '../time/keeper.ts';
import { PreconditionFailed, Undecidable, UnfitProfile } from '../violation.ts';
import { type Part, partHere } from '../case/part.ts';
import { messageOf } from '../../contract/thrown.ts';

/** A site of a case and where the service reaches it. */
export interface Place {
  readonly site: Site;
  readonly listener: Door;
  /** Without a slash at its end. */
  readonly url: string;
}

/** What a case sees of a listener: in a run that is played nothing listens, and what arrived then arrives again. */
interface Door {
  readonly journal: Journal;
  /** Requests by paths that nobody was given. */
  readonly strays: string[];
  shut(): Promise<void>;
  listen(): Promise<unknown>;
}

/** A listener, and the name by which a cassette knows it. */
interface Opened {
  readonly name: string;
  readonly listener: Listener;
  readonly isPlayed: boolean;
}

const sharedName = 'shared';

/** The listeners of a run: one that all cases share, each at a path of its own, and those of single cases. */
export class Listeners {
  readonly #profile: Profile;
  readonly #time: TimeKeeper;
  readonly #tape: Tape | undefined;
  readonly #callees: Callee[] = [];
  readonly #own: Opened[] = [];
  readonly #sites = new WeakMap<Part, Site[]>();
  #shared: Promise<Opened> | undefined;

  constructor(profile: Profile, time: TimeKeeper, tape?: Tape) {
    this.#tape = tape;
    this.#profile = profile;
    this.#time = time;
  }

  /** At a path that nobody else has. */
  async place(options: SiteOptions): Promise<Place> {
    this.#shared ??= this.#open(sharedName);
    const opened = await this.#shared;
    return this.#placed(opened, options);
  }

  /** On a port that nobody else has. @throws {Undecidable} the profile names one port for all */
  async ownPlace(options: SiteOptions): Promise<Place> {
    const { bind, publicUrl } = this.#binding();
    if (!publicUrl.includes('{port}'))
      throw new Undecidable(
        'the check needs a port of its own: let listener.publicUrl of the profile hold {port}, where ports need not be agreed on',
      );
    const opened = await this.#open(`${partHere().name} ${partHere().id()}`, bind.replace(/\d+$/, '0'));
    this.#own.push(opened);
    return this.#placed(opened, options);
  }

  /** What a part of the run keeps waiting is answered, and what comes to it later as by default: a service may make only so many calls at once. */
  release(part: Part): void {
    for (const site of this.#sites.get(part) ?? []) site.release();
    this.#sites.delete(part);
  }

  /** Somebody whom scripts of findings let the service call, and where. */
  async callee(): Promise<{ readonly callee: Callee; readonly url: string }> {
    this.#shared ??= this.#open(sharedName);
    const { listener } = await this.#shared;
    const callee = new Callee(listener);
    this.#callees.push(callee);
    return { callee, url: this.#urlOf(listener) };
  }

  /** Everything that arrived at the shared listener in this run so far, but for what scripts of findings have set off. */
  async trace(): Promise<readonly Entry[]> {
    const entries = (await this.#shared)?.listener.journal.entries() ?? [];
    return entries.filter((entry) => !this.#callees.some((callee) => callee.isTold(entry)));
  }

  /** What came to the shared listener by paths that nobody was given. */
  async strays(): Promise<readonly string[]> {
    return (await this.#shared)?.listener.strays ?? [];
  }

  async close(): Promise<void> {
    const shared = await this.#shared?.catch(() => undefined);
    await Promise.all(
      [...(shared === undefined ? [] : [shared]), ...this.#own].map(({ listener }) => listener.close()),
    );
  }

  /** Whoever does not know the path is no service that was told it. */
  #placed({ name, listener, isPlayed }: Opened, options: SiteOptions): Place {
    const base = `/x/${partHere().bytes(9).toString('base64url')}`;
    const url = this.#urlOf(listener) + base;
    const site = new Site(basePathOf(url), options);
    listener.mount(site);
    this.#sites.set(partHere(), [...(this.#sites.get(partHere()) ?? []), site]);
    const { journal } = listener;
    this.#tape?.mounted(name, site, journal);
    const silent: Door = { journal, strays: [], shut: async () => undefined, listen: async () => undefined };
    return { site, listener: isPlayed ? silent : listener, url };
  }

  #urlOf({ port }: Listener): string {
    return withoutSlash(this.#binding().publicUrl.replaceAll('{port}', String(port)));
  }

  async #open(name: string, bind = this.#binding().bind): Promise<Opened> {
    await this.#time.begin();
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(bind) ?? [];
    const played = this.#tape?.portOf(name);
    const address = { host: host.replaceAll(/[[\]]/g, ''), port: played ?? Number(port) };
    const listener = this.#listenerAt(address);
    if (played !== undefined) return { name, listener, isPlayed: true };
    await listener.listen().catch((error: unknown) => {
      throw new PreconditionFailed(
        `to listen on ${bind} (${messageOf(error)}): correct listener.bind in the profile, or end what listens there`,
      );
    });
    this.#tape?.listens(name, listener.port, listener.journal);
    this.#time.watch(listener);
    return { name, listener, isPlayed: false };
  }

  #listenerAt(address: { readonly host: string; readonly port: number }): Listener {
    const { tls } = this.#binding();
    try {
      return new Listener({ ...address, tls, clock: this.#time });
    } catch (error) {
      throw new UnfitProfile(`to speak TLS (${messageOf(error)}): correct listener.tls in the profile`);
    }
  }

  #binding(): NonNullable<Profile['listener']> {
    const { listener, extensionHost } = this.#profile;
    const isNear = extensionHost !== undefined && isLocal(extensionHost.hostUri);
    const binding = listener ?? (isNear ? nearListener : undefined);
    if (binding === undefined) throw new UnfitProfile('a listener: add listener to the profile');
    return binding;
  }
}
