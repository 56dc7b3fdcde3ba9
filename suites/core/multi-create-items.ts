import type { SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf, versionOf } from '../../judge/answers.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Changes, Reply } from '../../judge/exchange.ts';
import { type MultiCreateItem, oidOf, readCreated, softTypeOf, targetsOf } from '../../judge/multi-create.ts';
import { membersWith, referencesIn } from '../../judge/reference-port.ts';
import { partHere } from '../../judge/part.ts';
import type { Thing } from '../../judge/things.ts';

/** An item of the primary SoftType, or of `type`, with fresh content. */
export function item(
  { given, profile }: CaseContext,
  more: Readonly<Record<string, unknown>> = {},
  type: SoftTypeProfile = profile.primary,
): MultiCreateItem {
  return { $id: given.unique('item'), $softType: type.definitionId, data: given.body(more, type) };
}

/** The item with entries in its reference port that refer to these targets. @param ids of the entries, fresh ones where there are none */
export function referring(
  { profile, given }: CaseContext,
  from: MultiCreateItem,
  targets: readonly MultiCreateItem[],
  ids: readonly string[] = [],
): MultiCreateItem {
  const { reference } = softTypeOf(profile, from);
  const entries = targets.map((target, index) => ({
    id: ids[index] ?? given.unique('reference'),
    value: { instanceRef: target.$id, softTypeId: target.$softType },
  }));
  return { ...from, data: { ...from.data, ...membersWith(reference, entries) } };
}

/** SoftType that references of the primary one lead to. */
export function targetType({ profile }: CaseContext): SoftTypeProfile {
  return profile.primary.reference?.target === 'primary' ? profile.primary : profile.second;
}

/** So many targets, then the item that refers to all of them. */
function linkedTo(context: CaseContext, count: number): readonly MultiCreateItem[] {
  const targets = Array.from({ length: count }, () => item(context, {}, targetType(context)));
  return [...targets, referring(context, item(context), targets)];
}

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

/** An object that was read, as other requests take it; undefined where the read does not tell its version. */
function thingOf({ profile }: CaseContext, read: Reply | undefined, body: Thing['body']): Thing | undefined {
  const version = read?.status === 200 ? versionOf(read) : undefined;
  if (read === undefined || typeof version !== 'number') return undefined;
  return { oid: oidOf(read), location: read.url, type: profile.primary, space: profile.all.space, version, body };
}

/** An object that refers to so many others, or to one where the port holds one, and a read of it; undefined where the profile does not say how such a one is made and found. */
export async function makeReferrer(
  context: CaseContext,
  count: number,
): Promise<{ readonly thing: Thing; readonly read: Reply } | undefined> {
  const { service, profile, notes } = context;
  const { multiCreate, references } = profile.all;
  const { reference } = profile.primary;
  const isKnown = multiCreate !== undefined && references !== undefined && reference !== undefined;
  if (!isKnown || (reference.target === 'second' && profile.all.softTypes?.second === undefined)) return undefined;
  if (!profile.offers('multi-create')) return undefined;
  const items = linkedTo(context, reference.single === true ? 1 : count);
  const reply = await service.multiCreate(items);
  const reads = reply.status < 300 ? await readCreated(context, reply, items) : [];
  const last = reads.at(-1);
  const shown = last?.status === 200 ? referencesIn(dataOf(last)[reference.port]) : [];
  notes.observe(`references shown of ${count}`, shown.length, reply);
  const thing = thingOf(context, last, items.at(-1)?.data ?? {});
  return last === undefined || thing === undefined ? undefined : { thing, read: last };
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
    const [read] = reply.status < 300 ? await readCreated(context, reply, [made]) : [];
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
      if (reply.status >= 300) break;
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
    if (alone.status >= 300) return;
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
