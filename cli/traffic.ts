import { Clean, stderr, stdout, writeNew } from './outlet.ts';
import { join } from 'node:path';
import { declaredOn } from '../api/declarations.ts';
import type { TrafficReport } from '../contract/schemas/traffic.ts';
import { goneFromSecond, trafficReport } from '../reports/traffic.ts';
import { shapeOf } from '../simulator/traffic/arrivals.ts';
import type { LoadPlan } from '../simulator/traffic/engine.ts';
import { engines } from '../simulator/traffic/engines.ts';
import { type TrafficExport, ExportError } from '../simulator/traffic/export/plan.ts';
import type { Mix } from '../simulator/traffic/mix.ts';
import { loadOwnJourneys, type OwnJourneys, OwnJourneysError } from '../simulator/traffic/own-journeys.ts';
import { PreparationFailed } from '../simulator/traffic/preparation.ts';
import { type Threshold, thresholdFrom } from '../simulator/traffic/thresholds.ts';
import { makeTraffic, type TrafficProgress } from '../simulator/traffic/traffic.ts';
import { TargetUnreachable } from '../judge/client/failure.ts';
import { loadProfile } from '../judge/profile/load.ts';
import { ProfileError } from '../judge/profile/document.ts';
import { closeSession, openSession } from '../judge/run/session.ts';
import { PreconditionFailed } from '../judge/violation.ts';
import { breachesOf } from '../judge/model/register.ts';
import { assertTrafficFlags } from './check/flags-together.ts';
import { onInterrupt } from './check/interrupt.ts';
import type { TrafficOptions } from './options.ts';
import { loadMix, wrongOperation } from './traffic/mix-file.ts';
import { assertComparable, compared, worseLimits } from './traffic/compared.ts';
import { exitCodeOf, notMade } from './traffic/exit.ts';
import { type LiveMetrics, openMetrics } from './traffic/metrics.ts';
import { findLimit, type Verdict } from './traffic/find-limit.ts';
import { liveWords } from './traffic/live.ts';
import { assertSharedOut, planOf } from './traffic/plan.ts';
import { readTrafficReport } from './traffic/report-file.ts';
import { assertTrafficReports, emptyFormerReports, trafficReportOf, writeTrafficReports } from './traffic/report.ts';
import { openTrafficTarget } from './traffic/target.ts';
import { asUsage, usable, UsageError } from './usage.ts';
import type { Need } from '../contract/needs.ts';
import type { Profile } from '../contract/profile.ts';
import { matches } from '../judge/run/glob.ts';
import { counted } from '../reports/text.ts';
import type { Measured } from '../reports/traffic-openmetrics.ts';
import { terminalText } from '../reports/terminal.ts';
import { exportTraffic } from '../simulator/traffic/export/export.ts';
import { catalogue } from '../suites/catalogue.ts';
import { complain, incompleteExitCode, usageExitCode } from './exit-codes.ts';

/** Where a profile names what journeys use, by the need that it meets. */
const places: Partial<Readonly<Record<Need, readonly (readonly string[])[]>>> = {
  'soft-type': [['softTypes']],
  'scalar-members': [['softTypes', 'primary', 'scalars']],
  'array-port': [['softTypes', 'primary', 'arrayPort']],
  filter: [['filters', 'fixed']],
  maturity: [['maturity']],
  'demote-route': [['routes', 'demote']],
  'multi-create-result': [['multiCreate']],
  'etag-resource': [['caching']],
  'etag-resource-edit': [['caching', 'change']],
  'expired-token': [
    ['auth', 'expiredToken'],
    ['auth', 'signingKey'],
  ],
  'no-role-identity': [['identities', 'noRole']],
  'outsider-identity': [['identities', 'outsider']],
  'file-area-any': [['files']],
  'file-area-space': [['files', 'areas', 'space']],
  'file-area-user': [['files', 'areas', 'user']],
  'file-area-participant': [['files', 'areas', 'participant']],
  'file-area-collection': [['files', 'areas', 'collection']],
  'extension-listener': [['listener']],
  'trigger-event': [['triggers', 'event']],
};

interface Asked {
  readonly options: TrafficOptions;
  readonly plan: LoadPlan;
  readonly thresholds: readonly Threshold[];
  readonly profile: Parameters<typeof openSession>[0];
  readonly signal: AbortSignal;
  readonly metrics: LiveMetrics | undefined;
  readonly own: OwnJourneys;
}

