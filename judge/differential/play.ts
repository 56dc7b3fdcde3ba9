import type { Sent } from '../record.ts';
import { PreconditionFailed } from '../violation.ts';
import { openActor, type Actor, type Step } from './actor.ts';
import { doBatch } from './do-batch.ts';
import { doEdit } from './do-edit.ts';
import { doProbe } from './do-probe.ts';
import { doStart } from './do-start.ts';
import type { PlayedCommand, PlayedHistory } from './history.ts';
import { occurrencesIn, type Occurrence } from './pair.ts';
import type { Parties, Party } from './party.ts';
import { probes } from './probes.ts';
import type { PartyName } from './result.ts';

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
    (isApart && first.reply.status < 300 !== second.reply.status < 300) ||
    found.some(({ key }) => key.startsWith('facet order'))
  );
}

function sentBy({ first, second }: Pair, steps: Steps): Shown['sent'] {
  return { first: first.told.slice(0, steps.first.told), second: second.told.slice(0, steps.second.told) };
}

/** Objects that a command may touch. */
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

/** Undefined unless both can do it. */
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
