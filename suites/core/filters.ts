import { entriesPerPage } from '../../contract/limits.ts';
import { constantFrom } from 'fast-check';
import { decodedOnce } from '../../fixtures/values.ts';
import {
  entriesOf,
  entriesOfPage,
  expandLink,
  memberOf,
  pageLinks,
  pageLinksOf,
  textsOf,
} from '../../judge/service/answers.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { objectsIn, pointer } from '../../judge/json.ts';
import {
  makeFilterable,
  withFilter,
  withFilterOnPage,
  withQuery,
  withValue,
  withValueOnPage,
} from '../../judge/service/queries.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { withTurnedQuery } from '../../judge/service/spellings.ts';
import type { Owner } from '../../judge/things.ts';
import {
  expectAdmittedAnew,
  expectAlikeWithoutMembers,
  expectFilteredCurrent,
  expectFilteredHoweverMade,
  expectNothingOfAborted,
} from './checks/filtered-edits.ts';
import { add } from './checks/operation-steps.ts';
import { expectInnerLinksFiltered } from './checks/inner-hundred.ts';
import { expectLedAlike } from './checks/led-alike.ts';
import { readersOf } from './checks/readers.ts';
import { expectFilteredAtOnce } from './checks/reads-at-once.ts';
import { anyCharacter, makeSelectable, oddEnd } from './checks/selectable.ts';
import { theLinkOf } from './paging.ts';

/** Beyond what an index may keep of a value, in characters; the first that is taken is tried. */
const longValues = [300, 100];
/** What stands for any text in the patterns of databases, or elsewhere. */
const anyText = ['*', '%', '.*'];

