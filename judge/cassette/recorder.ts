import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import type { RuleId } from '../../contract/rule.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import type { Journal } from '../../simulator/extension/journal.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import type { Site } from '../../simulator/extension/site.ts';
import type { WireRequest } from '../client/wire.ts';
import { type Headers, headersIn } from '../exchange.ts';
import { generatedBytes } from '../files/bodies.ts';
import { partHere, signingPart } from '../case/part.ts';
import { Secrets } from '../redact/redact.ts';
import type { Run } from '../run/run.ts';
import type { Heartbeat } from '../time/heartbeat.ts';
import type { Machine, TimeKeeper, TimeLog } from '../time/keeper.ts';
import type { AskLine, AsideLine, CallLine, Head, Line, TimeLine, TimerLine } from './lines.ts';
import { type Again, type Content, contentOf, type Made, shortestMade } from './content.ts';
import { failureOf } from './failure.ts';
import { credentialOf } from './question.ts';
import type { Ask, AskEnd, StageMessage, Tape } from './tape.ts';
import { Twins } from './twins.ts';

/** From what the parts of a played run draw their keys: everybody knows it, so that none of them is a secret. */
export const playedSecret: Uint8Array = Buffer.from('svc-conformance cassette');

interface Asked extends Ask {
  readonly part: string;
  readonly request: WireRequest;
  readonly at: number;
  endedAt?: number;
  ended?: AskEnd;
}

interface Arrived {
  readonly entry: Entry;
  readonly door: string;
  readonly at: number;
  endedAt?: number;
  isUnheard: boolean;
}

interface Staged {
  readonly door: string;
  readonly message: StageMessage;
  readonly at: number;
}

interface Learnt {
  readonly part: string;
  readonly what: string;
  endedAt?: number;
  value?: unknown;
  error?: unknown;
}

type Timed = { -readonly [Name in keyof TimerLine]: TimerLine[Name] };

type Kept =
  | { readonly ask: Asked }
  | { readonly call: Arrived }
  | { readonly stage: Staged }
  | { readonly learnt: Learnt }
  | { readonly line: Line };

/** Shorter answers are kept as often as they come. */
const shortestAgain = 256;

/** The answers so far: many come again and again. */
class Answers {
  readonly #numbers = new Map<string, number>();
  #count = 0;

  contentOf(bytes: Uint8Array, make: () => Content): Content | Again {
    this.#count += 1;
    if (bytes.length < shortestAgain) return make();
    const digest = hash('sha1', bytes);
    const same = this.#numbers.get(digest);
    if (same !== undefined) return { same };
    this.#numbers.set(digest, this.#count - 1);
    return make();
  }
}

/** Adds to the list that stands under a key. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** So many characters are compressed at once. */
const usualPiece = 256 * 1024;

/** JSON, line by line, in pieces: all of it as one text would take twice the room as soon as one letter of it is not Latin, and be copied for that. */
function* piecesOf(lines: Iterable<Head | Line>): Generator<string, void, undefined> {
  let piece = '';
  for (const line of lines) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < usualPiece) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Keeps what the cases of a run saw of the world; what it costs is paid when the run is over. */
export class Recorder implements Tape {
  readonly chance: Tape['chance'];
  readonly #kept: Kept[] = [];
  readonly #sites = new Map<string, { readonly site: Site; readonly part: string }>();
  readonly #keys = new Map<string, string>();
  /** Keys by the part that drew them. */
  readonly #drawn = new Map<string, string[]>();
  readonly #made = new Map<string, { readonly seed: string; readonly length: number }[]>();
  readonly #again = new Map<string, readonly Made[]>();
  readonly #openedAt = performance.now();
  #secrets = new Secrets();
  #machine: Heartbeat | undefined;

