import type { RuleId } from '../../contract/rule.ts';
import { memberIn, objectsIn } from '../json.ts';
import { operationsOf } from '../service/batch.ts';
import { type Actor, kindOf, openActor, type Played, playerOf, stepLooks, type Step, sendTold } from './actor.ts';
import { failedBatchCause, type Judging, openJudging, passedBatchCause } from './judge-look.ts';
import { doEdit, doStart, lookBehind } from './do-writes.ts';
import type { PlayedCommand, PlayedHistory } from './history.ts';
import { type Occurrence, occurrencesIn } from './pair.ts';
import type { Parties, Party } from './party.ts';
import type { Probe } from './probe.ts';
import { probes } from './probes.ts';
import type { PartyName } from './result.ts';
import { look, type Seen } from './roles.ts';
import { isSuccess, type Reply, type RequestSpec } from '../exchange.ts';
import type { BatchCommand } from '../model/command.ts';
import { acceptWrite, idsOf, readIds, subjectOf } from '../model/object.ts';
import { type Part, partsOf } from '../model/write.ts';
import type { Sent } from '../client/wire.ts';
import { PreconditionFailed } from '../violation.ts';
import { anyEdit, goneStatuses } from '../service/writes.ts';

interface Asked {
  readonly reply: Reply;
  readonly before: Seen | undefined;
  readonly judging: Judging;
}

const raises: Readonly<Record<string, RuleId>> = {
  'merge PATCH': 'versioning.edit.merge-adds-one',
  'operations PATCH': 'versioning.edit.operations-add-one',
  PUT: 'versioning.edit.put-adds-one',
};

interface PlayedPart extends Part {
  readonly played: Played;
}

/** What showed when both played a history. */
export interface PlayedThrough {
  /** By key, each as it showed first. */
  readonly occurrences: ReadonlyMap<string, Shown>;
  readonly commands: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Shown {
  readonly occurrence: Occurrence;
  /** The command at which it showed; absent where that was a create of the beginning. */
  readonly command?: PlayedCommand;
  /** Requests up to there, without the reads that only look. */
  readonly sent: Readonly<Record<PartyName, readonly Sent[]>>;
}

/** One of the two did not answer. */
export class PartyFailed extends Error {
  readonly code = 'PARTY_FAILED';
  readonly party: PartyName;

