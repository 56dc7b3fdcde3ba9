import { sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import { editRoutes, goneStatuses, makeEditable, removeThing } from '../../../judge/service/writes.ts';
import { readersOf } from './readers.ts';
import { readEveryWay } from './ways-to-read.ts';

/** Nobody reads a deleted object by any way by which it was read before, nor a page of it, and no edit brings it back. A PUT may create where nothing is. */
export async function expectGoneForAll(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const gone = await makeEditable(context);
  const before = await readEveryWay(context, gone);
  given.succeeded(await removeThing(context, gone), 'a DELETE is accepted');
  for (const { way, as, isInBatch } of before)
    if (!isInBatch) expect(await service.send(way.request, { as })).toAnswer(...goneStatuses);
  // last, because of what it may do
  const routes = editRoutes(context).toSorted(
    (one, other) => Number(one.name === 'PUT') - Number(other.name === 'PUT'),
  );
  for (const { name, request } of routes)
    for (const [where, send] of waysToSend(context)) {
      if (name === 'PUT') expect(await service.read(gone)).toAnswer(...goneStatuses);
      const write = await send(request(gone));
      notes.observe(`status of a ${name}${where} of an object that was deleted`, write.status, write);
      if (name === 'PUT' && isSuccess(write.status)) return expectPagesGone(context);
      expect(write.status, `status of a ${name}${where} of an object that was deleted`, write).toSatisfy(
        '400 or above',
        (status) => status >= 400,
      );
    }
  expect(await service.read(gone)).toAnswer(...goneStatuses);
  await expectPagesGone(context);
}

/** Alone, and as the only operation of a batch where there are any. */
function waysToSend(
  context: CaseContext,
): readonly (readonly [where: string, send: (spec: RequestSpec) => Promise<Reply>])[] {
  const alone = ['', (spec: RequestSpec) => context.service.send(spec)] as const;
  return context.profile.offers('batch') ? [alone, [' in a batch', (spec) => sendBatch(context, [spec])]] : [alone];
}

async function expectPagesGone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(11);
  const served = [];
  for (const as of readersOf(profile))
    for (const number of [0, 1])
      if ((await service.page(owner, number, { as })).status === 200) served.push({ as, number });
  given.succeeded(await removeThing(context, owner), 'a DELETE is accepted');
  for (const { as, number } of served) expect(await service.page(owner, number, { as })).toAnswer(...goneStatuses);
}
