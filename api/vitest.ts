import { afterAll, describe, test } from 'vitest';
import { isBreach, type Outcome } from '../judge/outcome.ts';
import { selectRules } from '../judge/run/selection.ts';
import { check, type CheckOptions, type CheckResult, type CheckSelection } from './check.ts';
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
 * them; without target and profile the bundled server and extension host are judged. A violation fails with what was expected and seen, the
 * exchange, and how to repeat it; a blocked rule is skipped with its reason; one that could not be judged is an error; known failures of the
 * profile are expected to fail.
 * @throws {SelectionError} a pattern that fits no rule
 */
export function conformance(options: ConformanceOptions = {}): void {
  const { name = 'conformance', rules, areas, levels } = options;
  const chosen = selectRules({ ...(rules && { rules }), ...(areas && { areas }), ...(levels && { levels }) }, allRules);
  const at = callerOf(conformance);
  const open = new AsyncDisposableStack();
  let run: Promise<CheckResult> | undefined;
  describe(name, () => {
    for (const rule of chosen)
      test(`${rule.id}: ${rule.statement}`, { timeout: 0 }, async (context) => {
        run ??= judged(options, siblingsOf(context.task.suite?.tasks ?? []), open);
        const result = await run;
        const outcome = result.outcomes.find((candidate) => candidate.rule === rule.id);
        if (outcome === undefined) return leaveOut(context, result);
        const isKnown = Object.hasOwn(result.header.knownFailures, rule.id);
        if (isKnown) Object.assign(context.task, { fails: true });
        if (outcome.verdict === 'blocked') context.skip(outcome.reason);
        if (outcome.verdict === 'broken')
          throw new Error(`could not be judged: ${outcome.reason ?? 'no reason was told'}`);
        if (outcome.verdict === 'fail' || (isKnown && isBreach(outcome))) throw violationOf(rule, outcome, result, at);
      });
    afterAll(() => open.disposeAsync());
  });
}

/** The rules whose tests are going to run. */
function siblingsOf(tasks: readonly { readonly name: string; readonly mode: string }[]): readonly string[] {
  return tasks
    .filter(({ mode }) => mode === 'run' || mode === 'queued')
    .map(({ name }) => name.slice(0, name.indexOf(':')));
}

async function judged(
  { target, profile, name: _name, areas: _areas, levels: _levels, ...options }: ConformanceOptions,
  rules: readonly string[],
  open: AsyncDisposableStack,
): Promise<CheckResult> {
  const [found, described] = [await opened(target, open), await opened(profile, open)];
  return check({
    ...options,
    rules,
    ...(found !== undefined && { target: found }),
    ...(described !== undefined && { profile: described }),
  });
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

function leaveOut({ skip }: { skip(reason: string): never }, { footer, header }: CheckResult): never {
  if (footer.aborted !== undefined) throw new Error(`nothing was judged: ${footer.aborted}`);
  return skip(`${header.implementation} offers no side that the rule is about`);
}

function violationOf(rule: ListedRule, outcome: Outcome, { header }: CheckResult, at: string): Violation {
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
    `repeat: conformance({ rules: ['${rule.id}'], seed: ${header.seed}, runs: ${header.runs} })`,
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