export const readingFilterRules = rules('reading', {
  'reading.filter.narrows-entries': {
    source: 'core: Server side paging 5; Endpoint table, GET softtype',
    statement:
      'Passing the id of a configured filter as `softTypeFilterId` on the instance GET returns only what the filter admits by what it holds now, at its version, whoever edited it, nothing where it admits nothing; an entry that lost what is compared is treated as one that never had it, one that a failed batch added is not found, and no value of a query takes the place of the one that is configured, on a page neither. Without the parameter nothing is filtered.',
    fault: 'ignores softTypeFilterId',
    needs: ['soft-type', 'array-port', 'filter'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const { owner, matching } = await makeFilterable(context, { matching: 4, other: 5 });
      given.succeeded(await service.read(owner), 'an unfiltered read', ['reading.instance.short-route-served']);
      for (const as of readersOf(profile)) {
        for (const read of [service.requests.read(owner), service.requests.readLong(owner)]) {
          const filtered = await service.send(read, { ...withFilter(context, owner, read), as });
          expect(filtered).toAnswer(200);
          expect(
            [...textsOf(entriesOf(filtered, owner.port), owner.port)].sort(),
            `entries that the filter admits for the ${as}`,
            filtered,
          ).toEqual([...matching].sort());
        }
        const plain = await service.read(owner, { as });
        expect([...textsOf(entriesOf(plain, owner.port), owner.port)].sort(), 'entries without filter', plain).toEqual(
          [...owner.texts].sort(),
        );
      }
      await expectAdmittedBehindTen(context);
      await expectNoneAdmitted(context);
      await expectAdmittedAnew(context);
      await expectFilteredCurrent(context);
      await expectFilteredHoweverMade(context);
      await expectAlikeWithoutMembers(context);
      await expectNothingOfAborted(context);
      await expectFilteredAtOnce(context);
      await expectAdmittedWhole(context);
    }),
  },
  'reading.filter.query-value-selects': {
    source: 'core: Server side paging 5; Endpoint table, GET softtype',
    statement:
      'For a filter whose value is blank in configuration, the query parameter `{groupId}.{criteriaPort}={portValue}` supplies the value, before or behind the id of the filter, to whoever reads, on the long route as on the short one.',
    fault: 'uses the first value ever supplied for all later requests',
    needs: ['soft-type', 'array-port', 'filter-with-value'],
    after: ['reading.filter.narrows-entries'],
    test: property(
      constantFrom('plain', 'with blank', 'a&b=c', '50%', 'ünïcode', 'slash/in', oddEnd),
      async (context, suffix) => {
        const { given, service, expect, profile } = context;
        const { owner, values, valueOf } =
          (await unlessRefused(() => makeSelectable(context, suffix))) ?? (await makeSelectable(context, 'plain'));
        given.succeeded(await service.read(owner), 'an unfiltered read', ['reading.instance.short-route-served']);
        for (const [turn, value] of [...values, given.unique('nobody')].entries()) {
          // two values for each: what was kept of the first is not what the second selects
          const as = turn < 2 ? (readersOf(profile).at(-1) ?? 'editor') : 'editor';
          // a value that has to be encoded comes by either route
          const route = turn === 1 ? service.requests.readLong(owner) : service.requests.read(owner);
          const { url } = withValue(context, owner, value, route);
          const read = await service.read(owner, { url: turn % 2 === 0 ? url : withTurnedQuery(url), as });
          expect(read).toAnswer(200);
          const expected = owner.texts.filter((_text, index) => valueOf(index) === value);
          expect(
            [...textsOf(entriesOf(read, owner.port), owner.port)].sort(),
            `entries for the value ${value}`,
            read,
          ).toEqual([...expected].sort());
        }
        if (suffix === oddEnd) await expectSelectedBehindTen(context);
      },
      { always: [oddEnd], share: 0.3 },
    ),
  },
  'reading.filter.incomplete-use': {
    level: 'observe',
    source: 'core: Server side paging 5',
    statement:
      'It is not described what happens with an unknown filter id, a blank-value filter without a value, a value parameter without a filter, or the parameter name of the other route (`softTypeFilter` on the instance GET).',
    needs: ['soft-type', 'array-port', 'filter', 'filter-with-value'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const { owner, matching } = await makeFilterable(context, { matching: 4, other: 5 });
      const { url } = service.requests.read(owner);
      const { fixed, withValue: blank } = profile.all.filters ?? {};
      const uses = {
        unknownFilter: [{ softTypeFilterId: given.unique('no-filter') }, 'an unknown filter'],
        filterValueMissing: [{ softTypeFilterId: blank?.id ?? '' }, 'a blank-value filter without a value'],
        valueAlone: [{ [`${blank?.groupId}.${blank?.criteriaPort}`]: 'x' }, 'a value without a filter'],
        otherName: [{ softTypeFilter: fixed?.id ?? '' }, 'the parameter name of the page route'],
      } as const;
      for (const [key, [query, what]] of Object.entries(uses)) {
        const reply = await service.get(withQuery(url, query));
        if (key === 'unknownFilter' || key === 'filterValueMissing') notes.bound(key, what, reply.status, reply);
        else notes.observe(what, reply.status, reply);
        const count = reply.status === 200 ? entriesOf(reply, owner.port).length : -1;
        const results = new Map([
          [-1, 'none'],
          [0, 'empty'],
          [matching.length, 'filtered'],
          [owner.texts.length, 'complete'],
        ]);
        notes.observe(`result with ${what}`, results.get(count) ?? `${count} entries`, reply);
      }
    }),
  },
});

