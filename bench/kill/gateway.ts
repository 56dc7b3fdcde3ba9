import { createHash, randomBytes, randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { Client, document, editor, fileArea, path } from '../harness/client.ts';
import { register } from '../harness/extensions.ts';
import type { GatewaySettings, Way } from '../sides/gateway.ts';
import { type Accepted, type Witness, sendEvent, startWitness } from './events.ts';
import { Killable, killableServer } from './killable.ts';
import { type Place, whenQueueIsEmpty } from './place.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';

/** What became of what went through a gateway that was killed. */
export interface GatewayKilled {
  readonly cycles: number;
  readonly seconds: number;
  /** Events whose acceptance the client read. */
  readonly events: number;
  /** Of those, never taken by the host, though the service gives none of them up. */
  readonly lostEvents: number;
  /** Of those, seen by the host more than once. */
  readonly doubles: number;
  /** Of those, under more than one envelope id. */
  readonly doublesUnderOtherIds: number;
  /** Batches over two objects whose acceptance the client read. */
  readonly batches: number;
  /** Of those, not in both objects. */
  readonly lostBatches: number;
  /** Batches that were in one of their objects only, answered or not. */
  readonly halfBatches: number;
  /** Files whose acceptance the client read. */
  readonly files: number;
  /** Of those, not there as they were sent. */
  readonly lostFiles: number;
  /** Files that were there in another way than they were sent, answered or not. */
  readonly halfFiles: number;
  /** Requests whose answer did not come. */
  readonly unanswered: number;
}

/** Senders of events at once; beside them one sends batches, and one files. */
const senders = 3;

/** Between two requests of a sender, in ms, so that the queue does not grow without end. */
const pauseMs = 15;
const longestLifeMs = 250;
/** How long a gateway is away before the next one, in one of `awayShare` cycles. */
const longestAwayMs = 100;
const awayShare = 4;
/** How long a request without answer may go on behind a dead gateway, in ms. */
const settlesMs = 2000;
/** Longest time for what is left in the queue, in ms: schedules of retries among them. */
const drainMs = 60_000;

/**
 * Kills a gateway over and over, through which clients reach a service and the service its extension host; both of them live on.
 * @throws {Error} the queue does not get empty
 */
export async function killGatewayOverAndOver(
  place: Place,
  cycles: number,
  tell: (cycle: number) => void = () => undefined,
): Promise<GatewayKilled> {
  const startedAt = performance.now();
  await using witness = await startWitness('endless');
  const server = killableServer(place);
  await server.ready();
  try {
    const direct = (await server.begin()) ?? '';
    const gateways = new Gateways([portOf(direct), portOf(witness.url)]);
    const [front = 0, back = 0] = await gateways.begin();
    const through = `http://127.0.0.1:${front}`;
    const registrationId = await register(await Client.of(direct), `http://127.0.0.1:${back}`);
    const over = new AbortController();
    const events = Array.from({ length: senders }, () => streamEvents(through, registrationId, over.signal));
    const batches = streamBatches(await BatchedPair.make(direct, through), over.signal);
    const files = streamFiles(direct, through, over.signal);
    try {
      await gateways.die(cycles, tell);
    } finally {
      over.abort();
    }
    const sent = await Promise.all(events);
    const [batched, filed] = await Promise.all([batches, files]);
    await whenQueueIsEmpty(place, drainMs);
    await gateways.close();
    return {
      cycles,
      ...comparedWith(
        witness,
        sent.flatMap((one) => one.accepted),
      ),
      batches: batched.accepted,
      lostBatches: batched.lost,
      halfBatches: batched.half,
      files: filed.accepted,
      lostFiles: filed.lost,
      halfFiles: filed.half,
      unanswered: [...sent, batched, filed].reduce((sum, one) => sum + one.unanswered, 0),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await server.kill();
  }
}

/** One gateway after the other on the same ports; the next one stands ready while one lives. */
class Gateways {
  #ways: readonly Way[];
  #current: Killable<readonly number[]>;

  constructor(targets: readonly number[]) {
    this.#ways = targets.map((to) => ({ port: 0, to }));
    this.#current = this.#next();
  }

  /** Resolves with the ports. */
  async begin(): Promise<readonly number[]> {
    await this.#current.ready();
    const ports = (await this.#current.begin()) ?? [];
    this.#ways = this.#ways.map(({ to }, index) => ({ port: ports[index] ?? 0, to }));
    return ports;
  }

  async die(times: number, tell: (cycle: number) => void): Promise<void> {
    for (let cycle = 1; cycle <= times; cycle += 1) {
      const next = this.#next();
      await next.ready();
      await sleep(randomInt(longestLifeMs));
      await this.#current.kill();
      this.#current = next;
      if (randomInt(awayShare) === 0) await sleep(randomInt(longestAwayMs));
      await this.begin();
      tell(cycle);
    }
  }

  close(): Promise<void> {
    return this.#current.kill();
  }

  #next(): Killable<readonly number[]> {
    const settings: GatewaySettings = { ways: this.#ways };
    return new Killable('gateway', settings);
  }
}

interface Sent {
  readonly accepted: readonly Accepted[];
  readonly unanswered: number;
}

let numbered = 0;

async function streamEvents(url: string, registrationId: string, signal: AbortSignal): Promise<Sent> {
  const accepted: Accepted[] = [];
  let unanswered = 0;
  while (!signal.aborted) {
    try {
      accepted.push(await sendEvent(url, registrationId, (numbered += 1)));
    } catch (error) {
      if (error instanceof RangeError) throw error;
      unanswered += 1;
    }
    await sleep(pauseMs);
  }
  return { accepted, unanswered };
}

function comparedWith(
  witness: Witness,
  events: readonly Accepted[],
): Pick<GatewayKilled, 'events' | 'lostEvents' | 'doubles' | 'doublesUnderOtherIds'> {
  const seen = events.map(({ marker }) => witness.seen(marker));
  return {
    events: events.length,
    lostEvents: seen.filter((sightings) => !sightings.some(({ taken }) => taken)).length,
    doubles: seen.filter((sightings) => sightings.length > 1).length,
    doublesUnderOtherIds: seen.filter((sightings) => new Set(sightings.map(({ id }) => id)).size > 1).length,
  };
}

/** What an object holds of the batches. */
interface State {
  readonly version: number;
  readonly note: string;
}

/** Two objects that are only edited together. */
class BatchedPair {
  readonly #direct: Client;
  readonly #through: string;
  readonly #oids: readonly string[];

  private constructor(direct: Client, through: string, oids: readonly string[]) {
    this.#direct = direct;
    this.#through = through;
    this.#oids = oids;
  }

  static async make(direct: string, through: string): Promise<BatchedPair> {
    const client = await Client.of(direct);
    const oids = await Promise.all([client.createDocument(0), client.createDocument(0)]);
    return new BatchedPair(client, through, oids);
  }

  /** Resolves with whether it was taken, undefined where no answer came. */
  async edit(version: number, note: string): Promise<boolean | undefined> {
    const operations = this.#oids.map((objectId) => ({
      method: 'PATCH',
      href: path(routes.merge, { ...document, objectId }),
      headers: { [headerNames.version]: String(version) },
      body: { note },
    }));
    try {
      const answer = await fetch(this.#through + path(routes.batch, document), {
        method: 'POST',
        headers: { ...this.#direct.headers, 'content-type': mediaTypes.json },
        body: JSON.stringify(operations),
      });
      await answer.text();
      return answer.ok;
    } catch {
      return undefined;
    }
  }

  /** Both objects, read past the gateway: what each of them holds. */
  read(): Promise<readonly State[]> {
    return Promise.all(
      this.#oids.map(async (objectId) => {
        const answer = await this.#direct.send('GET', path(routes.instanceShort, { ...document, objectId }));
        const { version, data } = (await answer.json()) as { readonly version: number; readonly data: Partial<State> };
        return { version, note: data.note ?? '' };
      }),
    );
  }
}

