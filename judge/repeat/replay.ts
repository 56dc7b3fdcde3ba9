import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { WireAnswer, WireRequest } from '../client/wire.ts';
import type { Stage } from '../../simulator/extension/callee.ts';
import { isObject, jsonOf, objectsIn } from '../json.ts';
import { baseVariable, type BodyTemplate, hostVariable, listenerVariable, markVariable, type Step } from './flow.ts';
import { linesOf, taken, type Told } from './lines.ts';
import { commonWith, isShownBy, type Judged, type Showing, templatesIn } from './showing.ts';
import { envelopeTokenName, hostDirectoryName, unsignedTokenParts } from '../curl/variables.ts';
import { fill, type Template, variablesIn } from './template.ts';

/** Nobody but the service that granted it can tell that nobody signed it. */
const unsignedToken = unsignedTokenParts.map((part) => Buffer.from(part).toString('base64url')).join('.');

/** Nobody listens there. */
const deadListener = 'http://127.0.0.1:9';

/** Sends requests to the target, within a limit of time. */
export interface Player {
  /** Of variables, as far as they are the same in each play. */
  readonly values: Readonly<Record<string, string>>;
  /** Where somebody listens whom the service may call. */
  readonly listenerUrl?: string | undefined;
  /** How often it has to show the same. */
  readonly rounds: number;
  /** When there is no more time, monotonic, in ms. */
  readonly until: number;
  /** @throws where there is no answer */
  readonly send: (request: WireRequest) => Promise<Pick<WireAnswer, 'status' | 'headers' | 'bytes'>>;
  /** Takes back what may not stay until the next play. */
  readonly tidyUp: () => Promise<void>;
}

interface Played {
  /** The answers before the last. */
  readonly before: ReadonlyMap<Step, Told>;
  readonly told: Told;
  readonly values: ReadonlyMap<string, string>;
}

/** The steps that are left, the judged one last. */
export interface Shrunk {
  readonly steps: readonly Step[];
  readonly showing: Showing;
  readonly others: Judged['others'];
  /** Whether the target showed the same again. */
  readonly shown: boolean;
}

/** Plays the steps up to the judged one again, and leaves out what is not needed to see the same. */
export async function shrink(all: readonly Step[], judged: Judged, player: Player): Promise<Shrunk> {
  const whole = all.slice(0, judged.at + 1);
  const unsure: Shrunk = { ...judged, steps: whole, shown: false };
  let { showing, others } = judged;
  for (let round = 0; round < player.rounds; round += 1) {
    // what lost a kept connection is sent on fresh ones from then on
    const played = (await play(whole, player)) ?? (await play(whole, player));
    if (played === undefined) return unsure;
    const { told, values, before } = played;
    const common = commonWith(round === 0 ? withContent(showing, played) : showing, told, values);
    const same = commonOthers(others, before, values);
    if (common === undefined || same === undefined) return unsure;
    showing = common;
    others = same;
  }
  return { steps: await leaveOut(whole, { showing, others }, player), showing, others, shown: true };
}

function commonOthers(
  others: Judged['others'],
  before: Played['before'],
  values: Played['values'],
): Judged['others'] | undefined {
  const same = new Map<Step, Showing>();
  for (const [step, showing] of others) {
    const told = before.get(step);
    const common = told && commonWith(showing, told, values);
    if (common === undefined) return undefined;
    same.set(step, common);
  }
  return same;
}

/** A body that is no JSON is told by its checksum, which takes all of it. */
function withContent(showing: Showing, { told }: Played): Showing {
  const [line] = linesOf(told).filter((text) => text.startsWith('cksum: '));
  if (showing.kind !== 'lines' || showing.lacksBody !== true || line === undefined) return showing;
  return { ...showing, lines: [...showing.lines, [{ text: line }]] };
}

/** Halves first, then single ones. Writes to what is judged stay: without one the same answer may be right. */
async function leaveOut(
  whole: readonly Step[],
  { showing, others }: Pick<Judged, 'showing' | 'others'>,
  player: Player,
): Promise<readonly Step[]> {
  let left = whole;
  const kept = new Set(keptFor(whole, { showing, others }));
  const isSame = async (steps: readonly Step[]): Promise<boolean> => {
    const played = isWhole(steps, showing, others) ? await play(steps, player) : undefined;
    if (played === undefined || !isShownBy(showing, played.told, played.values)) return false;
    return [...played.before].every(([step, told]) => {
      const other = others.get(step);
      return other === undefined || isShownBy(other, told, played.values);
    });
  };
  const droppable = whole.filter((step) => !kept.has(step));
  const bare = whole.filter((step) => kept.has(step));
  if (bare.length < whole.length && (await isSame(bare))) return bare;
  for (let size = Math.max(1, Math.ceil(droppable.length / 2)); ; size = Math.ceil(size / 2)) {
    for (let from = 0; from < droppable.length && performance.now() < player.until; from += size) {
      const some = new Set(droppable.slice(from, from + size));
      const fewer = left.filter((step) => !some.has(step));
      if (fewer.length < left.length && (await isSame(fewer))) left = fewer;
    }
    if (size <= 1) return left;
  }
}

