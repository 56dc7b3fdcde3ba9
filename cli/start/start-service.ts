import { tell } from '../outlet.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { codeOf } from '../../contract/thrown.ts';
import { toPlainText } from '../../judge/describe.ts';
import { makeFolder } from '../make-folder.ts';
import { UsageError } from '../usage.ts';
import { isTaken, untilAnswers } from './presence.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { loadExtensionProfile } from '../../judge/profile/host-profile.ts';
import { type LoadedProfile, loadProfile } from '../../judge/profile/load.ts';
import { registryOf } from '../../judge/redact/profile-secrets.ts';
import type { CheckOptions } from '../options.ts';
import { isAddress } from '../values.ts';

interface ServiceStart {
  /** For a shell. */
  readonly command: string;
  /** Where it is to answer. */
  readonly address: string;
  /** How long it may take, in ms. */
  readonly waitMs: number;
  /** Whether somebody who answers there already is judged, and nothing is started. */
  readonly reuse: boolean;
  /** File of what it prints. */
  readonly log: string;
  readonly signal: AbortSignal;
}

/** A service that was started, until it is disposed. */
export interface Started extends AsyncDisposable {
  readonly isRunning: boolean;
}

/** How long it may wind up before it is killed, in ms. */
const graceMs = 5000;
const lookEveryMs = 20;
/** What is kept of what it prints, in bytes, twice: as the log and as the part before it. */
const longestLogBytes = 32 * 1024 ** 2;
const lookAtLogEveryMs = 1000;
/** What is shown of a service that ended, in bytes and in lines. */
const [tailBytes, tailLines] = [16_384, 20];

const defaultWaitSeconds = 30;

/** Starts the service that a run is to judge, where it is to answer by its profile. @throws {UsageError | ProfileError} */
export async function startForRun(
  options: CheckOptions & { readonly start: string },
  signal: AbortSignal,
): Promise<Started> {
  const { start, profile, wait = defaultWaitSeconds, reuse = false, out } = options;
  // a profile that the service itself serves is there when it answers
  const isServed = profile !== undefined && isAddress(profile);
  const loaded = isServed ? undefined : await loadedFor(options);
  const address = isServed ? profile : loaded?.profile.baseUrl;
  if (address === undefined) throw new UsageError('--start: the profile names no address; add one');
  // the outlet learns of them: the service may print them before anybody is asked
  if (loaded !== undefined) registryOf(loaded);
  return startService({
    command: start,
    address,
    waitMs: wait * 1000,
    reuse,
    log: join(out, 'service.log'),
    signal,
  });
}

async function loadedFor({ profile, extension }: CheckOptions): Promise<LoadedProfile | undefined> {
  if (extension !== undefined) return loadExtensionProfile(profile, extension, catalogue.ids);
  return profile === undefined ? undefined : loadProfile(profile, { rules: catalogue.all });
}

/**
 * Starts the service in a process group of its own, and resolves once it answers. Disposed, it ends the group; whatever ends this process
 * ends it too. @throws {UsageError} somebody answers there already, or the service ends or does not answer
 */
