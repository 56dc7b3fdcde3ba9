import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../harness/client.ts';
import { register } from '../harness/extensions.ts';
import { type Accepted, type Sighting, type Witness, sendEvent, startWitness } from './events.ts';
import { type Killable, killableServer } from './killable.ts';
import { inStore, type Place, whenQueueIsEmpty } from './place.ts';

/** What became of the events that were accepted. */
interface Verdict {
  readonly accepted: number;
  /** Never acknowledged, and not in the queue any more. */
  readonly lost: number;
  /** Sent again, though their acknowledgement was on record before a kill, or without one in between. */
  readonly resent: number;
  /** Acknowledged by the host and still in the queue when the server was found dead: the window that cannot be closed. */
  readonly inWindow: number;
  /** Of those, sent again. */
  readonly resentFromWindow: number;
  /** Their outcome was on record, and it was kept. */
  readonly onRecord: number;
}

interface Account {
  readonly id: string;
  /** Acknowledgements when the server was last found dead. */
  acknowledged: number;
  /** Times that the queue held it although a new acknowledgement was there. */
  windows: number;
  /** Sightings when it was found to be on record; undefined before. */
  sightingsOnRecord?: number;
}

/** Compares what a client was told with what a host got. Events are known by a marker of their own. */
export class Ledger {
  readonly #accounts = new Map<string, Account>();

  accept(marker: string, id: string): void {
    this.#accounts.set(marker, { id, acknowledged: 0, windows: 0 });
  }

  /** Ids of the events whose outcome is not known to be on record. */
  open(): readonly string[] {
    return [...this.#accounts.values()]
      .filter(({ sightingsOnRecord }) => sightingsOnRecord === undefined)
      .map(({ id }) => id);
  }

  /** To be told while no server runs. @param queued ids, of those that are open, which the queue still holds */
  found(seen: (marker: string) => readonly Sighting[], queued: ReadonlySet<string>): void {
    for (const [marker, account] of this.#accounts) {
      if (account.sightingsOnRecord !== undefined) continue;
      const sightings = seen(marker);
      const acknowledged = acknowledgedOf(sightings);
      if (!queued.has(account.id)) account.sightingsOnRecord = sightings.length;
      else if (acknowledged > account.acknowledged) account.windows += 1;
      account.acknowledged = acknowledged;
    }
  }

  /** To be asked when the queue is empty. */
  verdict(seen: (marker: string) => readonly Sighting[]): Verdict {
    const counts = { accepted: 0, lost: 0, resent: 0, inWindow: 0, resentFromWindow: 0, onRecord: 0 };
    for (const [marker, { windows, sightingsOnRecord }] of this.#accounts) {
      const sightings = seen(marker);
      const acknowledged = acknowledgedOf(sightings);
      counts.accepted += 1;
      if (acknowledged === 0) counts.lost += 1;
      if (sightingsOnRecord !== undefined) counts.onRecord += 1;
      const afterRecord = sightings.length > (sightingsOnRecord ?? Infinity);
      if (afterRecord || acknowledged > 1 + windows) counts.resent += 1;
      if (windows > 0) counts.inWindow += 1;
      if (windows > 0 && acknowledged > 1) counts.resentFromWindow += 1;
    }
    return counts;
  }
}

/** Requests under way at once. */
const senders = 4;

/** So that a cycle does not leave more than the next ones can deliver. */
const mostEvents = 60;

let sent = 0;

/** Longest life of a server, in ms: from the first event that it accepts, or, of one in `youngShare`, from when it is told to begin. */
const longestLifeMs = 300;
/** For one that accepts none. */
const patienceMs = 10_000;
const youngestMs = 100;
const youngShare = 8;
/** How long the host may take to end what a dead server had sent, in ms. */
const hostSettlesMs = 10;
/** Longest time for what is left in the queue: leases of 6 s, retries, and calls of a busy machine. */
const drainMs = 60_000;

export interface Killed extends Verdict {
  readonly cycles: number;
  /** Cycles whose server was killed before it had accepted an event. */
  readonly early: number;
  readonly seconds: number;
}

/** Kills a server over and over, each time at a random moment, and lets the next one go on over the same store. @throws {Error} the queue does not get empty */
export async function killOverAndOver(
  place: Place,
  cycles: number,
  tell: (cycle: number) => void = () => undefined,
): Promise<Killed> {
  const startedAt = performance.now();
  await using witness = await startWitness();
  const registrationId = await registeredAt(place, witness);
  const ledger = new Ledger();
  let early = 0;
  let next = killableServer(place);
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const killable = next;
    next = killableServer(place);
    if ((await liveAndDie(killable, registrationId, ledger)) === 0) early += 1;
    await lookAround(place, ledger, witness);
    tell(cycle);
  }
  await drain(next, place);
  await lookAround(place, ledger, witness);
  return { ...ledger.verdict(witness.seen), cycles, early, seconds: (performance.now() - startedAt) / 1000 };
}

/** The registration is made by a server that is not killed before it is on record. */
async function registeredAt(place: Place, { url }: Witness): Promise<string> {
  const killable = killableServer(place);
  await killable.ready();
  const id = await register(await Client.of((await killable.begin()) ?? ''), url);
  await killable.kill();
  return id;
}

/** @returns number of events that were accepted */
async function liveAndDie(killable: Killable<string>, registrationId: string, ledger: Ledger): Promise<number> {
  let accepted = 0;
  await killable.ready();
  const first = Promise.withResolvers<void>();
  const diesYoung = randomInt(youngShare) === 0;
  const lives = diesYoung
    ? sleep(randomInt(youngestMs))
    : within(patienceMs, first.promise).then(() => sleep(randomInt(longestLifeMs)));
  const death = lives.then(() => killable.kill());
  const url = await killable.begin();
  if (url !== undefined)
    await streamTo(url, registrationId, ({ marker, id }) => {
      accepted += 1;
      first.resolve();
      ledger.accept(marker, id);
    });
  await death;
  return accepted;
}

async function within(ms: number, promise: Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([promise, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
  over.abort();
}

async function lookAround(place: Place, ledger: Ledger, { seen }: Witness): Promise<void> {
  await sleep(hostSettlesMs);
  const queued = await inStore(place, (store) =>
    store.read(async (reading) => {
      const found = await Promise.all(ledger.open().map((id) => reading.delivery(id)));
      return new Set(found.flatMap((delivery) => (delivery === undefined ? [] : [delivery.id])));
    }),
  );
  ledger.found(seen, queued);
}

async function drain(killable: Killable<string>, place: Place): Promise<void> {
  await killable.ready();
  await killable.begin();
  try {
    await whenQueueIsEmpty(place, drainMs);
  } finally {
    await killable.kill();
  }
}

/** Sends one event after another until the service does not answer any more. @param accepted is told of each event that was answered with 2xx */
async function streamTo(url: string, registrationId: string, accepted: (event: Accepted) => void): Promise<void> {
  const last = sent + mostEvents;
  const sendAll = async (): Promise<void> => {
    while (sent < last) accepted(await sendEvent(url, registrationId, (sent += 1)));
  };
  const ends = await Promise.allSettled(Array.from({ length: senders }, sendAll));
  for (const end of ends) if (end.status === 'rejected' && isRefusal(end.reason)) throw end.reason;
}

/** A connection that breaks is what a kill looks like. */
function isRefusal(reason: unknown): boolean {
  return reason instanceof RangeError;
}

function acknowledgedOf(sightings: readonly Sighting[]): number {
  return sightings.filter(({ acknowledged }) => acknowledged).length;
}