  constructor(party: PartyName, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.party = party;
  }
}

/** Requests of one history that are kept, so that it can be told from its beginning. */
const keptRequests = 2000;

type Pair = Readonly<Record<PartyName, Actor>>;

/** Plays a history to both, side by side. @throws {PartyFailed} one of them does not answer */
export async function play(parties: Parties, history: PlayedHistory): Promise<PlayedThrough> {
  const pair = { first: openActor(parties.first), second: openActor(parties.second) };
  for (const { record } of Object.values(parties)) record.begin(keptRequests);
  const occurrences = new Map<string, Shown>();
  const commands = new Map<string, Set<string>>();
  const out = new Set<number>();
  const note = (steps: Steps, found: readonly Occurrence[], command?: PlayedCommand): void => {
    for (const occurrence of found) {
      const { key } = occurrence;
      if (!occurrences.has(key))
        occurrences.set(key, { occurrence, sent: sentBy(pair, steps), ...(command && { command }) });
      (commands.get(key) ?? commands.set(key, new Set()).get(key))?.add(
        `${steps.first.command}, ${steps.first.situation}`,
      );
    }
  };
  try {
    for (const [index, start] of history.starts.entries()) {
      const steps = await both(pair, (actor) => doStart(actor, start));
      if (steps !== undefined && settled(steps, note)) out.add(index);
    }
    for (const command of history.commands) {
      const touched = touchedBy(command, pair.first.objects.length).filter((object) => !out.has(object));
      if (touched.length === 0) continue;
      const steps = await both(pair, (actor) => done(actor, command, touched));
      if (steps !== undefined && settled(steps, (all, found) => note(all, found, command)))
        for (const object of touched) out.add(object);
    }
  } catch (error) {
    if (!(error instanceof Unprepared)) throw error;
    const { occurrence } = error;
    occurrences.set(occurrence.key, { occurrence, sent: { first: pair.first.told, second: pair.second.told } });
  }
  return { occurrences, commands };
}

type Steps = Readonly<Record<PartyName, Step>>;

/** Notes what two steps show; returns whether nothing more can be said about the objects that they touched. */
function settled(steps: Steps, note: (steps: Steps, found: readonly Occurrence[]) => void): boolean {
  const { first, second } = steps;
  const found = occurrencesIn(first, second);
  note(steps, found);
  const isLasting = [...first.breaches, ...second.breaches].some((breach) => breach.isLasting);
  const isOpen = !first.isDecided && first.facets.size + second.facets.size > 0;
  const isApart = found.some(({ key }) => key.startsWith('facet order') || key.startsWith('outcome'));
  return (
    isLasting ||
    isOpen ||
    (isApart && isSuccess(first.reply.status) !== isSuccess(second.reply.status)) ||
    found.some(({ key }) => key.startsWith('facet order'))
  );
}

function sentBy({ first, second }: Pair, steps: Steps): Shown['sent'] {
  return { first: first.told.slice(0, steps.first.told), second: second.told.slice(0, steps.second.told) };
}

function touchedBy(command: PlayedCommand, objects: number): readonly number[] {
  if (objects === 0) return [];
  if (command.kind !== 'batch') return [command.object % objects];
  return [...new Set(command.parts.map(({ object }) => object % objects))];
}

async function done(actor: Actor, command: PlayedCommand, touched: readonly number[]): Promise<Step | undefined> {
  const objects = touched.flatMap((index) => actor.objects[index] ?? []);
  const [played] = objects;
  if (played === undefined) return undefined;
  if (command.kind === 'batch') return doBatch(actor, objects, command);
  if (command.kind !== 'probe') return doEdit(actor, played, command);
  const probe = probes.get(command.name);
  return probe === undefined ? undefined : doProbe(actor, played, probe);
}

async function both(pair: Pair, work: (actor: Actor) => Promise<Step | undefined>): Promise<Steps | undefined> {
  const [first, second] = await Promise.all([guarded(pair.first, work), guarded(pair.second, work)]);
  return first === undefined || second === undefined ? undefined : { first, second };
}

/** A step that the documents have possible, and that one of the two makes impossible: nothing can follow. */
class Unprepared extends Error {
  readonly code = 'UNPREPARED';
  readonly occurrence: Occurrence;

