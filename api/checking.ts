import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Profile } from '../contract/profile.ts';
import { assertOptions, OptionError } from '../contract/option.ts';
import type { RuleId, Side } from '../contract/rule.ts';
import type { Outcome } from '../judge/outcome.ts';
import {
  extensionProfileFrom,
  type HostAddress,
  loadExtensionProfile,
  withDeclarations,
} from '../judge/profile/host-profile.ts';
import { type LoadedProfile, profileFrom, sidesOf } from '../judge/profile/load.ts';
import type { Rule } from '../judge/rule.ts';
import { SelectionError, selectRules } from '../judge/run/selection.ts';
import { Settling } from '../judge/run/settle.ts';
import { startThread } from '../judge/run/thread.ts';
import { withTime } from '../judge/time/budget.ts';
import { catalogue, catalogueUrl } from '../suites/catalogue.ts';
import {
  type CheckExtensionHostOptions,
  type CheckOptions,
  checkOptions,
  type CheckResult,
  type CheckSelection,
} from './check.ts';
import { type Deployment, kept, openDeployment, ownHost, startHostAlone } from './deployment.ts';
import { headerOf, judgeRun, reportedRules } from './judging.ts';

type OnOutcome = (outcome: Outcome) => void;

const verdicts = { 0: 'conforms', 1: 'violated', 3: 'incomplete' } as const;

const defaultRuns = 20;

/** Judges the service that the options name, and its extension host where the profile names one. */
export async function checkService(
  options: CheckOptions,
  onOutcome: OnOutcome,
  signal: AbortSignal,
): Promise<CheckResult> {
  assertOptions('check', options, checkOptions);
  const { target, profile } = options;
  assertStarted(target);
  return judgeOpened('check', options, () => openedService(target, profile), selected(options), onOutcome, signal);
}

/** Judges the extension host that the options name. */
export async function checkHost(
  options: CheckExtensionHostOptions,
  onOutcome: OnOutcome,
  signal: AbortSignal,
): Promise<CheckResult> {
  assertOptions('checkExtensionHost', options, checkOptions);
  const rules = selected(options).filter(({ side }) => side === 'extension');
  return judgeOpened('checkExtensionHost', options, () => openedHost(options), rules, onOutcome, signal);
}

/** An address alone says too little. @throws {OptionError} */
function assertStarted(target: unknown): void {
  if (target === undefined || Object.hasOwn(Object(target), 'profile')) return;
  throw new OptionError(
    'Expected a server that startServer gave as target of check; any other service is named by its profile.',
  );
}

async function openedService(target: CheckOptions['target'], profile: CheckOptions['profile']): Promise<Deployment> {
  if (target !== undefined) return kept(profileOf(target.profile));
  if (profile !== undefined && isContent(profile)) return kept(await withDeclarations(profileOf(profile)));
  return openDeployment(profile === undefined ? undefined : placeOf(profile));
}

async function openedHost({ target, profile }: CheckExtensionHostOptions): Promise<Deployment> {
  const loaded =
    target !== undefined && 'profile' in target ? ownHost(target.profile) : await hostAt(target ?? {}, profile);
  return loaded === undefined ? startHostAlone() : kept(await withDeclarations(loaded));
}

/** Undefined where neither names a host. @throws {ProfileError} */
async function hostAt(
  address: HostAddress,
  profile: CheckExtensionHostOptions['profile'],
): Promise<LoadedProfile | undefined> {
  if (profile !== undefined && isContent(profile))
    return extensionProfileFrom(JSON.stringify(profile, null, 2), 'the profile', address, catalogue.ids);
  return loadExtensionProfile(profile === undefined ? undefined : placeOf(profile), address, catalogue.ids);
}

function isContent<T extends object>(profile: string | URL | T): profile is T {
  return typeof profile === 'object' && !(profile instanceof URL);
}

function placeOf(place: string | URL): string {
  if (typeof place === 'string') return place;
  return place.protocol === 'file:' ? fileURLToPath(place) : place.href;
}

