import { withoutSlash } from '../../contract/address.ts';
import type { Need } from '../../contract/needs.ts';
import { tokenVariable, variablesOf } from '../curl/variables.ts';
import type { Sent } from '../client/wire.ts';
import { markOf } from '../given.ts';
import { isArrival, playedService, stagedForHost } from './host-calls.ts';
import type { Exchange } from '../exchange.ts';
import { identitiesIn } from '../service/roles.ts';
import type { Rule } from '../rule.ts';
import { secretsOf } from '../redact/profile-secrets.ts';
import { restartRequest, restartsSince } from '../service/restart.ts';
import type { Session } from '../run/session.ts';
import { baseVariable, Flow, type Ground, listenerVariable, markVariable, type Step } from './flow.ts';
import { bulkPaths } from '../files/bulk.ts';
import { isOrder, stagedWith } from './calls.ts';
import { Credentials } from './credentials.ts';
import { removalsOfDirectories } from './deeds.ts';
import { type Finding, playedAgain, removalsOf, type RepeatBudget } from './playing.ts';
import { usedBy } from './replay.ts';
import type { NoRepetition, Repetition, ScriptStep } from './repetition.ts';
import { answered, isPass, type Passing, passingOf, passSent, withPasses } from './passing.ts';
import { namesIn, scriptOf, signatureVariable } from './script.ts';
import { isHandedBack, type Judged, judgedIn, type Showing } from './showing.ts';

const mostSteps = 80;

/** Why requests alone cannot show what breaks a rule with that need. */
const beyond: Partial<Readonly<Record<Need, string>>> = {
  'extension-probe': 'it shows in a call that the service makes',
  'log-probe': 'it shows in the log of the service',
  'host-directory': 'it takes files on the disk of the service',
};

/** So long a script may sleep where it cannot move the clock of the service, in ms. */
const longestSleepMs = 900_000;

/** How long a script waits for what comes late, where the case did. */
const patienceSeconds = 10;

const meeting = 'it shows when requests meet each other';
const unsent = 'it sends a credential that the suite makes out of a secret';

/** A finding as requests that make their own objects; played to the target as long as the budget lasts. */
export async function repetitionOf(
  finding: Finding,
  session: Session,
  budget: RepeatBudget,
): Promise<Repetition | NoRepetition> {
  const { rule, prelude, called, deeds } = finding;
  const { reply } = finding.violation;
  const whole = [...prelude, ...finding.violation.sent];
  const hosted = whole.some(isArrival) ? stagedForHost(whole, reply?.exchange) : undefined;
  const sent = hosted?.history ?? whole;
  const reason = reasonAgainst(finding, sent);
  if (reason !== undefined) return { reason: `no requests alone show this: ${reason}` };
  const passing = rule.test.kind === 'schedule' ? passingOf(session.time, session.profile.all) : undefined;
  const { claim } = finding.violation;
  const counted = claim?.about === 'calls' ? claim : undefined;
  const clientAt = session.client.openedAt - performance.timeOrigin;
  const requests = sent.map((one) => ({ at: clientAt + one.exchange.sentAt, sent: one }));
  const restarting = restartRequest(session.profile.all);
  const restarts =
    restarting === undefined || requests[0] === undefined
      ? []
      : restartsSince(requests[0].at).map((at) => ({
          at,
          sent: answered(restarting, { status: 204, headers: [], body: '' }),
        }));
  const timed = [...requests, ...deeds, ...restarts].toSorted((one, other) => one.at - other.at);
  const inTime = passing === undefined ? timed.map((one) => one.sent) : withPasses(timed, passing);
  const alone = told(
    { history: inTime, bases: [], named: reply?.exchange, ...hosted, ...(hosted && { isHosted: true }) },
    finding,
    session,
  );
  const isAlone =
    hosted !== undefined || (counted === undefined && alone.judged !== undefined && !isCallNeeded(rule, alone));
  const play: Play = { finding, session, budget, passing };
  const single = isAlone ? await scripted(alone, play) : undefined;
  if (single !== undefined && (!('reason' in single) || hosted !== undefined || called.length === 0)) return single;
  const staged = stagedWith(timed, {
    called,
    isSetOff: setsCallsOff(rule),
    isAnswered: reply !== undefined,
    claim: counted,
    passing,
  });
  if (staged === undefined) return single ?? { reason: alone.judged === undefined ? untold : uncalled };
  const made = await scripted(told({ ...staged, named: reply?.exchange }, finding, session), {
    ...play,
    isSlow: staged.isSlow,
  });
  return 'reason' in made && single !== undefined ? single : made;
}