/** What stays of the steps up to the judged one, and those of which they take a value. */
export function neededFor(all: readonly Step[], { at, showing, others }: Judged): readonly Step[] {
  const whole = all.slice(0, at + 1);
  const needed = new Set(keptFor(whole, { showing, others }));
  const used = new Set([...needed].flatMap((step) => [...usedBy(step), ...namedIn(others.get(step))]));
  for (const name of namedIn(showing)) used.add(name);
  for (const step of whole.toReversed()) {
    if (!needed.has(step) && !step.captures.some(({ variable }) => used.has(variable))) continue;
    needed.add(step);
    for (const name of usedBy(step)) used.add(name);
  }
  return whole.filter((step) => needed.has(step));
}

function namedIn(showing: Showing | undefined): readonly string[] {
  return showing === undefined ? [] : templatesIn(showing).flatMap(variablesIn);
}

/** Without which the same answer may be right. */
function keptFor(whole: readonly Step[], { showing, others }: Pick<Judged, 'showing' | 'others'>): readonly Step[] {
  const judged = whole.at(-1);
  // why a call does not come may lie with the others who are called, and goes on behind the play before
  const isMissing = judged?.kind === 'call' && showing.kind === 'status' && showing.found === 404;
  const isCounted = showing.kind === 'status' && !isMissing;
  return [
    ...connectedWith(whole, (step) => isWrite(step) || others.has(step), isCounted),
    ...whole.filter(({ kind }) => kind === 'stage'),
    // who is called answers one after the other: without one that set a call off the next gets its answer
    ...(whole.some(isInTurn)
      ? whole.filter(({ kind, sent }) => kind === 'request' && sent.request.method !== 'GET')
      : []),
    // an answer without those whom the service calls for it may be right
    ...(judged === undefined || judged.kind !== 'request' ? [] : whole.filter(isRegistering)),
  ];
}

/** Of the judged step, those that name what it names, through whatever names both, and those that name nothing of their own: those that count. */
function connectedWith(whole: readonly Step[], counts: (step: Step) => boolean, isCounted: boolean): readonly Step[] {
  const judged = whole.at(-1);
  if (judged === undefined) return [];
  const known = new Set(namesOf(judged));
  const connected = new Set<Step>([judged]);
  for (let grown = true; grown;) {
    grown = false;
    for (const step of whole) {
      const names = namesOf(step);
      if (connected.has(step) || (isOfItsOwn(step) && !names.some((name) => known.has(name)))) continue;
      connected.add(step);
      // the number of calls of one is not about the others who are played
      for (const name of isCounted && step.kind === 'stage' ? [] : names) known.add(name);
      grown = true;
    }
  }
  return whole.filter((step) => step === judged || (connected.has(step) && counts(step)));
}

/** Whether a step states several answers to calls that are alike. */
function isInTurn({ kind, sent }: Step): boolean {
  if (kind !== 'stage') return false;
  const stage = jsonOf(Buffer.from(sent.request.body ?? '').toString());
  const sites = isObject(stage) && Array.isArray(stage['sites']) ? (stage['sites'] as Stage['sites']) : [];
  return sites.some(({ answers = [] }) =>
    answers.some(({ steps: [first, ...more] }) => more.some((step) => !isDeepStrictEqual(step, first))),
  );
}

/** Whether a step tells the service whom it may call. */
function isRegistering(step: Step): boolean {
  return step.kind === 'request' && isWrite(step) && usedBy(step).includes(listenerVariable);
}

/** Whether a step is about objects of the case, as a batch is that makes none; any other may be about what all share. */
function isOfItsOwn(step: Step): boolean {
  const { url, told, sent } = step;
  const isBatch = /\/batch\/?$/.test(sent.request.url);
  const operations = isBatch ? objectsIn(jsonOf(Buffer.from(sent.request.body ?? '').toString())) : [];
  return (
    told?.status === 201 ||
    sent.request.method === 'GET' ||
    (operations.length > 0 && operations.every(({ method }) => method !== 'POST')) ||
    variablesIn(url).some((name) => name !== baseVariable && name !== hostDirectoryName)
  );
}

/** What was refused has changed nothing, unless it shows in what is judged. */
function isWrite({ sent, told }: Step): boolean {
  return (told?.status ?? 0) < 400 && sent.request.method !== 'GET' && sent.request.method !== 'HEAD';
}

/** Variables of its own objects that a step uses or tells. */
function namesOf(step: Step): readonly string[] {
  const own = [...usedBy(step), ...step.captures.map(({ variable }) => variable)].filter((name) => !grounds.has(name));
  return [...own, ...namesMade(step)];
}

