import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import { type MultiCreateItem, oidOf, readCreated, targetsOf } from '../../../judge/service/multi-create.ts';
import { item, referring, targetType, thingOf } from '../../../judge/service/referrers.ts';
import { partHere } from '../../../judge/case/part.ts';
import { expectOtherLeft } from './each-change.ts';

/** Target first, then the item that refers to it, which gets these members. */
export function linkedPair(
  context: CaseContext,
  more: Readonly<Record<string, unknown>> = {},
): { readonly items: readonly [MultiCreateItem, MultiCreateItem] } {
  const target = item(context, {}, targetType(context));
  return { items: [target, referring(context, item(context, more), [target])] };
}

/** Another pair, in which each item has the $id that the other one had. */
export function exchanged(
  context: CaseContext,
  [{ $id: targetId }, { $id: referrerId }]: ReturnType<typeof linkedPair>['items'],
): readonly MultiCreateItem[] {
  const target = { ...item(context, {}, targetType(context)), $id: referrerId };
  return [target, { ...referring(context, item(context), [target]), $id: targetId }];
}

/** Sends the items, which have to be accepted; returns reads of the objects they became, in the order of the items. */
export async function createItems(
  context: CaseContext,
  items: readonly MultiCreateItem[],
  changes: Changes = {},
): Promise<readonly Reply[]> {
  const reply = await context.service.multiCreate(items, changes);
  context.expect(reply).toSucceed();
  return readCreated(context, reply, items);
}

export async function createPair(
  context: CaseContext,
  items: readonly MultiCreateItem[],
): Promise<readonly [Reply, Reply]> {
  const [first, second] = await createItems(context, items);
  return [context.given.present(first, 'the first object'), context.given.present(second, 'the second object')];
}

/** The references of an object of the primary SoftType, or of `type`, lead to exactly these objects. */
export function expectReferences(
  context: CaseContext,
  referrer: Reply | undefined,
  targets: readonly (Reply | undefined)[],
  type: SoftTypeProfile = context.profile.primary,
): void {
  const { expect, given } = context;
  const read = given.present(referrer, 'the referrer');
  const expected = targets.map((target) => oidOf(given.present(target, 'a target')));
  expect([...targetsOf(context, read, type, expected)].sort(), 'objects that the references lead to', read).toEqual(
    expected.sort(),
  );
}

/** The first edit of an object that a multi-create has made leaves what it does not name. */
export async function expectKeptByFirstMerge(context: CaseContext): Promise<void> {
  const { service, profile, expect, given } = context;
  const { scalars = [] } = profile.primary;
  if (!profile.offers('multi-create') || profile.all.multiCreate === undefined) return;
  for (const named of scalars) {
    const body = Object.fromEntries(scalars.map((member) => [member, given.unique()]));
    const made = item(context, body);
    const reply = await service.multiCreate([made]);
    const [read] = isSuccess(reply.status) ? await readCreated(context, reply, [made]) : [];
    const thing = thingOf(context, read, made.data);
    if (thing === undefined) return;
    const before = await service.snapshot(thing);
    expect(await service.merge(thing, { [named]: given.unique() })).toSucceed();
    const after = await service.snapshot(thing);
    expect({ ...after.members, [named]: null }, 'members that the first edit does not name', after.reply).toEqual({
      ...before.members,
      [named]: null,
    });
  }
}

/** Objects of two equal items are each its own: whatever changes one of them, its end included, leaves the other one as it was made. */
export async function expectEqualsApart(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  const { arrayPort } = profile.primary;
  const one = item(context, arrayPort === undefined ? {} : { [arrayPort.member]: [given.entry(given.unique())] });
  // where no two may be equal they differ
  for (const items of [
    [one, { ...item(context), data: one.data }],
    [item(context), item(context)],
  ]) {
    const reply = await service.multiCreate(items);
    notes.observe('status of a multi-create of two items that are to be held apart', reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const reads = await readCreated(context, reply, items);
    const [changed, other] = reads.map((read, index) => thingOf(context, read, items[index]?.data ?? one.data));
    if (changed === undefined || other === undefined) return;
    await expectOtherLeft(context, changed, other);
    return;
  }
}

/** A $id with the form of an object id, or that of an object that is there, names none: the object stays, and the same $id serves another request. */
export async function expectNoObjectNamed(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const there = await given.object();
  const before = await service.snapshot(there);
  for (const [what, $id] of Object.entries({ 'a GUID': partHere().id(), 'the id of an object': there.oid })) {
    const oids: string[] = [];
    for (const _time of ['first', 'second']) {
      const named = { ...item(context), $id };
      const reply = await service.multiCreate([named]);
      notes.observe(`status of an item whose $id is ${what}`, reply.status, reply);
      if (oids.length > 0) expect(reply).toSucceed();
      if (!isSuccess(reply.status)) break;
      for (const read of await readCreated(context, reply, [named])) oids.push(oidOf(read));
    }
    expect(new Set([...oids, there.oid]).size, `objects of items whose $id is ${what}, and one more`).toEqual(
      oids.length + 1,
    );
  }
  expect.unchanged(before, await service.snapshot(there));
}

/** Two items of two SoftTypes, each of which has the name of the other one's SoftType as its $id, where such a $id is taken at all. */
export async function expectTypesTold(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  for (const types of [
    [profile.primary, profile.second],
    [profile.second, profile.primary],
  ] as const) {
    const [one, other] = types;
    const named = (): MultiCreateItem => ({ ...item(context, {}, one), $id: other.definitionId });
    const alone = await service.multiCreate([named()]);
    notes.observe('status of an item whose $id is the name of a SoftType', alone.status, alone);
    if (!isSuccess(alone.status)) return;
    const items = [named(), { ...item(context, {}, other), $id: one.definitionId }];
    const reply = await service.multiCreate(items);
    expect(reply).toSucceed();
    for (const [index, read] of (await readCreated(context, reply, items)).entries())
      expect(dataOf(read)['$softType'], `$softType of item ${index}, whose name is the $id of the other`, read).toEqual(
        items[index]?.$softType,
      );
  }
}

/** Where no text of the suite's choice is taken, two plain items have to be created nevertheless. */
export async function expectPlainCreated(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const items = [item(context), item(context)];
  const reply = await service.multiCreate(items);
  given.succeeded(reply, 'two plain items are created', ['multi-create.route.served-without-api-prefix']);
  const created = await readCreated(context, reply, items);
  expect(new Set(created.map(oidOf)).size, 'objects created by two plain items', reply).toEqual(items.length);
}
