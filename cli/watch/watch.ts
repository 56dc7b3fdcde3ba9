import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RuleId } from '../../contract/rule.ts';
import { counted } from '../../reports/text.ts';
import type { Outcome } from '../../judge/outcome.ts';
import type { Deployment } from '../check/deployment.ts';
import type { CheckOptions } from '../options.ts';
import { UsageError } from '../usage.ts';
import type { Asked, Event } from './asked.ts';
import { watchFiles } from './files.ts';
import { openInbox } from './inbox.ts';
import { hearKeys, type KeySource } from './keys.ts';
import { Standings } from './standings.ts';

/** One run of a watch. */
export interface Round {
  /** Judged before all others. */
  readonly first: readonly RuleId[];
  /** Absent: all that are selected. */
  readonly only?: readonly RuleId[];
  readonly signal: AbortSignal;
  readonly onSettled: (outcomes: readonly Outcome[]) => void;
}

export interface Watching {
  readonly options: CheckOptions;
  readonly open: () => Promise<Deployment>;
  /** Judges once and prints what came of it. Resolves with the exit code. */
  readonly judge: (deployment: Deployment, round: Round) => Promise<number>;
  /** Prints what is wrong with a profile. Returns the exit code, or throws what is no error of the profile. */
  readonly complain: (error: unknown) => number;
  readonly keys: KeySource;
  /** Aborts on Ctrl-C where no terminal hands it over as a key. */
  readonly signal: AbortSignal;
}

const clearScreen = '\u001B[2J\u001B[3J\u001B[H';

/**
 * Judges, and again as often as a key asks for it or a watched file changes. The target stays open until the profile changes. Resolves with the
 * exit code of the last whole run once somebody quits. @throws {UsageError} a path that cannot be watched, or nothing that could ever start a run
 */
export async function watchChecks(watching: Watching): Promise<number> {
  const { options, keys } = watching;
  const quitting = new AbortController();
  const inbox = openInbox(quitting.signal);
  let exitCode: number | undefined;
  const quit = (): void => {
    // the second one does not wait for a run to wind up
    if (quitting.signal.aborted) process.exit(exitCode ?? interruptedExitCode);
    quitting.abort('quit');
  };
  using files = watchFiles({
    paths: pathsOf(options),
    ignored: writtenBy(options),
    onChange: (changed) => inbox.put({ kind: 'change', files: changed }),
  });
  using heard = hearKeys(keys, { onAsked: (asked) => inbox.put({ kind: 'key', asked }), onQuit: quit });
  watching.signal.addEventListener('abort', () => quitting.abort(watching.signal.reason), { once: true });
  await using target = new Target(watching);
  const rounds = new Rounds(watching, target, quitting.signal);
  void [files, heard];
  for (
    let asked: Asked | undefined = 'all';
    asked !== undefined;
    asked = await askedNext(inbox.next, target, options)
  ) {
    const ended = await rounds.run(asked);
    if (quitting.signal.aborted) return exitCode ?? ended;
    exitCode = ended;
    say(waitingLine(options, keys, rounds.failedCount));
  }
  return exitCode ?? interruptedExitCode;
}

const interruptedExitCode = 3;

/** What the next event asks for; undefined when somebody quits. A profile that was only touched is no event. */
async function askedNext(
  next: () => Promise<Event | undefined>,
  target: Target,
  { profile }: CheckOptions,
): Promise<Asked | undefined> {
  for (;;) {
    const event = await next();
    if (event === undefined) return undefined;
    if (event.kind === 'key') return event.asked;
    const others = [...event.files].filter((file) => profile === undefined || file !== resolve(profile));
    if (others.length > 0 || target.isOutdated()) return 'again';
  }
}

/** The deployment under test, opened when it is needed and opened again when its profile has changed. */
class Target implements AsyncDisposable {
  readonly #watching: Watching;
  #deployment: Deployment | undefined;
  #text: string | undefined;

