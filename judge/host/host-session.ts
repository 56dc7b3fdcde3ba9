import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { Profile } from '../../contract/profile.ts';
import { HttpClient, type Sender } from '../client/client.ts';
import type { Tape } from '../cassette/tape.ts';
import type { Reply } from '../exchange.ts';
import { Part, signingPart } from '../case/part.ts';
import type { Secrets } from '../redact/redact.ts';
import type { Machine, TimeKeeper, TimeLog } from '../time/keeper.ts';
import { wallFrom } from '../time/wall.ts';
import { timeOf } from '../time/time-of.ts';
import { Addresses, type StageOfRun } from './stage.ts';
import { EveryRequest } from './every-request.ts';
import { Post } from './host.ts';
import { type AnnouncedRecord, announcedRecords, callableRecords, type HostRecord } from './records.ts';
import { Keys } from './keys.ts';

/** What the cases about the extension host share. */
export interface HostSession extends StageOfRun {
  readonly binding: ExtensionHostProfile;
  /** The time in which the host lives. */
  readonly time: TimeKeeper;
  readonly post: Post;
  readonly everyRequest: EveryRequest;
  /** The metadata exchange of before the cases; made once, and a few times more where there is no answer. */
  discovery(): Promise<Discovery>;
  close(): Promise<void>;
}

export interface Discovery {
  readonly records: readonly HostRecord[];
  /** All that is announced, whatever it holds. */
  readonly announced: readonly AnnouncedRecord[];
  /** Undefined where there was none. */
  readonly reply: Reply | undefined;
  /** The wall clock of the host, as its answer tells it; in ms since the epoch. */
  readonly wallNow: () => number;
  /** What the attempt ended with, where it did not end with a reply. */
  readonly error?: unknown;
}

const mostDiscoveries = 3;

const unrecorded: Sender = { reuse: false, retries: [], add: () => undefined };
/** Longest wait for an answer where a case is patient, in s: some more than the usual time limit of a call. */
const patientSeconds = 115;

interface Surroundings {
  readonly secrets: Secrets;
  readonly machine: Machine;
  /** Where the run is recorded, or played from. */
  readonly tape: Tape | undefined;
  readonly chance: Tape['chance'];
}

/** @returns undefined where the profile names no host */
export function openHostSession(
  profile: Profile,
  { secrets, machine, tape, chance }: Surroundings,
): HostSession | undefined {
  const { extensionHost: binding, limits } = profile;
  if (binding === undefined) return undefined;
  const client = new HttpClient(profile, tape);
  const requestTimeoutSeconds = Math.max(patientSeconds, limits?.requestTimeoutSeconds ?? 0);
  const patient = new HttpClient({ ...profile, limits: { ...limits, requestTimeoutSeconds } }, tape);
  const post = new Post({ binding, client, patient, secrets });
  const { time: _serviceTime, ...rest } = profile;
  const underWay = {
    get holdingTime() {
      return client.holdingTime + patient.holdingTime;
    },
    isLockedOut: (isKnown: boolean) => client.isLockedOut(isKnown) || patient.isLockedOut(isKnown),
    get requests() {
      return client.requests + patient.requests;
    },
    send: client.send.bind(client),
  };
  const timed = { ...rest, baseUrl: post.hostUri, ...(binding.time && { time: binding.time }) };
  const live = (log?: TimeLog): TimeKeeper => timeOf(timed, underWay, { machine, log });
  const time = tape === undefined ? live() : tape.time('host', live);
  const addresses = new Addresses(profile.listener, post.hostUri, time, tape);
  let discovered: Promise<Discovery> | undefined;
  let failed = 0;
  const discoverAgain = async (): Promise<Discovery> => {
    const discovery = await discover(post);
    failed += discovery.reply === undefined ? 1 : 0;
    // one lost answer is not the last word about a host, and a host that is away costs no more than these waits
    if (discovery.reply === undefined && failed < mostDiscoveries) discovered = undefined;
    return discovery;
  };
  return {
    binding,
    time,
    post,
    addresses,
    everyRequest: new EveryRequest(),
    keys: new Keys(
      (key) => secrets.add('ACQUIRED_KEY', key),
      new Part({ ...chance, name: signingPart, stem: signingPart }).key(32),
    ),
    discovery: () => (discovered ??= discoverAgain()),
    close: async () => {
      await time.close();
      await addresses.close();
      await Promise.all([client.close(), patient.close()]);
    },
  };
}

async function discover(post: Post): Promise<Discovery> {
  try {
    const reply = await post.discover(unrecorded);
    return {
      records: callableRecords(reply.json, post.hostUri),
      announced: announcedRecords(reply.json),
      reply,
      wallNow: wallFrom(reply.exchange),
    };
  } catch (error) {
    return { records: [], announced: [], reply: undefined, wallNow: wallFrom(undefined), error };
  }
}
