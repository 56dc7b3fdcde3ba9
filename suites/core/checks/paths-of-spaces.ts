import type { CaseContext } from '../../../judge/case.ts';
import type { RequestSpec } from '../../../judge/exchange.ts';
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
  for (const { name, request } of editRoutes(context)) {
    const reply = await sendThere(request(thing));
    // where nothing is a PUT may create
    if (name !== 'PUT') expect(reply).notToSucceed();
  }
  for (const request of (await makeWithdrawals(context, thing)).filter((each) => urlOf(each) !== each.url)) {
    const reply = await sendThere(request);
    // that there is nothing to delete may be an answer as well
    if (request.method !== 'DELETE') expect(reply).notToSucceed();
  }
  expect(await service.read(thing)).toAnswer(200);
  expect.unchanged(before, await service.snapshot(thing));
}