export const pagingFilterRules = rules('paging', {
  'paging.filter.applies-to-page': {
    source: 'core: Server side paging 5; Endpoint table, GET softtype/page',
    statement:
      'The page GET applies the configured filter passed as `softTypeFilter`, also one that admits no entry, and none where none is passed, whatever the request before asked for.',
    fault: 'the filter is applied after cutting the page, so pages hold fewer than ten',
    needs: ['soft-type', 'array-port', 'filter'],
    after: ['reading.filter.narrows-entries', 'paging.pages.cover-array-once'],
    test: scenario(async (context) => {
      const { service, expect, profile } = context;
      const { owner, matching } = await makeFilterable(context, { matching: 23, other: 12 });
      for (const as of readersOf(profile)) {
        const seen = [];
        for (const [number, length] of [10, 10, 3].entries()) {
          const page = await service.page(owner, number, { ...withFilterOnPage(context, owner, number), as });
          const texts = textsOf(entriesOfPage(page), owner.port);
          expect(texts.length, `entries on filtered page ${number} of 23 that match, for the ${as}`, page).toEqual(
            length,
          );
          seen.push(...texts);
        }
        expect(seen.sort(), `entries of the filtered pages for the ${as}`).toEqual([...matching].sort());
      }
      const expectAll = async (): Promise<void> => {
        const last = await service.page(owner, 3);
        expect(entriesOfPage(last).length, 'entries on page 3 of 35 without filter', last).toEqual(5);
      };
      await expectAll();
      await service.read(owner, withFilter(context, owner));
      await expectAll();
      await expectNoneOnPage(context);
    }),
  },
  'paging.filter.value-on-page': {
    source: 'core: Server side paging 5; Endpoint table, GET softtype/page',
    statement:
      'A dynamic value parameter works on the page GET as it does on the instance GET, also with a value that no entry has, and admits there what it admits in a read, be other values nearly the same, or a parameter of another group before it.',
    fault: 'the page route ignores the dynamic value parameter',
    needs: ['soft-type', 'array-port', 'filter-with-value'],
    after: ['paging.filter.applies-to-page'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const member = profile.all.filters?.withValue?.member ?? '';
      const [a, b] = [given.unique('a'), `${given.unique('b')} ${decodedOnce}`];
      const owner = await given.objectWithEntries(45, { members: (index) => ({ [member]: index % 2 === 0 ? b : a }) });
      for (const [value, number, length] of [
        [a, 1, 10],
        [a, 2, 2],
        [b, 1, 10],
        [b, 2, 3],
      ] as const) {
        // page 1 for each value: what was kept of the first is not what the second selects
        const as = number === 1 ? (readersOf(profile).at(-1) ?? 'editor') : 'editor';
        const page = await service.page(owner, number, { ...withValueOnPage(context, owner, number, value), as });
        const expected = owner.texts.filter((_text, index) => (index % 2 === 0 ? b : a) === value);
        const texts = textsOf(entriesOfPage(page), owner.port);
        expect(texts.length, `entries on page ${number} for ${value}`, page).toEqual(length);
        for (const text of texts) expect(text, `entry on page ${number} for ${value}`, page).toBeOneOf(expected);
      }
      const page = await service.page(owner, 0, withValueOnPage(context, owner, 0, given.unique('nobody')));
      expectNoEntryOn(context, page, 'a value that no entry has');
      await expectComparedAsInReads(context);
    }),
  },
  'paging.filter.shapes-links': {
    source: 'core: Server side paging 5 (last sentence)',
    statement:
      'In an instance read that is filtered, by a value of the filter or one of the query, the page link reflects the filtered array: `totalNumber` and `pages` count admitted entries, also where they fill their last page or there are none of eleven, and no link is needed when 10 or fewer remain. The number of a page put into the link is enough to get that page, filtered or not; a link that leads to filtered pages does so for any value, by either route and for whoever reads, as does the href of such a page, and the link of a read without a filter behind it leads to all entries.',
    fault: 'link counters of a filtered read count the unfiltered array',
    needs: ['soft-type', 'array-port', 'filter'],
    after: ['reading.filter.narrows-entries', 'paging.link.total-number'],
    test: scenario(async (context) => {
      const { service, expect, profile } = context;
      for (const matching of [13, 4]) {
        const { owner } = await makeFilterable(context, { matching, other: 25 - matching });
        for (const as of readersOf(profile))
          for (const read of [service.requests.read(owner), service.requests.readLong(owner)]) {
            const filtered = await service.send(read, { ...withFilter(context, owner, read), as });
            expectShaped(context, filtered, owner, matching);
            if (matching > 10)
              expect(
                await service.get(expandLink(theLinkOf(filtered, owner.port), 1), { base: filtered, as }),
              ).toAnswer(200);
          }
        const plain = await service.read(owner);
        expect(theLinkOf(plain, owner.port)['totalNumber'], 'totalNumber without filter', plain).toEqual(25);
        expect(theLinkOf(plain, owner.port)['pages'], 'pages without filter', plain).toEqual(3);
        const last = await service.get(expandLink(theLinkOf(plain, owner.port), 2), { base: plain });
        expect(last).toAnswer(200);
        expect(
          entriesOfPage(last).length,
          'entries on the last page that a read without filter leads to',
          last,
        ).toEqual(5);
        if (matching > 10) await expectShapedAnew(context, owner, matching + 1);
      }
      for (const matching of [0, 34, 101]) {
        const made = await madeOfSize(context, { matching, other: 11 });
        if (made !== undefined)
          expectShaped(context, await service.read(made.owner, withFilter(context, made.owner)), made.owner, matching);
      }
      if (profile.all.filters?.withValue !== undefined) await expectShapedByValues(context);
      await expectOtherLinked(context);
      await expectLedAlike(context);
      await expectInnerLinksFiltered(context);
    }),
  },
  'paging.filter.link-keeps-filter': {
    level: 'observe',
    source: 'core: Server side paging 5',
    statement:
      'Whether the href of a page link of a filtered read already carries the filter and its values is not said.',
    needs: ['soft-type', 'array-port', 'filter'],
    test: scenario(async (context) => {
      const { service, notes, given } = context;
      const { owner, matching } = await makeFilterable(context, { matching: 13, other: 12 });
      const filtered = await service.read(owner, withFilter(context, owner));
      given.assume(entriesOf(filtered, owner.port).length > 0, 'the filter admits entries');
      const page = await service.get(expandLink(theLinkOf(filtered, owner.port), 1), { base: filtered });
      const texts = page.status === 200 ? textsOf(entriesOfPage(page), owner.port) : [];
      notes.observe('status of the page link of a filtered read', page.status, page);
      notes.observe(
        'page link of a filtered read leads to filtered pages',
        texts.length === 3 && texts.every((text) => matching.includes(String(text))),
        page,
      );
    }),
  },
});

