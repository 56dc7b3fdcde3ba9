import { editRequest, sendBatch, areAllCarriedOut } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { readCreated } from '../../../judge/service/multi-create.ts';
import { canRefer, item, referring, targetType, thingOf } from '../../../judge/service/referrers.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import type { Thing } from '../../../judge/things.ts';
import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import { editRoutes, findWorking, goneStatuses, makeEditable, removeThing } from '../../../judge/service/writes.ts';
import { softTypesOf } from '../../../judge/service/soft-types.ts';
import { sleep } from '../../../judge/time/real-time.ts';
import { readersOf } from './readers.ts';
import { readEveryWay } from './ways-to-read.ts';

/** Nobody reads a deleted object by any way by which it was read before, nor a page of it, and no edit brings it back. A PUT may create where nothing is. */
export async function expectGoneForAll(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const gone = await makeEditable(context);
  const former = await service.read(gone);
  const before = await readEveryWay(context, gone);
  given.succeeded(await removeThing(context, gone), 'a DELETE is accepted');
  for (const { way, as, isInBatch } of before)
    if (!isInBatch) await expectGone(context, await service.send(way.request, { as }), { gone, former });
  // last, because of what it may do
  const routes = editRoutes(context).toSorted(
    (one, other) => Number(one.name === 'PUT') - Number(other.name === 'PUT'),
  );
  for (const { name, request } of routes)
    for (const [where, send] of waysToSend(context)) {
      if (await isGivenAgain(context, { gone, former })) return expectPagesGone(context);
      if (name === 'PUT') expect(await service.read(gone)).toAnswer(...goneStatuses);
      const write = await send(request(gone));
      notes.observe(`status of a ${name}${where} of an object that was deleted`, write.status, write);
      if (name === 'PUT' && isSuccess(write.status)) return expectPagesGone(context);
      expect(write.status, `status of a ${name}${where} of an object that was deleted`, write).toSatisfy(
        '400 or above',
        (status) => status >= 400,
      );
    }
  await expectGone(context, await service.read(gone), { gone, former });
  await expectPagesGone(context);
}

/** An object that was deleted, and what a read of it showed before. */
interface Deleted {
  readonly gone: Thing;
  readonly former: Reply;
}

/** Asserts that an answer shows no deleted object. One that has been given its id since is another one. */
export async function expectGone(context: CaseContext, reply: Reply, deleted: Deleted): Promise<void> {
  if (reply.status !== 200 || !(await isGivenAgain(context, deleted))) context.expect(reply).toAnswer(...goneStatuses);
}

/** Whether the id leads to another object by now, as one of a case beside this one. */
async function isGivenAgain({ service, given, notes }: CaseContext, { gone, former }: Deleted): Promise<boolean> {
  const read = await service.read(gone);
  const isGiven = given.isGivenAgain(gone, dataOf(former), read);
  if (isGiven) notes.observe('the id of a deleted object was given again', isGiven, read);
  return isGiven;
}

/** Alone, and as the only operation of a batch where there are any. */
export function waysToSend(
  context: CaseContext,
): readonly (readonly [where: string, send: (spec: RequestSpec) => Promise<Reply>])[] {
  const alone = ['', (spec: RequestSpec) => context.service.send(spec)] as const;
  return context.profile.offers('batch') ? [alone, [' in a batch', (spec) => sendBatch(context, [spec])]] : [alone];
}

/** How often a DELETE meets edits, and how much later than they each of these is sent, in ms. */
const [meetings, lags] = [8, [0, 3, 6, 9]] as const;

/** An edit that is under way when the object is deleted brings it back no more than one that comes later. */
export async function expectGoneAmongEdits(context: CaseContext): Promise<void> {
  const { service } = context;
  // where nothing is a PUT may create
  const routes = (await findWorking(context, editRoutes(context))).filter(({ name }) => name !== 'PUT');
  for (let meeting = 0; meeting < meetings; meeting += 1) {
    const gone = await makeEditable(context);
    const deleted = { gone, former: await service.read(gone) };
    const edits = Promise.all(routes.map(({ request }) => service.send(request(gone))));
    await sleep(lags[meeting % lags.length] ?? 0);
    const [removal] = await Promise.all([removeThing(context, gone), edits]);
    if (!isSuccess(removal.status)) continue;
    for (const read of [await service.read(gone), await service.readLong(gone)])
      await expectGone(context, read, deleted);
  }
}

