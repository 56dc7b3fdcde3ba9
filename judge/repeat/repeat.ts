import { withoutSlash } from '../../contract/address.ts';
import { signatureVariable } from '../../contract/names.ts';
import type { Need } from '../../contract/needs.ts';
import { envelopeTokenName, hostDirectoryName, tokenVariable, variablesOf } from '../curl/variables.ts';
import { type Sent, splitUrl } from '../client/wire.ts';
import { markOf } from '../given.ts';
import { isArrival, playedService, stagedForHost } from './host-calls.ts';
import type { Exchange } from '../exchange.ts';
import { identitiesIn, isGranted } from '../service/roles.ts';
import type { Rule } from '../rule.ts';
import { jwt } from '../redact/redact.ts';
import { secretsOf } from '../redact/profile-secrets.ts';
import { restartRequest, restartsSince } from '../service/restart.ts';
import type { Session } from '../run/session.ts';
import {
  baseVariable,
  beginningOf,
  Flow,
  type Ground,
  hostVariable,
  listenerVariable,
  markVariable,
  type Named,
  type Step,
} from './flow.ts';
import { bulkPaths } from '../files/bulk.ts';
import { stagedWith } from './calls.ts';
import { Credentials } from './credentials.ts';
import { answered, type TimedSent } from './kind.ts';
import { linesOf } from './lines.ts';
import { withMeeting } from './meeting.ts';
import { type Finding, playedAgain, type Playing, removalsOf, type RepeatBudget } from './playing.ts';
import { neededFor, type Shrunk, usedBy } from './replay.ts';
import type { NoRepetition, Repetition } from './repetition.ts';
import { type Passing, passingOf, passSent, withPasses } from './passing.ts';
import { scriptOf } from './script.ts';
import { type Judged, judgedIn, type Showing } from './showing.ts';
import { lineOfToken, tokenLook } from './token-look.ts';

const mostSteps = 80;

/** Why requests alone cannot show what breaks a rule with that need. */
const beyond: Partial<Readonly<Record<Need, string>>> = {
  'extension-probe': 'it shows in a call that the service makes: look at it in the report',
  'log-probe': 'it shows in the log of the service: look there for the correlation id of the request in the report',
  'host-directory': 'it takes files on the disk of the service',
};

/** So long a script may sleep where it cannot move the clock of the service, in ms. */
const longestSleepMs = 900_000;

/** How long a script waits for what comes late, where the case did. */
const patienceSeconds = 10;

const again = 'judge the rule again by the command in the report';
const meeting = `it shows when requests meet each other, and in no one answer: ${again}`;
const unsent = `it sends a credential that the suite makes out of a secret, or bytes that no command makes: ${again}`;

/** A finding as requests that make their own objects; played to the target as long as the budget lasts. */
export async function repetitionOf(
  finding: Finding,
  session: Session,
  budget: RepeatBudget,
): Promise<Repetition | NoRepetition> {
  const { rule, prelude, called, deeds, unanswered } = finding;
  const { reply, claim, sent } = finding.violation;
  const named = reply?.exchange;
  const isRace = rule.test.kind === 'race';
  const whole = isRace ? withMeeting([...prelude, ...sent], named) : [...prelude, ...sent];
  const hosted = whole.some(isArrival) ? stagedForHost(whole, named) : undefined;
  const reason = reasonAgainst(finding, hosted?.history ?? whole, session);
  if (reason !== undefined) return { reason: `no requests alone show this: ${reason}` };
  const passing = rule.test.kind === 'schedule' ? passingOf(session.time, session.profile.all) : undefined;
  const play: Play = { finding, session, budget, passing };
  const line = lineOfToken(claim);
  if (line !== undefined) return scripted(await toldOfTokens(line, finding, session), play);
  if (hosted !== undefined) return scripted(told({ ...hosted, bases: [], isHosted: true }, finding, session), play);
  const held = isRace ? [] : unanswered.filter(({ request }) => request.method !== 'GET');
  const requests = requestsIn([...whole, ...held], session);
  const timed = isRace ? requests : [...requests, ...deeds].toSorted((one, other) => one.at - other.at);
  const history = passing === undefined ? timed.map((one) => one.sent) : withPasses(timed, passing);
  const alone = told({ history, bases: [], named }, finding, session);
  const counted = claim?.about === 'calls' ? claim : undefined;
  const shownBy = claim?.about === 'value' ? claim.shownBy?.call : undefined;
  const isOfCalls = counted !== undefined || shownBy !== undefined;
  const isAlone = !isOfCalls && alone.judged !== undefined && !isCallNeeded(rule, alone);
  const single = isAlone ? await scripted(alone, play) : undefined;
  if (single !== undefined && (!('reason' in single) || called.length === 0)) return single;
  const isSetOff = setsCallsOff(rule);
  const isOfMetadata = claim?.about === 'value' && claim.name?.includes('metadata request') === true;
  const isAnswered = reply !== undefined;
  const staged = stagedWith(timed, { called, isSetOff, isAnswered, isOfMetadata, claim: counted, shownBy, passing });
  if (staged === undefined) return single ?? { reason: alone.judged === undefined ? untold : uncalled };
  const made = await scripted(told({ named, ...staged }, finding, session), { ...play, isSlow: staged.isSlow });
  return 'reason' in made && single !== undefined ? single : made;
}

