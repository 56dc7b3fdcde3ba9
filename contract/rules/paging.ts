import { rules } from '../rule.ts';

export const pagingRules = rules('paging', {
  'paging.instance-read.at-most-ten': {
    level: 'must',
    source: 'core: Server side paging 1; Limits',
    statement: 'An array of entries in an instance read holds no more than 10 entries.',
    check:
      'Create E(0), E(1), E(9), E(10), E(11), E(18), E(20), E(21) and generated sizes up to 45; by both routes the array length is min(n, 10).',
    fault: 'the first read by the long route holds 11 entries',
    needs: ['soft-type', 'array-port'],
    style: 'property',
  },
  'paging.instance-read.short-array-complete': {
    level: 'must',
    source: 'core: Server side paging 1 and 4',
    statement: 'An array of 10 entries or fewer is delivered whole by the instance read.',
    check: 'For n = 0, 1, 9, 10 the entries read equal the entries created, compared by content and not by count.',
    fault: 'the first read of ten entries holds 9',
    needs: ['soft-type', 'array-port'],
  },
  'paging.instance-read.every-array-limited': {
    level: 'must',
    source: 'core: Server side paging 1',
    statement: 'The limit of 10 applies to each array on its own, including arrays inside entries.',
    check:
      'One object with two root arrays of 12 and 15 entries shows 10 and 10, not 10 in total; with 12 and 3 it shows 10 and 3.',
    fault: 'only the first array of the object is limited',
    needs: ['soft-type', 'array-port', 'second-array-port'],
  },
  'paging.nested-array.limited': {
    level: 'must',
    source: 'core: Server side paging 1 (every array of entries)',
    statement: 'An array inside an entry is limited to 10 entries in the instance read as well.',
    check:
      'Create an entry with 0, 10, 11 and 21 nested entries; the nested array holds min(n, 10). Record whether a page link exists for it and which sectionPath it carries, because addressing nested pages is not described.',
    fault: 'nested arrays are delivered whole',
    needs: ['soft-type', 'array-port', 'nested-array-port'],
  },
  'paging.link.present-above-ten': {
    level: 'must',
    source: 'core: Server side paging 2',
    statement: 'When an array has more than 10 entries, `links` holds a link with `rel` equal to `page` for it.',
    check:
      'E(11), E(18), E(20), E(21) each show exactly one link with rel `page` for the array port. Compare the rel text exactly.',
    fault: 'the page link appears from 12 entries on',
    needs: ['soft-type', 'array-port'],
  },
  'paging.link.absent-up-to-ten': {
    level: 'should',
    source: 'core: Server side paging 2 (condition of the rule)',
    statement:
      'An array of 10 entries or fewer has no page link, since the rule ties the link to more than 10 entries.',
    check:
      'E(0), E(1), E(9), E(10) show no link with rel `page` for that array, although other links may be present. A link with pages 1 is reported as a warning.',
    fault: 'a page link is emitted from 10 entries on',
    needs: ['soft-type', 'array-port'],
  },
  'paging.link.section-path-names-array': {
    level: 'must',
    source: 'core: Server side paging 2; Link object, sectionPath',
    statement: 'Each page link names its array in `sectionPath`, a string, and each long array has its own link.',
    check:
      'With two arrays of 12 and 25 entries there are two page links with different sectionPath values, each naming its array, and following a link gives entries of that array only. With 12 and 3 there is one.',
    fault: 'both page links carry the sectionPath of the first array',
    needs: ['soft-type', 'array-port', 'second-array-port'],
    after: ['paging.link.present-above-ten'],
  },
  'paging.link.pages-count': {
    level: 'must',
    source: 'core: Server side paging 2 and 4; Link object, pages',
    statement: '`pages` is an integer equal to the number of entries divided by 10, rounded up, page 0 included.',
    check:
      'Generated n from 11 to 45 with 11, 18, 20, 21, 30, 31 always included: pages is 2, 2, 2, 3, 3, 4. The type is number.',
    fault: 'pages is floor(n / 10) + 1, wrong only at multiples of 10',
    needs: ['soft-type', 'array-port'],
    style: 'property',
    after: ['paging.link.present-above-ten'],
  },
  'paging.link.total-number': {
    level: 'must',
    source: 'core: Server side paging 2; Link object, totalNumber',
    statement: '`totalNumber` is an integer equal to the count of entries in the whole array.',
    check: 'Generated n from 11 to 45; totalNumber equals n, not the 10 delivered and not the n - 10 remaining.',
    fault: 'totalNumber counts ten entries for every page',
    needs: ['soft-type', 'array-port'],
    style: 'property',
    after: ['paging.link.present-above-ten'],
  },
  'paging.link.href-holds-template': {
    level: 'must',
    source: 'core: Server side paging 3; Link object, href',
    statement: 'The `href` of a page link holds the literal text `{pageNumber}` exactly once, unencoded.',
    check:
      'Search the raw string. Paired negative: the href holds no digit segment in its place, and links of other rels need no template.',
    fault: 'href of the page link is already expanded to page 1',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
  },
  'paging.link.method-is-get': {
    level: 'must',
    source: 'core: Link object, method; Endpoint table, page route',
    statement: 'The `method` of a page link is the string `GET`.',
    check: 'Read the link of E(11) as editor and as reader and compare the method; both may use it.',
    fault: 'method of the page link is POST',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
  },
  'paging.link.expanded-href-works': {
    level: 'must',
    source: 'core: Server side paging 3',
    statement: 'With `{pageNumber}` replaced by 0 up to pages - 1 the href answers 200 with a page response each time.',
    check:
      'E(21): expand to 0, 1, 2 and GET each as given (resolved against the request URI when relative); three times 200 with 10, 10 and 1 entries.',
    fault: 'page numbers in the link route count from 1',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.href-holds-template'],
  },
  'paging.link.follows-growth': {
    level: 'must',
    source: 'core: Server side paging 1 and 2',
    statement: 'Presence, `pages` and `totalNumber` of the link follow the array as entries are appended and removed.',
    check:
      'Random walk of single appends and removals from 0 to 64 entries, around full pages above all; after each step compare link, lengths and all pages one after the other with a plain list held by the client.',
    fault: 'link counters stay at the most entries that were ever there',
    needs: ['soft-type', 'array-port'],
    style: 'model',
    after: [
      'paging.link.total-number',
      'paging.link.pages-count',
      'paging.instance-read.short-array-complete',
      'paging.link.present-above-ten',
      'paging.page-one.holds-the-rest',
      'paging.pages.cover-array-once',
      'paging.page.holds-at-most-ten',
      'paging.page-body.entry-ids-address-entries',
      'paging.page-body.version-of-owner',
      'reading.entries.ids-unique-in-array',
      'patch.add.appends-without-marker',
      'patch.add.appends-with-marker',
      'patch.add.lands-last',
      'patch.remove.cascades-to-parent',
      'patch.remove.cascade-spares-siblings',
      'patch.remove.entry-with-trailing-slash',
    ],
  },
  'paging.page.documented-route-served': {
    level: 'must',
    source: 'core: Endpoint table, GET softtype/page',
    statement:
      'GET `/api/space/{spaceId}/softtype/page/{softTypeId}/{outputSchemaId}/{arrayPortId}/{objectId}/{pageNumber}` answers 200 with a page response.',
    check:
      'Build the URI from the profile, not from the link, for pages 0 and 1 of E(18), and compare with the body got through the link.',
    fault: "only the link's own URI form is routed",
    needs: ['soft-type', 'array-port'],
  },
  'paging.page-zero.equals-first-read': {
    level: 'must',
    source: 'core: Server side paging 4',
    statement: 'Page 0 is the set of entries that the instance read already included.',
    check:
      'For E(11), E(18), E(21) compare page 0 with the array of the instance read, entry ids and contents. Also E(1) and E(10), where page 0 is all there is. E(0) is recorded only.',
    fault: 'page 0 holds the entries after the first ten',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
  },
  'paging.page-one.holds-the-rest': {
    level: 'must',
    source: 'core: Server side paging 4 (example of 18 entries)',
    statement: 'For 18 entries page 1 holds exactly the 8 entries that the first read left out.',
    check:
      'E(18): the ids of page 1 and of the first read are disjoint and together are all 18. Boundary siblings: E(11) gives 1 entry on page 1, E(20) gives 10.',
    fault: 'page 1 of 18 entries is filled up to ten by repeating earlier entries',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
  },
  'paging.pages.cover-array-once': {
    level: 'must',
    source: 'core: Server side paging 2 and 4',
    statement:
      'The pages 0 to pages - 1 together hold every entry exactly once, with 10 entries on every page but the last.',
    check:
      'Generated n from 1 to 45: collect all pages, compare the multiset of entry contents with what was created, and the sizes with 10, 10, ..., remainder. Record whether the order of creation is kept.',
    fault: 'the entry on the boundary between pages 2 and 3 appears on both',
    needs: ['soft-type', 'array-port'],
    style: 'property',
    after: ['paging.page.documented-route-served'],
  },
  'paging.page.holds-at-most-ten': {
    level: 'must',
    source: 'core: Limits; Server side paging 2',
    statement: 'A page response never holds more than 10 entries.',
    check: 'E(21), E(31), E(45): the length of `data` on page 1 is 10.',
    fault: 'page 1 of more than 30 entries holds all after the first ten',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
  },
  'paging.page-body.href-leads-back': {
    level: 'must',
    source: 'core: Page response, href',
    statement: 'A page response holds `href`, a string, whose GET returns that same page.',
    check:
      'GET page 0 and page 1 of E(18), follow each `href`, compare the entry ids. The two href values differ and hold no template.',
    fault: 'href of a page is the URI of the instance',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
  },
  'paging.page-body.data-is-array': {
    level: 'must',
    source: 'core: Page response, data',
    statement:
      '`data` of a page response is an array of entry objects, each with `$entryId`, of the same content as in an instance read.',
    check:
      'E(18), page 1: `data` is an array, every item has `$entryId` as integer or string and the members created. Contrast with the instance read, where `data` is an object.',
    fault: 'page data is an object that holds the array under the port name',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
  },
  'paging.page-body.entry-ids-address-entries': {
    level: 'must',
    source: 'core: Page response, data; System properties, $entryId',
    statement: 'The `$entryId` of an entry on a later page addresses that entry in an operations PATCH.',
    check:
      'E(18): take an id from page 1, remove that entry by it, reread all pages; exactly that content is missing and 17 are left.',
    fault: 'entry ids on later pages start again at the ids of page 0',
    needs: ['soft-type', 'array-port'],
    after: ['patch.remove.entry-with-trailing-slash'],
  },
  'paging.page-body.version-of-owner': {
    level: 'must',
    source: 'core: Page response, version',
    statement: '`version` of a page response is the integer system version of the object that owns the array.',
    check:
      'E(11): page 1 shows version 1; edit a scalar of the object; page 1 shows 2 although its entries did not change; equal to the instance read each time.',
    fault: 'version of a page is the version at which its entries last changed',
    needs: ['soft-type', 'array-port', 'scalar-members'],
    after: ['paging.page.documented-route-served'],
  },
  'paging.filter.applies-to-page': {
    level: 'must',
    source: 'core: Server side paging 5; Endpoint table, GET softtype/page',
    statement: 'The page GET applies the configured filter passed as `softTypeFilter`.',
    check:
      '25 entries of which 13 match: filtered pages 0 and 1 hold 10 and 3 matching entries; unfiltered page 1 holds 10 of all kinds.',
    fault: 'the filter is applied after cutting the page, so pages hold fewer than ten',
    needs: ['soft-type', 'array-port', 'filter'],
    after: ['reading.filter.narrows-entries', 'paging.pages.cover-array-once'],
  },
  'paging.filter.value-on-page': {
    level: 'must',
    source: 'core: Server side paging 5; Endpoint table, GET softtype/page',
    statement: 'A dynamic value parameter works on the page GET as it does on the instance GET.',
    check:
      '12 entries of value a and 13 of value b: page 1 for a holds 2 entries, for b 3, all of the value asked for.',
    fault: 'the page route ignores the dynamic value parameter',
    needs: ['soft-type', 'array-port', 'filter-with-value'],
    after: ['paging.filter.applies-to-page'],
  },
  'paging.filter.shapes-links': {
    level: 'must',
    source: 'core: Server side paging 5 (last sentence)',
    statement:
      'In a filtered instance read the page link reflects the filtered array: `totalNumber` and `pages` count admitted entries, and no link is needed when 10 or fewer remain.',
    check:
      '25 entries, 13 match: totalNumber 13, pages 2. 25 entries, 4 match: the total of any page link is not 25. The unfiltered read of the same object still says 25 and 3.',
    fault: 'link counters of a filtered read count the unfiltered array',
    needs: ['soft-type', 'array-port', 'filter'],
    after: ['reading.filter.narrows-entries', 'paging.link.total-number'],
  },
  'paging.filter.link-keeps-filter': {
    level: 'observe',
    source: 'core: Server side paging 5',
    statement:
      'Whether the href of a page link of a filtered read already carries the filter and its values is not said.',
    check: 'Expand the link of a filtered read as given and record whether the pages are filtered.',
    needs: ['soft-type', 'array-port', 'filter'],
  },
  'paging.page.outside-range': {
    level: 'observe',
    source: 'core: Server side paging 3 and 4',
    statement:
      'Not described: the answer for page numbers equal to or above pages, negative, fractional, non-numeric or very large, and for unknown array ports.',
    check:
      'E(18): ask for 2, 99, -1, 1.5, abc, 01, 2147483648 and for a port that does not exist; record status and body. A 5xx is reported as a remark.',
    needs: ['soft-type', 'array-port'],
  },
});
