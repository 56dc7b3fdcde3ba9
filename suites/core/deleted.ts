import type { CaseContext } from '../../judge/case.ts';
import { editRoutes, removeThing } from '../../judge/writes.ts';
import { readersOf } from './readers.ts';
import { readEveryWay } from './ways-to-read.ts';

/** Nobody reads a deleted object by any way by which it was read before, nor a page of it, and no edit brings it back. */
export async function expectGoneForAll(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const gone = await given.object();
  const before = await readEveryWay(context, gone);
  given.succeeded(await removeThing(context, gone), 'a DELETE is accepted');
  for (const { way, as, isInBatch } of before)
    if (!isInBatch) expect(await service.send(way.request, { as })).toAnswer(404);
  for (const { name, request } of editRoutes(context)) {
    const write = await service.send(request(gone));
    expect(write.status, `status of a ${name} of an object that was deleted`, write).toSatisfy(
      '400 or above',
      (status) => status >= 400,
    );
  }
  expect(await service.read(gone)).toAnswer(404);
  await expectPagesGone(context);
}

async function expectPagesGone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(11);
  const readers = readersOf(profile);
  const served = [];
  for (const as of readers) served.push((await service.page(owner, 1, { as })).status === 200);
  given.succeeded(await removeThing(context, owner), 'a DELETE is accepted');
  for (const [index, as] of readers.entries())
    if (served[index] === true) expect(await service.page(owner, 1, { as })).toAnswer(404);
}