/** How many entries a SoftType that is declared has room for. */
const roomOfPort = 50;

/** Undefined where more entries than every array port has room for are refused. */
async function madeOfSize(
  context: CaseContext,
  counts: Parameters<typeof makeFilterable>[1],
): Promise<Awaited<ReturnType<typeof makeFilterable>> | undefined> {
  const count = counts.matching + counts.other;
  if (count <= roomOfPort) return makeFilterable(context, counts);
  const made = await unlessRefused(() => makeFilterable(context, counts));
  if (made === undefined) context.notes.observe(`an object with ${count} entries`, 'is refused');
  return made;
}

/** What stands behind the first ten entries is admitted as well, and what is left out takes the place of none. */
async function expectAdmittedBehindTen(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  for (const counts of [
    { matching: 9, other: 14 },
    // the last entry alone
    { matching: 1, other: 103 },
  ]) {
    const made = await madeOfSize(context, counts);
    if (made === undefined) continue;
    const { owner, matching } = made;
    const read = await service.read(owner, withFilter(context, owner));
    expect(read).toAnswer(200);
    expect(
      [...textsOf(entriesOf(read, owner.port), owner.port)].sort(),
      `entries admitted of ${counts.matching + counts.other}`,
      read,
    ).toEqual([...matching].sort());
  }
}

/** What admits nothing is a filter all the same. */
async function expectNoneAdmitted(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { owner } = await makeFilterable(context, { matching: 0, other: 11 });
  const read = await service.read(owner, withFilter(context, owner));
  expect(read).toAnswer(200);
  expect(entriesOf(read, owner.port).length, 'entries shown where none of 11 is admitted', read).toEqual(0);
  if (!profile.offers('operations')) return;
  const entry = given.entry(given.unique('admitted'), profile.all.filters?.fixed?.matching ?? {}, owner.port);
  if (!isSuccess((await service.operations(owner, [add(pointer(owner.port.member), entry)])).status)) return;
  const grown = await service.read(owner, withFilter(context, owner));
  expect(entriesOf(grown, owner.port).length, 'entries shown of one that is admitted by now', grown).toEqual(1);
}

/** The same on page 0, which need not be there without an entry. */
async function expectNoneOnPage(context: CaseContext): Promise<void> {
  const { owner } = await makeFilterable(context, { matching: 0, other: 11 });
  const page = await context.service.page(owner, 0, withFilterOnPage(context, owner, 0));
  expectNoEntryOn(context, page, 'a filter that admits none of 11');
}

