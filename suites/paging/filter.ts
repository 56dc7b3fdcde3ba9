import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { entriesOf, entriesOfPage, expanded, pageLinksOf, textsOf } from '../../judge/answer.ts';
import { entriesForFilter, withFilter, withFilterOnPage, withValueOnPage } from '../../judge/filters.ts';
import { theLinkOf } from './words.ts';

export const filterCases = {
  'paging.filter.applies-to-page': scenario(async (context) => {
    const { service, expect } = context;
    const { owner, matching } = await entriesForFilter(context, { matching: 13, other: 12 });
    const seen = [];
    for (const [number, length] of [10, 3].entries()) {
      const page = await service.page(owner, number, withFilterOnPage(context, owner, number));
      const texts = textsOf(entriesOfPage(page), owner.port);
      expect(texts.length, `entries on filtered page ${number} of 13 that match`, page).toEqual(length);
      seen.push(...texts);
    }
    expect(seen.sort(), 'entries of the filtered pages').toEqual([...matching].sort());
    const all = await service.page(owner, 1);
    expect(entriesOfPage(all).length, 'entries on page 1 of 25 without filter', all).toEqual(10);
  }),

  'paging.filter.value-on-page': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const member = profile.all.filters?.withValue?.member ?? '';
    const [a, b] = [given.unique('a'), given.unique('b')];
    const owner = await given.objectWithEntries(25, { members: (index) => ({ [member]: index % 2 === 0 ? b : a }) });
    for (const [value, rest] of [
      [a, 2],
      [b, 3],
    ] as const) {
      const page = await service.page(owner, 1, withValueOnPage(context, owner, 1, value));
      const expected = owner.texts.filter((_text, index) => (index % 2 === 0 ? b : a) === value);
      const texts = textsOf(entriesOfPage(page), owner.port);
      expect(texts.length, `entries on page 1 for ${value}`, page).toEqual(rest);
      for (const text of texts) expect(text, `entry on page 1 for ${value}`, page).toBeOneOf(expected);
    }
  }),

  'paging.filter.shapes-links': scenario(async (context) => {
    const { service, expect } = context;
    for (const matching of [13, 4]) {
      const { owner } = await entriesForFilter(context, { matching, other: 25 - matching });
      const filtered = await service.read(owner, withFilter(context, owner));
      const [link] = pageLinksOf(filtered, owner.port);
      if (matching > 10) expect(link, 'page link of 13 admitted entries', filtered).toBePresent();
      if (link !== undefined)
        expect(link['totalNumber'], `totalNumber of ${matching} admitted entries`, filtered).toEqual(matching);
      if (link !== undefined)
        expect(link['pages'], `pages of ${matching} admitted entries`, filtered).toEqual(Math.ceil(matching / 10));
      const plain = await service.read(owner);
      expect(theLinkOf(plain, owner.port)['totalNumber'], 'totalNumber without filter', plain).toEqual(25);
      expect(theLinkOf(plain, owner.port)['pages'], 'pages without filter', plain).toEqual(3);
    }
  }),

  'paging.filter.link-keeps-filter': scenario(async (context) => {
    const { service, notes, given } = context;
    const { owner, matching } = await entriesForFilter(context, { matching: 13, other: 12 });
    const filtered = await service.read(owner, withFilter(context, owner));
    given.assume(entriesOf(filtered, owner.port).length > 0, 'the filter admits entries');
    const page = await service.get(expanded(theLinkOf(filtered, owner.port), 1), { base: filtered });
    const texts = page.status === 200 ? textsOf(entriesOfPage(page), owner.port) : [];
    notes.observe('status of the page link of a filtered read', page.status, page);
    notes.observe(
      'page link of a filtered read leads to filtered pages',
      texts.length === 3 && texts.every((text) => matching.includes(String(text))),
      page,
    );
  }),
} satisfies SomeCasesOf<'paging'>;
