import { afterAll, describe, test, type TestContext } from 'vitest';
import { assertOptions, type Options } from '../contract/option.ts';
import { isBreach, type Outcome, type RunHeader } from '../judge/outcome.ts';
import { SelectionError, selectRules } from '../judge/run/selection.ts';
import { assess } from '../reports/assessment.ts';
import { entriesOf, type Entry } from '../reports/entries.ts';
import { check, type CheckOptions, checkOptions, type CheckResult, type CheckSelection } from './check.ts';
import { type ListedRule, rules as allRules } from './rules.ts';

/** What is judged in a file of tests, and by which rules. */
export interface ConformanceOptions extends Omit<CheckSelection, 'onOutcome' | 'bail'> {
  /** What the tests are grouped under; `conformance` unless given. */
  readonly name?: string;
  /** A server of this process, or what starts one when the first test runs; that one is closed after the last. */
  readonly target?: CheckOptions['target'] | (() => Opened<NonNullable<CheckOptions['target']>>);
  /** A profile, or what finds one when the first test runs: the place to start the service that it describes. */
  readonly profile?: CheckOptions['profile'] | (() => Opened<NonNullable<CheckOptions['profile']>>);
}

const known: Options<ConformanceOptions> = { ...checkOptions, name: 'string' };

/** With a way to end it, where it has one. */
type Opened<T> = (T & Partial<AsyncDisposable>) | Promise<T & Partial<AsyncDisposable>>;

/** A rule that was violated, as an assertion that does not hold. */
class Violation extends Error {
  override readonly name = 'Violation';
  readonly expected: string;
  readonly actual: string;
  readonly showDiff = true;

  constructor(
    message: string,
    { expected, actual }: { readonly expected: string; readonly actual: string },
    at: string,
  ) {
    super(message);
    this.expected = expected;
    this.actual = actual;
    // what the reader can open is where the rules were asked for, not where one of them was held
    this.stack = `${this.name}: ${message}\n${at}`;
  }
}

/**
 * Makes a test of every chosen rule. The rules whose tests run, after `-t` and `.only`, are judged in one run, which begins with the first of
 * them, and each test ends when its own rule is decided; without target and profile the bundled server and extension host are judged. A
 * violation fails with what was expected and seen, the exchange, and how to repeat it; a blocked rule that the profile explains is skipped with
 * its reason; one that could not be judged is an error, known failure or not; known failures of the profile are expected to fail, and entries of
 * it whose day is over are an error.
 * @throws {SelectionError} a pattern that fits no rule
 */
export function conformance(options: ConformanceOptions = {}): void {
  assertOptions('conformance', options, known);
  const { name = 'conformance', rules, areas, levels } = options;
  const chosen = selectRules({ ...(rules && { rules }), ...(areas && { areas }), ...(levels && { levels }) }, allRules);
  if (chosen.length === 0)
    throw new SelectionError('conformance: no rule is in all parts of the selection; widen rules, areas or levels');
  const at = callerOf(conformance);
  let run: RunUnderWay | undefined;
  // tests that wait for one slow rule would keep those behind them from being told
  describe(name, { concurrent: true, timeout: 0 }, () => {
    for (const rule of chosen)
      test(`${rule.id}: ${rule.statement}`, async (context) => {
        run ??= new RunUnderWay(options, siblingsOf(context.task.suite?.tasks ?? []));
        const { header, outcome } = await run.endOf(rule.id, context);
        if (outcome.verdict === 'blocked') {
          // what blocks it, and whether that is explained, may be told by others
          const entry = await run.entryOf(rule.id);
          if (entry?.kind !== 'error') return context.skip(outcome.reason);
          throw new Error(entry.message);
        }
        if (outcome.verdict === 'broken')
          throw new Error(`could not be judged: ${outcome.reason ?? 'no reason was told'}`);
        const isKnown = Object.hasOwn(header.knownFailures, rule.id);
        if (isKnown) Object.assign(context.task, { fails: true });
        if (outcome.verdict === 'fail' || (isKnown && isBreach(outcome))) throw violationOf(rule, outcome, header, at);
      });
    afterAll(() => run?.leave());
  });
}

/** The rules whose tests are going to run. */
function siblingsOf(tasks: readonly { readonly name: string; readonly mode: string }[]): readonly string[] {
  return tasks
    .filter(({ mode }) => mode === 'run' || mode === 'queued')
    .map(({ name }) => name.slice(0, name.indexOf(':')));
}

/** The one run behind the tests of a group. */
class RunUnderWay {
  readonly #open = new AsyncDisposableStack();
  readonly #leaving = new AbortController();
  readonly #ends: ReadonlyMap<string, PromiseWithResolvers<Outcome>>;
  readonly #started = Promise.withResolvers<RunHeader>();
  readonly #result: Promise<CheckResult>;
  #toCome: number;