/** @throws {ProfileError} with line and column in its JSON */
function profileOf(profile: Profile): LoadedProfile {
  return profileFrom(JSON.stringify(profile, null, 2), 'the profile', { rules: catalogue.all });
}

function selected({ rules, areas, levels }: CheckSelection): readonly Rule[] {
  return selectRules({ ...(rules && { rules }), ...(areas && { areas }), ...(levels && { levels }) }, catalogue.all);
}

async function judgeOpened(
  name: string,
  options: CheckSelection,
  open: () => Promise<Deployment>,
  wanted: readonly Rule[],
  onOutcome: OnOutcome,
  signal: AbortSignal,
): Promise<CheckResult> {
  const startedAt = performance.now();
  await using thread = startThread(catalogueUrl);
  await using deployment = await open();
  const sides = sidesOf(deployment.loaded);
  const rules = wanted.filter(({ side }) => sides.includes(side));
  if (rules.length === 0) throw new SelectionError(nothingToJudge(wanted, sides));
  const { seed = randomInt(2 ** 31), runs = defaultRuns, concurrency } = options;
  const run = {
    loaded: withTime(deployment.loaded, options),
    rules: rules.map(({ id }) => id),
    seed,
    runs,
    collect: !deployment.temporary,
    // what an earlier run with the same seed has left on a target must not be taken for this one's
    mark: deployment.temporary ? '' : ` ${performance.timeOrigin + startedAt}`,
    ...(concurrency !== undefined && { concurrency }),
  };
  const header = headerOf(run, { command: callOf(name, options, seed, runs) });
  const { bail = false, keepData = false, onStart, onNote = () => undefined } = options;
  onStart?.(header);
  const telling = tellOnce(header.selected, onOutcome);
  const judged = await judgeRun(
    { run, header, startedAt, signal, bail, keepData, thread },
    { onOutcome: (outcome, when) => when === 'as it came' && telling.hear(outcome), onUnusable: onNote },
  );
  const { outcomes, footer, exitCode } = judged;
  telling.tellRest(outcomes);
  return { rules: reportedRules(), header, outcomes, footer, exitCode, verdict: verdicts[exitCode] };
}

/** Tells each outcome when nothing that is still to come can change it; those that wait for what never came are told at the end. */
function tellOnce(
  rules: readonly RuleId[],
  tell: OnOutcome,
): { hear(outcome: Outcome): void; tellRest(settled: readonly Outcome[]): void } {
  const settling = new Settling(rules, (rule) => catalogue.standsOn(rule));
  const told = new Set<RuleId>();
  const tellAll = (outcomes: readonly Outcome[]): void => {
    for (const outcome of outcomes) {
      told.add(outcome.rule);
      tell(outcome);
    }
  };
  return {
    hear: (outcome) => tellAll(settling.hear(outcome)),
    tellRest: (settled) => tellAll(settled.filter(({ rule }) => !told.has(rule))),
  };
}

function nothingToJudge(wanted: readonly Rule[], sides: readonly Side[]): string {
  if (wanted.length === 0)
    return 'nothing to judge: no rule is in all parts of the selection; widen rules, areas or levels';
  return `nothing to judge: the rules are about the ${sides.includes('service') ? 'extension host, and the profile names none' : 'service'}`;
}

/** The call that repeats a run, as reports tell it. */
function callOf(name: string, options: CheckOptions | CheckExtensionHostOptions, seed: number, runs: number): string {
  const { profile, target, rules, areas, levels, time, timeBudget } = options;
  const place = typeof profile === 'string' || profile instanceof URL ? { profile: placeOf(profile) } : {};
  const told = { ...place, rules, areas, levels, time, timeBudget, seed, runs };
  const members = Object.entries(told).flatMap(([key, value]) =>
    value === undefined ? [] : `${key}: ${JSON.stringify(value).replaceAll('"', "'").replaceAll("','", "', '")}`,
  );
  const named = target === undefined ? members : ['target', ...members];
  return `${name}({ ${named.join(', ')} })`;
}