function expectNoEntryOn({ expect, notes }: CaseContext, page: Reply, filter: string): void {
  notes.observe(`status of page 0 under ${filter}`, page.status, page);
  if (page.status === 200) expect(entriesOfPage(page).length, `entries on page 0 under ${filter}`, page).toEqual(0);
}

/** How a filter compares is configured, and once for both routes: page 0 holds what a read of the instance does. */
async function expectComparedAsInReads(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const member = profile.all.filters?.withValue?.member ?? '';
  const first = given.unique('own');
  const stem = `${first},`;
  const own = `${stem}\u00e9`;
  const alike = [own.toUpperCase(), own.normalize('NFD'), `${own} `, `${own}0`, stem, `${stem}e`, first];
  const values = [own, ...alike];
  const members = (index: number) => ({ [member]: values[index] ?? '' });
  const owner = await unlessRefused(() => given.objectWithEntries(values.length, { members }));
  notes.observe('entries whose values are nearly alike', owner === undefined ? 'are refused' : 'are taken');
  if (owner === undefined) return;
  const read = await service.read(owner, withValue(context, owner, own));
  if (read.status !== 200) return;
  const admitted = [...textsOf(entriesOf(read, owner.port), owner.port)].sort();
  const { criteriaPort = '' } = profile.all.filters?.withValue ?? {};
  const { url } = service.requests.page(owner, 0);
  // a parameter that no filter has may be refused
  const ofAnother = withQuery(url, { [`${given.unique('group')}.${criteriaPort}`]: stem });
  for (const [what, page] of [
    ['', await service.page(owner, 0, withValueOnPage(context, owner, 0, own))],
    [' behind that of another group', await service.page(owner, 0, withValueOnPage(context, owner, 0, own, ofAnother))],
  ] as const)
    if (page.status === 200)
      expect(
        [...textsOf(entriesOfPage(page), owner.port)].sort(),
        `entries on page 0 for a value that others resemble${what}`,
        page,
      ).toEqual(admitted);
}

/** The same by a value of the query. */
async function expectSelectedBehindTen(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const member = profile.all.filters?.withValue?.member ?? '';
  const [often, seldom] = [given.unique('often'), given.unique('seldom')];
  const isSeldom = (index: number): boolean => index % 5 === 4;
  const owner = await given.objectWithEntries(23, {
    members: (index) => ({ [member]: isSeldom(index) ? seldom : often }),
  });
  const read = await service.read(owner, withValue(context, owner, seldom));
  expect(read).toAnswer(200);
  expect([...textsOf(entriesOf(read, owner.port), owner.port)].sort(), 'entries selected of 23', read).toEqual(
    owner.texts.filter((_text, index) => isSeldom(index)).sort(),
  );
}

/** What the page link of a filtered read counts is what the filter admits. */
function expectShaped({ expect }: CaseContext, filtered: Reply, { port }: Owner, admitted: number): void {
  const [link] = pageLinksOf(filtered, port);
  if (admitted > 10) expect(link, `page link of ${admitted} admitted entries`, filtered).toBePresent();
  if (link === undefined) return;
  expect(link['totalNumber'], `totalNumber of ${admitted} admitted entries`, filtered).toEqual(admitted);
  // whether an array without entries has a page is not said
  if (admitted > 0)
    expect(link['pages'], `pages of ${admitted} admitted entries`, filtered).toEqual(Math.ceil(admitted / 10));
}

/**
 * Another array keeps its link while it has more than ten entries. What a filter selects is not said: it may have nothing left of it, but not
 * ten of eleven that are all alike to it.
 */
async function expectOtherLinked(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  if (profile.primary.secondArrayPort === undefined) return;
  const { owner } = await makeFilterable(context, { matching: 4, other: 5, second: 11 });
  const filtered = await service.read(owner, withFilter(context, owner));
  const shown = filtered.status === 200 ? entriesOf(filtered, profile.secondPort).length : 0;
  notes.observe('entries shown of 11 in an array beside the filtered one', shown, filtered);
  if (shown === 10)
    expect(
      pageLinks(filtered).length,
      'page links beside a filtered array, where ten of 11 are shown',
      filtered,
    ).toSatisfy('at least 1', (count) => count >= 1);
}

