import { withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Tape } from '../cassette/tape.ts';
import type { Arrival } from './arrival.ts';
import { Installation, type InstallationParts } from './installation.ts';
import type { Keys } from './keys.ts';
import { type Course, Queue } from './queue.ts';
import { Withheld } from './withheld.ts';
import { type StageAnswer, StageServer } from './stage-server.ts';
import { partHere } from '../case/part.ts';
import type { TimeKeeper } from '../time/keeper.ts';
import { Undecidable } from '../violation.ts';
import { isLocal, nearListener } from '../extension/near-listener.ts';

/** What an installation is made of that is not the run's. */
type PartsOfCase = Omit<InstallationParts, 'baseAddress' | 'server' | 'withheld' | 'queue'>;

/** What an installation may be besides. */
interface InstallationOptions {
  /** Path that ends its base address, with a slash before it and none behind; empty unless given. */
  readonly basePath?: string;
}

/** The service that the suite plays. */
export interface Stage {
  /** One with an address, a space and tokens of its own. */
  installation(options?: InstallationOptions): Promise<Installation>;
  /** Whether several can have an address each. */
  readonly severalAddresses: boolean;
  /** Whether an installation of the run had a space of that id. */
  hadSpace(spaceId: string): boolean;
}

/** Addresses of the service that the suite plays, for all cases of a run. */
export class Addresses {
  readonly #binding: Profile['listener'];
  readonly #time: TimeKeeper;
  readonly #installations = new Set<Installation>();
  readonly #spaces = new Set<string>();
  readonly #withheld = new Withheld();
  readonly #queue = new Queue();
  readonly #tape: Tape | undefined;
  readonly #servers: StageServer[] = [];
  #shared: Promise<StageServer> | undefined;

  /** @param hostUri where no listener is bound, a host on this machine reaches one on the loopback interface */
  constructor(listener: Profile['listener'], hostUri: string, time: TimeKeeper, tape?: Tape) {
    this.#tape = tape;
    this.#binding = listener ?? (isLocal(hostUri) ? nearListener : undefined);
    this.#time = time;
  }

  /** Whether each installation has an address of its own. */
  get several(): boolean {
    return this.#binding?.publicUrl.includes('{port}') ?? false;
  }

  /** An installation, and what ends it. @throws {Undecidable} no address is bound */
  async open(
    parts: PartsOfCase,
    { basePath = '' }: InstallationOptions = {},
  ): Promise<{ readonly installation: Installation; readonly end: () => void }> {
    if (this.#binding === undefined)
      throw new Undecidable('the host has to reach the suite: add listener with bind and publicUrl to the profile');
    const { bind, publicUrl } = this.#binding;
    const server = await (this.several
      ? this.#started(`stage ${partHere().name} ${partHere().id()}`, bind.replace(/\d+$/, '0'))
      : (this.#shared ??= this.#started('stage', bind)));
    const baseAddress = withoutSlash(publicUrl.replaceAll('{port}', String(server.port))) + basePath;
    const installation: Installation = new Installation({
      ...parts,
      baseAddress,
      server,
      withheld: this.#withheld,
      queue: this.#queue,
    });
    this.#installations.add(installation);
    this.#spaces.add(installation.spaceId);
    const end = (): void => {
      installation.end();
      this.#installations.delete(installation);
    };
    return { installation, end };
  }

  hadSpace(spaceId: string): boolean {
    return this.#spaces.has(spaceId);
  }

  /** What came of the call with that token so far. */
  courseOf(token: string): Course {
    return this.#queue.courseOf(token);
  }

  /** Whether something that the host sent because of the call with that token had no success, or no answer at once. */
  isDisturbed(token: string): boolean {
    return this.#queue.isDisturbed(token);
  }

  /** Whether an object was read because of it. */
  hasRead(token: string): boolean {
    return this.#queue.hasRead(token);
  }

  /** Told which call goes out, by its token. Returns what is told of its answer. */
  calling(token: string): () => void {
    return this.#queue.sent(token);
  }

  /** Ends the listeners, no sooner: a host may still call where an installation was, and nobody else shall hear that. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  async #started(name: string, bind: string): Promise<StageServer> {
    await this.#time.begin();
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(bind) ?? [];
    const server: StageServer = new StageServer((arrival) => this.#take(arrival, server.port), {
      now: () => this.#time.now(),
      tls: this.#binding?.tls,
      name,
      tape: this.#tape,
    });
    await server.listen(host.replaceAll(/[[\]]/g, ''), Number(port));
    this.#servers.push(server);
    this.#time.watch(server);
    return server;
  }

  async #take(arrival: Arrival, port: number): Promise<StageAnswer> {
    this.#queue.hear(arrival.token?.text, arrival.arrivedAt, arrival.kind);
    const all = [...this.#installations];
    const here = all.filter((installation) => installation.port === port);
    const owner = all.find((installation) => installation.speaksFor(arrival));
    const named = here.find(({ spaceId }) => arrival.target.includes(spaceId));
    if (owner !== undefined)
      for (const met of owner.port === port ? [named] : here) if (met !== owner) met?.meet(arrival);
    const addressed =
      // what speaks for a call belongs to it, also where it was sent to another address
      owner ??
      named ??
      // a token that nobody knows tells nothing, where several share an address
      here.find((installation) => installation.isNamedBy(arrival)) ??
      (here.length === 1 ? here[0] : undefined);
    if (addressed !== undefined) return addressed.take(arrival);
    this.#queue.disturb(arrival.token?.text);
    return { status: 404, body: { title: 'Not found' } };
  }
}

/** The stage of one case: its installations end with it. */
export function openStage(addresses: Addresses, parts: PartsOfCase, atEnd: (end: () => void) => void): Stage {
  return {
    severalAddresses: addresses.several,
    hadSpace: (spaceId) => addresses.hadSpace(spaceId),
    installation: async (options) => {
      const { installation, end } = await addresses.open(parts, options);
      atEnd(end);
      return installation;
    },
  };
}

/** The keys and the installations of one run. */
export interface StageOfRun {
  readonly addresses: Addresses;
  readonly keys: Keys;
}
