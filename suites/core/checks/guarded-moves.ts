import { sendBatch, statusesOf, withoutVersion } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import {
  demoteOn,
  demotesByLevel,
  expectStands,
  makeDemotable,
  makePromoted,
  promoteOn,
  readStanding,
} from '../../../judge/service/maturity.ts';
import { answersAfterwards } from '../../../judge/service/races.ts';
import type { Thing } from '../../../judge/things.ts';
import { anyEdit, editRoutes, makeEditable, readVersion } from '../../../judge/service/writes.ts';
import { statesIn } from './states-kept.ts';

/** A promote on another level is guarded as one on the first: by the version, and by the role. */
export async function expectSecondLevelGuarded(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { secondLevelId } = profile.all.maturity ?? {};
  if (secondLevelId === undefined) return;
  if (!(await movesOn(context, secondLevelId))) return;
  const thing = await given.object();
  const { version } = thing;
  const before = statesIn(await service.read(thing));
  for (const [status, changes] of [
    [409, { version: version + 1 }],
    [412, { version: null }],
    ...refusedToStrangers(context),
  ] as const) {
    expect(await service.send(promoteOn(context, thing, secondLevelId), changes)).toAnswer(status);
    const read = await service.read(thing);
    expect(statesIn(read), `states after a promote on ${secondLevelId} was refused`, read).toEqual(before);
  }
  expect(await readVersion(context, thing), 'version after refused promotes').toEqual(version);
  const promote = (moved: Thing, changes?: Changes) => service.send(promoteOn(context, moved, secondLevelId), changes);
  const make = () => makePromotedOn(context, secondLevelId);
  await expectGuardedFurther(context, 'a second promote on the second level', make, promote);
}

/** A PUT or PATCH in a batch without a version is answered 412, and one with another version 409, by each route and on each level, as far as a batch carries it out. */
export async function expectEachVersionedInBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { secondLevelId } = profile.all.maturity ?? {};
  const isMoved = secondLevelId !== undefined && (await movesOn(context, secondLevelId));
  const ways = [
    ...editRoutes(context).map((route) => ({ ...route, make: () => makeEditable(context) })),
    ...(isMoved
      ? [
          {
            name: 'promote on the second level',
            request: (thing: Thing) => promoteOn(context, thing, secondLevelId),
            make: () => given.object(),
          },
        ]
      : []),
    ...(profile.all.maturity === undefined || profile.all.routes?.demote === undefined
      ? []
      : [{ name: 'demote', request: service.requests.demote, make: () => makePromoted(context) }]),
    ...(isMoved && demotesByLevel(profile.all)
      ? [
          {
            name: 'demote on the second level',
            request: (thing: Thing) => demoteOn(context, thing, secondLevelId),
            make: () => makePromotedOn(context, secondLevelId),
          },
        ]
      : []),
  ];
  for (const { name, request, make } of ways) {
    const works = await sendBatch(context, [request(await make())]);
    notes.observe(`status of a batch with a ${name}`, works.status, works);
    if (works.status !== 200) continue;
    const thing = await make();
    const before = await readStanding(context, thing);
    for (const [what, status, spec] of [
      ['without version', 412, withoutVersion(request(thing))],
      ['with another version', 409, { ...request(thing), version: thing.version + 7 }],
    ] as const) {
      const reply = await sendBatch(context, [spec]);
      expect(reply).toAnswer(500);
      expect(statusesOf(reply)[0], `statusCode of a ${name} ${what}`, reply).toEqual(status);
    }
    expectStands(context, before, await readStanding(context, thing));
  }
}

/** Levels share the version of their object: what one of them has left behind is stale for the other, and for an edit. */
export async function expectGuardedAcrossLevels(context: CaseContext, by: 'promote' | 'edit'): Promise<void> {
  const { service, profile } = context;
  const { secondLevelId } = profile.all.maturity ?? {};
  if (secondLevelId === undefined) return;
  const { promote } = service;
  const promoteOther: typeof promote = (thing, changes) =>
    service.send(promoteOn(context, thing, secondLevelId), changes);
  if (!(await movesOn(context, secondLevelId))) return;
  const makeMoved = () => makePromotedOn(context, secondLevelId);
  if (by === 'edit') {
    const edit: typeof promote = (thing, changes) => service.merge(thing, anyEdit(context), changes);
    return expectGuardedFurther(context, 'an edit after a promote on the second level', makeMoved, edit);
  }
  const after = 'a promote on the second level after one on the first';
  await expectGuardedFurther(context, after, () => makePromoted(context), promoteOther);
  await expectGuardedFurther(context, 'a promote on the first level after one on the second', makeMoved, promote);
}

/** A demote on another level is guarded as one on the first, where both moves on it work. */
export async function expectSecondDemoteGuarded(context: CaseContext): Promise<void> {
  const { service, profile } = context;
  const { secondLevelId } = profile.all.maturity ?? {};
  if (secondLevelId === undefined || !demotesByLevel(profile.all)) return;
  if (!(await movesOn(context, secondLevelId))) return;
  const make = () => makePromotedOn(context, secondLevelId);
  const demote = (thing: Thing, changes?: Changes) => service.send(demoteOn(context, thing, secondLevelId), changes);
  await expectGuardedFurther(context, 'a demote on the second level', make, demote);
}

