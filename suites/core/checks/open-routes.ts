import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import { editRoutes, makeEditable, otherWrites } from '../../../judge/service/writes.ts';

/**
 * Somebody, be it by several roles, who has a method, as another route shows, is let in by it on each route that the editor uses; where another
 * edit shows that it is let to the object, so is who has it by the profile. What a move between states needs besides is not said.
 */
export async function expectOpenByMethod(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  for (const as of ['secondEditor', 'spaceAdministrator'] as const) {
    const identity = profile.all.identities[as];
    if (identity === undefined) continue;
    const answered: Answered[] = [];
    for (const { name, make } of await routesOf(context)) {
      const own = await make();
      if (!isSuccess((await service.send(own)).status)) continue;
      const { status } = await service.send(await make(), { as });
      answered.push({ name, method: own.method, status });
    }
    const isLetIn = (...methods: readonly string[]): boolean =>
      answered.some(({ method, status }) => methods.includes(method) && isSuccess(status));
    for (const method of new Set(answered.map((one) => one.method))) {
      const isStated = identity.methods?.includes(method) === true && isLetIn('PUT', 'PATCH');
      const isJudged = isStated || isLetIn(method);
      notes.observe(`the ${as} is let in by ${method}`, isJudged);
      const closed = answered.filter((one) => isJudged && one.method === method && one.status === 403);
      const names = closed.map(({ name }) => name);
      expect(names, `routes of ${method} that are closed to the ${as}, who has that method`).toEqual([]);
    }
  }
}

interface Answered {
  readonly name: string;
  readonly method: string;
  readonly status: number;
}

interface OpenRoute {
  readonly name: string;
  readonly make: () => Promise<RequestSpec>;
}

async function routesOf(context: CaseContext): Promise<readonly OpenRoute[]> {
  const { given, service, profile } = context;
  const writes = [...editRoutes(context), ...otherWrites(context)].filter(({ name }) => name !== 'promote');
  const owner = profile.primary.arrayPort === undefined ? undefined : await given.objectWithEntries(11);
  const read = owner ?? (await given.object());
  return [
    ...writes.map(({ name, request }) => ({ name, make: async () => request(await makeEditable(context)) })),
    { name: 'short read', make: async () => service.requests.readShort(read) },
    { name: 'long read', make: async () => service.requests.readLong(read) },
    ...(owner === undefined ? [] : [{ name: 'page', make: async () => service.requests.page(owner, 1) }]),
  ];
}