/** After one more entry that the filter admits, the counters of before are not those of now. */
async function expectShapedAnew(context: CaseContext, owner: Owner, admitted: number): Promise<void> {
  const { given, service, notes, profile } = context;
  if (!profile.offers('operations')) return;
  const entry = given.entry(given.unique('admitted'), profile.all.filters?.fixed?.matching, owner.port);
  const reply = await service.operations(owner, [add(pointer(owner.port.member), entry)]);
  notes.observe('an entry that the filter admits is added', reply.status, reply);
  if (isSuccess(reply.status))
    expectShaped(context, await service.read(owner, withFilter(context, owner)), owner, admitted);
}

async function expectShapedByValues(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const member = profile.all.filters?.withValue?.member ?? '';
  // two values that let more than ten through: what is counted for one is not what is counted for the next
  const values = [
    { value: given.unique('often'), from: 0, to: 13 },
    // two pages that are both full
    { value: given.unique('more often'), from: 13, to: 33 },
    { value: given.unique('seldom'), from: 33, to: 37 },
  ];
  const owner = await given.objectWithEntries(37, {
    members: (index) => ({ [member]: values.find(({ to }) => index < to)?.value }),
  });
  for (const { value, from, to } of values) {
    const filtered = await service.read(owner, withValue(context, owner, value));
    const fitting = new Set<unknown>(owner.texts.slice(from, to));
    const shown = textsOf(entriesOf(filtered, owner.port), owner.port);
    const isSelected = shown.length > 0 && shown.every((text) => fitting.has(text));
    given.present(isSelected ? shown : undefined, 'a filter that admits the entries with a value of the query', [
      'reading.filter.query-value-selects',
    ]);
    expectShaped(context, filtered, owner, to - from);
  }
  expectShaped(context, await service.read(owner, withValue(context, owner, given.unique('nobody'))), owner, 0);
  if (profile.all.filters?.withValue?.equals === true) {
    await expectVeryValueCounted(context);
    await expectLongValueFound(context);
  }
  await expectLedToFiltered(context);
}

/** Of values that differ in capitals, or by what stands for any character, the very one is counted. */
async function expectVeryValueCounted(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const member = profile.all.filters?.withValue?.member ?? '';
  const value = given.unique('alike').toLowerCase();
  const others = [value.toUpperCase(), `${value}0`];
  const owner = await given.objectWithEntries(24, {
    members: (index) => ({ [member]: index < 12 ? others[index % 2] : value }),
  });
  for (const [asked, from] of [
    [value, 12],
    ...[anyCharacter, ...anyText].map((wild) => [`${value}${wild}`, 24] as const),
  ] as const) {
    const filtered = await service.read(owner, withValue(context, owner, asked));
    const fitting = new Set<unknown>(owner.texts.slice(from));
    const shown = textsOf(entriesOf(filtered, owner.port), owner.port);
    const begunAlike = owner.texts.filter((_text, index) => index < 12 && index % 2 === 1);
    expect(
      shown.filter((text) => begunAlike.some((one) => one === text)),
      `entries with ${value}0 in an array filtered by ${asked}`,
      filtered,
    ).toEqual([]);
    // what is equal may hang on a language
    const areEqual = shown.every((text) => fitting.has(text));
    notes.observe('values that differ in capitals alone count as one', !areEqual, filtered);
    if (areEqual) expectShaped(context, filtered, owner, fitting.size);
  }
}

/** A value is compared to its end, as far as the member takes it. */
async function expectLongValueFound(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const member = profile.all.filters?.withValue?.member ?? '';
  for (const length of longValues) {
    const stem = given.unique('long').padEnd(length, 'x');
    const values = [`${stem}1`, `${stem}2`];
    const members = (index: number) => ({ [member]: values[index] });
    const owner = await unlessRefused(() => given.objectWithEntries(2, { members }));
    if (owner === undefined) continue;
    for (const [index, value] of values.entries()) {
      const filtered = await service.read(owner, withValue(context, owner, value));
      expect(
        textsOf(entriesOf(filtered, owner.port), owner.port),
        `entries selected by a value of ${value.length} characters`,
        filtered,
      ).toEqual([owner.texts[index]]);
    }
    return;
  }
}

