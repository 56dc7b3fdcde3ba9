import { integer } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import type { Port } from '../../judge/given.ts';
import type { Entry } from '../../judge/target.ts';
import { entriesOf, entriesOfPage, expanded, idsOf, textsOf } from '../../judge/answer.ts';
import { theLinkOf } from './words.ts';

export const pageCases = {
  'paging.page.documented-route-served': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(18);
    const link = theLinkOf(await service.read(owner), owner.port);
    const isTemplate = String(link['href']).includes('{pageNumber}');
    for (const number of [0, 1]) {
      const page = await service.page(owner, number);
      expect(page).toAnswer(200);
      const linked = isTemplate ? await service.get(expanded(link, number), { base: page }) : undefined;
      if (linked?.status === 200)
        expect(idsOf(entriesOfPage(page)), `entry ids of page ${number}`, page).toEqual(idsOf(entriesOfPage(linked)));
    }
  }),

  'paging.page-zero.equals-first-read': scenario(async ({ given, service, expect, notes }) => {
    for (const count of [1, 10, 11, 18, 21]) {
      const owner = await given.objectWithEntries(count);
      const first = entriesOf(await service.read(owner), owner.port);
      const page = await service.page(owner, 0);
      const zero = entriesOfPage(page);
      expect(idsAndTexts(zero, owner.port), `entries of page 0 of ${count} with their entry ids`, page).toEqual(
        idsAndTexts(first, owner.port),
      );
      if (count > 1)
        notes.observe('page 0 keeps the order of the first read', idsOf(zero).join() === idsOf(first).join());
    }
    const empty = await service.page(await given.objectWithEntries(0), 0);
    notes.observe('page 0 of an empty array', empty.status, empty);
  }),

  'paging.page-one.holds-the-rest': scenario(async ({ given, service, expect }) => {
    for (const [count, rest] of [
      [18, 8],
      [11, 1],
      [20, 10],
    ] as const) {
      const owner = await given.objectWithEntries(count);
      const first = textsOf(entriesOf(await service.read(owner), owner.port), owner.port);
      const second = await service.page(owner, 1);
      const left = owner.texts.filter((text) => !first.includes(text));
      given.assume(left.length === rest, `the first read of ${count} entries leaves out ${rest}`);
      expect([...textsOf(entriesOfPage(second), owner.port)].sort(), `entries of page 1 of ${count}`, second).toEqual(
        left.sort(),
      );
    }
  }),

  'paging.pages.cover-array-once': property(
    integer({ min: 1, max: 45 }),
    async ({ given, service, expect, notes }, count) => {
      const owner = await given.objectWithEntries(count);
      const texts: unknown[] = [];
      for (let number = 0; number < Math.ceil(count / 10); number += 1) {
        const page = await service.page(owner, number);
        const entries = entriesOfPage(page);
        expect(entries.length, `entries on page ${number} of ${count}`, page).toEqual(
          Math.min(10, count - number * 10),
        );
        texts.push(...textsOf(entries, owner.port));
      }
      expect([...texts].sort(), `entries of all pages of ${count}`).toEqual([...owner.texts].sort());
      if (count > 1)
        notes.observe(
          'order of creation kept over the pages',
          texts.every((text, index) => text === owner.texts[index]),
        );
    },
    { always: [1, 10, 11, 20, 21, 31] },
  ),

  'paging.page.holds-at-most-ten': scenario(async ({ given, service, expect }) => {
    for (const count of [21, 31, 45]) {
      const owner = await given.objectWithEntries(count);
      const page = await service.page(owner, 1);
      expect(entriesOfPage(page).length, `entries on page 1 of ${count}`, page).toEqual(10);
    }
  }),

  'paging.page.outside-range': scenario(async ({ given, service, notes }) => {
    const owner = await given.objectWithEntries(18);
    for (const number of ['2', '99']) {
      const reply = await service.page(owner, number);
      notes.bound('pageOutOfRange', `page ${number} of 2`, reply.status, reply);
      notes.remarkServerError(reply);
    }
    for (const number of ['-1', '1.5', 'abc', '01', '2147483648']) {
      const reply = await service.page(owner, number);
      if (number !== '2147483648' && number !== '01') notes.bound('pageInvalid', `page ${number}`, reply.status, reply);
      else notes.observe(`page ${number}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
    const unknown = await service.page(owner, 0, { port: { ...owner.port, portId: given.unique('no-port') } });
    notes.observe('a port that does not exist', unknown.status, unknown);
    notes.remarkServerError(unknown);
  }),
} satisfies SomeCasesOf<'paging'>;

/** What tells page 0 from another set than that of the first read; nothing is said about the order. */
function idsAndTexts(entries: readonly Entry[], port: Port): readonly string[] {
  return entries.map(({ entryId, members }) => `${entryId} ${String(members[port.text])}`).sort();
}
