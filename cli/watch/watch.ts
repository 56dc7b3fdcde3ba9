import { stdout, tell } from '../outlet.ts';
import { existsSync, type FSWatcher, readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import type { Deployment } from '../../api/deployment.ts';
import type { CheckOptions } from '../options.ts';
import { UsageError } from '../usage.ts';
import { type Asked, hearKeys, type KeySource } from './keys.ts';
import { incompleteExitCode } from '../exit-codes.ts';
import { untilAnswers, watchReturns } from '../start/presence.ts';
import type { Started } from '../start/start-service.ts';
import type { RuleId } from '../../contract/rule.ts';
import { messageOf } from '../../contract/thrown.ts';
import type { Outcome, Verdict } from '../../judge/outcome.ts';
import { counted } from '../../reports/text.ts';
import { isAddress } from '../values.ts';

/** Changes that come closer together count as one, in ms: editors write a file in several steps. */
const debounceMs = 150;

/** Folders that no person edits. */
const leftOut = new Set(['node_modules', '.git']);

interface FilesWatched {
  /** Files, and folders with everything below them. */
  readonly paths: readonly string[];
  /** Files and folders whose changes do not count. */
  readonly ignored: readonly string[];
  /** Called with absolute paths. */
  readonly onChange: (files: ReadonlySet<string>) => void;
}

const bad: ReadonlySet<Verdict> = new Set(['fail', 'warn', 'broken']);

const good: ReadonlySet<Verdict> = new Set(['pass', 'observed']);

/** Rules that are named of each kind of change. */
const mostNamed = 20;

/** How each rule stood when it was last judged. */
class Standings {
  readonly #verdicts = new Map<RuleId, Verdict>();

  /** Rules that were not kept, or that could not be judged for a stumble of the suite. */
  failed(): readonly RuleId[] {
    return [...this.#verdicts].filter(([, verdict]) => bad.has(verdict)).map(([rule]) => rule);
  }

  /** Takes over a run. Returns what differs from before, as lines; none for rules that were not judged before. */
  take(outcomes: readonly Outcome[]): readonly string[] {
    const judgedBefore = outcomes.filter(({ rule }) => this.#verdicts.has(rule));
    const changes = judgedBefore.flatMap(
      ({ rule, verdict }) => changeOf(rule, this.#verdicts.get(rule), verdict) ?? [],
    );
    for (const { rule, verdict } of outcomes) this.#verdicts.set(rule, verdict);
    return judgedBefore.length === 0 ? [] : linesOf(changes, judgedBefore.length);
  }
}

type Kind = 'fixed' | 'broken' | 'other';

interface Change {
  readonly kind: Kind;
  readonly text: string;
}

/** What a watch waits for. */
type Event =
  | { readonly kind: 'key'; readonly asked: Asked }
  /** @property files absolute paths */
  | { readonly kind: 'change'; readonly files: ReadonlySet<string> }
  /** The service was gone and answers again. */
  | { readonly kind: 'return' };

/** Events in their order, the newest in the place of those that nobody took yet. */
interface Inbox {
  put(event: Event): void;
  /** The next event; undefined as soon as the signal aborts. */
  next(): Promise<Event | undefined>;
}

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
  /** Starts what --start says; undefined where it says nothing. */
  readonly start: (signal: AbortSignal) => Promise<Started | undefined>;
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

/** How long a run waits for a service that does not answer, in s. */
const defaultWaitSeconds = 30;

/**
 * Judges, and again as often as a key asks for it, a watched file changes or the service has been away. The target stays open until the
 * profile changes; a service that was started here is started anew when a watched file changes. Resolves with the exit code of the last whole run once somebody quits.
 * @throws {UsageError} a path that cannot be watched, or nothing that could ever start a run
 */
export async function watchChecks(watching: Watching): Promise<number> {
  const { options, keys } = watching;
  const quitting = new AbortController();
  const inbox = openInbox(quitting.signal);
  let exitCode: number | undefined;
  const quit = (): void => {
    // the second one does not wait for a run to wind up
    if (quitting.signal.aborted) process.exit(exitCode ?? incompleteExitCode);
    quitting.abort('quit');
  };
  using files = watchFiles({
    paths: pathsOf(options),
    ignored: writtenBy(options),
    onChange: (changed) => inbox.put({ kind: 'change', files: changed }),
  });
  using heard = hearKeys(keys, { onAsked: (asked) => inbox.put({ kind: 'key', asked }), onQuit: quit });
  watching.signal.addEventListener('abort', () => quitting.abort(watching.signal.reason), { once: true });
  const returns = new Returns(() => inbox.put({ kind: 'return' }));
  await using target = new Target(watching, quitting.signal, () => returns.note());
  const rounds = new Rounds(watching, target, quitting.signal);
  void [files, heard];
  for (
    let asked: Asked | undefined = 'all';
    asked !== undefined;
    asked = await askedNext(inbox.next, { target, returns, options })
  ) {
    returns.begin();
    const ended = await rounds.run(asked);
    if (quitting.signal.aborted) return exitCode ?? ended;
    exitCode = ended;
    returns.end(ended);
    say(waitingLine(options, keys, rounds.failedCount));
  }
  return exitCode ?? incompleteExitCode;
}

interface Asking {
  readonly target: Target;
  readonly returns: Returns;
  readonly options: CheckOptions;
}

/** What the next event asks for; undefined when somebody quits. A profile that was only touched is no event. */
async function askedNext(
  next: () => Promise<Event | undefined>,
  { target, returns, options: { profile } }: Asking,
): Promise<Asked | undefined> {
  for (;;) {
    const event = await next();
    if (event === undefined) return undefined;
    if (event.kind === 'key') return event.asked;
    if (event.kind === 'return') {
      returns.take();
      return 'again';
    }
    const others = [...event.files].filter((file) => profile === undefined || file !== resolve(profile));
    if (others.length > 0) target.isChanged = true;
    if (others.length > 0 || target.isOutdated()) return 'again';
  }
}

/** The deployment under test, opened when it is needed and opened again when its profile has changed, or what it is made from. */
class Target implements AsyncDisposable {
  /** Whether files have changed that a service is made from. */
  isChanged = false;
  readonly #watching: Watching;
  readonly #signal: AbortSignal;
  readonly #onReturn: () => void;
  #service: Started | undefined;
  #deployment: Deployment | undefined;
  #returns: Disposable | undefined;
  #text: string | undefined;

  constructor(watching: Watching, signal: AbortSignal, onReturn: () => void) {
    this.#watching = watching;
    this.#signal = signal;
    this.#onReturn = onReturn;
  }

  async current(): Promise<Deployment> {
    const isServed = await this.#isServed();
    if (isServed && this.#deployment !== undefined && !this.isOutdated()) return this.#deployment;
    await this.#close();
    this.#text = this.#profileText();
    this.#deployment = await this.#watching.open();
    const address = addressOf(this.#deployment);
    if (address !== undefined) this.#returns = watchReturns(address, this.#onReturn);
    return this.#deployment;
  }

  /** Whether the profile in the file is another one than that of the last run. */
  isOutdated(): boolean {
    return this.#profileText() !== this.#text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.#service?.[Symbol.asyncDispose]();
  }

  /** Whether the service is the one of before; where it is to be another one, that is there then. */
  async #isServed(): Promise<boolean> {
    if (this.#watching.options.start === undefined || (this.#service?.isRunning === true && !this.isChanged))
      return true;
    await this[Symbol.asyncDispose]();
    this.#service = undefined;
    this.isChanged = false;
    this.#service = await this.#watching.start(this.#signal);
    return false;
  }

  async #close(): Promise<void> {
    const deployment = this.#deployment;
    this.#deployment = undefined;
    this.#returns?.[Symbol.dispose]();
    this.#returns = undefined;
    await deployment?.[Symbol.asyncDispose]();
  }

  #profileText(): string | undefined {
    const [profile] = profileFile(this.#watching.options);
    return profile === undefined || !existsSync(profile) ? undefined : readFileSync(profile, 'utf8');
  }
}

/** Where somebody's service answers; undefined for one that lives and dies with the run. */
function addressOf({ loaded, temporary }: Deployment): string | undefined {
  return temporary ? undefined : loaded.profile.baseUrl;
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
    if (stdout.isTTY) stdout.write(clearScreen);
    let changes: readonly string[] = [];
    const onSettled = (outcomes: readonly Outcome[]): void => void (changes = this.#standings.take(outcomes));
    try {
      const round = { first: failed, ...(this.#isNarrow && { only: failed }), signal: this.#signal, onSettled };
      const deployment = await this.#target.current();
      await this.#untilThere(addressOf(deployment));
      const exitCode = await this.#watching.judge(deployment, round);
      changes.forEach(say);
      return exitCode;
    } catch (error) {
      return this.#watching.complain(error);
    }
  }

  /** What stands behind a change may be starting just now. */
  async #untilThere(address: string | undefined): Promise<void> {
    const waitMs = (this.#watching.options.wait ?? defaultWaitSeconds) * 1000;
    if (address === undefined || (await untilAnswers(address, 0, this.#signal).catch(() => true))) return;
    say(`Nothing answers at ${address}: waiting for it, ${waitMs / 1000} s at most.`);
    await untilAnswers(address, waitMs, this.#signal).catch(() => false);
  }
}

function profileFile({ profile }: CheckOptions): readonly string[] {
  return profile === undefined || isAddress(profile) ? [] : [profile];
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
  const what = [
    ...(paths.length === 0 ? [] : [`changes of ${paths.join(', ')}`]),
    ...(isLasting(options) ? ['the service when it is restarted'] : []),
  ];
  const about = what.length === 0 ? '' : `waiting for ${what.join(', and for ')}`;
  if (isTTY !== true) return `${about}; Ctrl-C ends.`.replace(/^w/, 'W');
  const keys = `Keys: r or Enter again, f failed only (${counted(failed, 'rule')}), a all, q quit`;
  return about === '' ? `${keys}.` : `${keys}; ${about}.`;
}

/** Whether the service is somebody's, and may go and come back. */
function isLasting({ profile, extension }: CheckOptions): boolean {
  return profile !== undefined || extension?.url !== undefined;
}

function say(line: string): void {
  stdout.write(`${line}\n`);
}

/** @throws {UsageError} nothing that could ever start another run */
export function assertWatchable(options: CheckOptions, { isTTY }: KeySource): void {
  if (options.watchPath !== undefined && options.watch !== true)
    throw new UsageError('--watch-path says what --watch looks at: add --watch');
  if (options.watch !== true || isTTY === true || isLasting(options) || pathsOf(options).length > 0) return;
  throw new UsageError(
    '--watch has nothing to wait for: there is no terminal for keys, and no file; name a profile in a file with --profile, or what to look at with --watch-path',
  );
}

function openInbox(signal: AbortSignal): Inbox {
  let waiting: Event | undefined;
  let wake: () => void = () => undefined;
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    put: (event) => {
      waiting = waiting === undefined ? event : merged(waiting, event);
      wake();
    },
    next: async () => {
      if (waiting === undefined && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      const event = waiting;
      waiting = undefined;
      return signal.aborted ? undefined : event;
    },
  };
}

/** A key says what to judge, and takes nothing from what has changed. */
function merged(one: Event, other: Event): Event {
  if (other.kind === 'return') return one;
  if (one.kind === 'return') return other;
  if (one.kind === 'change' && other.kind === 'change')
    return { kind: 'change', files: new Set([...one.files, ...other.files]) };
  return other.kind === 'change' ? one : other;
}

function changeOf(rule: RuleId, before: Verdict | undefined, now: Verdict): Change | undefined {
  if (before === undefined || before === now) return undefined;
  return { kind: kindOf(before, now), text: `${rule}: ${before}, now ${now}` };
}

function kindOf(before: Verdict, now: Verdict): Kind {
  if (bad.has(now) && !bad.has(before)) return 'broken';
  return good.has(now) && bad.has(before) ? 'fixed' : 'other';
}

function linesOf(changes: readonly Change[], compared: number): readonly string[] {
  if (changes.length === 0) return [`Since the run before: ${counted(compared, 'rule')} as before.`];
  const of = (kind: Kind): readonly string[] =>
    changes.filter((change) => change.kind === kind).map(({ text }) => text);
  const [fixed, broken, other] = [of('fixed'), of('broken'), of('other')];
  return [
    `Since the run before: ${fixed.length} fixed, ${broken.length} broken, ${other.length} otherwise changed, ${compared - changes.length} as before.`,
    ...named('broken', broken),
    ...named('fixed', fixed),
    ...named('changed', other),
  ];
}

function named(word: string, texts: readonly string[]): readonly string[] {
  const lines = texts.slice(0, mostNamed).map((text) => `  ${word.padEnd(8)} ${text}`);
  return texts.length > mostNamed ? [...lines, `  ${word.padEnd(8)} and ${texts.length - mostNamed} more`] : lines;
}

/** Tells of changes until disposed. @throws {UsageError} a path that is not there or cannot be watched */
function watchFiles({ paths, ignored, onChange }: FilesWatched): Disposable {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const note = (file: string): void => {
    if (isLeftOut(file, ignored)) return;
    changed.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = new Set(changed);
      changed.clear();
      onChange(files);
    }, debounceMs);
  };
  const watchers = paths.map((path) => watcherOf(resolve(path), note));
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watchers.forEach((watcher) => watcher.close());
    },
  };
}

/** A file is watched by its folder: most editors put a new file in the place of the old one. */
function watcherOf(path: string, note: (file: string) => void): FSWatcher {
  const isFolder = isFolderAt(path);
  const folder = isFolder ? path : dirname(path);
  const listener = (_event: string, name: string | null): void => {
    if (isFolder) note(name === null ? folder : resolve(folder, name));
    else if (name === null || name === basename(path)) note(path);
  };
  try {
    return watch(folder, { recursive: isFolder }, listener).on('error', (error) => complain(path, error));
  } catch (error) {
    throw new UsageError(`${path} cannot be watched: ${messageOf(error)}`);
  }
}

/** A profile may come into being later; other paths have to be there, or a misspelt one would be watched for ever. */
function isFolderAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isLeftOut(file: string, ignored: readonly string[]): boolean {
  if (file.split(sep).some((part) => leftOut.has(part))) return true;
  return ignored.some((path) => {
    const below = relative(resolve(path), file);
    return below === '' || (below !== '..' && !below.startsWith(`..${sep}`));
  });
}

function complain(path: string, error: Error): void {
  tell(`${path} is no longer watched (${error.message}): start again to watch it`);
}

/**
 * Which returns of the service ask for another run. One during a run does where the run broke off by it: a case may restart the service itself.
 * A run that was asked for so and breaks off again does not, or a service that a case ends would be judged for ever.
 */
class Returns {
  readonly #ask: () => void;
  #isUnderWay = false;
  #wasSeen = false;
  #isOwn = false;
  #isIdle = false;

  constructor(ask: () => void) {
    this.#ask = ask;
  }

  note(): void {
    if (this.#isUnderWay) this.#wasSeen = true;
    else if (!this.#isIdle) this.#ask();
  }

  /** The next run begins because of a return. */
  take(): void {
    this.#isOwn = true;
  }

  begin(): void {
    [this.#isUnderWay, this.#wasSeen] = [true, false];
  }

  end(exitCode: number): void {
    this.#isUnderWay = false;
    const isBroken = exitCode === incompleteExitCode;
    this.#isIdle = isBroken && this.#isOwn;
    this.#isOwn = false;
    if (this.#wasSeen && isBroken) this.note();
  }
}
