import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Place } from './place.ts';

/** Half of a start is reading modules. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };

/** `sides/<name>.ts` in a process of its own that ends by being killed. What it tells once it listens is `Told`. */
export class Killable<Told> {
  readonly #child: ChildProcess;
  readonly #ready: Promise<unknown>;
  readonly #ended: Promise<unknown>;

  /** Gets ready, and begins nothing. */
  constructor(name: string, settings: object) {
    const script = fileURLToPath(new URL(`../sides/${name}.ts`, import.meta.url));
    this.#child = fork(script, [JSON.stringify(settings)], { env });
    this.#ready = once(this.#child, 'message');
    this.#ended = once(this.#child, 'exit');
  }

  /** Resolves once it may begin. */
  async ready(): Promise<void> {
    await this.#ready;
  }

  /** Listens; undefined when it was killed before. */
  async begin(): Promise<Told | undefined> {
    const listens = once(this.#child, 'message') as Promise<[Told]>;
    this.#child.send('begin');
    const first = await Promise.race([listens, this.#ended.then(() => undefined)]);
    return first?.[0];
  }

  /** Kills the process, wherever it is, without a word. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** A reference server over that place; it tells its base URL. */
export function killableServer(place: Place): Killable<string> {
  return new Killable('killable', place);
}