  constructor() {
    this.chance = {
      secret: randomBytes(32),
      keyDrawn: (key, drawnBy, part) => {
        const text = key.toString('base64');
        this.#keys.set(text, drawnBy(playedSecret).toString('base64'));
        addTo(this.#drawn, part, text);
      },
    };
  }

  know(secrets: Secrets): void {
    this.#secrets = secrets;
  }

  async begin(rule: RuleId): Promise<boolean> {
    this.#kept.push({ line: { kind: 'rule', rule, at: performance.now() } });
    return true;
  }

  async end(part: string): Promise<void> {
    this.#kept.push({ line: { kind: 'end', part, at: performance.now() } });
  }

  missingFor(): undefined {
    return undefined;
  }

  ask(part: string, request: WireRequest): Ask {
    const ask: Asked = {
      part,
      request,
      at: performance.now(),
      end: (end) => {
        ask.endedAt = performance.now();
        ask.ended = end;
      },
    };
    this.#kept.push({ ask });
    return ask;
  }

  async aside<T>(part: string, what: string, learn: () => Promise<T>): Promise<T> {
    const learnt: Learnt = { part, what };
    this.#kept.push({ learnt });
    try {
      const value = await learn();
      learnt.value = value;
      return value;
    } catch (error) {
      learnt.error = error;
      throw error;
    } finally {
      learnt.endedAt = performance.now();
    }
  }

  made(part: string, seed: string, length: number): void {
    if (length < shortestMade) return;
    addTo(this.#made, part, { seed, length });
  }

  reading(part: string, what: string, read: () => number): number {
    const value = read();
    this.#kept.push({ line: { kind: 'reading', part, what, value } });
    return value;
  }

  timer(part: string, ms: number, fire: () => void): () => void {
    const line: Timed = { kind: 'timer', part, ms };
    this.#kept.push({ line });
    const timer = setTimeout(() => {
      line.at = performance.now();
      line.fired = true;
      fire();
    }, ms);
    return () => {
      line.at ??= performance.now();
      clearTimeout(timer);
    };
  }

  machine(live: () => Heartbeat): Machine {
    this.#machine = live();
    return this.#machine;
  }

  time(of: TimeLine['of'], live: (log: TimeLog) => TimeKeeper): TimeKeeper {
    const note = (more: Omit<TimeLine, 'kind' | 'of' | 'at'>): void =>
      void this.#kept.push({ line: { kind: 'time', of, at: performance.now(), ...more } });
    return live({
      set: (now, goesOn) => note({ set: now, goesOn }),
      wake: (now) => note({ wake: now }),
      // the answer is there later
      asked: (asked) => note({ asked }),
    });
  }

  portOf(): undefined {
    return undefined;
  }

  listens(door: string, port: number, journal?: Journal): void {
    this.#kept.push({ line: { kind: 'door', door, port } });
    const open = new Map<Entry, Arrived>();
    journal?.watch((entry) => {
      const known = open.get(entry);
      if (known === undefined) open.set(entry, this.#arrived(door, entry));
      else {
        known.endedAt = performance.now();
        open.delete(entry);
      }
    });
  }

  mounted(door: string, site: Site): void {
    this.#sites.set(`${door} ${site.base}`, { site, part: partHere().name });
  }

  staged(): void {}

  stageMessage(door: string, message: StageMessage): void {
    this.#kept.push({ stage: { door, message, at: performance.now() } });
  }

  /** Everything that was kept, with something else in the place of every secret, compressed. */
  async finish(run: Omit<Run, 'rules'>): Promise<Uint8Array> {
    const zstd = createZstdCompress({
      params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 24 },
    });
    const pieces = Readable.from(piecesOf(this.#lines(run)), { objectMode: false });
    const [bytes] = await Promise.all([buffer(zstd), pipeline(pieces, zstd)]);
    return bytes;
  }

  *#lines(run: Omit<Run, 'rules'>): Generator<Head | Line, void, undefined> {
    const secrets = this.#secrets;
    const twins = new Twins(secrets, this.#keys, [
      ...(run.loaded.profile.auth?.signingKey === undefined ? [] : [run.loaded.profile.auth.signingKey]),
      ...(this.#drawn.get(signingPart) ?? []),
    ]);
    this.#signAnew(twins);
    const answers = new Answers();
    const { record: _, repeat: __, granted: ___, ...repeated } = run;
    yield {
      run: { rules: [], ...repeated, loaded: twins.all(run.loaded) },
      openedAt: this.#openedAt,
      timeOrigin: performance.timeOrigin,
    };
    for (const kept of this.#kept) yield this.#lineOf(kept, twins, secrets, answers);
    for (const stalls of this.#machine?.lost() ?? []) yield { kind: 'lost', stalls };
  }

  /** A case may have changed the bytes that it was given. */
  #madeAgain(part: string): readonly Made[] {
    const known = this.#again.get(part);
    if (known !== undefined) return known;
    const made = (this.#made.get(part) ?? []).map(({ seed, length }) => ({
      seed,
      bytes: generatedBytes(seed, length),
    }));
    this.#again.set(part, made);
    return made;
  }

  #arrived(door: string, entry: Entry): Arrived {
    const arrived: Arrived = { entry, door, at: performance.now(), isUnheard: false };
    this.#kept.push({ call: arrived });
    // what ends in the same step was not answered by anybody
    queueMicrotask(() => {
      arrived.isUnheard = arrived.endedAt !== undefined;
    });
    return arrived;
  }

  /** What was signed with a key of the suite is signed with what stands for that key. */
  #signAnew(twins: Twins): void {
    for (const kept of this.#kept) {
      if ('call' in kept) {
        const { entry, door } = kept.call;
        const { site, part = '' } = this.#sites.get(`${door} ${entry.base}`) ?? {};
        const own = site?.apiKey === undefined ? [] : [site.apiKey];
        this.#signRequest(entry, entry.base, [...own, ...(this.#drawn.get(part) ?? [])], twins);
      }
      if ('stage' in kept) this.#signRequest(kept.stage.message, '', [...this.#keys.keys()], twins);
    }
  }