/** What a DELETE takes is gone, of whatever SoftType and be it an operation of a batch, and nothing else is. A batch need not know it. */
export async function expectEveryTypeGone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const make = async (type: SoftTypeProfile): Promise<Deleted> => {
    const gone = await given.object({}, { type });
    return { gone, former: await service.readLong(gone) };
  };
  for (const type of softTypesOf(profile.all)) {
    const stays = await given.object({}, { type });
    const alone = await make(type);
    const deleted = isSuccess((await removeThing(context, alone.gone)).status) ? [alone] : [];
    if (profile.offers('batch')) {
      const both = [await make(type), await make(type)] as const;
      const before = await readEveryWay(context, both[0].gone);
      const isDone = await isRemovedByBatch(
        context,
        both.map(({ gone }) => gone),
      );
      if (isDone) {
        deleted.push(...both);
        for (const { way, as } of before.filter(({ isInBatch }) => !isInBatch))
          await expectGone(context, await service.send(way.request, { as }), both[0]);
      }
    }
    for (const each of deleted) await expectGone(context, await service.readLong(each.gone), each);
    expect(await service.readLong(stays)).toAnswer(200);
  }
}

/** Deletes all of them by one batch, which need not know how. */
async function isRemovedByBatch(context: CaseContext, things: readonly Thing[]): Promise<boolean> {
  const { service, notes } = context;
  const requests = things.map((thing) => ({ ...service.requests.remove(thing), version: thing.version }));
  const reply = await sendBatch(context, requests);
  notes.observe(`status of a batch of ${things.length} that delete`, reply.status, reply);
  return reply.status === 200 && areAllCarriedOut(reply);
}

async function expectPagesGone(context: CaseContext): Promise<void> {
  if (context.profile.primary.arrayPort === undefined) return;
  const { given } = context;
  await expectPagesGoneBy(context, async (owner) => {
    given.succeeded(await removeThing(context, owner), 'a DELETE is accepted');
    return true;
  });
  if (context.profile.offers('batch')) await expectPagesGoneBy(context, (owner) => isRemovedByBatch(context, [owner]));
}

/** @param remove tells whether the object was deleted */
async function expectPagesGoneBy(context: CaseContext, remove: (owner: Thing) => Promise<boolean>): Promise<void> {
  const { given, service, profile } = context;
  const owner = await given.objectWithEntries(11);
  const served = [];
  for (const as of readersOf(profile))
    for (const number of [0, 1])
      if ((await service.page(owner, number, { as })).status === 200) served.push({ as, number });
  const deleted = { gone: owner, former: await service.read(owner) };
  if (!(await remove(owner))) return;
  for (const { as, number } of served) await expectGone(context, await service.page(owner, number, { as }), deleted);
}

/** What refers to an object that was deleted can be read, or has gone as well: where an edit of it is accepted it is there. */
export async function expectReferrerLeft(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  if (!canRefer(context) || !profile.offers('multi-create')) return;
  const target = item(context, {}, targetType(context));
  const items = [target, referring(context, item(context), [target])];
  const created = await service.multiCreate(items);
  if (!isSuccess(created.status)) return;
  const [read, readReferrer] = await readCreated(context, created, items);
  const gone = thingOf(context, read, target.data);
  const referrer = thingOf(context, readReferrer, items[1]?.data ?? {});
  if (gone === undefined || referrer === undefined) return;
  const removal = await removeThing(context, { ...gone, type: targetType(context) });
  notes.observe('status of a DELETE of what another object refers to', removal.status, removal);
  if (!isSuccess(removal.status)) return;
  const left = await service.read(referrer);
  notes.observe('status of a read of what refers to a deleted object', left.status, left);
  expect(left).toAnswer(200, ...goneStatuses);
  const edit = await service.send(editRequest(context, referrer));
  notes.observe('status of an edit of what refers to a deleted object', edit.status, edit);
  if (isSuccess(edit.status)) expect(await service.read(referrer)).toAnswer(200);
}