/** The version from before a demote is stale after it, however the object is written then; which writes a state takes is configuration. */
export async function expectStaleAfterDemote(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const thing = await makeDemotable(context);
  given.succeeded(await service.demote(thing), 'a demote after a promote', ['maturity.demote.version-plus-one']);
  for (const { request } of editRoutes(context)) {
    const current = await given.current(thing);
    // by how much a demote raises the version is no matter of this rule
    if (current.version === thing.version) return;
    const stale = await service.send(request(current), { version: thing.version });
    const sound = await service.send(request(current));
    if (isSuccess(stale.status) || isSuccess(sound.status)) expect(stale).toAnswer(409);
  }
}

/** An object whose promote on that level was asked for, at the version that reads then. */
async function makePromotedOn(context: CaseContext, levelId: string): Promise<Thing> {
  const { given, service } = context;
  const thing = await given.object();
  const reply = await service.send(promoteOn(context, thing, levelId));
  given.succeeded(reply, 'a promote on the second level', ['maturity.promote.status-204']);
  return given.current(thing);
}

/** Whether a new object can be promoted on that level: which moves there are is configuration. */
async function movesOn(context: CaseContext, levelId: string): Promise<boolean> {
  const { given, service, notes } = context;
  const reply = await service.send(promoteOn(context, await given.object(), levelId));
  notes.observe('status of a promote on the second level', reply.status, reply);
  return isSuccess(reply.status);
}

/** The version is compared further on as well, where the write is taken there: which moves and edits a state allows is configuration. */
export async function expectGuardedFurther(
  context: CaseContext,
  what: string,
  make: () => Promise<Thing>,
  write: (thing: Thing, changes?: Changes) => Promise<Reply>,
): Promise<void> {
  const { notes } = context;
  const twin = await write(await make());
  notes.observe(`status of ${what}`, twin.status, twin);
  if (!isSuccess(twin.status)) return;
  const thing = await make();
  const { version } = thing;
  await expectMovesOnlyInOrder(
    context,
    thing,
    write,
    [409, { version: version - 1 }],
    [409, { version: version + 1 }],
    [412, { version: null }],
  );
}

/** The action with each of these changes gets that status and moves nothing; without them it succeeds. */
export async function expectMovesOnlyInOrder(
  context: CaseContext,
  thing: Thing,
  act: (thing: Thing, changes?: Changes) => Promise<Reply>,
  ...refused: readonly (readonly [status: number | 'refused', changes: Changes])[]
): Promise<void> {
  const { expect, profile } = context;
  const { secondSpace } = profile.all;
  const before = await readStanding(context, thing);
  for (const [status, changes] of refused) {
    const asserted = expect(await act(thing, changes));
    if (status === 'refused') asserted.toBeRefused();
    else asserted.toAnswer(status);
    expectStands(context, before, await readStanding(context, thing));
    if (secondSpace === undefined || changes.as !== 'outsider') continue;
    // nor is what is here moved by way of the space where somebody has a role
    expect(await act({ ...thing, space: secondSpace.space }, changes)).notToSucceed();
    expectStands(context, before, await readStanding(context, thing));
  }
  expect(await act(thing)).toSucceed();
}

/** The action by each identity that may not do it. */
export function refusedToStrangers({ profile }: CaseContext): readonly (readonly [status: number, changes: Changes])[] {
  const strangers = (['reader', 'noRole', 'outsider'] as const).filter(
    (as) => profile.all.identities[as] !== undefined,
  );
  return strangers.map((as) => [403, { as }]);
}

/** Of all that is written for one version at once, moves on each level and edits by each route, one is carried out, be it the only one of a batch. */
export async function expectOneOfAllWins(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { secondLevelId } = profile.all.maturity ?? {};
  const isMoved = secondLevelId !== undefined && (await movesOn(context, secondLevelId));
  const moves = [
    service.requests.promote,
    ...(isMoved ? [(thing: Thing) => promoteOn(context, thing, secondLevelId)] : []),
    ...(profile.all.routes?.demote === undefined ? [] : [service.requests.demote]),
  ];
  const all = [...editRoutes(context).map(({ request }) => request), ...moves];
  for (const make of [() => given.object(), () => makePromoted(context)]) {
    for (const [requests, isMixed] of [
      [moves, false],
      [moves, true],
      [all, true],
    ] as const) {
      const thing = await make();
      const writes = requests.flatMap((request, index) => {
        const alone = () => service.send(request(thing));
        const inBatch = () => sendBatch(context, [request(thing)]);
        return [alone, isMixed && index % 2 === 0 && profile.offers('batch') ? inBatch : alone];
      });
      const atOnce = await Promise.all(writes.map((write) => write()));
      const winners = (await answersAfterwards(writes, atOnce)).filter(({ status }) => isSuccess(status));
      // which moves and edits a state allows is configuration
      expect(
        winners.length,
        `writes of ${writes.length} for one version, sent at once, that succeed`,
        winners[1],
      ).toSatisfy('at most one', (count) => count <= 1);
    }
  }
}