  constructor(watching: Watching) {
    this.#watching = watching;
  }

  async current(): Promise<Deployment> {
    if (this.#deployment !== undefined && !this.isOutdated()) return this.#deployment;
    await this[Symbol.asyncDispose]();
    this.#text = this.#profileText();
    this.#deployment = await this.#watching.open();
    return this.#deployment;
  }

  /** Whether the profile in the file is another one than that of the last run. */
  isOutdated(): boolean {
    return this.#profileText() !== this.#text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const deployment = this.#deployment;
    this.#deployment = undefined;
    await deployment?.[Symbol.asyncDispose]();
  }

  #profileText(): string | undefined {
    const [profile] = profileFile(this.#watching.options);
    return profile === undefined || !existsSync(profile) ? undefined : readFileSync(profile, 'utf8');
  }
}

/** The runs of a watch, each with what has changed since the one before. */
class Rounds {
  readonly #watching: Watching;
  readonly #target: Target;
  readonly #signal: AbortSignal;
  readonly #standings = new Standings();
  #isNarrow = false;

  constructor(watching: Watching, target: Target, signal: AbortSignal) {
    this.#watching = watching;
    this.#target = target;
    this.#signal = signal;
  }

  get failedCount(): number {
    return this.#standings.failed().length;
  }

  /** Resolves with the exit code. Where nothing fails any more, failed rules alone are all rules. */
  async run(asked: Asked): Promise<number> {
    const failed = this.#standings.failed();
    this.#isNarrow = failed.length > 0 && (asked === 'failed' || (asked === 'again' && this.#isNarrow));
    if (process.stdout.isTTY) process.stdout.write(clearScreen);
    let changes: readonly string[] = [];
    const onSettled = (outcomes: readonly Outcome[]): void => void (changes = this.#standings.take(outcomes));
    try {
      const round = { first: failed, ...(this.#isNarrow && { only: failed }), signal: this.#signal, onSettled };
      const exitCode = await this.#watching.judge(await this.#target.current(), round);
      changes.forEach(say);
      return exitCode;
    } catch (error) {
      return this.#watching.complain(error);
    }
  }
}

function profileFile({ profile }: CheckOptions): readonly string[] {
  return profile === undefined || /^https?:\/\//.test(profile) ? [] : [profile];
}

/** @throws {UsageError} a path that is not there */
function pathsOf(options: CheckOptions): readonly string[] {
  const stated = options.watchPath ?? [];
  const missing = stated.find((path) => !existsSync(path));
  if (missing !== undefined)
    throw new UsageError(`--watch-path ${missing}: there is no such file or folder; name one that exists`);
  return [...profileFile(options), ...stated];
}

/** What a run writes must not start the next one. */
function writtenBy({ out, report = [] }: CheckOptions): readonly string[] {
  return [out, ...report.map(({ file }) => file)];
}

function waitingLine(options: CheckOptions, { isTTY }: KeySource, failed: number): string {
  const paths = pathsOf(options);
  const about = paths.length === 0 ? '' : `waiting for changes of ${paths.join(', ')}`;
  if (isTTY !== true) return `${about}; Ctrl-C ends.`.replace(/^w/, 'W');
  const keys = `Keys: r or Enter again, f failed only (${counted(failed, 'rule')}), a all, q quit`;
  return about === '' ? `${keys}.` : `${keys}; ${about}.`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @throws {UsageError} nothing that could ever start another run */
export function assertWatchable(options: CheckOptions, { isTTY }: KeySource): void {
  if (options.watchPath !== undefined && options.watch !== true)
    throw new UsageError('--watch-path says what --watch looks at: add --watch');
  if (options.watch !== true || isTTY === true || pathsOf(options).length > 0) return;
  throw new UsageError(
    '--watch has nothing to wait for: there is no terminal for keys, and no file; name a profile in a file with --profile, or what to look at with --watch-path',
  );
}
