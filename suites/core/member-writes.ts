import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import type { expectEveryKindStored } from './member-kinds.ts';
import type { expectNumbersKept } from './number-kinds.ts';

/** Writes numbers into an object of its own, as members of the smallest body where the whole content is stated. */
export function writingNumbers(context: CaseContext, route: 'merge' | 'put'): Parameters<typeof expectNumbersKept>[2] {
  return async (numbers) => {
    const { reply, thing } = await writeMembers(context, route, numbers);
    return { reply, reads: async () => [await context.service.read(thing)] };
  };
}

/** The same of any members. */
export function writingMembers(
  context: CaseContext,
  route: 'merge' | 'put',
): Parameters<typeof expectEveryKindStored>[2] {
  return async (members) => {
    const { reply, thing } = await writeMembers(context, route, members);
    return reply.status < 300 ? context.service.readLong(thing) : undefined;
  };
}

async function writeMembers(
  { given, service }: CaseContext,
  route: 'merge' | 'put',
  members: Readonly<Record<string, unknown>>,
): Promise<{ readonly reply: Reply; readonly thing: Thing }> {
  const thing = await given.object();
  const isMerge = route === 'merge';
  return {
    reply: isMerge ? await service.merge(thing, members) : await service.put(thing, given.body(members)),
    thing,
  };
}
