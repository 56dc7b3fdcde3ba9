import { bodyOfResult, type BatchResult } from '../../service/batch.ts';
import type { Reply, RequestSpec } from '../../exchange.ts';
import { valueAt } from '../../json.ts';
import { type MultiCreateItem, namesIn, oidOf, readCreated } from '../../service/multi-create.ts';
import { referring } from '../../service/referrers.ts';
import { isMutual, targetOf } from '../../service/soft-types.ts';
import type { Thing } from '../../things.ts';
import { versionOf } from '../../given.ts';
import { type Start, startingContent } from '../command.ts';
import { subjectOf } from '../object.ts';
import { bodyOf } from '../requests.ts';
import type { Content } from '../state.ts';
import { atHome, type Home, kindIn } from './homes.ts';
import type { Going } from './edits.ts';
import { turned } from './step.ts';
import type { Resident } from './look.ts';

/** An object about to be made. */
export interface Draft {
  readonly home: Home;
  readonly content: Content;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What an object of that home is to hold. */
export function draftIn({ world, fresh }: Going, home: Home, start: Start): Draft {
  const content = startingContent(start, home.shape, fresh);
  const body = world.context.given.body(bodyOf(world.context, home.shape, content), home.shape.type);
  return { home, content, body };
}

/** One of the homes, those in which the suite can find what a batch makes. */
export function homeFor({ world }: Going, dice: number): Home | undefined {
  return turned(
    world.homes.filter(({ as }) => as === 'editor'),
    dice,
  )[0];
}

export function createRequest({ world }: Going, { home, body }: Draft): RequestSpec {
  return atHome(world.context.service.requests.create(body, kindIn(home)), home);
}

/** Takes an object that was made among those of the history. */
export function settle({ residents }: Going, { home, content }: Draft, thing: Thing): Resident {
  const resident: Resident = {
    ...subjectOf(thing, content),
    home,
    isGone: false,
    isReferring: false,
    referrers: new Set(),
  };
  residents.push(resident);
  return resident;
}

/** The object that a create made, alone or in a batch. */
export async function settleCreated(going: Going, draft: Draft, created: Reply, result?: BatchResult): Promise<void> {
  const { given } = going.world.context;
  const answer = result === undefined ? created : { ...created, status: 201, headers: {}, json: bodyOfResult(result) };
  settle(going, draft, await given.found(answer, draft.body, kindIn(draft.home)));
}

/** Items of one multi-create, the objects that they make, and which of them refers to which. */
export interface Many {
  readonly drafts: readonly Draft[];
  readonly items: readonly MultiCreateItem[];
  /** Places of the items to which the item at that place refers. */
  readonly edges: ReadonlyMap<number, readonly number[]>;
}

/** Items of the space of the profile: the first refers to the others that are of the SoftType to which its references lead, and one of them back to it. */
export function draftMany(going: Going, starts: readonly Start[], dice: number): Many | undefined {
  const { context, homes } = going.world;
  const { profile } = context;
  const here = homes.filter(({ space }) => space === profile.all.space);
  const [home] = here;
  if (home === undefined) return undefined;
  const { reference } = home.shape.type;
  const target = targetOf(home.shape.type, profile.all)?.definitionId;
  const isLinked = reference !== undefined && profile.all.references !== undefined && target !== undefined;
  const drafts = starts.map((start, index) => {
    const wanted = index > 0 && isLinked ? here.find(({ shape }) => shape.type.definitionId === target) : undefined;
    return draftIn(going, wanted ?? (index === 0 ? home : (turned(here, dice + index)[0] ?? home)), start);
  });
  const plain = drafts.map(({ home: { shape }, body }, index) => ({
    // the same in every request, since it means nothing outside of it
    $id: `item ${index}`,
    $softType: shape.type.definitionId,
    data: body,
  }));
  const others = plain.flatMap(({ $softType }, index) => (index > 0 && $softType === target ? [index] : []));
  const edges = new Map(isLinked ? [[0, reference.single === true ? others.slice(0, 1) : others]] : []);
  const [back] = others;
  if (isLinked && back !== undefined && isMutual(home.shape.type, profile.all)) edges.set(back, [0]);
  const items = plain.map((item, index) => {
    const targets = (edges.get(index) ?? []).flatMap((at) => plain[at] ?? []);
    return targets.length === 0 ? item : referring(context, item, targets);
  });
  return { drafts, items, edges };
}

/** The objects that a multi-create made. */
export async function settleMany(going: Going, many: Many, reply: Reply, result?: BatchResult): Promise<void> {
  const { context } = going.world;
  const { resultInBatch = '/body' } = context.profile.all.multiCreate ?? {};
  const answer = result === undefined ? reply.json : valueAt(result, resultInBatch);
  // how a batch tells what a multi-create in it made is not said
  if (result !== undefined && namesIn(context, answer, many.items) === undefined) return;
  const reads = await readCreated(context, reply, many.items, answer);
  // at which version an object begins is shown of one, and not said of all
  for (const read of reads) context.expect(read).toAnswer(200);
  const made = reads.map((read, index) => {
    const draft = many.drafts[index];
    const version = versionOf(read);
    if (draft === undefined || version === undefined) return undefined;
    const { type, space } = kindIn(draft.home);
    const oid = oidOf(read);
    return settle(going, draft, { oid, location: read.url, type, space, version, body: draft.body });
  });
  for (const [from, targets] of many.edges) {
    const referrer = made[from];
    const found = targets.flatMap((at) => made[at] ?? []);
    if (referrer === undefined) continue;
    referrer.state = { ...referrer.state, references: found.map(({ thing }) => thing.oid) };
    for (const { referrers } of found) referrers.add(referrer.thing.oid);
    for (const one of [referrer, ...found]) one.isReferring ||= found.length > 0;
  }
}
