import { dataOf } from '../../../judge/service/answers.ts';
import { sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { promoteOn, stateFields } from '../../../judge/service/maturity.ts';
import { readCreated } from '../../../judge/service/multi-create.ts';
import { item } from '../../../judge/service/referrers.ts';
import type { Thing } from '../../../judge/things.ts';
import { readItems } from './member-writes.ts';

/** A write that names no state leaves each of them where a promote led, whichever level that was on. The object has a text in its first scalar. */
export async function expectStatesKept(
  context: CaseContext,
  way: string,
  write: (thing: Thing) => Promise<Reply>,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { levelId, secondLevelId } = profile.all.maturity ?? {};
  for (const level of [levelId, secondLevelId]) {
    if (level === undefined) continue;
    const made = await given.object({ [profile.textMember]: given.unique() });
    // so that what the write before left behind could come back
    await write(made);
    const thing = await given.current(made);
    const promoted = await service.send(promoteOn(context, thing, level));
    if (!isSuccess(promoted.status)) continue;
    const before = statesIn(await context.service.read(thing));
    const reply = await write(await given.current(thing));
    notes.observe(`${way} after a promote on ${level}`, reply.status, reply);
    // the state may be closed to edits
    if (!isSuccess(reply.status)) continue;
    const read = await context.service.read(thing);
    expect(statesIn(read), `current states after a promote on ${level} and ${way}`, read).toEqual(before);
  }
}

/** Behind a PUT an object carries a state for each level as before. Whether it is that of before is not said: no field of the body is one. */
export async function expectStatesCarried(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { levelId } = profile.all.maturity ?? {};
  if (levelId === undefined) return;
  const thing = await given.object();
  const promoted = await service.send(promoteOn(context, thing, levelId));
  if (!isSuccess(promoted.status)) return;
  const before = await service.read(thing);
  const reply = await service.put(await given.current(thing), given.body());
  notes.observe('a PUT after a promote', reply.status, reply);
  // the state may be closed to edits
  if (!isSuccess(reply.status)) return;
  const read = await service.read(thing);
  const namesIn = (one: Reply) => [...stateFields(one).keys()].toSorted();
  expect(namesIn(read), 'members with a current state after a promote and a PUT', read).toEqual(namesIn(before));
  notes.observe(
    'current states after a PUT are those of before',
    statesIn(read).join() === statesIn(before).join(),
    read,
  );
}

/** Every current state of an object, as a text with its name. */
export function statesIn(read: Reply): readonly string[] {
  return [...stateFields(read)].map(([name, { state }]) => `${name} ${String(state)}`).toSorted();
}

/** Reads of objects that one request made behind one of another SoftType, alone and in a batch, where the profile says how they are found. */
export async function createdTogether(context: CaseContext): Promise<readonly Reply[]> {
  const { service, notes, profile } = context;
  if (profile.all.multiCreate === undefined) return [];
  const { second } = profile.all.softTypes ?? {};
  const [alone, inBatch] = [1, 2].map(() => [
    ...(second === undefined ? [] : [item(context, {}, second)]),
    item(context),
    item(context),
  ]);
  if (alone === undefined || inBatch === undefined) return [];
  const reply = await service.multiCreate(alone);
  const batch = profile.offers('batch') ? await sendBatch(context, [service.requests.multiCreate(inBatch)]) : undefined;
  const reads = [
    ...(isSuccess(reply.status) ? await readCreated(context, reply, alone) : []),
    ...(batch?.status === 200 ? await readItems(context, batch, inBatch) : []),
  ];
  notes.observe('objects of multi-creates whose states were looked at', reads.length, reply);
  return reads.filter((read) => dataOf(read)['$softType'] === profile.primary.definitionId);
}
