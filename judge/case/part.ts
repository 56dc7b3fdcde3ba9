import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, createHmac, randomBytes } from 'node:crypto';

/** What becomes of what a case learns from the world by other ways than requests: it happens, and is kept or told again. */
export interface Asides {
  /** @param what tells it from what else the part learns */
  aside<T>(part: string, what: string, learn: () => Promise<T>): Promise<T>;
  /** Told of bytes that a part made of a text, and which anybody can make again. */
  made(part: string, seed: string, length: number): void;
  /** A reading of a clock, or of what else changes by itself. @param what tells it from what else the part reads */
  reading(part: string, what: string, read: () => number): number;
  /** Calls `fire` once so many ms have passed. Returns what prevents it. */
  timer(part: string, ms: number, fire: () => void): () => void;
}

/** From what a part of a run draws. */
export interface PartOptions {
  /** As `paging.link.present#0`. */
  readonly name: string;
  /** The same where the same is to be drawn. */
  readonly stem: string;
  /** What nobody else can know, for keys. */
  readonly secret?: Uint8Array;
  /** Told each key that is drawn, and how another secret draws it. */
  readonly keyDrawn?: (key: Buffer, drawnBy: (secret: Uint8Array) => Buffer, part: string) => void;
  readonly asides?: Asides | undefined;
}

/** Something of a run that draws ids and keys of its own, such as one attempt of a case: the same for the same seed, rule, attempt and mark. */
export class Part {
  readonly name: string;
  readonly asides: Asides | undefined;
  readonly #options: PartOptions;
  readonly #secret: Uint8Array;
  #drawn = 0;

  constructor(options: PartOptions) {
    this.name = options.name;
    this.asides = options.asides;
    this.#options = options;
    this.#secret = options.secret ?? randomBytes(32);
  }

  /** Nothing else has them; whoever knows the seed of the run can tell them. */
  bytes(size: number): Buffer {
    return Buffer.concat(
      blocks(size, (block) => createHash('sha512').update(`${this.#label()} ${block}`).digest()),
      size,
    );
  }

  /** In the form of a random UUID. */
  id(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  /** A key, which nobody can tell from the seed. @param framed puts what it is to begin and end with around what was drawn */
  key(size: number, framed = (drawn: Buffer): Buffer => drawn): Buffer {
    return this.#keyOf(size, this.#label(), framed);
  }

  /** Two keys that differ in their last byte alone. */
  keysAlike(size: number): readonly [Buffer, Buffer] {
    const label = this.#label();
    const withOtherEnd = (key: Buffer): Buffer =>
      Buffer.concat([key.subarray(0, -1), Buffer.of((key.at(-1) ?? 0) ^ 1)]);
    return [this.#keyOf(size, label, (drawn) => drawn), this.#keyOf(size, label, withOtherEnd)];
  }

  #keyOf(size: number, label: string, framed: (drawn: Buffer) => Buffer): Buffer {
    const drawnBy = (secret: Uint8Array): Buffer => framed(keyOf(secret, label, size));
    const key = drawnBy(this.#secret);
    this.#options.keyDrawn?.(key, drawnBy, this.name);
    return key;
  }

  #label(): string {
    this.#drawn += 1;
    return `${this.#options.stem} ${this.#drawn}`;
  }
}

/** The key that is drawn from a secret under a label. */
function keyOf(secret: Uint8Array, label: string, size: number): Buffer {
  return Buffer.concat(
    blocks(size, (block) => createHmac('sha512', secret).update(`${label} ${block}`).digest()),
    size,
  );
}

function blocks(size: number, block: (index: number) => Buffer): readonly Buffer[] {
  return Array.from({ length: Math.ceil(size / 64) }, (_block, index) => block(index));
}

/** What draws the key by which the suite signs tokens of its own. */
export const signingPart = 'tokens';

const parts = new AsyncLocalStorage<Part>();
/** What is done around the cases repeats nothing. */
const around = new Part({ name: 'run', stem: randomBytes(16).toString('hex') });

/** Runs something as that part of the run: what it draws comes from there. */
export function runAs<T>(part: Part, run: () => T): T {
  return parts.run(part, run);
}

/** The part of the run in which the current step is taken. */
export function partHere(): Part {
  return parts.getStore() ?? around;
}

/** Learns something otherwise than by a request of the client: it is kept by a run that is recorded, and not learnt again by one that is played. */
export function aside<T>(what: string, learn: () => Promise<T>): Promise<T> {
  const { asides, name } = partHere();
  return asides === undefined ? learn() : asides.aside(name, what, learn);
}

/** Reads a clock, or what else changes by itself, where what a case sends or finds hangs on it. */
export function reading(what: string, read: () => number): number {
  const { asides, name } = partHere();
  return asides === undefined ? read() : asides.reading(name, what, read);
}
