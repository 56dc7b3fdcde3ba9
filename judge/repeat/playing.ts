import type { Need } from '../../contract/needs.ts';
import { tokenVariable } from '../curl/variables.ts';
import { ConnectionLost } from '../client/failure.ts';
import { isSuccess, headerIn, type Reply } from '../exchange.ts';
import { type RegistrationKind, removalOf } from '../extension/registrations.ts';
import { jsonOf } from '../json.ts';
import { prepareRequest } from '../service/requests.ts';
import { replyOf } from '../client/reply.ts';
import { type Sent, splitUrl, type WireRequest } from '../client/wire.ts';
import { identitiesIn } from '../service/roles.ts';
import type { Rule } from '../rule.ts';
import { sleep } from '../time/real-time.ts';
import { restart } from '../service/restart.ts';
import type { Session } from '../run/session.ts';
import type { Violation } from '../violation.ts';
import { baseVariable, type Flow, type Ground, type Step } from './flow.ts';
import type { Called } from './calls.ts';
import { doAgain } from './deeds.ts';
import { answered, kindOf, type TimedSent } from './kind.ts';
import { type Player, shrink, type Shrunk } from './replay.ts';
import type { NoRepetition } from './repetition.ts';
import type { Judged } from './showing.ts';
import { variablesIn } from './template.ts';

/** How much of a run may go into playing findings again. */
export interface RepeatBudget {
  findings: number;
  ms: number;
  /** Whether what is made has to be deleted afterwards. */
  readonly lasting: boolean;
}

/** The time is that of all plays, of which as many go on at once as cases do. */
export function openRepeatBudget(lasting: boolean): RepeatBudget {
  return { findings: 40, ms: 60_000, lasting };
}

/** Files of some MiB are sent and read twice. */
const longestMs = 5000;

export interface Finding {
  readonly rule: Rule;
  readonly violation: Violation;
  /** Requests of before those of the violation, where the case began anew. */
  readonly prelude: readonly Sent[];
  /** What had no answer when it ended. */
  readonly unanswered: readonly Sent[];
  /** What the case let the service call. */
  readonly called: readonly Called[];
  /** What it did to files on the disk of the service. */
  readonly deeds: readonly TimedSent[];
  readonly seed: number;
  /** 0, or 1 where the case was run once more. */
  readonly attempt: number;
  /** What is left of the time of the case, in ms: whoever plays beyond it loses the finding. */
  readonly leftMs: number;
}

export interface Playing {
  readonly finding: Finding;
  readonly session: Session;
  readonly budget: RepeatBudget;
}

/** A reason where the same is not seen again. */
export async function playedAgain(
  flow: Flow,
  judged: Judged,
  ground: Ground,
  { finding, session, budget }: Playing,
): Promise<Shrunk | NoRepetition> {
  const whole: Shrunk = { ...judged, steps: flow.steps.slice(0, judged.at + 1), shown: false };
  const isStaged = flow.steps.some(({ kind }) => kind === 'stage');
  const mayStay = (step: Step): boolean =>
    ['pass', 'file', 'look'].includes(step.kind) || (isStaged ? isTakenBack(step, session) : leavesNothing(step));
  const isWelcome = whole.steps.every((step) => step.kind !== 'token' && (!budget.lasting || mayStay(step)));
  const mostMs = Math.min(longestMs, budget.ms, finding.leftMs);
  const { time } = session;
  const passedMs = whole.steps.reduce((sum, { sent: { request } }) => sum + (request.passMs ?? 0), 0);
  const isInTime = time.controlled || passedMs < mostMs;
  if (!isWelcome || !isInTime || budget.findings <= 0 || mostMs <= 0) return whole;
  budget.findings -= 1;
  const startedAt = performance.now();
  const until = startedAt + mostMs;
  // a delay is a whole number; what is left of a budget is none
  const signal = AbortSignal.timeout(Math.ceil(until - startedAt));
  const stand = isStaged ? await session.listeners.callee() : undefined;
  const participant = passedMs > 0 ? await time.join(signal) : undefined;
  const made: WireRequest[] = [];
  let unanswered = new AbortController();
  let reuse = session.lostConnections === 0;
  const directories = new Map<string, () => Promise<void>>();
  const send = async (request: WireRequest, within = signal): ReturnType<Player['send']> => {
    const { passMs = 0, body = new Uint8Array() } = request;
    const kind = kindOf(request);
    if (passMs > 0) await participant?.until(new Promise<never>(() => undefined), passMs);
    if (kind === 'restart') await restart(session.profile.all);
    if (kind === 'pass' || kind === 'restart') return { status: 200, headers: [], bytes: new Uint8Array() };
    if (kind === 'file' || kind === 'look') return doAgain(request, session.profile, directories);
    const order = { ...request, target: splitUrl(request.url).path, mostMs: patienceMs, body };
    const handed = kind === 'request' ? undefined : stand?.callee.take(order);
    if (handed !== undefined) return handed;
    const asked = await withCurrentToken(request, session);
    const sender = {
      reuse,
      retries: [],
      add: () => undefined,
      part: `${finding.rule.id} again`,
      signal: request.unanswered === true ? AbortSignal.any([within, unanswered.signal]) : within,
    };
    const sending = () => session.client[request.raw === true ? 'sendRaw' : 'send'](asked, sender);
    const isHeld =
      request.unanswered === true ||
      (request.method !== 'GET' && finding.rule.needs.some((need) => waitedFor.has(need)));
    const answering = isHeld && participant !== undefined ? participant.through(sending) : sending();
    const answer = await answering.catch((error: unknown) => {
      reuse &&= !(error instanceof ConnectionLost);
      throw error;
    });
    const reply = replyOf(answer, request.url);
    session.bookings.note({ method: request.method, url: request.url, as: 'editor' }, reply, finding.rule.id);
    const removal = removalFor(request, reply, session);
    await sleep(request.settlesMs ?? 0, within);
    if (removal !== undefined) made.push(removal);
    return answer;
  };
  const tidyUp = async (): Promise<void> => {
    unanswered.abort();
    unanswered = new AbortController();
    for (const remove of directories.values()) await remove();
    directories.clear();
    // what is made goes, also when the time for plays is over
    for (const removal of made.splice(0).toReversed())
      await send(removal, AbortSignal.timeout(removalMs)).catch(() => undefined);
  };
  // a host may do once and for all what shows it
  const rounds = ground.isHost && isStaged ? 1 : 2;
  const player = { values: ground.values, listenerUrl: stand?.url, rounds, until, send, tidyUp };
  const shrunk = await shrink(flow.steps, judged, player).finally(() => {
    stand?.callee.clear();
    participant?.leave();
  });
  budget.ms -= performance.now() - startedAt;
  return cameOf(shrunk, whole, performance.now() > until);
}

