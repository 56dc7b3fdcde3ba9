import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import {
  demoteOn,
  demotesByLevel,
  expectVersionHeader,
  makePromoted,
  mostPromotes,
  promoteOn,
  stateFieldOf,
  stateFields,
} from '../../../judge/service/maturity.ts';
import type { Thing } from '../../../judge/things.ts';
import { readVersion } from '../../../judge/service/writes.ts';
import { statesIn } from './states-kept.ts';

/** A promote on another level changes a state too, and that of its own level where a field tells which one that is; whether levels move independently is left open. */
export async function expectSecondLevelMoved(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const thing = await given.object();
  const fresh = await service.read(thing);
  if ((await promoteOnSecond(context, thing)) === undefined) return;
  const read = await service.read(thing);
  const { secondLevelId } = profile.all.maturity ?? {};
  expect(statesIn(read), `states after a promote on ${secondLevelId}`, read).notToEqual(statesIn(fresh));
  const before = stateOfLevel(fresh, secondLevelId);
  if (before !== undefined)
    expect(stateOfLevel(read, secondLevelId), `state of ${secondLevelId} after a promote on it`, read).notToEqual(
      before,
    );
  const beside = statesBesideFirst(context, fresh);
  if (beside.length > 0)
    expect(
      statesBesideFirst(context, read),
      `states of other levels than the first after a promote on ${secondLevelId}`,
      read,
    ).notToEqual(beside);
}

/** Where a field tells which level it is of; undefined where none does. */
function stateOfLevel(read: Reply, level: string | undefined): unknown {
  return [...stateFields(read)].find(([name, { id }]) => name === level || id === level)?.[1]['state'];
}

/** A demote changes the state of the level that its path names, also where another level could be demoted as well. To which one it leads, and what it does to others, is left open. */
export async function expectEachLevelDemoted(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { levelId, secondLevelId } = profile.all.maturity ?? {};
  if (levelId === undefined || secondLevelId === undefined || !demotesByLevel(profile.all)) return;
  for (const level of [levelId, secondLevelId]) {
    let thing = await given.object();
    for (const each of [levelId, secondLevelId]) {
      if (!isSuccess((await service.send(promoteOn(context, thing, each))).status)) return;
      thing = await given.current(thing);
    }
    const before = stateOfLevel(await service.read(thing), level);
    const reply = await service.send(demoteOn(context, thing, level));
    notes.observe(`status of a demote on ${level} of an object that was promoted on two levels`, reply.status, reply);
    if (!isSuccess(reply.status) || before === undefined) continue;
    const read = await service.read(thing);
    expect(stateOfLevel(read, level), `state of ${level} after a demote on it`, read).notToEqual(before);
  }
}

/** What `statesIn` has without the level under test; nothing where its field cannot be told from the others. */
function statesBesideFirst(context: CaseContext, read: Reply): readonly string[] {
  const first = stateFieldOf(context, read);
  if (first === undefined) return [];
  return [...stateFields(read)]
    .filter(([, field]) => field !== first)
    .map(([name, { state }]) => `${name} ${String(state)}`)
    .toSorted();
}

/** Each promote raises the version of the object, whichever level it is on, also of one that was promoted on another before. */
export async function expectSecondLevelRaises(context: CaseContext): Promise<void> {
  const { given, expect } = context;
  for (const thing of [await given.object(), await makePromoted(context)]) {
    const reply = await promoteOnSecond(context, thing);
    if (reply === undefined) continue;
    expectVersionHeader(context, reply, thing.version + 1);
    const what = `version after a promote on the second level at ${thing.version}`;
    expect(await readVersion(context, thing), what, reply).toEqual(thing.version + 1);
  }
}

/** One that was promoted as often as the service takes it, on one level after the other. */
export async function makePromotedOnAll(context: CaseContext): Promise<Thing> {
  const { given, service, profile } = context;
  const { levelId, secondLevelId } = profile.all.maturity ?? {};
  let thing = await given.object();
  for (const level of [levelId, secondLevelId]) {
    if (level === undefined) continue;
    for (let left = mostPromotes; left > 0; left -= 1) {
      if (!isSuccess((await service.send(promoteOn(context, thing, level))).status)) break;
      thing = await given.current(thing);
    }
  }
  return thing;
}

/** What a promote on the second level answered; undefined where the profile names none, or it is not to be had. */
async function promoteOnSecond(context: CaseContext, thing: Thing): Promise<Reply | undefined> {
  const { secondLevelId } = context.profile.all.maturity ?? {};
  if (secondLevelId === undefined) return undefined;
  const reply = await context.service.send(promoteOn(context, thing, secondLevelId));
  context.notes.observe('status of a promote on the second level', reply.status, reply);
  return isSuccess(reply.status) ? reply : undefined;
}
