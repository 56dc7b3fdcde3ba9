import { withoutSlash } from '../../contract/address.ts';
import type { Need } from '../../contract/needs.ts';
import { bodyPipe, isForm } from '../curl.ts';
import { variablesOf } from '../curl/variables.ts';
import { printableUpTo } from '../describe.ts';
import { headerIn, type Reply } from '../exchange.ts';
import { type RegistrationKind, removalOf } from '../extension/registrations.ts';
import { jsonOf } from '../json.ts';
import { prepareRequest } from '../requests.ts';
import { replyOf } from '../client/reply.ts';
import { type Sent, splitUrl, type WireRequest } from '../client/wire.ts';
import { markOf } from '../given.ts';
import type { Rule } from '../rule.ts';
import type { Secrets } from '../redact.ts';
import type { Session } from '../session.ts';
import { signatureCommand } from '../signature.ts';
import type { Violation } from '../violation.ts';
import {
  baseVariable,
  type BodyTemplate,
  Flow,
  type Ground,
  listenerVariable,
  markVariable,
  type Step,
} from './flow.ts';
import { type Called, isOrder, stagedWith } from './calls.ts';
import { type Player, shrink, type Shrunk, usedBy } from './replay.ts';
import type { BodyPart, Check, NoRepetition, Repetition, ScriptPart, ScriptStep } from './repetition.ts';
import { type Judged, judgedIn, type Showing, templatesIn } from './showing.ts';
import { type Template, variablesIn, withoutSecrets } from './template.ts';

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
const longestText = 16_000;
const mostSteps = 80;

/** Why requests alone cannot show what breaks a rule with that need. */
const beyond: Partial<Readonly<Record<Need, string>>> = {
  'restart-control': 'it shows when the service is restarted in between',
  'clock-control': 'it shows when time passes for the service',
  'extension-probe': 'it shows in a call that the service makes',
  'log-probe': 'it shows in the log of the service',
  jwt: 'it shows in a token, which is secret',
  'host-directory': 'it takes files on the disk of the service',
};

const kinds: Partial<Readonly<Record<Rule['test']['kind'], string>>> = {
  schedule: 'it shows when time passes for the service',
  race: 'it shows when requests meet each other',
};

const signatureVariable = 'SIGNATURE';
const unsent = 'it sends a credential that the suite makes out of a secret';

export interface Finding {
  readonly rule: Rule;
  readonly violation: Violation;
  /** Requests of before those of the violation, where the case began anew. */
  readonly prelude: readonly Sent[];
  /** What the case let the service call. */
  readonly called: readonly Called[];
  readonly seed: number;
  /** 0, or 1 where the case was run once more. */
  readonly attempt: number;
  /** What is left of the time of the case, in ms: whoever plays beyond it loses the finding. */
  readonly leftMs: number;
}

/** A finding as requests that make their own objects; played to the target as long as the budget lasts. */
export async function repetitionOf(
  finding: Finding,
  session: Session,
  budget: RepeatBudget,
): Promise<Repetition | NoRepetition> {
  const { rule, prelude, called } = finding;
  const sent = [...prelude, ...finding.violation.sent];
  const reason = reasonAgainst(rule, sent, called);
  if (reason !== undefined) return { reason: `no requests alone show this: ${reason}` };
  const alone = told(sent, [], finding, session);
  const isAlone = alone.judged !== undefined && !isCallNeeded(rule, alone);
  const staged = isAlone ? undefined : stagedWith(sent, called, setsCallsOff(rule));
  const { flow, ground, history, judged } =
    staged === undefined ? alone : told(staged.history, staged.bases, finding, session);
  if (judged === undefined) return { reason: 'no requests alone show this: there is no answer that does' };
  if (history[judged.at]?.request.raw === true && judged.showing.kind === 'lines')
    return { reason: 'no requests alone show this: it shows below what a client of HTTP tells' };
  if (!isAlone && staged === undefined)
    return { reason: 'no requests alone show this: it takes somebody whom the service calls' };
  if (flow.isUnclear) return { reason: 'no script shows this: it follows one of several links that are the same' };
  const shrunk = await playedAgain(flow, judged, { ground, finding, session, budget });
  if ('reason' in shrunk) return shrunk;
  const scripted = scriptOf(shrunk, { removals: removalsOf(shrunk, flow, session), secrets: session.secrets });
  return scripted === undefined || !isKnown(scripted.steps, session)
    ? { reason: `no script shows this: ${unsent}` }
    : { ...scripted, baseUrl: ground.baseUrl, recorded: judged.at + 1, shown: shrunk.shown };
}