/** Names that the case made up, as they were sent. */
function namesMade(step: Step): readonly string[] {
  const texts = templatesOf(step)
    .filter((template) => variablesIn(template).includes(markVariable))
    .map((template) => fill(template, { get: (name) => (name === markVariable ? 'MARK' : '') }) ?? '');
  return texts.flatMap((text) => text.match(madeName) ?? []);
}

const madeName = /[\w-]+-(?:[0-9a-f]{8}|MARK)-\d+|MARK[\w-]{4}/g;
const grounds: ReadonlySet<string> = new Set([
  baseVariable,
  hostVariable,
  markVariable,
  listenerVariable,
  envelopeTokenName,
  hostDirectoryName,
]);

export function usedBy(step: Step): readonly string[] {
  return templatesOf(step).flatMap(variablesIn);
}

function templatesOf({ url, headers, body }: Step): readonly Template[] {
  const texts = body.flatMap((part) => ('template' in part ? [part.template] : []));
  return [url, ...headers.map(([, value]) => value), ...texts];
}

/** Whether every value is known when it is needed. */
function isWhole(steps: readonly Step[], showing: Showing, others: Judged['others']): boolean {
  const known = new Set(grounds);
  const isKnown = (templates: readonly Template[]): boolean =>
    templates.flatMap(variablesIn).every((name) => known.has(name));
  for (const step of steps) {
    if (usedBy(step).some((name) => !known.has(name))) return false;
    for (const { variable } of step.captures) known.add(variable);
    const other = others.get(step);
    if (other !== undefined && !isKnown(templatesIn(other))) return false;
  }
  return isKnown(templatesIn(showing));
}

async function play(steps: readonly Step[], player: Player): Promise<Played | undefined> {
  return playOnce(steps, player).finally(player.tidyUp);
}

/** The answer to the last step; undefined where it did not come to that. */
async function playOnce(steps: readonly Step[], player: Player): Promise<Played | undefined> {
  const values = new Map([
    ...Object.entries(player.values),
    [markVariable, randomBytes(4).toString('hex')],
    [listenerVariable, player.listenerUrl ?? deadListener],
    [envelopeTokenName, unsignedToken],
  ]);
  const before = new Map<Step, Told>();
  let told: Told | undefined;
  for (const some of inMoments(steps)) {
    const requests = some.map((step) => requestOf(step, values));
    if (performance.now() > player.until || requests.includes(undefined)) return undefined;
    const sending = requests.map((request) => request && player.send(request).catch(() => undefined));
    if (requests[0]?.unanswered === true) continue;
    const answers = await Promise.all(sending);
    const statuses = answers.map((answer) => answer?.status ?? 0);
    for (const [index, step] of some.entries()) {
      const answer = answers[index];
      if (answer === undefined) return undefined;
      const { status, headers, bytes } = answer;
      told = { status, headers, bytes, text: new TextDecoder().decode(bytes), statuses };
      if (step !== steps.at(-1)) before.set(step, told);
      const json = jsonOf(told.text);
      for (const capture of step.captures) {
        const value = taken(capture, told, json);
        if (value !== undefined) values.set(capture.variable, value);
      }
    }
  }
  return told && { told, values, before };
}

/** What is sent at one moment is sent together, all else by itself. */
function inMoments(steps: readonly Step[]): readonly (readonly Step[])[] {
  const first = steps.findIndex(({ sent }) => sent.request.atOnce === true);
  if (first === -1) return steps.map((step) => [step]);
  return [...steps.slice(0, first).map((step) => [step]), steps.slice(first)];
}

function requestOf(step: Step, values: ReadonlyMap<string, string>): WireRequest | undefined {
  const { sent, url, headers, body } = step;
  const filledUrl = fill(url, values);
  const filledHeaders = headers.map(([name, value]) => [name, fill(value, values) ?? ''] as const);
  const parts = body.map((part) => bytesOf(part, values));
  const isKnown = usedBy(step).every((name) => values.has(name));
  if (filledUrl === undefined || !isKnown) return undefined;
  const { method, passMs, restarts, atOnce, raw, unanswered, settlesMs } = sent.request;
  return {
    method,
    url: filledUrl,
    headers: filledHeaders,
    ...(passMs !== undefined && { passMs }),
    ...(restarts && { restarts }),
    ...(atOnce && { atOnce }),
    ...(raw && { raw }),
    ...(settlesMs !== undefined && { settlesMs }),
    ...(unanswered && { unanswered }),
    ...(body.length > 0 && { body: Buffer.concat(parts.filter((part) => part !== undefined)) }),
  };
}

function bytesOf(part: BodyTemplate, values: ReadonlyMap<string, string>): Uint8Array | undefined {
  if ('bytes' in part) return part.bytes;
  const text = fill(part.template, values);
  return text === undefined ? undefined : Buffer.from(text);
}