const untold = 'no requests alone show this: there is no answer that does';
const uncalled = 'no requests alone show this: it takes somebody whom the service calls';

interface Play {
  readonly finding: Finding;
  readonly session: Session;
  readonly budget: RepeatBudget;
  /** How time passed, where the case let it pass. */
  readonly passing: Passing | undefined;
  /** Whether somebody takes time for an answer, which is that of his machine. */
  readonly isSlow?: boolean;
}

/** A history as a script, played to the target as long as the budget lasts. */
async function scripted(
  { flow, ground, history, judged }: History,
  { finding, session, budget, passing, isSlow = false }: Play,
): Promise<Repetition | NoRepetition> {
  if (judged === undefined) return { reason: untold };
  if (history[judged.at]?.request.raw === true && judged.showing.kind === 'lines')
    return { reason: 'no requests alone show this: it shows below what a client of HTTP tells' };
  const isAskedFor = flow.steps.slice(0, judged.at).some(({ captures }) => captures.length > 0);
  const isNowhere = judged.showing.kind === 'lines' && [404, 405].includes(judged.showing.status);
  if (ground.isHost && isNowhere && !isAskedFor)
    return { reason: 'no requests alone show this: where it is called is for the host to say' };
  if (flow.isUnclear) return { reason: 'no script shows this: it follows one of several links that are the same' };
  const sleeps = passing !== undefined && (!passing.isMoved || isSlow);
  const passedMs = flow.steps.reduce((sum, { sent: { request } }) => sum + (request.passMs ?? 0), 0);
  if (sleeps && passedMs > longestSleepMs) return { reason: 'no script shows this: it would have to sleep too long' };
  const shrunk = await playedAgain(flow, judged, { ground, finding, session, budget });
  if (finding.rule.test.kind === 'race' && ('reason' in shrunk || !shrunk.shown))
    return { reason: `no requests alone show this: ${meeting}` };
  if ('reason' in shrunk) return shrunk;
  const removals = [
    ...removalsOf(shrunk, flow, session),
    ...removalsOfDirectories(shrunk.steps).map((one) => flow.stepFor(one)),
  ];
  const isMoved = !sleeps && shrunk.steps.some(isPass);
  const goingOn = isMoved && passing !== undefined ? [flow.stepFor(passSent(passing, 0))] : [];
  const credentials = credentialsOf(session);
  const script = scriptOf(shrunk, {
    removals: [...removals, ...goingOn],
    secrets: credentials,
    passOf: (ms) => (sleeps || passing === undefined ? undefined : flow.stepFor(passSent(passing, ms))),
  });
  const made = credentials.lines;
  return script === undefined || !isKnown(script.steps, Object.keys({ ...variablesOf(session.loaded), ...made }))
    ? { reason: `no script shows this: ${unsent}` }
    : {
        ...script,
        ...(finding.deeds.length > 0 && { patienceSeconds }),
        ...(Object.keys(made).length > 0 && { variables: made }),
        baseUrl: ground.baseUrl,
        recorded: judged.at + 1,
        shown: shrunk.shown,
      };
}

/** A history as its values flow, and which answer of it shows the violation. */
interface History {
  readonly history: readonly Sent[];
  readonly ground: Ground;
  readonly flow: Flow;
  readonly judged: Judged | undefined;
}

type Tellable = Pick<NonNullable<ReturnType<typeof stagedWith>>, 'history' | 'bases' | 'showing' | 'guard'> & {
  /** What the assertion names. */
  readonly named?: Exchange | undefined;
  /** Whether the service is played to a host. */
  readonly isHosted?: boolean;
};

function told(tellable: Tellable, finding: Finding, session: Session): History {
  const { history, bases, showing, guard, named, isHosted = false } = tellable;
  const ground = groundOf(finding, bases, session);
  const flow = new Flow(history, ground);
  const isSpare = (step: Step): boolean =>
    isHandedBack(step) && step.captures.length === 0 && step.sent !== guard && step.sent.exchange !== named;
  const last = showing === undefined ? undefined : flow.steps.at(-1);
  // which calls came before is asked for only where a request takes something of one
  const spare = new Set(
    flow.steps
      .filter((step) => step !== last && (last !== undefined || isHosted) && isSpare(step))
      .map(({ sent }) => sent),
  );
  const left = history.filter((sent) => !spare.has(sent));
  if (spare.size > 0) return told({ ...tellable, history: left }, finding, session);
  if (isHosted && !flow.steps.some(isHandedBack) && left.some(isOrdered))
    return told({ ...tellable, history: left.filter((sent) => !isOrdered(sent)) }, finding, session);
  if (showing === undefined)
    return { history, ground, flow, judged: judgedIn(flow, history, finding.violation, named) };
  const isThere: Showing = { kind: 'lines', status: 200, lines: [] };
  const others = new Map(flow.steps.flatMap((step) => (step.sent === guard ? [[step, isThere] as const] : [])));
  return { history, ground, flow, judged: { at: history.length - 1, showing, others } };
}