/** A history as its values flow, and which answer of it shows the violation. */
interface History {
  readonly history: readonly Sent[];
  readonly ground: Ground;
  readonly flow: Flow;
  readonly judged: Judged | undefined;
}

function told(history: readonly Sent[], bases: readonly string[], finding: Finding, session: Session): History {
  const ground = groundOf(finding, bases, session);
  const flow = new Flow(history, ground);
  return { history, ground, flow, judged: judgedIn(flow, history, finding.violation) };
}

function reasonAgainst({ test, needs }: Rule, history: readonly Sent[], called: Finding['called']): string | undefined {
  const missing = needs.filter((need) => need !== 'extension-probe' || called.length === 0);
  const kind = kinds[test.kind] ?? missing.map((need) => beyond[need]).find((sentence) => sentence !== undefined);
  if (kind !== undefined) return kind;
  if (history.some(({ request }) => request.arrived === true)) return 'it shows in a call of the host to the suite';
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
    mark: markOf(seed, rule.id, attempt, session.mark),
    listener: listener?.publicUrl === undefined ? undefined : patternOf(listener.publicUrl),
    bases,
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

/** Whether a reader can get everything that the script names. */
function isKnown(steps: readonly ScriptStep[], { loaded }: Session): boolean {
  const known = new Set([
    ...Object.keys(variablesOf(loaded)),
    baseVariable,
    markVariable,
    listenerVariable,
    signatureVariable,
  ]);
  for (const { captures } of steps) for (const { variable } of captures) known.add(variable);
  const parts = steps.flatMap(({ url, headers, body = [], form = [] }) => [
    ...url,
    ...[...headers, ...form].flatMap(([, value]) => value),
    ...body.flatMap((part) => ('parts' in part ? part.parts : [])),
  ]);
  return parts.flatMap(namesIn).every((name) => known.has(name));
}

function namesIn(part: ScriptPart): readonly string[] {
  if ('variable' in part) return [part.variable];
  return 'base64' in part ? part.base64.flatMap(namesIn) : [];
}

function setsCallsOff({ needs }: Pick<Rule, 'needs'>): boolean {
  return needs.some((need) => need.startsWith('trigger-'));
}

interface Playing {
  readonly ground: Ground;
  readonly finding: Finding;
  readonly session: Session;
  readonly budget: RepeatBudget;
}

/** A reason where the same is not seen again. */
async function playedAgain(flow: Flow, judged: Judged, playing: Playing): Promise<Shrunk | NoRepetition> {
  const { ground, finding, session, budget } = playing;
  const whole: Shrunk = { ...judged, steps: flow.steps.slice(0, judged.at + 1), shown: false };
  const isStaged = flow.steps.some(isOrdered);
  const mayStay = (step: Step): boolean => (isStaged ? isTakenBack(step, session) : leavesNothing(step));
  const isWelcome = !budget.lasting || whole.steps.every(mayStay);
  const mostMs = Math.min(longestMs, budget.ms, finding.leftMs);
  if (!isWelcome || budget.findings <= 0 || mostMs <= 0) return whole;
  budget.findings -= 1;
  const startedAt = performance.now();
  const until = startedAt + mostMs;
  // a delay is a whole number; what is left of a budget is none
  const signal = AbortSignal.timeout(Math.ceil(until - startedAt));
  const stand = isStaged ? await session.listeners.callee() : undefined;
  const made: WireRequest[] = [];
  const send = async (request: WireRequest, within = signal): ReturnType<Player['send']> => {
    const order = { ...request, target: splitUrl(request.url).path, mostMs: patienceMs };
    const handed = isOrder(request)
      ? stand?.callee.take({ ...order, body: request.body ?? new Uint8Array() })
      : undefined;
    if (handed !== undefined) return handed;
    const answer = await session.client.send(request, {
      reuse: true,
      retries: [],
      add: () => undefined,
      part: `${finding.rule.id} again`,
      signal: within,
    });
    const spec = { method: request.method, url: request.url, as: 'editor' } as const;
    const reply = replyOf(answer, request.url);
    session.bookings.note(spec, reply, finding.rule.id);
    const removal = removalFor(request, reply, session);
    if (removal !== undefined) made.push(removal);
    return answer;
  };
  const tidyUp = async (): Promise<void> => {
    // what is made goes, also when the time for plays is over
    for (const removal of made.splice(0).toReversed())
      await send(removal, AbortSignal.timeout(removalMs)).catch(() => undefined);
  };
  const player = { baseUrl: ground.baseUrl, listenerUrl: stand?.url, until, send, tidyUp };
  const shrunk = await shrink(flow.steps, judged, player).finally(() => stand?.callee.clear());
  budget.ms -= performance.now() - startedAt;
  if (shrunk.shown) return shrunk;
  if (performance.now() <= until)
    return { reason: 'no script shows this: sent again, the same requests were answered otherwise' };
  const isTelling = shrunk.showing.kind !== 'lines' || shrunk.showing.lacksBody !== true;
  return isTelling ? shrunk : { reason: 'no script shows this: there was no time to send the same requests again' };
}

/** How long the removal of a registration may take, in ms. */
const removalMs = 5000;

/** How long a call is waited for in each play, in ms. */
const patienceMs = 1000;

const registering = /\/api\/admin\/(svcExtension|externalEndpoint|trustedExternalEndpoint)$/;

/** What takes a registration back, by whoever made it. */
function removalFor(request: WireRequest, reply: Reply, { profile }: Session): WireRequest | undefined {
  const [, kind] = registering.exec(request.url) ?? [];
  if (kind === undefined || request.method !== 'POST' || reply.status >= 300) return undefined;
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

/** What takes the registrations of a script back, the last first. */
function removalsOf({ steps }: Shrunk, flow: Flow, session: Session): readonly Step[] {
  return steps
    .flatMap(({ sent }) => {
      const request = removalOfSent(sent, session);
      return request === undefined ? [] : [flow.stepFor({ ...sent, request })];
    })
    .toReversed();
}

function removalOfSent({ request, exchange }: Sent, session: Session): WireRequest | undefined {
  const { response } = exchange;
  if (response === undefined) return undefined;
  const reply = replyOf({ ...response, bytes: Buffer.from(response.body), exchange }, request.url);
  return removalFor(request, reply, session);
}

function isOrdered({ sent: { request } }: Step): boolean {
  return isOrder(request);
}

/** Whether what a step makes is an object, which is booked and deleted, or belongs to one. */
function leavesNothing(step: Step): boolean {
  const { method, url } = step.sent.request;
  if (method === 'GET' || method === 'HEAD' || /\/(?:softtype|batch)\b/i.test(url)) return true;
  return variablesIn(step.url).some((name) => name !== baseVariable);
}

function scriptOf(
  { steps, showing, others }: Shrunk,
  { removals, secrets }: { readonly removals: readonly Step[]; readonly secrets: Secrets },
): Pick<Repetition, 'steps' | 'check' | 'afterwards'> | undefined {
  const check = checkOf(showing, secrets);
  const shown = [showing, ...steps.flatMap((step) => others.get(step) ?? [])].flatMap(templatesIn);
  const used = new Set([...[...steps, ...removals].flatMap(usedBy), ...shown.flatMap(variablesIn)]);
  const made = steps.map((step) => {
    const other = others.get(step);
    const found = other && checkOf(other, secrets);
    const scripted = scriptStep(step, used, secrets);
    return scripted && found?.kind === 'lines' ? { ...scripted, found } : scripted;
  });
  const all = made.filter((step) => step !== undefined);
  if (check === undefined || all.length < made.length) return undefined;
  const afterwards = removals.map((step) => scriptStep(step, used, secrets)).filter((step) => step !== undefined);
  return { steps: all, check, ...(afterwards.length > 0 && { afterwards }) };
}

function checkOf(showing: Showing, secrets: Secrets): Check | undefined {
  if (showing.kind !== 'lines') return showing;
  const lines = showing.lines.map((line) => withoutSecrets(line, secrets)).filter((line) => line !== undefined);
  const { expected, lacksBody: _lacksBody, isCounted: _isCounted, ...rest } = showing;
  const wanted = expected && withoutSecrets(expected, secrets);
  if (lines.length === 0 && wanted === undefined) return undefined;
  return { ...rest, lines, ...(wanted && { expected: wanted }) };
}

function scriptStep(step: Step, used: ReadonlySet<string>, secrets: Secrets): ScriptStep | undefined {
  const { request, exchange } = step.sent;
  const url = withoutSecrets(step.url, secrets);
  const headers = step.headers.map(([name, value]) => [name, withoutSecrets(value, secrets)] as const);
  const known = headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const body = bodyOf(step, secrets);
  const isSigned = known.some(([, value]) => value.flatMap(namesIn).includes(signatureVariable));
  const signature = isSigned ? signatureOf(request, step.url) : '';
  if (url === undefined || known.length < headers.length || body === undefined || signature === undefined)
    return undefined;
  return {
    method: request.method,
    url,
    headers: known,
    ...body,
    ...(signature !== '' && { signature }),
    status: step.told?.status ?? 0,
    captures: step.captures.filter(({ variable }) => used.has(variable)),
    exchange: secrets.redactAll(exchange, printableUpTo(longestText)),
  };
}

/** Undefined where it would be over a path that is not known before. */
function signatureOf({ signedPath }: WireRequest, url: Template): string | undefined {
  if (signedPath === undefined) return undefined;
  const query = url.findIndex((piece) => 'text' in piece && piece.text.includes('?'));
  const path = query === -1 ? url : url.slice(0, query);
  if (variablesIn(path).some((name) => name !== baseVariable)) return undefined;
  return `SIGNATURE=$(${signatureCommand(signedPath, 'EXTENSION_API_KEY')})`;
}

function bodyOf({ body, sent }: Step, secrets: Secrets): Pick<ScriptStep, 'body' | 'form'> | undefined {
  if (body.length === 0) return sent.request.body === undefined ? {} : { body: [{ parts: [{ text: '' }] }] };
  const parts = body.map((part) => bodyPart(part, secrets));
  const known = parts.filter((part) => part !== undefined);
  if (known.length === parts.length) return { body: known };
  const form = formOf(sent.request, secrets);
  return form === undefined ? undefined : { form };
}

function bodyPart(part: BodyTemplate, secrets: Secrets): BodyPart | undefined {
  if ('bytes' in part) {
    const text = Buffer.from(part.bytes).toString('latin1');
    const command = secrets.redact(text) === text ? bodyPipe(part.bytes) : undefined;
    return command === undefined ? undefined : { command };
  }
  const isLong = part.template.some((piece) => 'text' in piece && piece.text.length > longestPiece);
  if (isLong && part.template.length === 1) {
    const [piece] = part.template;
    const command = piece !== undefined && 'text' in piece ? bodyPipe(Buffer.from(piece.text)) : undefined;
    return command === undefined ? undefined : { command };
  }
  const parts = withoutSecrets(part.template, secrets);
  return parts && { parts };
}

const longestPiece = 65_536;

function formOf({ headers, body }: WireRequest, secrets: Secrets): ScriptStep['form'] | undefined {
  if (!isForm(headers) || body === undefined) return undefined;
  const fields = [...new URLSearchParams(Buffer.from(body).toString())].map(
    ([name, value]) => [name, withoutSecrets([{ text: value }], secrets)] as const,
  );
  const known = fields.flatMap(([name, value]): (readonly [string, ScriptPart[]])[] =>
    value === undefined ? [] : [[name, value]],
  );
  return known.length === fields.length ? known : undefined;
}