  #signRequest(
    { headers, target }: Pick<StageMessage, 'headers' | 'target'>,
    base: string,
    likely: readonly string[],
    twins: Twins,
  ): void {
    const presented = /^Bearer +(\S{86})$/i.exec(headersIn(headers, 'authorization').join(', '))?.[1];
    if (presented === undefined) return;
    const path = target.split('?')[0] ?? '';
    for (const key of likely)
      for (const signed of new Set([path, path.slice(base.length), target]))
        if (signatureOf(key, signed) === presented) {
          twins.sign(presented, signatureOf(this.#keys.get(key) ?? key, signed));
          return;
        }
  }

  #lineOf(kept: Kept, twins: Twins, secrets: Secrets, answers: Answers): Line {
    if ('line' in kept) return kept.line;
    if ('ask' in kept) return askLine(kept.ask, { twins, secrets, answers, made: this.#madeAgain(kept.ask.part) });
    if ('call' in kept) return callLine(kept.call, twins);
    if ('learnt' in kept) return asideLine(kept.learnt, twins);
    const { door, at, message } = kept.stage;
    const { method, target, arrivedAt, headers, bytes } = message;
    return {
      kind: 'stage',
      door,
      at,
      arrivedAt,
      method,
      target: twins.text(target),
      headers: safeHeaders(headers, twins),
      body: contentOf(bytes, (text) => twins.text(text)),
    };
  }
}

interface Writing {
  readonly twins: Twins;
  readonly secrets: Secrets;
  readonly made: readonly Made[];
  readonly answers: Answers;
}

function askLine({ part, request, at, endedAt, ended }: Asked, { twins, secrets, made, answers }: Writing): AskLine {
  const { received, error, sentAt } = ended ?? {};
  const safe = (text: string): string => twins.text(text);
  const credential = credentialOf(request, secrets);
  return {
    kind: 'ask',
    part,
    at,
    method: request.method,
    url: twins.text(request.url),
    headers: request.headers.map(([name, value]) => [
      name,
      name.toLowerCase() === 'authorization' ? twins.credential(value) : twins.often(value),
    ]),
    ...(credential !== undefined && { credential }),
    ...(request.body !== undefined && { body: contentOf(request.body, safe, made) }),
    ...(sentAt !== undefined && { sentAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(received !== undefined && {
      status: received.status,
      answered: safeHeaders(received.headers, twins),
      content: answers.contentOf(received.bytes, () => contentOf(received.bytes, safe, made)),
    }),
    ...(error !== undefined && { failure: failureOf(error, safe) }),
  };
}

function callLine({ entry, door, at, endedAt, isUnheard }: Arrived, twins: Twins): CallLine {
  const { base, number, arrivedAt, arrivedWall, method, target, headers, body, cutShort, ending, status } = entry;
  return {
    kind: 'call',
    door,
    base,
    at,
    number,
    arrivedAt,
    arrivedWall,
    method,
    target: twins.text(target),
    headers: safeHeaders(headers, twins),
    body: contentOf(body, (text) => twins.text(text)),
    cutShort,
    ...(isUnheard && { unheard: true }),
    ...(endedAt !== undefined &&
      ending !== undefined &&
      entry.endedAt !== undefined && {
        end: { at: endedAt, endedAt: entry.endedAt, ending, ...(status !== undefined && { status }) },
      }),
  };
}

function asideLine({ part, what, endedAt, value, error }: Learnt, twins: Twins): AsideLine {
  return {
    kind: 'aside',
    part,
    what,
    ...(endedAt !== undefined && { endedAt }),
    ...(error === undefined ? { value: twins.all(value) } : { failure: failureOf(error, (text) => twins.text(text)) }),
  };
}

function safeHeaders(headers: Headers, twins: Twins): Headers {
  return headers.map(([name, value]) => [twins.often(name), twins.often(value)]);
}