const untold = `no requests alone show this: there is no answer that does; ${again}`;
const uncalled = `no requests alone show this: it takes somebody whom the service calls; ${again}`;

/** With the restarts since the first of them. */
function requestsIn(whole: readonly Sent[], { client, profile }: Session): readonly TimedSent[] {
  const openedAt = client.openedAt - performance.timeOrigin;
  const requests = whole.map((sent) => ({ at: openedAt + sent.exchange.sentAt, sent }));
  const [first] = requests;
  const restarting = restartRequest(profile.all);
  if (restarting === undefined || first === undefined) return requests;
  return [...requests, ...restartsSince(first.at).map((at) => ({ at, sent: answered(restarting, { status: 204 }) }))];
}

interface Play extends Playing {
  /** How time passed, where the case let it pass. */
  readonly passing: Passing | undefined;
  /** Whether somebody takes time for an answer, which is that of his machine. */
  readonly isSlow?: boolean;
}

/** A history as a script, played to the target as long as the budget lasts. */
async function scripted(
  { flow, ground, judged }: History,
  { passing, isSlow = false, ...playing }: Play,
): Promise<Repetition | NoRepetition> {
  if (judged === undefined) return { reason: untold };
  if (judged.at >= mostSteps)
    return { reason: `no requests alone show this: it takes more than ${mostSteps} requests: ${again}` };
  const sleeps = passing !== undefined && (!passing.isMoved || isSlow);
  const reason = reasonUntellable(flow, judged, ground) ?? (sleeps ? reasonToSleep(flow) : undefined);
  if (reason !== undefined) return { reason };
  const { finding, session } = playing;
  const shrunk = await playedAgain(flow, judged, ground, playing);
  if (finding.rule.test.kind === 'race' && ('reason' in shrunk || !shrunk.shown))
    return { reason: `no requests alone show this: ${meeting}` };
  if ('reason' in shrunk) return shrunk;
  const isMoved = !sleeps && shrunk.steps.some(({ kind }) => kind === 'pass');
  const goingOn = isMoved && passing !== undefined ? [flow.stepFor(passSent(passing, 0))] : [];
  const credentials = credentialsOf(session, shrunk.steps);
  const script = scriptOf(shrunk, {
    removals: [...removalsOf(shrunk, flow, session), ...goingOn],
    secrets: credentials,
    passOf: (ms) => (sleeps || passing === undefined ? undefined : flow.stepFor(passSent(passing, ms))),
  });
  const made = credentials.lines;
  return script === undefined
    ? { reason: `no script shows this: ${unsent}` }
    : {
        ...script,
        ...(finding.deeds.length > 0 && !isOnce(shrunk) && { patienceSeconds }),
        ...(Object.keys(made).length > 0 && { variables: made }),
        baseUrl: ground.baseUrl,
        recorded: judged.at + 1,
        shown: shrunk.shown,
      };
}

/** What was let in and should not have been may be refused the second time, for what the first has left. */
function isOnce({ steps, showing }: Shrunk): boolean {
  return showing.kind === 'status' && showing.found < 400 && steps.at(-1)?.sent.request.method !== 'GET';
}

