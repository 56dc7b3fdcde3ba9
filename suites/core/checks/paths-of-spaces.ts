import { sendBatch, statusesOf } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { type Changes, isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import { enterSecondSpace } from '../../../judge/service/second-space.ts';
import { editRoutes, makeEditable } from '../../../judge/service/writes.ts';
import type { Owner } from '../../../judge/things.ts';
import { makeFilteredReads, makeWithdrawals } from './each-route.ts';

/** An object is in one space: no path of another one leads to it, whatever is asked for there. */
export async function expectNotInSecondSpace(context: CaseContext, owner: Owner): Promise<void> {
  const { service, expect } = context;
  const second = await enterSecondSpace(context);
  if (second?.as !== 'editor') return;
  const { as, urlOf } = second;
  const { requests } = service;
  const sendThere = (request: RequestSpec) => service.send({ ...request, as, url: urlOf(request) });
  const reads = [requests.readShort(owner), requests.readLong(owner), requests.page(owner, 0)];
  for (const request of [...reads, ...(await makeFilteredReads(context))])
    expect(await sendThere(request)).notToSucceed();
  const thing = await makeEditable(context);
  const before = await service.snapshot(thing);
  // where nothing is a PUT may create
  for (const { name, request } of editRoutes(context)) {
    const reply = await sendThere(request(thing));
    if (name !== 'PUT') expect(reply).notToSucceed();
  }
  for (const request of (await makeWithdrawals(context, thing)).filter((each) => urlOf(each) !== each.url)) {
    const reply = await sendThere(request);
    // that there is nothing to delete may be an answer as well
    if (request.method !== 'DELETE') expect(reply).notToSucceed();
  }
  const edits = editRoutes(context).filter(({ name }) => name !== 'PUT');
  for (const request of [
    requests.readShort(owner),
    requests.readLong(owner),
    ...edits.map((edit) => edit.request(thing)),
  ])
    await expectNoneInBatch(context, { ...request, url: urlOf(request) }, { as, url: urlOf(requests.batch([])) });
  expect(await service.read(thing)).toAnswer(200);
  expect.unchanged(before, await service.snapshot(thing));
}

/** The same of the only operation of a batch of that space. */
async function expectNoneInBatch(context: CaseContext, request: RequestSpec, changes: Changes): Promise<void> {
  if (!context.profile.offers('batch')) return;
  const reply = await sendBatch(context, [request], changes);
  if (!isSuccess(reply.status)) return;
  const what = `statusCode of a ${request.method} of an object of another space`;
  context.expect(Number(statusesOf(reply)[0]), what, reply).toSatisfy('400 or above', (status) => status >= 400);
}
