import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import type { WriteMembers } from './member-kinds.ts';
import type { expectNumbersKept } from './number-kinds.ts';

/** Writes numbers into an object of its own, as members of the smallest body where the whole content is stated. */
export function writingNumbers(context: CaseContext, route: 'merge' | 'put'): Parameters<typeof expectNumbersKept>[2] {
  return async (numbers) => {
    const thing = await context.given.object();
    const reply = await writeMembers(context, route, thing, numbers);
    return { reply, reads: async () => [await context.service.read(thing)] };
  };
}

/** The same of any members. */
export function writingMembers(context: CaseContext, route: 'merge' | 'put'): WriteMembers {
  return async (members, over) => {
    const { given, service } = context;
    const body = given.body(over);
    const created = await service.create(body);
    if (created.status >= 300) return undefined;
    const thing = await given.found(created, body);
    const reply = await writeMembers(context, route, thing, members);
    return reply.status < 300 ? service.readLong(thing) : undefined;
  };
}

/** Objects that are created with the members. */
export function creatingMembers({ given, service }: CaseContext): WriteMembers {
  return async (members) => {
    const body = given.body(members);
    const created = await service.create(body);
    return created.status < 300 ? service.readLong(await given.found(created, body)) : undefined;
  };
}

function writeMembers(
  { given, service }: CaseContext,
  route: 'merge' | 'put',
  thing: Thing,
  members: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  return route === 'merge' ? service.merge(thing, members) : service.put(thing, given.body(members));
}
