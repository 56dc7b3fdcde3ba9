import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { isObject, pointer, valueAt } from '../../../judge/json.ts';
import { type MultiCreateItem, namesIn, readCreated, readLongOf } from '../../../judge/service/multi-create.ts';
import type { Thing } from '../../../judge/things.ts';
import type { Members, Write, WriteMembers } from './member-kinds.ts';
import type { expectNumbersKept } from './number-kinds.ts';
import { add, type Operation } from './operation-steps.ts';
import { unlessRefused } from '../../../judge/violation.ts';

/** Writes numbers into an object of its own, as members of the smallest body where the whole content is stated. */
export function writingNumbers(context: CaseContext, route: 'merge' | 'put'): Parameters<typeof expectNumbersKept>[2] {
  return async (numbers) => {
    const thing = await context.given.object();
    const reply = await writeMembers(context, route, thing, numbers);
    return { reply, reads: async () => [await context.service.read(thing)] };
  };
}

/** Adds the numbers to the smallest object, by one list. */
export function addingNumbers({ given, service }: CaseContext): Parameters<typeof expectNumbersKept>[2] {
  return async (numbers) => {
    const thing = await given.object();
    const reply = await service.operations(thing, additionsOf(numbers));
    return { reply, reads: async () => [await service.read(thing)] };
  };
}

/** The same of any members. */
export function writingMembers(context: CaseContext, route: 'merge' | 'put'): WriteMembers {
  return async (members, over) => {
    const { given, service } = context;
    const body = given.body(over);
    const created = await service.create(body);
    if (!isSuccess(created.status)) return undefined;
    const thing = await given.found(created, body);
    const reply = await writeMembers(context, route, thing, members);
    return isSuccess(reply.status) ? service.readLong(thing) : undefined;
  };
}

/** Objects that are created with the members. */
export function creatingMembers({ given, service }: CaseContext): WriteMembers {
  return async (members) => {
    const body = given.body(members);
    const created = await service.create(body);
    return isSuccess(created.status) ? service.readLong(await given.found(created, body)) : undefined;
  };
}

/** Adds the members to the smallest object, by one list. */
export function addingMembers({ given, service }: CaseContext): WriteMembers {
  return async (members) => {
    const thing = await given.object();
    const reply = await service.operations(thing, additionsOf(members));
    return isSuccess(reply.status) ? service.readLong(thing) : undefined;
  };
}

/** The same as an operation of a batch. */
export function addingInBatch(context: CaseContext): WriteMembers {
  const { given, service } = context;
  return async (members) => {
    const thing = await given.object();
    const reply = await sendBatch(context, [service.requests.operations(thing, additionsOf(members))]);
    return reply.status === 200 ? service.readLong(thing) : undefined;
  };
}

/** The operations that add the members: the entries of an array one by one. */
export function additionsOf(members: Members): readonly Operation[] {
  return Object.entries(members).flatMap(([name, value]) =>
    Array.isArray(value) && value.every(isObject)
      ? value.map((entry) => add(pointer(name), entry))
      : [add(pointer(name), value)],
  );
}

/** Writes the members by a create, a merge, a PUT and a multi-create, as far as there are such, all of them operations of one batch. */
export function writingInBatch(context: CaseContext): Write {
  const { given, service, profile } = context;
  const { requests } = service;
  return async (members, over) => {
    const merged = await given.object(over);
    // no two objects may have one text
    const replaced = await unlessRefused(() => given.object(over));
    if (replaced === undefined) return undefined;
    const hasPut = profile.all.routes?.softTypePut !== undefined;
    const items = profile.offers('multi-create')
      ? [{ $id: given.unique('item'), $softType: profile.primary.definitionId, data: given.body(members) }]
      : [];
    const reply = await sendBatch(context, [
      requests.create(given.body(members)),
      requests.merge(merged, members),
      ...(hasPut ? [requests.put(replaced, given.body(members))] : []),
      ...(items.length > 0 ? [requests.multiCreate(items)] : []),
    ]);
    if (reply.status !== 200) return undefined;
    const { href } = bodyOfResult(resultsOf(reply)[0]);
    const created = await service.get(String(href), { base: reply });
    return Promise.all([
      ...[created, ...(await readItems(context, reply, items))].map((read) => readLongOf(context, read)),
      ...[merged, ...(hasPut ? [replaced] : [])].map((thing) => service.readLong(thing)),
    ]);
  };
}

/** Reads of what the multi-create at the end of a batch made, where its result names it. */
export async function readItems(
  context: CaseContext,
  reply: Reply,
  items: readonly MultiCreateItem[],
): Promise<readonly Reply[]> {
  const answer = valueAt(resultsOf(reply).at(-1), context.profile.all.multiCreate?.resultInBatch ?? '/body');
  if (items.length === 0 || namesIn(context, answer, items) === undefined) return [];
  return readCreated(context, reply, items, answer);
}

function writeMembers(
  { given, service }: CaseContext,
  route: 'merge' | 'put',
  thing: Thing,
  members: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  return route === 'merge' ? service.merge(thing, members) : service.put(thing, given.body(members));
}
