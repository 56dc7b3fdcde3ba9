import { array, boolean, integer, record } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Owner } from '../../judge/given.ts';
import { dataOf, entriesOf, entriesOfPage, idsOf, isObject } from '../../judge/answer.ts';
import { pointer } from '../../judge/json-pointer.ts';

export const entriesCases = {
  'reading.entries.objects-carry-entry-id': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(10, { nested: () => 2 });
    const read = await service.read(owner);
    const items = objectsInArrays(dataOf(read));
    const nested = entriesOf(read, owner.port).flatMap((entry) => entry.members[owner.port.nested?.member ?? ''] ?? []);
    given.assume(nested.length === 20, 'entries with two nested entries each');
    expect(items.length, 'objects met inside arrays', read).toSatisfy(
      'at least the 30 created',
      (count) => count >= 30,
    );
    for (const item of items) expect(typeof item['$entryId'], 'type of $entryId', read).toBeOneOf(['number', 'string']);
    for (const item of items)
      if (typeof item['$entryId'] === 'number') expect(item['$entryId'], '$entryId', read).toBeAnInteger();
  }),

  'reading.entries.ids-unique-in-array': property(
    record({ start: integer({ min: 0, max: 25 }), steps: array(boolean(), { maxLength: 4 }) }),
    async (context, { start, steps }) => {
      let owner = await context.given.objectWithEntries(start);
      for (const append of steps) owner = await (append ? appended(context, owner) : withoutLast(context, owner));
      const { arrays, reply } = await context.service.snapshot(owner);
      const ids = idsOf(arrays[owner.port.member] ?? []);
      context.expect(new Set(ids).size, `distinct entry ids of ${ids.length} entries`, reply).toEqual(ids.length);
    },
    {
      always: [
        { start: 3, steps: [false, true] },
        { start: 18, steps: [false, true, false, true] },
      ],
      share: 0.5,
    },
  ),

  'reading.entries.ids-stable-between-reads': scenario(async ({ given, service, expect, notes }) => {
    const owner = await given.objectWithEntries(18);
    const requests = [
      service.requests.read(owner),
      service.requests.readLong(owner),
      service.requests.page(owner, 0),
      service.requests.page(owner, 1),
    ];
    for (const request of requests) {
      const [first, second] = [await service.send(request), await service.send(request)];
      const entries = (reply: typeof first) =>
        request.url.includes('/page/') ? entriesOfPage(reply) : entriesOf(reply, owner.port);
      const byText = (reply: typeof first) =>
        Object.fromEntries(entries(reply).map((entry) => [String(entry.members[owner.port.text]), entry.entryId]));
      expect(byText(second), 'entry ids read again', second).toEqual(byText(first));
    }
    const before = idsOf(entriesOf(await service.read(owner), owner.port));
    const after = idsOf(entriesOf(await service.read(await given.edited(owner)), owner.port));
    notes.observe('entry ids survive an edit of a scalar', before.join() === after.join());
  }),
} satisfies SomeCasesOf<'reading'>;

/** Every object that is an item of an array, at any depth. */
function objectsInArrays(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value))
    return value.flatMap((item) => [...(isObject(item) ? [item] : []), ...objectsInArrays(item)]);
  return isObject(value) ? Object.values(value).flatMap(objectsInArrays) : [];
}

async function appended({ given, service }: CaseContext, owner: Owner): Promise<Owner> {
  const value = given.entry(given.unique('appended'), {}, owner.port);
  const reply = await service.operations(owner, [{ op: 'add', path: pointer(owner.port.member), value }]);
  given.succeeded(reply, 'an entry is appended', ['patch.add.appends-without-marker']);
  return given.current(owner);
}

/** Removes the last entry of the first read; an empty array stays as it is. */
async function withoutLast({ given, service }: CaseContext, owner: Owner): Promise<Owner> {
  const last = entriesOf(await service.read(owner), owner.port).at(-1);
  if (last === undefined) return owner;
  const reply = await service.operations(owner, [
    { op: 'remove', path: `${pointer(owner.port.member, last.entryId)}/` },
  ]);
  given.succeeded(reply, 'an entry is removed', ['patch.remove.entry-with-trailing-slash']);
  return given.current(owner);
}