function reasonUntellable(flow: Flow, { at, showing }: Judged, { isHost }: Ground): string | undefined {
  const isOfLines = showing.kind === 'lines';
  const isAskedFor = flow.steps.slice(0, at).some(({ captures }) => captures.length > 0);
  if (isHost && isOfLines && [404, 405].includes(showing.status) && !isAskedFor)
    return 'no requests alone show this: where it is called is for the host to say; call it there by hand';
  if (flow.encodesIdAt(at)) return `no script shows this: it spells the id of what it made in another way; ${again}`;
  return flow.isUnclear ? `no script shows this: it may follow one of several links, or none; ${again}` : undefined;
}

function reasonToSleep({ steps }: Flow): string | undefined {
  const passedMs = steps.reduce((sum, { sent: { request } }) => sum + (request.passMs ?? 0), 0);
  return passedMs > longestSleepMs ? `no script shows this: it would have to sleep too long; ${again}` : undefined;
}

/** A history as its values flow, and which answer of it shows the violation. */
interface History {
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

/** A look at a token that is not as that line says. */
async function toldOfTokens(line: string, finding: Finding, session: Session): Promise<History> {
  const { profile, tokens } = session;
  const ground = groundOf(finding, [], session);
  const names = (['editor', 'secondEditor'] as const).filter((name) => isGranted(profile.all, name));
  const held = await Promise.all(names.map((name) => tokens.of(name)));
  const flows = held.flatMap((token) => (token === null ? [] : new Flow([tokenLook(token, profile.all.auth)], ground)));
  const odd = flows.find(({ steps: [look] }) => look?.told !== undefined && !linesOf(look.told).includes(line));
  const showing: Showing = { kind: 'lines', status: 200, lines: [], expected: [{ text: line }] };
  const judged = odd && { at: 0, showing, others: new Map<Step, Showing>() };
  return { ground, flow: odd ?? new Flow([], ground), judged };
}

/** Of a history that is full what the answer that is judged has to do with: what came before it may be missing for the rest. */
function told(tellable: Tellable, finding: Finding, session: Session): History {
  const whole = wholeTold(tellable, finding, session);
  const { flow, judged } = whole;
  if (judged === undefined || judged.at + 1 < mostSteps) return whole;
  const history = neededFor(flow.steps, judged).map(({ sent }) => sent);
  return wholeTold({ ...tellable, history }, finding, session);
}

function wholeTold(tellable: Tellable, finding: Finding, session: Session): History {
  const { bases, showing, guard, named } = tellable;
  const ground = groundOf(finding, bases, session);
  let { history } = tellable;
  let flow = new Flow(history, ground);
  for (let spare = spareIn(flow, tellable); spare.length > 0; spare = spareIn(flow, tellable)) {
    const left = new Set(history).difference(new Set(spare.map(({ sent }) => sent)));
    history = [...left];
    flow = new Flow(history, ground);
  }
  if (showing === undefined) return { ground, flow, judged: judgedIn(flow, finding.violation, named) };
  const isThere: Showing = { kind: 'lines', status: 200, lines: [] };
  const others = new Map(flow.steps.flatMap((step) => (step.sent === guard ? [[step, isThere] as const] : [])));
  return { ground, flow, judged: { at: history.length - 1, showing, others } };
}

/** Which calls came before is asked for only where a request takes something of one, and nobody is stated of whom nothing is asked for. */
function spareIn({ steps }: Flow, { showing, guard, named, isHosted = false }: Tellable): readonly Step[] {
  const calls = steps.filter(({ kind }) => kind === 'call');
  if (isHosted && calls.length === 0) return steps.filter(({ kind }) => kind === 'stage');
  if (showing === undefined && !isHosted) return [];
  const last = showing === undefined ? undefined : steps.at(-1);
  return calls.filter(
    (step) => step !== last && step.captures.length === 0 && step.sent !== guard && step.sent.exchange !== named,
  );
}

function reasonAgainst(
  { rule: { test, needs, side }, violation, called, deeds }: Finding,
  history: readonly Sent[],
  { tokens }: Session,
): string | undefined {
  const isShared = ({ request: { headers } }: Sent): boolean =>
    [...tokens.shared].some((token) => headers.some(([, value]) => value.includes(token)));
  if (history.some(isShared)) return 'the service has granted one token to two users';
  const isPlayed = (need: Need): boolean =>
    (need === 'extension-probe' && called.length > 0) || (need === 'host-directory' && deeds.length > 0);
  const missing = needs.filter((need) => !isPlayed(need));
  const kind = missing.map((need) => beyond[need]).find((sentence) => sentence !== undefined);
  if (kind !== undefined) return kind;
  if (violation.reply?.isOfBatch === true) return 'it shows in the result of an operation, as the report tells it';
  if (side === 'extension' && violation.claim?.about === 'calls')
    return 'it shows in what does not come: send the request of the report to the host, and wait';
  if (test.kind === 'schedule' && side === 'extension') return `it shows when time passes for the host: ${again}`;
  if (history.length > mostSteps && test.kind === 'race') return meeting;
  return history.length === 0 ? 'it shows in what the suite was called with' : undefined;
}

function groundOf({ rule, seed, attempt }: Finding, bases: readonly string[], session: Session): Ground {
  const { profile } = session.loaded;
  const { listener, extensionHost } = profile;
  const isHost = rule.side === 'extension';
  const base = isHost ? (extensionHost?.hostUri ?? profile.baseUrl) : profile.baseUrl;
  const baseUrl = withoutSlash(base);
  const withoutScheme = baseUrl.replace(/^\w+:/, '');
  const directory = profile.bulk?.hostDirectory?.path.replace(/[/\\]+$/, '');
  const listened = isHost ? playedService : listener?.publicUrl;
  return {
    isHost,
    baseUrl,
    values: { [baseVariable]: baseUrl, [hostVariable]: withoutScheme, [hostDirectoryName]: directory ?? '' },
    variables: [
      [literally(baseUrl), baseVariable],
      [literally(withoutScheme), hostVariable],
      ...(isHost ? [[jwt, envelopeTokenName] as const] : []),
      ...(listened === undefined ? [] : [[literally(listened), listenerVariable] as const]),
      ...(directory === undefined ? [] : [[literally(directory), hostDirectoryName] as const]),
      // what is signed is signed as it was
      ...(isHost ? [] : [[literally(markOf(seed, rule.id, attempt, session.mark)), markVariable] as const]),
      // a service may keep one of each address
      ...bases.map((base): Named => [beginningOf(base), markVariable]),
    ],
    known: JSON.stringify(profile),
  };
}

/** In the place of `{port}` any may stand. */
function literally(text: string): RegExp {
  return new RegExp(
    text
      .split('{port}')
      .map(RegExp.escape)
      .join(String.raw`\d+`),
    'g',
  );
}

/** The status of a registration may be judged, all else shows in calls, also to whom others registered. */
function isCallNeeded({ needs }: Rule, { flow, judged }: History): boolean {
  const names = (step: Step): boolean => usedBy(step).includes(listenerVariable);
  const steps = flow.steps.slice(0, (judged?.at ?? flow.steps.length) + 1);
  const before = judged?.showing.kind === 'status' ? steps.slice(0, -1) : steps;
  return before.some(names) || (setsCallsOff({ needs }) && !steps.some(names));
}

function credentialsOf({ loaded, secrets }: Session, steps: readonly Step[]): Credentials {
  const names = identitiesIn(loaded.profile).map(tokenVariable);
  const tokens = [...secrets.all()].flatMap((value) => {
    const variable = secrets.nameOf(value) ?? '';
    return names.includes(variable) && value.split('.').length === 3 ? [{ variable, value }] : [];
  });
  const keys = secretsOf(loaded).filter(({ path }) => path === 'auth.signingKey' || path === 'bulk.adminApiKey');
  // those of other spaces and participants are in no profile
  const asked = steps.flatMap(({ kind, sent: { request } }) => (kind === 'request' ? splitUrl(request.url).path : []));
  const paths = [...new Set([...Object.values(bulkPaths(loaded.profile)), ...asked])].filter(
    (path) => path !== undefined,
  );
  const known = new Set([...Object.keys(variablesOf(loaded)), signatureVariable]);
  return new Credentials({ secrets, known, tokens: tokens.toReversed(), keys, paths });
}

function setsCallsOff({ needs }: Pick<Rule, 'needs'>): boolean {
  return needs.some((need) => need.startsWith('trigger-') || need === 'acquire-identity');
}