function isOrdered({ request }: Sent): boolean {
  return isOrder(request);
}

function reasonAgainst(
  { rule: { test, needs, side }, violation, called, deeds }: Finding,
  history: readonly Sent[],
): string | undefined {
  const isPlayed = (need: Need): boolean =>
    (need === 'extension-probe' && called.length > 0) || (need === 'host-directory' && deeds.length > 0);
  const missing = needs.filter((need) => !isPlayed(need));
  const kind = missing.map((need) => beyond[need]).find((sentence) => sentence !== undefined);
  if (kind !== undefined) return kind;
  const isInToken = needs.includes('jwt') && violation.claim?.about !== 'status';
  if (isInToken) return 'it shows in a token, which is secret';
  if (side === 'extension' && violation.claim?.about === 'calls') return 'it shows in an answer that does not come';
  if (test.kind === 'schedule' && side === 'extension') return 'it shows when time passes for the host';
  if (history.length > mostSteps && test.kind === 'race') return meeting;
  if (history.length === 0) return 'it shows in what the suite was called with';
  return history.length > mostSteps ? `it takes more than ${mostSteps} requests` : undefined;
}

function groundOf({ rule, seed, attempt }: Finding, bases: readonly string[], session: Session): Ground {
  const { profile } = session.loaded;
  const { listener, extensionHost } = profile;
  const isHost = rule.side === 'extension';
  const base = isHost ? (extensionHost?.hostUri ?? profile.baseUrl) : profile.baseUrl;
  return {
    isHost,
    baseUrl: withoutSlash(base),
    // what is signed is signed as it was
    mark: isHost ? '' : markOf(seed, rule.id, attempt, session.mark),
    listener: isHost ? patternOf(playedService) : listener && patternOf(listener.publicUrl),
    bases,
    directory: profile.bulk?.hostDirectory?.path.replace(/[/\\]+$/, ''),
    known: JSON.stringify(profile),
  };
}

function patternOf(publicUrl: string): RegExp {
  const [before = '', after] = publicUrl.split('{port}').map(RegExp.escape);
  return new RegExp(after === undefined ? before : `${before}\\d+${after}`, 'g');
}

/** The status of a registration may be judged, all else shows in calls, also to whom others registered. */
function isCallNeeded({ needs }: Rule, { flow, judged }: History): boolean {
  const names = (step: Step): boolean => usedBy(step).includes(listenerVariable);
  const steps = flow.steps.slice(0, (judged?.at ?? flow.steps.length) + 1);
  const before = judged?.showing.kind === 'status' ? steps.slice(0, -1) : steps;
  return before.some(names) || (setsCallsOff({ needs }) && !steps.some(names));
}

function credentialsOf({ loaded, secrets }: Session): Credentials {
  const tokens = identitiesIn(loaded.profile).map(tokenVariable);
  const held = [...secrets.all()].flatMap((value) => {
    const variable = secrets.nameOf(value);
    return variable !== undefined && tokens.includes(variable) ? [{ variable, value }] : [];
  });
  const keyOf = (named: string) => secretsOf(loaded).find(({ path }) => path === named);
  const bulkKey = keyOf('bulk.adminApiKey');
  const paths = Object.values(bulkPaths(loaded.profile)).filter((path) => path !== undefined);
  const signing = bulkKey && { key: bulkKey, paths };
  return new Credentials(secrets, held.toReversed(), keyOf('auth.signingKey'), signing);
}

/** Whether a reader can get everything that the script names. */
function isKnown(steps: readonly ScriptStep[], names: readonly string[]): boolean {
  const known = new Set([...names, baseVariable, markVariable, listenerVariable, signatureVariable]);
  for (const { captures } of steps) for (const { variable } of captures) known.add(variable);
  const parts = steps.flatMap(({ url, headers, body = [], form = [] }) => [
    ...url,
    ...[...headers, ...form].flatMap(([, value]) => value),
    ...body.flatMap((part) => ('parts' in part ? part.parts : [])),
  ]);
  return parts.flatMap(namesIn).every((name) => known.has(name));
}

function setsCallsOff({ needs }: Pick<Rule, 'needs'>): boolean {
  return needs.some((need) => need.startsWith('trigger-') || need === 'acquire-identity');
}