interface Counts {
  readonly accepted: number;
  readonly lost: number;
  readonly half: number;
  readonly unanswered: number;
}

async function streamBatches(pair: BatchedPair, signal: AbortSignal): Promise<Counts> {
  let [accepted, lost, half, unanswered] = [0, 0, 0, 0];
  let version = 1;
  for (let number = 1; !signal.aborted; number += 1) {
    const note = `batch ${number}`;
    const isTaken = await pair.edit(version, note);
    if (isTaken === true) {
      accepted += 1;
      version += 1;
      const states = await pair.read();
      if (!states.every((state) => state.version === version && state.note === note)) lost += 1;
    } else {
      // a request whose answer was lost may have been carried out after the last look, and this one comes too late for it
      if (isTaken === undefined) unanswered += 1;
      const [one, other] = await settled(pair);
      if (one?.version !== other?.version || one?.note !== other?.note) half += 1;
      version = one?.version ?? version;
    }
    await sleep(pauseMs);
  }
  return { accepted, lost, half, unanswered };
}

/** What both objects hold once it stays so, or they are still apart: a request whose answer was lost may go on for a while. */
async function settled(pair: BatchedPair): Promise<readonly State[]> {
  const from = performance.now();
  let before = await pair.read();
  for (;;) {
    await sleep(pauseMs);
    const now = await pair.read();
    const [one, other] = now;
    const stays = JSON.stringify(now) === JSON.stringify(before);
    if ((stays && one?.version === other?.version) || performance.now() - from > settlesMs) return now;
    before = now;
  }
}

const piece = randomBytes(16 * 1024);
const pieces = 16;
const fileHeaders = {
  ...editor,
  checksum: createHash('md5')
    .update(Buffer.concat(Array<Buffer>(pieces).fill(piece)))
    .digest('hex'),
  'content-length': String(piece.length * pieces),
};

async function streamFiles(direct: string, through: string, signal: AbortSignal): Promise<Counts> {
  let [accepted, lost, half, unanswered] = [0, 0, 0, 0];
  for (let number = 1; !signal.aborted; number += 1) {
    const isAccepted = await upload(`${through}${fileArea}/stream/${number}`);
    if (!isAccepted) await sleep(pauseMs);
    const bytes = await download(`${direct}${fileArea}/${number}`);
    const isWhole = bytes === piece.length * pieces;
    if (isAccepted) accepted += 1;
    else unanswered += 1;
    if (isAccepted && !isWhole) lost += 1;
    if (bytes !== undefined && !isWhole) half += 1;
  }
  return { accepted, lost, half, unanswered };
}

/** A file that comes slowly, so that a gateway dies under it. Resolves with whether its acceptance was read. */
async function upload(url: string): Promise<boolean> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: fileHeaders,
      body: Readable.from(slowly(), { objectMode: false }),
    });
    await answer.body.dump();
    if (answer.statusCode < 300) return true;
    throw new RangeError(`Expected a file to be accepted, found ${answer.statusCode}.`);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return false;
  }
}

async function* slowly(): AsyncIterable<Buffer> {
  for (let index = 0; index < pieces; index += 1) {
    yield piece;
    await sleep(3);
  }
}

/** How many bytes of the file are there; undefined where there is none. */
async function download(url: string): Promise<number | undefined> {
  const answer = await fetch(url, { headers: editor });
  const bytes = await answer.arrayBuffer();
  return answer.ok ? bytes.byteLength : undefined;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