const everyMs = 1000;

/**
 * Loads a deployment, or the bundled reference server, and holds its answers against the rules. Resolves with the exit code: 0 all kept,
 * 1 a rule or a threshold was broken, 2 an option or file cannot be used, 3 the target could not be reached or the load not be made.
 */
export async function trafficCommand(options: TrafficOptions): Promise<number> {
  try {
    assertTrafficFlags(options);
    assertTrafficReports(options.report, [options.profile, options.mix]);
    const mix = loadMix(options.mix);
    const thresholds = thresholdsFor(options, mix);
    if (options.export !== undefined) return await exportTo(options.export, await exportOf(options, mix));
    if (options.findLimit !== undefined) thresholdOf(mix, options.findLimit);
    const limits = worseLimits(options.allowWorse);
    const earlier = options.compare === undefined ? undefined : readTrafficReport(options.compare);
    emptyFormerReports(options.report);
    const plan = planOf(options, mix);
    if (earlier !== undefined) assertComparable(earlier, plan);
    const own = await loadOwnJourneys(mix);
    assertSharedOut(options.workers, plan);
    using interrupt = onInterrupt();
    if (options.quiet !== true && options.profile === undefined) tell('starting the reference server…');
    await using target = await openTrafficTarget(options.profile, options.yesLoad, [], interrupt.signal);
    if (target === undefined)
      return complain('interrupted before the target was there: there is nothing to report.', incompleteExitCode);
    await using metrics = options.metricsPort === undefined ? undefined : await openMetrics(options.metricsPort);
    if (metrics !== undefined) tell(`metrics at ${metrics.url}`);
    const asked: Asked = { options, plan, thresholds, profile: target.loaded, signal: interrupt.signal, metrics, own };
    const made =
      options.findLimit === undefined
        ? await loaded(asked)
        : await searched({ ...asked, thresholds: [...thresholds, threshold(options.findLimit)] });
    const { report, refusal } = comparedWith(earlier, made, limits);
    const told = Clean.of(report);
    writeTrafficReports(told, options.report ?? []);
    stdout.write(told.map((one) => terminalText(trafficReport(one))));
    const exitCode = exitCodeOf(report);
    return refusal === undefined || exitCode !== 0 ? exitCode : complain(refusal, usageExitCode);
  } catch (error) {
    if (error instanceof ProfileError || error instanceof UsageError || error instanceof OwnJourneysError)
      return complain(error.message, usageExitCode);
    if (error instanceof PreconditionFailed)
      return complain(
        `the load needs ${error.needed}${error.reply === undefined ? '' : ` from ${error.reply.url}`}`,
        incompleteExitCode,
      );
    if (isOfTarget(error)) return complain(error.message, incompleteExitCode);
    throw error;
  }
}

/** The target is not there, or refuses what is made before a load. */
function isOfTarget(error: unknown): error is Error {
  return error instanceof PreparationFailed || error instanceof TargetUnreachable;
}

/** What was measured is told although it cannot be compared; `refusal` says why not. */
function comparedWith(
  earlier: TrafficReport | undefined,
  made: TrafficReport,
  limits: ReturnType<typeof worseLimits>,
): { readonly report: TrafficReport; readonly refusal?: string } {
  try {
    return { report: earlier === undefined ? made : compared(earlier, made, limits) };
  } catch (error) {
    if (error instanceof UsageError) return { report: made, refusal: error.message };
    throw error;
  }
}

const searchSeconds = 10;

