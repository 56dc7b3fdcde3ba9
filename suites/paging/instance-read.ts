import { integer } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { entriesOf, pageLinks, textsOf } from '../../judge/answer.ts';

export const instanceReadCases = {
  'paging.instance-read.at-most-ten': property(
    integer({ min: 0, max: 45 }),
    async ({ given, service, expect }, count) => {
      const owner = await given.objectWithEntries(count);
      for (const first of [await service.read(owner), await service.readLong(owner)])
        expect(entriesOf(first, owner.port).length, `entries in the first read of ${count}`, first).toEqual(
          Math.min(count, 10),
        );
    },
    { always: [0, 1, 9, 10, 11, 18, 20, 21] },
  ),

  'paging.instance-read.short-array-complete': scenario(async ({ given, service, expect }) => {
    for (const count of [0, 1, 9, 10]) {
      const owner = await given.objectWithEntries(count);
      const read = await service.read(owner);
      expect([...textsOf(entriesOf(read, owner.port), owner.port)].sort(), `entries read of ${count}`, read).toEqual(
        [...owner.texts].sort(),
      );
    }
  }),

  'paging.instance-read.every-array-limited': scenario(async ({ given, service, expect, profile }) => {
    for (const [first, second] of [
      [12, 15],
      [12, 3],
    ] as const) {
      const owner = await given.objectWithEntries(first, { second });
      const read = await service.read(owner);
      expect(entriesOf(read, owner.port).length, `entries of ${first} in the first array`, read).toEqual(10);
      expect(entriesOf(read, profile.secondPort).length, `entries of ${second} in the second array`, read).toEqual(
        Math.min(second, 10),
      );
    }
  }),

  'paging.nested-array.limited': scenario(async ({ given, service, expect, notes }) => {
    const counts = [0, 10, 11, 21];
    const owner = await given.objectWithEntries(counts.length, { nested: (index) => counts[index] ?? 0 });
    const read = await service.read(owner);
    const nested = owner.port.nested?.member ?? '';
    for (const entry of entriesOf(read, owner.port)) {
      const sent = counts[owner.texts.indexOf(String(entry.members[owner.port.text]))] ?? 0;
      const items = entry.members[nested] ?? [];
      expect(items, `nested array of ${sent}`, read).toBeAnArray();
      expect(Array.isArray(items) ? items.length : 0, `nested entries of ${sent}`, read).toEqual(Math.min(sent, 10));
    }
    const links = pageLinks(read).map((link) => String(link['sectionPath']).replace(/\d+/g, '<entryId>'));
    notes.observe('sectionPath of page links of nested arrays', links.join(', ') || 'no such link', read);
  }),
} satisfies SomeCasesOf<'paging'>;