async function startService(start: ServiceStart): Promise<Started> {
  const { command, address, waitMs, reuse, signal } = start;
  if (await isTaken(address)) {
    if (!reuse)
      throw new UsageError(
        `--start: something answers at ${address} already, and would be judged in the place of what is started; stop it, or add --reuse to judge it as it is`,
      );
    tell(`${address} is answered already: that is judged, and nothing is started`);
    return { isRunning: true, [Symbol.asyncDispose]: async () => undefined };
  }
  const service = new Service(start);
  try {
    const ended = new AbortController();
    const waiting = AbortSignal.any([signal, ended.signal]);
    void service.ended.finally(() => ended.abort());
    const isThere = await untilAnswers(address, waitMs, waiting).catch(() => false);
    // whoever judges hears of it next
    if (signal.aborted) return service;
    if (!service.isRunning)
      throw new UsageError(
        `--start: \`${command}\` ${service.end()} before anything answered at ${address}; it has to stay until it is stopped. ${service.tail()}`,
      );
    if (!isThere)
      throw new UsageError(
        `--start: nothing answers at ${address} within ${waitMs / 1000} s of \`${command}\`; correct baseUrl, or give it more time with --wait. ${service.tail()}`,
      );
    service.expectToStay();
    return service;
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}

/** A command under way with everything that it starts. */
class Service implements Started {
  readonly ended: Promise<unknown>;
  readonly #start: ServiceStart;
  readonly #child: ChildProcess;
  readonly #onSignal = (name: NodeJS.Signals): void => this.#heard(name);
  readonly #onExit = (): void => void this.#signal('SIGKILL');
  readonly #log: NodeJS.Timeout;
  #interrupts = 0;
  #isStopping = false;
  #hasAnswered = false;

  constructor(start: ServiceStart) {
    this.#start = start;
    const log = openLog(start.log);
    this.#child = spawn(start.command, { shell: true, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    this.#log = setInterval(() => boundLog(start.log), lookAtLogEveryMs).unref();
    this.ended = once(this.#child, 'exit').catch(() => undefined);
    process.on('exit', this.#onExit);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, this.#onSignal);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined;
  }

  /** How it ended, as the end of a sentence. */
  end(): string {
    const { exitCode, signalCode } = this.#child;
    if (signalCode !== null) return `was ended by ${signalCode}`;
    return exitCode === null ? 'could not be started' : `ended with ${exitCode}`;
  }

  /** From now on its end is told. */
  expectToStay(): void {
    this.#hasAnswered = true;
    void this.ended.finally(() => {
      if (!this.#isStopping) tell(`\`${this.#start.command}\` ${this.end()} while it was judged. ${this.tail()}`);
    });
  }

  /** The last lines that it printed. */
  tail(): string {
    const { log } = this.#start;
    const lines = stripVTControlCharacters(endOf(log)).split(/\r?\n/);
    const shown = lines
      .filter((line) => line.trim() !== '')
      .slice(-tailLines)
      .map((line) => `\n  ${toPlainText(line)}`);
    return shown.length === 0 ? `It printed nothing (${log}).` : `The end of ${log}:${shown.join('')}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    const until = performance.now() + graceMs;
    this.#signal('SIGTERM');
    // what it has started may live longer than itself
    while (this.#signal(0) && performance.now() < until) await sleep(lookEveryMs);
    this.#signal('SIGKILL');
    if (this.#child.pid !== undefined) await this.ended;
    clearInterval(this.#log);
    boundLog(this.#start.log);
    const { command, address } = this.#start;
    if (this.#hasAnswered && (await isTaken(address)))
      tell(
        `something still answers at ${address}: \`${command}\` started it in a session of its own, and it outlives the run; let it stay in the foreground`,
      );
    process.off('exit', this.#onExit);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, this.#onSignal);
  }

  /** The first is heard by the run, which winds up and stops the service. */
  #heard(name: NodeJS.Signals): void {
    this.#interrupts += 1;
    if (name !== 'SIGHUP' && this.#interrupts === 1) return;
    process.exit(interruptedExitCode);
  }

  /** Sends it to the whole group. Returns whether there is anybody. */
  #signal(name: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    try {
      return process.kill(process.platform === 'win32' ? pid : -pid, name);
    } catch {
      return false;
    }
  }
}

const interruptedExitCode = 3;

/** A file that each write goes to the end of, wherever that is then. @throws {UsageError} */
function openLog(file: string): number {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;
  try {
    makeFolder(dirname(file));
    rmSync(`${file}.1`, { force: true });
    return openSync(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${codeOf(error)}); name another folder with --out.`);
  }
}

/** Lets a log that has grown too long begin anew, and keeps its last part beside it: what is printed while that is written as well. */
function boundLog(file: string): void {
  try {
    const { size } = statSync(file);
    if (size <= longestLogBytes) return;
    writeFileSync(`${file}.1`, bytesFrom(file, size - longestLogBytes), { mode: 0o600 });
    appendFileSync(`${file}.1`, bytesFrom(file, size));
    truncateSync(file);
  } catch {
    // the run does without what its service prints
  }
}

function endOf(file: string): string {
  try {
    return bytesFrom(file, Math.max(0, statSync(file).size - tailBytes)).toString();
  } catch {
    return '';
  }
}

function bytesFrom(file: string, start: number): Buffer {
  const open = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(open).size - start));
    readSync(open, bytes, 0, bytes.byteLength, start);
    return bytes;
  } finally {
    closeSync(open);
  }
}
