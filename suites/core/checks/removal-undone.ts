import type { CaseContext } from '../../../judge/case.ts';
import { assumeFailed, editRequest, sendBatch, staleEditRequest } from '../../../judge/service/batch.ts';
import { expectStands, expectVersionHeader, makePromoted, readStanding } from '../../../judge/service/maturity.ts';
import { makeReferrer } from '../../../judge/service/referrers.ts';
import { makeEditable } from '../../../judge/service/writes.ts';
import type { Thing } from '../../../judge/things.ts';

/** Whether or not a batch takes a DELETE, an object is there after one that failed, with all that belongs to it, and its next edit counts on. */
export async function expectRemovalUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.all.routes?.softTypeDelete === undefined) return;
  for (const thing of await makeWhole(context))
    for (const isEditedBefore of [false, true]) {
      const current = await given.current(thing);
      await expectLeft(context, current, isEditedBefore);
      const next = await service.send(editRequest(context, current));
      expect(next).toSucceed();
      expectVersionHeader(context, next, current.version + 1);
    }
  // whether an edit is open to what has moved is not said
  if (profile.all.maturity !== undefined) await expectLeft(context, await makePromoted(context), false);
}

/** Objects with what a DELETE takes with it: nothing, entries on two pages that have entries of their own, and references. */
async function makeWhole(context: CaseContext): Promise<readonly Thing[]> {
  const { given, profile } = context;
  const { nested } = profile.port;
  const owner = await given.objectWithEntries(11, nested === undefined ? {} : { nested: () => 1 });
  const referrer = await makeReferrer(context, 2);
  return [await makeEditable(context), owner, ...(referrer === undefined ? [] : [referrer.thing])];
}

async function expectLeft(context: CaseContext, thing: Thing, isEditedBefore: boolean): Promise<void> {
  const { service, expect } = context;
  const before = await readStanding(context, thing);
  const version = isEditedBefore ? thing.version + 1 : thing.version;
  const operations = [
    ...(isEditedBefore ? [editRequest(context, thing)] : []),
    { ...service.requests.remove(thing), version },
    staleEditRequest(context, await makeEditable(context)),
  ];
  assumeFailed(await sendBatch(context, operations));
  expect(await service.read(thing)).toAnswer(200);
  expectStands(context, before, await readStanding(context, thing));
}
