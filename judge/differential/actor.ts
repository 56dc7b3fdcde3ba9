import { isSuccess, type Reply, type RequestSpec } from '../exchange.ts';
import type { Thing } from '../things.ts';
import type { Sent } from '../client/wire.ts';
import type { Content } from '../model/state.ts';
import { type Subject, subjectOf } from '../model/object.ts';
import type { Player } from '../model/write.ts';
import type { Breach } from './judge-look.ts';
import { looksOf, type AnswerKind, type Looks } from './reading.ts';
import type { Party } from './party.ts';
import { type Numbering, openRoles, type Roles, type Seen } from './roles.ts';

/** An object of a history as one of the two knows it. */
export interface Played {
  readonly subject: Subject;
  readonly numbering: Numbering;
  /** The last look at it; undefined when a request may have changed it since. */
  seen: Seen | undefined;
}

/** One of the two while it plays a history. */
export interface Actor {
  readonly party: Party;
  readonly roles: Roles;
  readonly objects: Played[];
  /** What was sent to carry out the history, without the reads that look at its effects. */
  readonly told: Sent[];
  readonly fresh: () => string;
}

/** What came of one command on one of the two. */
export interface Step {
  readonly command: string;
  readonly situation: string;
  readonly reply: Reply;
  readonly kind: AnswerKind;
  /** The answer itself, then what reads showed of the object. */
  readonly looks: readonly { readonly kind: AnswerKind; readonly looks: Looks }[];
  readonly breaches: readonly Breach[];
  /** What can be compared of the objects that it touched; where the documents decide nothing, of what changed. */
  readonly facets: ReadonlyMap<string, string>;
  /** Whether the documents decide what becomes of the object. */
  readonly isDecided: boolean;
  readonly silence?: string;
  /** Requests sent to carry out the history up to here. */
  readonly told: number;
}

export function openActor(party: Party): Actor {
  let count = 0;
  return { party, roles: openRoles(party), objects: [], told: [], fresh: () => `text ${(count += 1)}` };
}

export function playerOf({ party: { context, shape }, fresh }: Actor): Player {
  return { context, shape, fresh };
}

/** Sends a request that belongs to the history. */
export async function sendTold({ party, told }: Actor, request: RequestSpec): Promise<Reply> {
  const reply = await party.context.service.send(request);
  const sent = party.record.history().findLast(({ exchange }) => exchange === reply.exchange);
  if (sent !== undefined) told.push(sent);
  return reply;
}

/** Takes in an object that a create of the history made. */
export function takeIn(actor: Actor, thing: Thing, content: Content): Played {
  actor.roles.note(thing.oid, `(object ${actor.objects.length + 1})`);
  const played: Played = {
    subject: subjectOf(thing, content),
    numbering: { entries: new Map(), states: new Map(), tags: new Map() },
    seen: undefined,
  };
  actor.objects.push(played);
  return played;
}

/** What kind of answer that is. @param accepted where it is no refusal */
export function kindOf(reply: Reply, accepted: AnswerKind): AnswerKind {
  if (accepted === 'batch' && reply.status >= 500 && Array.isArray(reply.json)) return 'failed batch';
  if (reply.status === 401) return 'refusal without token';
  if (reply.status >= 400) return 'refusal';
  return isSuccess(reply.status) ? accepted : 'other answer';
}

/** What the answer and the reads behind it look like. */
export function stepLooks({ roles }: Actor, reply: Reply, kind: AnswerKind, seen?: Seen): Step['looks'] {
  const reads = seen?.view.instances.filter(({ status }) => status === 200) ?? [];
  const pages = seen?.view.pages.flat().filter(({ status }) => status === 200) ?? [];
  return [
    { kind, looks: looksOf(reply, kind, roles) },
    ...reads.map((read) => ({ kind: 'instance read' as const, looks: looksOf(read, 'instance read', roles) })),
    ...pages.slice(0, 2).map((page) => ({ kind: 'page' as const, looks: looksOf(page, 'page', roles) })),
  ];
}
