import type { CaseContext } from '../../../judge/case.ts';
import type { Changes, RequestSpec } from '../../../judge/exchange.ts';
import { makePromoted } from '../../../judge/service/maturity.ts';
import { makeFilterable, withFilter, withFilterOnPage } from '../../../judge/service/queries.ts';
import type { Thing } from '../../../judge/things.ts';
import { editRoutes, findWorking, makeEditable, otherWrites } from '../../../judge/service/writes.ts';

/** Whoever asks in that way gets nothing from any route of objects, and changes nothing. */
export async function expectEachRouteClosed(context: CaseContext, changes: Changes): Promise<void> {
  const { given, service, expect, profile } = context;
  const isPaged = profile.primary.arrayPort !== undefined;
  const thing = await makeEditable(context);
  const before = await service.snapshot(thing);
  const requests = [
    service.requests.readShort(thing),
    service.requests.readLong(thing),
    ...(isPaged ? [service.requests.page(await given.objectWithEntries(11), 1)] : []),
    ...(await makeFilteredReads(context)),
    ...(await makeWrites(context, thing)),
  ];
  for (const request of requests) expect(await service.send(request, changes)).notToSucceed();
  expect.unchanged(before, await service.snapshot(thing));
}

/** The fixed filter on an instance read and on a page of an object of its own, as far as the editor gets them. */
export async function makeFilteredReads(context: CaseContext): Promise<readonly RequestSpec[]> {
  const { service, profile } = context;
  if (profile.all.filters?.fixed === undefined) return [];
  const { owner } = await makeFilterable(context, { matching: 12, other: 1 });
  const [read, page] = [service.requests.read(owner), service.requests.page(owner, 1)];
  const { url } = withFilter(context, owner);
  const { url: ofPage = page.url } = withFilterOnPage(context, owner, 1);
  const served: RequestSpec[] = [];
  for (const request of [
    { ...read, url },
    { ...page, url: ofPage },
  ])
    if ((await service.send(request)).status === 200) served.push(request);
  return served;
}

/** Each write that the editor may do, those of lists with an empty one as well. */
export async function makeWrites(context: CaseContext, thing: Thing): Promise<readonly RequestSpec[]> {
  const working = await findWorking(context, [...editRoutes(context), ...otherWrites(context)]);
  const writes = [...working.map((route) => route.request(thing)), ...(await makeWithdrawals(context, thing))];
  // nothing to do is no reason to ask nobody who it is
  return [...writes, ...writes.filter(({ body }) => Array.isArray(body)).map((request) => ({ ...request, body: [] }))];
}

/** A DELETE of the object and a demote of another one, as far as the profile has their routes. */
export async function makeWithdrawals(context: CaseContext, thing: Thing): Promise<readonly RequestSpec[]> {
  const { service, profile } = context;
  const { routes, maturity } = profile.all;
  return [
    ...(routes?.softTypeDelete === undefined ? [] : [{ ...service.requests.remove(thing), version: thing.version }]),
    ...(routes?.demote === undefined || maturity === undefined
      ? []
      : [service.requests.demote(await makePromoted(context))]),
  ];
}