/** Looks for the highest rate that keeps the last of the thresholds. Resolves with the report of that one; where a rule is broken, with the one that shows it. */
async function searched(whole: Asked): Promise<TrafficReport> {
  const { options, plan, thresholds, signal } = whole;
  if (plan.load.model !== 'open')
    throw new UsageError('--find-limit looks for a rate, and the mix asks for users: give --rate to begin with.');
  const { stages: _stages, ...mix } = plan.mix;
  const { load } = plan;
  const durationMs = (options.duration ?? searchSeconds) * 1000;
  const tried: NonNullable<TrafficReport['tried']> = [];
  const [made, kept]: [TrafficReport[], TrafficReport[]] = [[], []];
  let stopped: string | undefined;
  const isOver = (): boolean => signal.aborted || (made.at(-1)?.violations.length ?? 0) > 0;
  await findLimit(load.rate, async (rate) => {
    if (isOver()) return undefined;
    if (options.quiet !== true) tell(`trying ${rate} journeys a second…`);
    const atRate = { ...plan, mix, load: { ...load, rate }, durationMs, rampMs: durationMs / 10 };
    const report = await loaded({ ...whole, options: { ...options, quiet: true }, plan: atRate }).catch((error) => {
      // what was found before is worth telling
      if (made.length === 0 || !isOfTarget(error)) throw error;
      stopped = `The search ended before ${rate} journeys a second: ${error.message}`;
    });
    if (report === undefined) return undefined;
    made.push(report);
    if (isOver()) return undefined;
    const verdict = verdictOn(report);
    const shown = report.thresholds.find(({ met }) => !met) ?? report.thresholds[thresholds.length - 1];
    const { found = '' } = shown ?? {};
    tried.push({ rate, verdict, found, p50Ms: report.all.p50Ms, p99Ms: report.all.p99Ms });
    if (options.quiet !== true) tell(`  ${verdict}: ${found}`);
    if (verdict === 'kept') kept.push(report);
    return verdict;
  });
  const highest = kept.toSorted((one, other) => rateOf(one) - rateOf(other)).at(-1);
  const shown = isOver() ? made.at(-1) : (highest ?? made.at(-1));
  if (shown === undefined) throw new PreparationFailed('Interrupted before any rate was tried.');
  const early = stopped === undefined ? {} : { endedEarly: true, remarks: [stopped, ...shown.remarks] };
  return { ...shown, tried, ...early };

  function verdictOn(report: TrafficReport): Verdict {
    if (goneFromSecond(report) === undefined && notMade(report) !== undefined) return 'not made';
    return report.thresholds.every(({ met }) => met) ? 'kept' : 'missed';
  }
}

function rateOf({ load }: TrafficReport): number {
  return load.model === 'open' ? load.rate : 0;
}

async function loaded({ options, plan, thresholds, profile, signal, metrics, own }: Asked): Promise<TrafficReport> {
  const session = openSession(profile);
  try {
    const { judge = 1, workers = 1 } = options;
    const { mix, durationMs, rampMs } = plan;
    const startedAt = new Date().toISOString();
    const offered = offeredBy(profile.profile, startedAt);
    const lives: Disposable[] = [];
    const end = await makeTraffic({
      profile: offered.profile,
      plan,
      judging: { ratio: judge, breachesOf },
      signal,
      ...(options.stopAtErrors !== undefined && { mostErrors: options.stopAtErrors }),
      engine: engines[plan.load.model],
      own,
      workers,
      tokenOf: (identity, refused) =>
        session.tokens.current(identity, refused, { reuse: false, retries: [], add: () => undefined, signal }),
      preparing: (objects) => {
        if (options.quiet !== true) tell(`preparing ${counted(objects, 'object')}…`);
      },
      begun: (progress) => {
        metrics?.show(measuredBy(progress, profile.profile.implementation, { plan, ratio: judge }));
        if (options.quiet !== true) lives.push(startLive(progress, shapeOf(mix, rampMs, durationMs).durationMs));
      },
      leaving: () => {
        const wasShown = lives.length > 0;
        lives.splice(0).forEach((live) => live[Symbol.dispose]());
        if (wasShown) tell('The load is over; removing what was made for it and by it…');
      },
    }).finally(() => lives.forEach((live) => live[Symbol.dispose]()));
    const { secrets } = session;
    return trafficReportOf(
      { ...end, remarks: [...offered.remarks, ...end.remarks] },
      {
        loaded: profile,
        secrets,
        plan,
        workers,
        startedAt,
        thresholds,
        ratio: judge,
        interrupted: signal.aborted,
      },
    );
  } finally {
    await closeSession(session);
  }
}

/** @throws {UsageError} without a profile: a server that is gone afterwards cannot be loaded from elsewhere */
async function exportOf(options: TrafficOptions, mix: Mix): Promise<TrafficExport> {
  if (options.profile === undefined)
    throw new UsageError(
      '--export needs --profile: the load is made later, and elsewhere, on the deployment that it describes.',
    );
  const { profile: whole } = await loadProfile(options.profile, { rules: catalogue.all });
  const { profile } = offeredBy(whole, new Date().toISOString());
  return {
    profile,
    plan: planOf(options, mix),
    thresholds: [...(mix.thresholds ?? []), ...(options.threshold ?? [])],
  };
}

function threshold(text: string): Threshold {
  return usable(() => thresholdFrom(text), RangeError);
}