  constructor(options: ConformanceOptions, rules: readonly string[]) {
    this.#ends = new Map(rules.map((rule) => [rule, Promise.withResolvers<Outcome>()]));
    this.#toCome = rules.length;
    this.#result = this.#judged(options, rules);
  }

  /** Where it stays undecided, why is told in the way of tests: skipped, or an error. */
  async endOf(rule: string, { signal, skip }: TestContext): Promise<{ header: RunHeader; outcome: Outcome }> {
    signal.addEventListener('abort', () => this.#leaving.abort('the tests were stopped'), { once: true });
    const ended = this.#ends.get(rule)?.promise;
    const outcome = await Promise.race([...(ended === undefined ? [] : [ended]), this.#result.then(() => undefined)]);
    if (outcome !== undefined) return { header: await this.#started.promise, outcome };
    const { footer, header } = await this.#result;
    if (footer.aborted !== undefined) throw new Error(`nothing was judged: ${footer.aborted}`);
    return skip(`${header.implementation} offers no side that the rule is about`);
  }

  /** How the command would tell of the rule. */
  async entryOf(rule: string): Promise<Entry | undefined> {
    const result = await this.#result;
    return entriesOf(result, assess(result)).find(({ name }) => name === rule);
  }

  /** Ends it, early where tests were given up, and then what was opened for it. */
  async leave(): Promise<void> {
    if (this.#toCome > 0) this.#leaving.abort('the tests are over');
    const result = await this.#result.catch(() => undefined);
    await this.#open.disposeAsync();
    const [expired] = result?.header.expired ?? [];
    if (expired !== undefined)
      throw new Error(
        `${expired.list} of the profile: ${expired.entry} held until ${expired.until}: renew it or take it out (${expired.reason})`,
      );
  }

  async #judged(
    { target, profile, name: _name, areas: _areas, levels: _levels, ...options }: ConformanceOptions,
    rules: readonly string[],
  ): Promise<CheckResult> {
    const [found, described] = [await opened(target, this.#open), await opened(profile, this.#open)];
    const { signal, onStart } = options;
    return check({
      ...options,
      rules,
      ...(found !== undefined && { target: found }),
      ...(described !== undefined && { profile: described }),
      signal: signal === undefined ? this.#leaving.signal : AbortSignal.any([signal, this.#leaving.signal]),
      onStart: (header) => {
        this.#started.resolve(header);
        onStart?.(header);
      },
      onOutcome: (outcome) => {
        this.#toCome -= 1;
        this.#ends.get(outcome.rule)?.resolve(outcome);
      },
    });
  }
}

/** What a function opens is ended with the tests; what was there before stays. */
async function opened<T extends object | string>(
  value: T | undefined | (() => Opened<T>),
  open: AsyncDisposableStack,
): Promise<T | undefined> {
  if (typeof value !== 'function') return value;
  const made: T & Partial<AsyncDisposable> = await value();
  if (typeof made === 'object') open.defer(async () => made[Symbol.asyncDispose]?.());
  return made;
}

function violationOf(rule: ListedRule, outcome: Outcome, { seed, runs }: RunHeader, at: string): Violation {
  const {
    expected = 'not recorded',
    actual = 'not recorded',
    exchange,
    curl = [],
    counterexample,
  } = outcome.violation ?? {};
  const lines = [
    rule.statement,
    `source: ${rule.source}`,
    `expected: ${expected}`,
    `actual: ${actual}`,
    ...(counterexample === undefined ? [] : [`smallest value that fails: ${counterexample}`]),
    ...(exchange === undefined ? [] : exchangeLines(exchange)),
    ...(curl.length === 0 ? [] : ['as requests:', ...curl.map((line) => `  ${line}`)]),
    `repeat: conformance({ rules: ['${rule.id}'], seed: ${seed}, runs: ${runs} })`,
  ];
  return new Violation(lines.join('\n'), { expected, actual }, at);
}

function exchangeLines(exchange: NonNullable<NonNullable<Outcome['violation']>['exchange']>): readonly string[] {
  const { request, response } = exchange;
  return [
    `request: ${request.method} ${request.url}`,
    ...(response === undefined ? [] : [`answer: ${response.status} ${response.body}`.trimEnd()]),
  ];
}

/** The lines of the stack below a function, as errors have them. */
function callerOf(called: (options: ConformanceOptions) => void): string {
  const here = new Error('here');
  Error.captureStackTrace(here, called);
  return (here.stack ?? '').split('\n').slice(1).join('\n');
}