  constructor(occurrence: Occurrence) {
    super('nothing can follow');
    this.occurrence = occurrence;
  }
}

async function guarded(actor: Actor, work: (actor: Actor) => Promise<Step | undefined>): Promise<Step | undefined> {
  const { name } = actor.party;
  try {
    return await work(actor);
  } catch (error) {
    if (error instanceof PreconditionFailed && error.standsOn[0] !== undefined)
      throw new Unprepared(unprepared(actor.party, error));
    throw new PartyFailed(name, error);
  }
}

function unprepared({ name }: Party, { standsOn, message, reply }: PreconditionFailed): Occurrence {
  const [rule = 'reading.create.status-201'] = standsOn;
  const breach = {
    rule,
    expected: message,
    actual: reply === undefined ? 'nothing of the kind' : `status ${reply.status}`,
    isLasting: true,
  };
  return { key: `breach ${name} ${rule}`, party: name, breach, where: 'ahead of a command' };
}

/** Sends a write for each of some objects in one batch; undefined where none of them is sure to pass. */
async function doBatch(actor: Actor, objects: readonly Played[], command: BatchCommand): Promise<Step | undefined> {
  const { context } = actor.party;
  const writes = await partsOf(
    playerOf(actor),
    objects.map(({ subject }) => subject),
    command,
  );
  const parts = writes.flatMap((part): PlayedPart[] =>
    objects.filter(({ subject }) => subject === part.subject).map((played) => ({ ...part, played })),
  );
  if (parts.length === 0) return undefined;
  const fails = command.failing !== undefined;
  const requests = parts.map(({ request }) => request);
  const sent = fails ? requests.toSpliced(command.failing ?? 0, 0, failing(actor, parts, command)) : requests;
  const reply = await sendTold(actor, context.service.requests.batch(await operationsOf(context, sent)));
  const judging = openJudging();
  judging.equal(
    fails ? 'batch.failure.status-500' : 'batch.success.status-200',
    'status of a batch',
    reply.status,
    fails ? 500 : 200,
    !isSuccess(reply.status) !== fails,
  );
  if (reply.status === 200 && !fails) judgeResults(judging, reply.json, parts);
  const isStored = !fails && isSuccess(reply.status);
  if (isStored) for (const { subject, next, edit } of parts) acceptWrite(context, subject, next, edit);
  const cause = fails ? failedBatchCause : passedBatchCause;
  const found = await Promise.all(parts.map(({ played }) => lookBehind(actor, played, cause)));
  const kind = kindOf(reply, 'batch');
  return {
    command: 'batch',
    situation: fails ? 'with an operation that cannot pass' : 'of edits',
    reply,
    kind,
    looks: stepLooks(actor, reply, kind, parts[0]?.played.seen),
    breaches: [...judging.breaches, ...found.flat()],
    facets: new Map(
      parts.flatMap(({ played }, index) =>
        [...(played.seen?.facets ?? [])].map(
          ([name, value]) => [index === 0 ? name : `${name} of object ${index + 1}`, value] as const,
        ),
      ),
    ),
    isDecided: true,
    silence: 'batch-sibling-statuses',
    told: actor.told.length,
  };
}

function judgeResults({ equal, holds }: ReturnType<typeof openJudging>, json: unknown, parts: readonly Part[]): void {
  const results = objectsIn(json);
  if (!equal('batch.result.one-per-operation', 'results of a batch', results.length, parts.length)) return;
  for (const [index, { next }] of parts.entries()) {
    const result = results[index];
    const body = result?.['body'];
    holds(
      'batch.result.status-code-is-integer',
      Number.isInteger(result?.['statusCode']),
      `an integer as statusCode of result ${index}`,
      String(result?.['statusCode']),
    );
    equal(
      'batch.result.version-in-body',
      `version in result ${index} of a batch`,
      memberIn(body, 'version'),
      next.version,
    );
  }
}

/** A merge that cannot pass, since its version was never there or is left out. */
function failing({ party: { context } }: Actor, parts: readonly Part[], command: BatchCommand): RequestSpec {
  const { thing, state } = parts[0]?.subject ?? {};
  if (thing === undefined || state === undefined) throw new Error('a batch without parts has nothing to fail with');
  return {
    ...context.service.requests.merge(thing, anyEdit(context)),
    version: command.failing === 1 ? null : state.version + 7,
  };
}

/** Asks what the documents decide in part or not at all; undefined where the state of the object makes the question another one. */
async function doProbe(actor: Actor, played: Played, probe: Probe): Promise<Step | undefined> {
  const { party, fresh } = actor;
  const { subject } = played;
  const isWrite = probe.touches === 'object' || probe.touches === 'removes';
  if (isWrite) subject.ids ??= await readIds(party.context, party.shape, subject);
  if (isWrite) played.seen ??= await look(party, subject, played.numbering);
  const before = played.seen;
  const on = { party, subject, fresh, requests: party.context.service.requests, ids: subject.ids?.entries ?? [] };
  const request = await probe.request(on);
  if (request === undefined) return undefined;
  const reply = await sendTold(actor, request);
  const judging = openJudging();
  judgeStatus(judging, probe, reply);
  if (isSuccess(reply.status)) await probe.prove?.(on, request, reply, judging);
  const facets = await effectOf(actor, played, probe, { reply, before, judging });
  const kind = kindOf(reply, probe.answer);
  return {
    command: probe.command,
    situation: probe.situation,
    reply,
    kind,
    looks: stepLooks(actor, reply, kind),
    breaches: judging.breaches,
    facets,
    isDecided: false,
    ...(probe.silence !== undefined && { silence: probe.silence }),
    told: actor.told.length,
  };
}

function judgeStatus({ holds, equal }: Judging, { says, command, situation }: Probe, { status }: Reply): void {
  if (says === undefined) return;
  const what = `${command}, ${situation}`;
  if (says.statuses === undefined)
    holds(says.rule, status >= 400, `a refusal of ${what}`, `status ${status}`, isSuccess(status));
  else if (says.statuses.length === 1) equal(says.rule, `status of ${what}`, status, says.statuses[0]);
  else holds(says.rule, says.statuses.includes(status), `${what} to succeed`, `status ${status}`);
}

/** What changed, by aspect; empty where nothing did. */
async function effectOf(actor: Actor, played: Played, probe: Probe, asked: Asked): Promise<Step['facets']> {
  if (probe.touches === 'nothing') return new Map();
  if (probe.touches === 'makes') return asked.reply.status === 201 ? madeBy(actor, asked.reply) : new Map();
  const { party } = actor;
  const { subject, numbering } = played;
  if (probe.touches === 'removes' && isSuccess(asked.reply.status)) return goneFrom(actor, played, asked);
  played.seen = await look(party, subject, numbering);
  const changes = changesOf(asked.before, played.seen);
  subject.ids = played.seen && idsOf(played.seen.arrays.map(({ whole }) => whole));
  if (isSuccess(asked.reply.status)) judgeVersion(asked, probe, played.seen);
  if (asked.reply.status >= 400 && probe.keeps !== undefined)
    asked.judging.holds(
      probe.keeps,
      changes.size === 0,
      `nothing to change by ${probe.command}, ${probe.situation}`,
      [...changes].map(([name, value]) => `${name}: ${value}`).join('; '),
      true,
    );
  return changes;
}

/** An accepted write that makes a version makes one. */
function judgeVersion({ before, judging }: Asked, { command, situation }: Probe, after: Seen | undefined): void {
  const rule = raises[command];
  const [was, is] = [before?.version, after?.version];
  if (rule === undefined || typeof was !== 'number' || typeof is !== 'number' || is === was) return;
  judging.equal(rule, `version after ${command}, ${situation}`, is, was + 1, true);
}

async function goneFrom({ party }: Actor, played: Played, { judging }: Asked): Promise<Step['facets']> {
  const read = await party.context.service.read(played.subject.thing);
  const wanted = goneStatuses.find((status) => status === read.status) ?? 404;
  judging.equal('patch.delete.object-gone', 'status of a read after DELETE', read.status, wanted, true);
  played.seen = undefined;
  return new Map([['object', 'gone']]);
}

/** Aspects with another value than before. */
function changesOf(before: Seen | undefined, after: Seen | undefined): Map<string, string> {
  if (after?.facets.get('read') !== '200') return new Map(after?.facets);
  const names = new Set([...(before?.facets.keys() ?? []), ...after.facets.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const now = after.facets.get(name) ?? 'none';
      return now === before?.facets.get(name) ? [] : [[name, now] as const];
    }),
  );
}

async function madeBy({ party, roles }: Actor, reply: Reply): Promise<Step['facets']> {
  try {
    const thing = await party.context.given.found(reply, {});
    roles.note(thing.oid, '(object made)');
    const subject = subjectOf(thing, { scalars: {}, inner: undefined, arrays: [] });
    const seen = await look(party, subject, { entries: new Map(), states: new Map(), tags: new Map() });
    return new Map(
      [...(seen?.facets ?? [])].filter(
        ([name, value]) => name === 'read' || !/^(?:none|0 entries|not shown|created \+ 0|1|)$/.test(value),
      ),
    );
  } catch (error) {
    if (error instanceof PreconditionFailed) return new Map([['object', 'not found']]);
    throw error;
  }
}
