import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import { editRoutes, editable, otherWrites, working } from '../../judge/writes.ts';

export const missingTokenCases = {
  'auth.missing-token.answers-401': scenario(async (context) => {
    const { given, service, expect } = context;
    const owner = await given.objectWithEntries(11);
    const reads = [service.requests.read(owner), service.requests.readLong(owner), service.requests.page(owner, 1)];
    for (const request of reads)
      given.succeeded(await service.send(request), 'a read with a token', ['reading.instance.short-route-served']);
    const thing = await editable(context);
    const writes = await working(context, [...editRoutes(context), ...otherWrites(context)]);
    const requests: RequestSpec[] = [...reads, ...writes.map((route) => route.request(thing))];
    if (context.profile.all.routes?.softTypeDelete !== undefined) requests.push(service.requests.remove(thing));
    for (const request of requests) expect(await service.send(request, { as: null })).toAnswer(401);
  }),

  'auth.missing-token.write-has-no-effect': scenario(async (context) => {
    const { service, expect } = context;
    const routes = [...editRoutes(context), ...otherWrites(context).filter(({ name }) => name === 'batch')];
    const thing = await editable(context);
    const before = await service.snapshot(thing);
    for (const route of routes) expect(await service.send(route.request(thing), { as: null })).notToSucceed();
    await deletesNothing(context, before.oid);
    expect.unchanged(before, await service.snapshot(thing));
  }),
} satisfies SomeCasesOf<'auth'>;

async function deletesNothing({ given, service, expect, profile }: CaseContext, oid: string): Promise<void> {
  if (profile.all.routes?.softTypeDelete === undefined) return;
  const thing = await given.object();
  given.assume(thing.oid !== oid, 'an object of its own');
  expect(await service.remove(thing, { as: null })).notToSucceed();
  expect(await service.read(thing)).toAnswer(200);
}
