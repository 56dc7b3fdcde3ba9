import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import { demoteOn, demotesByLevel, mostPromotes, promoteOn } from '../../../judge/service/maturity.ts';
import type { Thing } from '../../../judge/things.ts';
import { versionIn } from '../../../judge/service/writes.ts';
import { statesIn } from './states-kept.ts';

/** A move that is refused is none: behind the last state, before the first one, on a level or along a process that is not there. Which are refused is left to the service. */
export async function expectRefusedMovesCountNothing(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const { levelId = '', secondLevelId } = profile.all.maturity ?? {};
  const levels = [levelId, ...(secondLevelId === undefined ? [] : [secondLevelId])];
  for (const level of levels) await expectEndKept(context, level);
  for (const level of profile.all.routes?.demote === undefined ? [] : levels) {
    if (level !== levelId && !demotesByLevel(profile.all)) continue;
    await expectNothingMoved(context, `a demote on ${level} of a new object`, await given.object(), (thing) =>
      level === levelId ? service.requests.demote(thing) : demoteOn(context, thing, level),
    );
  }
  const unknown = given.unique('unknown');
  await expectNothingMoved(context, 'a promote on an unknown level', await given.object(), (thing) =>
    promoteOn(context, thing, unknown),
  );
  await expectNothingMoved(context, 'a promote along an unknown process', await given.object(), (thing) => {
    const { url, ...request } = service.requests.promote(thing);
    return { ...request, url: url.replace(/[^/]+(?=\/[^/]+$)/, unknown) };
  });
}

/** The object is promoted on a level until that is refused, if it ever is. */
async function expectEndKept(context: CaseContext, level: string): Promise<void> {
  const { given, service } = context;
  let thing = await given.object();
  for (let count = 1; count <= mostPromotes + 1; count += 1) {
    const before = await service.read(thing);
    const reply = await service.send(promoteOn(context, thing, level));
    if (!isSuccess(reply.status)) return expectAsBefore(context, `promote ${count} on ${level}`, thing, before, reply);
    thing = await given.current(thing);
  }
}

async function expectNothingMoved(
  context: CaseContext,
  what: string,
  thing: Thing,
  request: (thing: Thing) => RequestSpec,
): Promise<void> {
  const { service } = context;
  const before = await service.read(thing);
  await expectAsBefore(context, what, thing, before, await service.send(request(thing)));
}

/** What a server error leaves is not said. */
async function expectAsBefore(
  context: CaseContext,
  what: string,
  thing: Thing,
  before: Reply,
  move: Reply,
): Promise<void> {
  const { service, expect, notes } = context;
  notes.observe(`status of ${what}`, move.status, move);
  if (move.status < 400 || move.status >= 500) return;
  const read = await service.read(thing);
  expect(versionIn(context, read), `version after ${what} was refused`, move).toEqual(thing.version);
  expect(statesIn(read), `states after ${what} was refused`, read).toEqual(statesIn(before));
}