/** Whether a page link, or the href of a page, leads to filtered pages is not said: one that does for a plain value does for each that the filter takes. */
async function expectLedToFiltered(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const member = profile.all.filters?.withValue?.member ?? '';
  const plain = given.unique('plain');
  const make = (odd: string) =>
    given
      .objectWithEntries(24, { members: (index) => ({ [member]: index % 2 === 0 ? plain : odd }) })
      .then((owner) => ({ owner, odd }));
  const { owner, odd } =
    (await unlessRefused(() => make(`${given.unique('R&D')} =50%+a/b#1?é😀`))) ??
    (await unlessRefused(() => make(`${given.unique('R&D')} =50%+a`))) ??
    (await make(given.unique('further')));
  let keepsFilter = true;
  for (const [value, first] of [
    [plain, 0],
    [odd, 1],
  ] as const) {
    const fitting = owner.texts.filter((_text, index) => index % 2 === first);
    const filtered = await service.read(owner, withValue(context, owner, value));
    const shown = filtered.status === 200 ? textsOf(entriesOf(filtered, owner.port), owner.port) : [];
    const [link] = filtered.status === 200 ? pageLinksOf(filtered, owner.port) : [];
    const isSelected = shown.length === 10 && shown.every((text) => fitting.some((one) => one === text));
    notes.observe(
      `a filter selects by ${first === 0 ? 'a plain value' : 'a value that has to be escaped'}`,
      isSelected,
      filtered,
    );
    if (!isSelected || link === undefined) return;
    const page = await service.get(expandLink(link, 1), { base: filtered });
    expect(page).toAnswer(200);
    const rest = page.status === 200 ? textsOf(entriesOfPage(page), owner.port) : [];
    const expected = fitting.filter((text) => !shown.includes(text)).sort();
    const leads = rest.length === 2 && [...rest].sort().every((text, index) => text === expected[index]);
    if (first === 0 && !leads) return;
    expect([...rest].sort(), `entries behind the page link of a read filtered by ${value}`, page).toEqual(expected);
    if (first === 1 && !keepsFilter) return;
    const again = await service.get(String(memberOf(page, 'href')), { base: page });
    // be it filtered or not: there is a page of that number either way
    expect(again).toAnswer(200);
    const behind = again.status === 200 ? textsOf(entriesOfPage(again), owner.port) : [];
    keepsFilter = behind.length === rest.length && behind.every((text, index) => text === rest[index]);
    notes.observe('the href of a filtered page leads to that page', keepsFilter, again);
    if (first === 1) expect(behind, `entries behind the href of a page filtered by ${value}`, again).toEqual(rest);
  }
}

/** An entry that a filter admits holds the entries of its own that it has without one. */
async function expectAdmittedWhole(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { nested } = profile.port;
  if (nested === undefined) return;
  const { fixed } = profile.all.filters ?? {};
  const count = entriesPerPage + 1;
  const owner = await unlessRefused(() =>
    given.objectWithEntries(2, { members: () => fixed?.matching ?? {}, nested: () => count }),
  );
  if (owner === undefined) return;
  const [plain, filtered] = [await service.read(owner), await service.read(owner, withFilter(context, owner))];
  const shownIn = (reply: Reply): readonly string[] =>
    entriesOf(reply, owner.port)
      .map(({ members }) => `${String(members[owner.port.text])}: ${objectsIn(members[nested.member]).length}`)
      .toSorted();
  expect(shownIn(filtered), 'how many entries are inside those that the filter admits', filtered).toEqual(
    shownIn(plain),
  );
  const linksIn = (reply: Reply): number => pageLinks(reply).filter(({ totalNumber }) => totalNumber === count).length;
  expect(linksIn(filtered), `links of arrays of ${count} inside entries that the filter admits`, filtered).toEqual(
    linksIn(plain),
  );
}
