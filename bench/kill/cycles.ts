import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteStore } from '../../reference-server/ports/sqlite.ts';
import type { Store } from '../../reference-server/ports/store.ts';
import { Client } from '../harness/client.ts';
import { Ledger, type Verdict } from './ledger.ts';
import { Mortal } from './mortals.ts';
import { streamTo, type Addressees } from './stream.ts';
import { startWitness, type Witness } from './witness.ts';

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

const administrator = { authorization: 'Bearer svcpat-cora-6f8b0d2e4a' };

export interface Killed extends Verdict {
  readonly cycles: number;
  /** Cycles whose server was killed before it had accepted an event. */
  readonly early: number;
  readonly seconds: number;
}

/** Kills a server over and over, each time at a random moment, and lets the next one go on over the same file. @throws {Error} the queue does not get empty */
export async function killOverAndOver(
  file: string,
  cycles: number,
  tell: (cycle: number) => void = () => undefined,
): Promise<Killed> {
  const startedAt = performance.now();
  await using witness = await startWitness();
  const addressees = await registeredAt(file, witness);
  const ledger = new Ledger();
  let early = 0;
  let next = new Mortal({ file });
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const mortal = next;
    next = new Mortal({ file });
    if ((await livedAndDied(mortal, addressees, ledger)) === 0) early += 1;
    await lookAround(file, ledger, witness);
    tell(cycle);
  }
  await drained(next, file);
  await lookAround(file, ledger, witness);
  return { ...ledger.verdict(witness.seen), cycles, early, seconds: (performance.now() - startedAt) / 1000 };
}

/** The registration is made by a server that is not killed before it is on record. */
async function registeredAt(file: string, { url, recordIds }: Witness): Promise<Addressees> {
  const mortal = new Mortal({ file });
  await mortal.ready();
  const client = await Client.of((await mortal.begin()) ?? '');
  const body = { hostUri: url, apiKey: btoa('the symmetric key of the witness'), tokenLifeTime: 5 };
  const answer = await client.send('POST', '/api/admin/svcExtension', body, administrator);
  const { id } = (await answer.json()) as { readonly id: string };
  await mortal.kill();
  return { registrationId: id, recordIds };
}

/** @returns number of events that were accepted */
async function livedAndDied(mortal: Mortal, addressees: Addressees, ledger: Ledger): Promise<number> {
  let accepted = 0;
  await mortal.ready();
  const first = Promise.withResolvers<void>();
  const diesYoung = randomInt(youngShare) === 0;
  const lives = diesYoung
    ? sleep(randomInt(youngestMs))
    : within(patienceMs, first.promise).then(() => sleep(randomInt(longestLifeMs)));
  const death = lives.then(() => mortal.kill());
  const url = await mortal.begin();
  if (url !== undefined)
    await streamTo(url, addressees, (marker, id) => {
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

async function lookAround(file: string, ledger: Ledger, { seen }: Witness): Promise<void> {
  await sleep(hostSettlesMs);
  const queued = await inStore(file, (store) =>
    store.read(async (reading) => {
      const found = await Promise.all(ledger.open().map((id) => reading.delivery(id)));
      return new Set(found.flatMap((delivery) => (delivery === undefined ? [] : [delivery.id])));
    }),
  );
  ledger.found(seen, queued);
}

async function drained(mortal: Mortal, file: string): Promise<void> {
  await mortal.ready();
  await mortal.begin();
  try {
    const from = performance.now();
    while (!(await inStore(file, isEmpty))) {
      if (performance.now() - from > drainMs)
        throw new Error(`Expected an empty queue ${drainMs / 1000} s after the last start.`);
      await sleep(100);
    }
  } finally {
    await mortal.kill();
  }
}

async function isEmpty(store: Store): Promise<boolean> {
  return (await store.read((reading) => reading.nextReadyAt('', -Infinity))) === undefined;
}

async function inStore<T>(file: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqliteStore(file);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