function cameOf(shrunk: Shrunk, whole: Shrunk, isOver: boolean): Shrunk | NoRepetition {
  if (shrunk.shown) return shrunk;
  // beside what is not answered the clock of a play does not stand still
  if (whole.steps.some(({ sent }) => sent.request.unanswered === true)) return whole;
  if (!isOver)
    return { reason: 'no script shows this: sent again, the same requests were not answered in the same way' };
  const isTelling = shrunk.showing.kind !== 'lines' || shrunk.showing.lacksBody !== true;
  return isTelling ? shrunk : { reason: 'no script shows this: there was no time to send the same requests again' };
}

/** What was granted before time passed, here or while the case ran, may have ended since. */
async function withCurrentToken(request: WireRequest, { profile, secrets, tokens }: Session): Promise<WireRequest> {
  const [, held = ''] = /^Bearer (.+)$/i.exec(headerIn(request.headers, 'authorization') ?? '') ?? [];
  const variable = secrets.nameOf(held);
  const identity = identitiesIn(profile.all).find((name) => tokenVariable(name) === variable);
  const token = identity && (await tokens.of(identity));
  if (typeof token !== 'string') return request;
  const headers = request.headers.map(([name, value]) => [name, value.replace(held, () => token)] as const);
  return { ...request, headers };
}

/** What makes the service call somebody before it answers. */
const waitedFor: ReadonlySet<Need> = new Set(['trigger-validation', 'trigger-action']);

/** How long the removal of a registration may take, in ms. */
const removalMs = 5000;

/** How long a call is waited for in each play, in ms. */
const patienceMs = 1000;

const registering = /\/api\/admin\/(svcExtension|externalEndpoint|trustedExternalEndpoint)$/;

/** What takes a registration back, by whoever made it. */
function removalFor(request: WireRequest, reply: Reply, { profile }: Session): WireRequest | undefined {
  const [, kind] = registering.exec(request.url) ?? [];
  if (kind === undefined || request.method !== 'POST' || !isSuccess(reply.status)) return undefined;
  const body = jsonOf(Buffer.from(request.body ?? '').toString());
  const removal = removalOf(profile, kind as RegistrationKind, body, reply);
  if (removal === undefined) return undefined;
  const credential = headerIn(request.headers, 'authorization') ?? '';
  return prepareRequest(removal, /^Bearer (.+)$/i.exec(credential)?.[1] ?? null, profile.all);
}

/** Whether a registration goes behind each play. */
function isTakenBack({ sent }: Step, session: Session): boolean {
  return !registering.test(sent.request.url) || removalOfSent(sent, session) !== undefined;
}

/** What takes back what a script registers, and the directories that it makes, the last first. */
export function removalsOf({ steps }: Shrunk, flow: Flow, session: Session): readonly Step[] {
  return steps
    .flatMap(({ sent }) => removalOfSent(sent, session) ?? [])
    .map((request) => flow.stepFor(answered(request, { status: 204 })))
    .toReversed();
}

function removalOfSent({ request, exchange }: Sent, session: Session): WireRequest | undefined {
  const { response } = exchange;
  const isDirectory = kindOf(request) === 'file' && request.method === 'PUT' && request.url.endsWith('/');
  if (isDirectory) return { ...request, method: 'DELETE' };
  if (response === undefined) return undefined;
  const reply = replyOf({ ...response, bytes: Buffer.from(response.body), exchange }, request.url);
  return removalFor(request, reply, session);
}

/** Whether what a step makes is an object, which is booked and deleted, or belongs to one. */
function leavesNothing(step: Step): boolean {
  const { method, url } = step.sent.request;
  if (method === 'GET' || method === 'HEAD' || /\/(?:softtype|batch)\b/i.test(url)) return true;
  return variablesIn(step.url).some((name) => name !== baseVariable);
}