/** Those of the mix, then those of the command line. Where neither names a limit, errors have one: quick refusals keep any latency. */
function thresholdsFor({ threshold: limits = [], stopAtErrors }: TrafficOptions, mix: Mix): readonly Threshold[] {
  const isLimited = limits.length > 0 || stopAtErrors !== undefined;
  const stated = new Set(mix.thresholds ?? (isLimited ? [] : ['errors<1%']));
  const further = limits.filter((text) => !stated.has(text)).map((text) => thresholdOf(mix, text));
  return [...[...stated].map(threshold), ...further];
}

/** A limit of the command line. @throws {UsageError} it is none, or of nothing that the mix does: known before hours of load */
function thresholdOf(mix: Mix, text: string): Threshold {
  const found = threshold(text);
  const wrong = wrongOperation(mix, found.op);
  if (wrong !== undefined) throw new UsageError(`The limit '${text}' names ${wrong}${wrong.endsWith('?') ? '' : '.'}`);
  return found;
}

/** To whoever waits; what a run came to alone is on standard output. */
function tell(line: string): void {
  stderr.write(`${line}\n`);
}

/** Writes the folder that k6 makes the traffic from, and says what to do next. Resolves with the exit code. @throws {UsageError} it cannot be exported */
async function exportTo(directory: string, what: TrafficExport): Promise<number> {
  try {
    const { files, variables, remarks } = await exportTraffic(what, directory, (file, text) =>
      // made of a profile alone, without its secrets: of a script that is redacted nobody knows whether it runs
      writeNew(file, Clean.own(text)),
    );
    stdout.write(
      [
        ...files.map((file) => join(directory, file)),
        '',
        `Credentials come from ${variables.join(', ')}.`,
        ...remarks,
        `${join(directory, 'README.md')} tells how to run it on one machine, on several and in a cluster.`,
        '',
      ].join('\n'),
    );
    return 0;
  } catch (error) {
    throw asUsage(error, ExportError, TypeError, RangeError);
  }
}

/** What is known of a load while it goes on. */
function measuredBy(
  { tally, judged, violations }: TrafficProgress,
  implementation: string,
  { plan, ratio }: { readonly plan: LoadPlan; readonly ratio: number },
): () => Measured {
  const startedAt = performance.now();
  return () => ({
    implementation,
    seed: plan.seed,
    durationMs: performance.now() - startedAt,
    operations: [...tally.operations()],
    journeys: [...tally.journeys()],
    judged: { ratio, exchanges: judged() },
    violations: [],
    thresholds: [],
    seenBroken: violations(),
  });
}

/** Prints a line a second about the load, to standard error; on a terminal over the line before. */
function startLive({ tally, violations }: TrafficProgress, durationMs: number): Disposable {
  const startedAt = performance.now();
  const stream = stderr;
  const tell = (): void => {
    const elapsedMs = performance.now() - startedAt;
    const lastWhole = Math.floor(elapsedMs / everyMs) - 1;
    const words = liveWords({ elapsedMs, durationMs, violations: violations(), second: tally.seconds()[lastWhole] });
    stream.write(stream.isTTY ? `\r\u001b[2K${words}` : `${words}\n`);
  };
  const timer = setInterval(tell, everyMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      if (stream.isTTY) stream.write('\r\u001b[2K');
    },
  };
}

/** Without what the profile names and declares as not supported all the same, so that no journey uses it. */
function offeredBy(
  profile: Profile,
  startedAt: string,
): { readonly profile: Profile; readonly remarks: readonly string[] } {
  const declared = Object.entries(declaredOn(startedAt, profile).notSupported);
  const left = structuredClone(profile);
  const remarks = Object.entries(places).flatMap(([need, paths]) => {
    const reason = declared.find(([pattern]) => matches(pattern, need))?.[1];
    const taken = reason === undefined ? [] : paths.filter((path) => isTakenOut(left, path));
    return taken.length === 0
      ? []
      : [
          `The profile declares ${need} as not supported (${reason}): ${taken.map((path) => path.join('.')).join(' and ')} counted as not named.`,
        ];
  });
  return { profile: left, remarks };
}

function isTakenOut(from: object, [name = '', ...rest]: readonly string[]): boolean {
  const value: unknown = Reflect.get(from, name);
  if (value === undefined) return false;
  if (rest.length === 0) return Reflect.deleteProperty(from, name);
  return typeof value === 'object' && value !== null && isTakenOut(value, rest);
}
