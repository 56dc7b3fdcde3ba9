import { integer } from 'fast-check';
import { growing } from './growth.ts';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import type { Port } from '../../judge/given.ts';
import { entriesOfPage, expanded, pageLinks, pageLinksOf, textsOf } from '../../judge/answer.ts';
import { theLinkOf } from './words.ts';

const sizes = integer({ min: 11, max: 45 });
const boundaries = { always: [11, 18, 20, 21, 30, 31] };

export const linkCases = {
  'paging.link.present-above-ten': scenario(async ({ given, service, expect }) => {
    for (const count of [11, 18, 20, 21]) {
      const owner = await given.objectWithEntries(count);
      const read = await service.read(owner);
      expect(pageLinksOf(read, owner.port).length, `links with rel page for an array of ${count}`, read).toEqual(1);
    }
  }),

  'paging.link.absent-up-to-ten': scenario(async ({ given, service, expect }) => {
    for (const count of [0, 1, 9, 10]) {
      const owner = await given.objectWithEntries(count);
      const read = await service.read(owner);
      expect(pageLinksOf(read, owner.port).length, `links with rel page for an array of ${count}`, read).toEqual(0);
    }
  }),

  'paging.link.section-path-names-array': scenario(async ({ given, service, expect, profile }) => {
    const owner = await given.objectWithEntries(12, { second: 25 });
    const read = await service.read(owner);
    const links = pageLinks(read);
    expect(links.length, 'page links of two long arrays', read).toSatisfy('2 or more', (count) => count >= 2);
    for (const link of links) expect(link['sectionPath'], 'sectionPath', read).toBeAString();
    expect(
      new Set(links.map((link) => link['sectionPath'])).size,
      'different sectionPaths of page links',
      read,
    ).toEqual(links.length);
    const linkOf = (port: Port, count: number) =>
      pageLinksOf(read, port, false)[0] ?? links.find(({ totalNumber }) => totalNumber === count);
    const first = given.present(
      linkOf(owner.port, 12),
      'to know the page link of the first array; bind arrayPort.sectionPath in the profile',
    );
    const second = given.present(
      linkOf(profile.secondPort, 25),
      'to know the page link of the second array; bind secondArrayPort.sectionPath in the profile',
    );
    const ofTheFirst = new Set<unknown>(owner.texts);
    const firstPage = await service.get(expanded(first, 1), { base: read });
    const firstTexts = textsOf(entriesOfPage(firstPage), owner.port);
    expect(firstTexts, 'entries behind the link of the first array', firstPage).toSatisfy(
      'some, all of that array',
      isFilledWith((text) => ofTheFirst.has(text)),
    );
    const secondPage = await service.get(expanded(second, 1), { base: read });
    const secondTexts = textsOf(entriesOfPage(secondPage), profile.secondPort);
    expect(secondTexts, 'entries behind the link of the second array', secondPage).toSatisfy(
      'some, none of the first array',
      isFilledWith((text) => !ofTheFirst.has(text)),
    );

    const lone = await service.read(await given.objectWithEntries(12, { second: 3 }));
    const ofTheLong = pageLinks(lone).filter((link) => link['sectionPath'] === first['sectionPath']);
    expect(ofTheLong.length, 'page links of the long array beside a short one', lone).toEqual(1);
  }),

  'paging.link.pages-count': property(
    sizes,
    async ({ given, service, expect }, count) => {
      const owner = await given.objectWithEntries(count);
      const read = await service.read(owner);
      expect(theLinkOf(read, owner.port)['pages'], `pages of an array of ${count}`, read).toEqual(
        Math.ceil(count / 10),
      );
    },
    boundaries,
  ),

  'paging.link.total-number': property(
    sizes,
    async ({ given, service, expect }, count) => {
      const owner = await given.objectWithEntries(count);
      const read = await service.read(owner);
      expect(theLinkOf(read, owner.port)['totalNumber'], `totalNumber of an array of ${count}`, read).toEqual(count);
    },
    boundaries,
  ),

  'paging.link.href-holds-template': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(11);
    const read = await service.read(owner);
    const { href } = theLinkOf(read, owner.port);
    expect(href, 'href of the page link', read).toBeAString();
    expect(String(href).split('{pageNumber}').length - 1, 'occurrences of {pageNumber} in the href', read).toEqual(1);
  }),

  'paging.link.method-is-get': scenario(async ({ given, service, expect, profile }) => {
    const owner = await given.objectWithEntries(11);
    const readers =
      profile.all.identities.reader === undefined ? (['editor'] as const) : (['editor', 'reader'] as const);
    for (const as of readers) {
      const read = await service.read(owner, { as });
      expect(theLinkOf(read, owner.port)['method'], `method of the page link for the ${as}`, read).toEqual('GET');
    }
  }),

  'paging.link.expanded-href-works': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(21);
    const read = await service.read(owner);
    const link = theLinkOf(read, owner.port);
    for (const [number, length] of [10, 10, 1].entries()) {
      const page = await service.get(expanded(link, number), { base: read });
      expect(page).toAnswer(200);
      expect(entriesOfPage(page).length, `entries on page ${number}`, page).toEqual(length);
    }
  }),

  'paging.link.follows-growth': growing,
} satisfies SomeCasesOf<'paging'>;

function isFilledWith(belongs: (text: unknown) => boolean): (texts: readonly unknown[]) => boolean {
  return (texts) => texts.length > 0 && texts.every(belongs);
}
