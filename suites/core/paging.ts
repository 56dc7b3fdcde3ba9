import { integer } from 'fast-check';
import type { Known, LinkRead } from '../../contract/judge-read.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { pageNumberTemplate } from '../../contract/names.ts';
import {
  dataOf,
  entriesOf,
  entriesOfPage,
  expandLink,
  hasOtherLongArray,
  linksOf,
  onlyPageLink,
  pageLinks,
  pageLinksOf,
  textsOf,
} from '../../judge/service/answers.ts';
import { type CaseContext, property, onEverySpace, onEveryType, scenario } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { isObject } from '../../judge/json.ts';
import type { Owner, Port } from '../../judge/things.ts';
import { historyCase } from '../../judge/model/history-case.ts';
import type { EditCommand, Emphasis, Start } from '../../judge/model/command.ts';
import { comparePaged } from '../../judge/model/compare.ts';
import { type Case, rules } from '../../judge/rule.ts';
import { PreconditionFailed } from '../../judge/violation.ts';
import { expectAlikeReferencesCounted } from './checks/alike-references.ts';
import {
  arrayIn,
  expectAlikeLinked,
  expectInnerCounted,
  expectInnerLimited,
  expectInnerLinkedBehindRemoval,
  expectInnerPagesLimited,
  expectLinksApart,
  expectLongLinked,
  expectManyLinked,
  makeLong,
} from './checks/long-arrays.ts';
import { makeReferrer } from '../../judge/service/referrers.ts';
import { readersOf } from './checks/readers.ts';
import { expectPagesThroughSecond } from './checks/second-schema.ts';
import { contentIn, pageLinksIn, readEveryWay } from './checks/ways-to-read.ts';
import { referencesIn } from '../../judge/service/soft-types.ts';

/** An array of any length that grows and shrinks by single operations. */
const emphasis: Emphasis = {
  kinds: { append: 2, 'remove entry': 2, 'remove mandatory': 1 },
  objects: 1,
  ports: 1,
  // with as many appends as there are edits no more than an array port promises room for
  entries: [0, 1, 8, 9, 9, 10, 10, 11, 11, 12, 18, 19, 20, 20, 21, 21, 29, 30, 31, 40, 42],
  second: [0],
  ages: [0],
  versions: { current: 1 },
  length: 8,
};

const append: EditCommand = { kind: 'append', object: 0, at: 0, choice: 0, version: 'current' };

const removal: EditCommand = { ...append, kind: 'remove entry' };

const start: Start = { entries: 9, second: 0, age: 0, filled: false };

const lengths = ['paging.instance-read.at-most-ten', 'paging.instance-read.short-array-complete'] as const;

export const pagingRules = rules('paging', {
  'paging.instance-read.at-most-ten': {
    source: 'core: Server side paging 1; Limits',
    statement: 'An array of entries in an instance read holds no more than 10 entries.',
    fault: 'the first read by the long route holds 11 entries',
    needs: ['soft-type', 'array-port'],
    test: property(
      integer({ min: 0, max: 45 }),
      async (context, count) => {
        const { service, expect } = context;
        const owner = await makeIfSoManyTaken(context, count);
        if (owner === undefined) return;
        for (const instance of [await service.read(owner), await service.readLong(owner)])
          expect.asKnown({ instance }, arraysOf(owner), { rules: lengths, of: `an object with ${count} entries` });
      },
      { always: [0, 1, 9, 10, 11, 18, 20, 21], share: 0.5 },
    ),
  },
  'paging.instance-read.short-array-complete': {
    source: 'core: Server side paging 1 and 4',
    statement: 'An array of 10 entries or fewer is delivered whole by the instance read.',
    fault: 'the first read of ten entries holds 9',
    needs: ['soft-type', 'array-port'],
    test: onEveryType(
      scenario(async ({ given, service, expect }) => {
        for (const count of [0, 1, 9, 10]) {
          const owner = await given.objectWithEntries(count);
          const read = await service.read(owner);
          expect(
            [...textsOf(entriesOf(read, owner.port), owner.port)].sort(),
            `entries read of ${count}`,
            read,
          ).toEqual([...owner.texts].sort());
        }
      }),
    ),
  },
  'paging.instance-read.every-array-limited': {
    source: 'core: Server side paging 1',
    statement:
      'The limit of 10 applies to each array of the object on its own, be it one of references that are shown as entries.',
    fault: 'only the first array of the object is limited',
    needs: ['soft-type', 'array-port', 'second-array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      for (const [first, second] of [
        [12, 15],
        [12, 3],
      ] as const) {
        const owner = await given.objectWithEntries(first, { second });
        const arrays = [
          { port: owner.port, count: first },
          { port: profile.secondPort, count: second },
        ];
        expect.asKnown({ instance: await service.read(owner) }, { arrays }, { rules: lengths, of: 'two arrays' });
      }
      for (const answer of await readEveryWay(context, await makeLong(context)))
        for (const { member } of [profile.port, profile.secondPort]) {
          const shown = contentIn(answer)[member];
          expect(
            Array.isArray(shown) ? shown.length : 0,
            `entries of ${member} by ${answer.by}`,
            answer.reply,
          ).toSatisfy('at most 10', (count) => count <= 10);
        }
      await expectReferencesLimited(context);
    }),
  },
  'paging.nested-array.limited': {
    source: 'core: Server side paging 1 (every array of entries)',
    statement:
      'An array inside an entry is limited to 10 entries as well, in the instance read, under a filter too, and on every page.',
    fault: 'nested arrays are delivered whole',
    needs: ['soft-type', 'array-port', 'nested-array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const counts = [0, 10, 11, 21, 0, 1, 2, 0, 1, 12, 11, 21];
      const owner = await given.objectWithEntries(counts.length, { nested: (index) => counts[index] ?? 0 });
      const [read, page] = [await service.read(owner), await service.page(owner, 1)];
      const nested = owner.port.nested?.member ?? '';
      const [long, readerPage] = [
        await service.readLong(owner),
        await service.page(owner, 1, { as: readersOf(profile).at(-1) ?? 'editor' }),
      ];
      const shown = [
        [read, entriesOf(read, owner.port)],
        [long, entriesOf(long, owner.port)],
        ...[page, readerPage].map((reply) => [reply, reply.status === 200 ? entriesOfPage(reply) : []] as const),
      ] as const;
      for (const [reply, entries] of shown)
        for (const entry of entries) {
          const sent = counts[owner.texts.indexOf(String(entry.members[owner.port.text]))] ?? 0;
          const items = entry.members[nested] ?? [];
          expect(items, `nested array of ${sent}`, reply).toBeAnArray();
          expect(Array.isArray(items) ? items.length : 0, `nested entries of ${sent}`, reply).toEqual(
            Math.min(sent, 10),
          );
        }
      const links = pageLinks(read).map((link) => String(link['sectionPath']).replace(/\d+/g, '<entryId>'));
      notes.observe('sectionPath of page links of nested arrays', links.join(', ') || 'no such link', read);
      await expectInnerLimited(context, nested);
      const { portId } = owner.port.nested ?? {};
      if (portId !== undefined) await expectInnerPagesLimited(context, portId);
    }),
  },
  'paging.link.present-above-ten': {
    source: 'core: Server side paging 2',
    statement:
      'When an array has more than 10 entries, `links` holds a link with `rel` equal to `page` for it, be it one of several inside entries.',
    fault: 'the page link appears from 12 entries on',
    needs: ['soft-type', 'array-port'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service, expect } = context;
          for (const count of [11, 18, 20, 21]) {
            const owner = await given.objectWithEntries(count);
            const read = await service.read(owner);
            // there may be one more, for the same pages in another form
            expect(
              pageLinksOf(read, owner.port).length,
              `links with rel page for an array of ${count}`,
              read,
            ).toSatisfy('at least 1', (links) => links >= 1);
          }
          await expectReferencesLinked(context);
          await expectLinkedForReaders(context);
          await expectManyLinked(context);
        }),
      ),
    ),
  },
  'paging.link.absent-up-to-ten': {
    level: 'should',
    source: 'core: Server side paging 2 (condition of the rule)',
    statement:
      'An array of 10 entries or fewer has no page link, since the rule ties the link to more than 10 entries.',
    fault: 'a page link is emitted from 10 entries on',
    needs: ['soft-type', 'array-port'],
    test: onEverySpace(
      scenario(async ({ given, service, expect }) => {
        for (const count of [0, 1, 9, 10]) {
          const owner = await given.objectWithEntries(count);
          const read = await service.read(owner);
          expect(pageLinksOf(read, owner.port).length, `links with rel page for an array of ${count}`, read).toEqual(0);
        }
      }),
    ),
  },
  'paging.link.section-path-names-array': {
    source: 'core: Server side paging 2; Link object, sectionPath',
    statement:
      'Each page link names its array in `sectionPath`, a string, and each long array has its own link, which leads to all of its entries, also where another one is as long, or has grown since, under a filter too.',
    fault: 'both page links carry the sectionPath of the first array',
    needs: ['soft-type', 'array-port', 'second-array-port'],
    after: ['paging.link.present-above-ten'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      await expectReferencesLinkedAs(context, 'sectionPath', 'a text', (path) => typeof path === 'string');
      const owner = await given.objectWithEntries(12, { second: 25 });
      const read = await service.read(owner);
      const links = pageLinks(read);
      expect(links.length, 'page links of two long arrays', read).toSatisfy('2 or more', (count) => count >= 2);
      for (const link of links) expect(link['sectionPath'], 'sectionPath', read).toBeAString();
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
      // inner arrays of several entries have one name, and each a link of its own
      expect(second['sectionPath'], 'sectionPath of the second array', read).toSatisfy(
        'another one than that of the first',
        (path) => path !== first['sectionPath'],
      );
      const ofTheFirst = new Set<unknown>(owner.texts);
      const firstPage = await service.get(expandLink(first, 1), { base: read });
      const firstTexts = textsOf(entriesOfPage(firstPage), owner.port);
      expect(firstTexts, 'entries behind the link of the first array', firstPage).toSatisfy(
        'some, all of that array',
        isFilledWith((text) => ofTheFirst.has(text)),
      );
      const secondTexts: unknown[] = [];
      for (const number of [0, 1, 2]) {
        const page = await service.get(expandLink(second, number), { base: read });
        expect(page).toAnswer(200);
        secondTexts.push(...textsOf(entriesOfPage(page), profile.secondPort));
      }
      expect(secondTexts.toSorted(), 'entries of all pages behind the link of the second array').toEqual(
        sentTexts(owner, profile.secondPort).toSorted(),
      );

      await expectLinksApart(context);
      const [array, other] = [arrayIn(first, owner), arrayIn(second, owner)];
      await expectAlikeLinked(context, [array, other]);
      await expectLongLinked(context, array);
    }),
  },
  'paging.link.pages-count': {
    source: 'core: Server side paging 2 and 4; Link object, pages',
    statement:
      '`pages` is an integer equal to the number of entries divided by 10, rounded up, page 0 included, also where the link is one of an array inside an entry.',
    fault: 'pages is floor(n / 10) + 1, wrong only at multiples of 10',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
    test: countedBy('paging.link.pages-count'),
  },
  'paging.link.total-number': {
    source: 'core: Server side paging 2; Link object, totalNumber',
    statement:
      '`totalNumber` is an integer equal to the count of entries in the whole array, also where that is one inside an entry.',
    fault: 'totalNumber counts ten entries for every page',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
    test: countedBy('paging.link.total-number'),
  },
  'paging.link.href-holds-template': {
    source: 'core: Server side paging 3; Link object, href',
    statement:
      'The `href` of every page link, for whatever array, reader and way to read, holds the literal text `{pageNumber}`, unencoded.',
    fault: 'href of the page link is already expanded to page 1',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      await expectReferencesLinkedAs(context, 'href', 'a text with {pageNumber}', (href) =>
        String(href).includes(pageNumberTemplate),
      );
      for (const count of [11, 21]) {
        const second = profile.primary.secondArrayPort === undefined ? {} : { second: count };
        const owner = await given.objectWithEntries(count, second);
        for (const as of readersOf(profile)) {
          const read = await service.read(owner, { as });
          for (const { href } of [theLinkOf(read, owner.port), ...pageLinks(read)])
            expectTemplate(context, href, 'a read', read);
          const others = linksOf(read).filter(({ rel, href }) => rel !== 'page' && String(href).includes('{'));
          notes.observe('links of other rels with a template', others.length, read);
        }
      }
      for (const answer of await readEveryWay(context, await makeLong(context)))
        for (const { href } of pageLinksIn(answer)) expectTemplate(context, href, answer.by, answer.reply);
    }),
  },
  'paging.link.method-is-get': {
    source: 'core: Link object, method; Endpoint table, page route',
    statement: 'The `method` of a page link is the string `GET`.',
    fault: 'method of the page link is POST',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      await expectReferencesLinkedAs(context, 'method', 'GET', (method) => method === 'GET');
      const owner = await given.objectWithEntries(11);
      for (const as of readersOf(profile)) {
        const read = await service.read(owner, { as });
        expect(theLinkOf(read, owner.port)['method'], `method of the page link for the ${as}`, read).toEqual('GET');
      }
      for (const answer of await readEveryWay(context, await makeLong(context)))
        for (const { method } of pageLinksIn(answer))
          expect(method, `method of a page link by ${answer.by}`, answer.reply).toEqual('GET');
    }),
  },
  'paging.link.expanded-href-works': {
    source: 'core: Server side paging 3',
    statement:
      'With `{pageNumber}` replaced by 0 up to pages - 1 the href answers 200 with a page response each time, in whatever space, and through whatever output schema.',
    fault: 'page numbers in the link route count from 1',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.href-holds-template'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect } = context;
        await expectPagesThroughSecond(context);
        await expectInnerLinkedBehindRemoval(context);
        const owner = await given.objectWithEntries(21);
        const read = await service.read(owner);
        const link = theLinkOf(read, owner.port);
        for (const [number, length] of [10, 10, 1].entries()) {
          const page = await service.get(expandLink(link, number), { base: read });
          expect(page).toAnswer(200);
          expect(entriesOfPage(page).length, `entries on page ${number}`, page).toEqual(length);
        }
      }),
    ),
  },
  'paging.link.follows-growth': {
    source: 'core: Server side paging 1 and 2',
    statement: 'Presence, `pages` and `totalNumber` of the link follow the array as entries are appended and removed.',
    fault: 'link counters stay at the most entries that were ever there',
    needs: ['soft-type', 'array-port', 'operations'],
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
    repeats: ['reading', 'paging', 'patch'],
    test: historyCase(emphasis, {
      share: 0.5,
      compare: comparePaged,
      always: [
        { starts: [start], commands: [append, append, removal, removal] },
        { starts: [{ ...start, entries: 20 }], commands: [append, removal] },
      ],
    }),
  },
});

/** An array of references is one of entries where each of them has an entry id, so that a read shows no more of them than of any other. */
async function expectReferencesLimited(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const { reference } = profile.primary;
  const { thing, read } = (reference?.single === true ? undefined : await makeReferrer(context, 12)) ?? {};
  if (reference === undefined || thing === undefined) return;
  for (const reply of [read, await service.readLong(thing)]) {
    const shown = reply?.status === 200 ? referencesIn(dataOf(reply)[reference.port]) : [];
    const entries = shown.filter((one) => isObject(one) && one['$entryId'] !== undefined);
    expect(entries.length, `entries shown of 12 references in ${reference.port}`, reply).toSatisfy(
      'at most 10',
      (count) => count <= 10,
    );
  }
}

/** An array of references of which the read leaves some out has a page link, too; of how many it shows all is judged by its entry ids. */
async function expectReferencesLinked(context: CaseContext): Promise<void> {
  const { read, shown } = (await readLongReferrer(context, 11)) ?? {};
  if (read === undefined) return;
  context
    .expect(pageLinks(read).length, `page links of 11 references, ${shown} of them shown`, read)
    .toSatisfy('at least 1', (count) => count >= 1);
  await expectPagesForReaders(context, read, 'references');
}

/** What has pages has them for everybody who may read. */
async function expectPagesForReaders(
  { service, expect, profile }: CaseContext,
  read: Reply,
  what: string,
): Promise<void> {
  const links = pageLinks(read);
  const pages = await Promise.all(links.map((link) => service.get(expandLink(link, 1), { base: read })));
  if (links.length === 0 || pages.some(({ status }) => status !== 200)) return;
  for (const as of readersOf(profile)) {
    const own = await service.get(read.url, { as });
    expect(pageLinks(own).length, `page links of ${what} for the ${as}`, own).toSatisfy(
      'at least 1',
      (count) => count >= 1,
    );
    for (const link of pageLinks(own)) expect(await service.get(expandLink(link, 1), { base: own, as })).toAnswer(200);
  }
}

/** A read of an object whose so many references are its only long array, where it does not show them all. */
async function readLongReferrer(
  context: CaseContext,
  count: number,
): Promise<{ readonly read: Reply; readonly shown: number } | undefined> {
  const { reference } = context.profile.primary;
  if (reference === undefined || reference.single === true) return undefined;
  const { read } = (await makeReferrer(context, count)) ?? {};
  const shown = read === undefined ? 0 : referencesIn(dataOf(read)[reference.port]).length;
  return read === undefined || shown === 0 || shown === count ? undefined : { read, shown };
}

/** The page link of an array of references counts what was sent, as that of any other array does. */
async function expectReferencesCounted(
  context: CaseContext,
  member: 'pages' | 'totalNumber',
  count: number,
): Promise<void> {
  const { read } = (await readLongReferrer(context, count)) ?? {};
  const link = read && onlyPageLink(read);
  if (read === undefined || link === undefined) return;
  const expected = member === 'pages' ? Math.ceil(count / 10) : count;
  context.expect(link[member], `${member} of the page link of ${count} references`, read).toEqual(expected);
}

/** What the page link of an array of references says in that member is what any page link says there. */
async function expectReferencesLinkedAs(
  context: CaseContext,
  member: 'href' | 'method' | 'sectionPath',
  expected: string,
  isRight: (value: unknown) => boolean,
): Promise<void> {
  const { read } = (await readLongReferrer(context, 11)) ?? {};
  if (read === undefined) return;
  for (const link of pageLinks(read))
    context.expect(link[member], `${member} of the page link of references`, read).toSatisfy(expected, isRight);
}

/** Every array that is long has its page link, whoever reads. */
async function expectLinkedForReaders(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.primary.arrayPort?.nested !== undefined) {
    // the last entry that a read shows has one as well
    const counts = [11, 1, 21, 0, 0, 0, 0, 0, 0, 12];
    const outer = await given.objectWithEntries(counts.length, { nested: (index) => counts[index] ?? 0 });
    const read = await service.read(outer);
    expectEachLinked(context, read, counts);
    await expectPagesForReaders(context, read, 'an array inside an entry');
  }
  const hasSecond = profile.primary.secondArrayPort !== undefined;
  const owner = await given.objectWithEntries(11, hasSecond ? { second: 12 } : {});
  const least = hasSecond ? 2 : 1;
  for (const as of readersOf(profile))
    for (const read of [await service.read(owner, { as }), await service.readLong(owner, { as })])
      expect(pageLinks(read).length, `page links of ${least} long arrays for the ${as}`, read).toSatisfy(
        `at least ${least}`,
        (count) => count >= least,
      );
}

/** Where one long array inside an entry has a page link, each of them has, the same member of another entry too; they are told apart by their lengths. */
function expectEachLinked({ expect, profile }: CaseContext, read: Reply, counts: readonly number[]): void {
  if (hasOtherLongArray(read, profile.primary)) return;
  const counted = pageLinks(read).map(({ totalNumber }) => totalNumber);
  const long = counts.filter((count) => count > entriesPerPage);
  if (!long.some((count) => counted.includes(count))) return;
  for (const count of long)
    expect(counted.includes(count), `whether an array of ${count} inside an entry has a page link`, read).toEqual(true);
}

/** What a link counts, of arrays of many lengths. */
function countedBy(rule: 'paging.link.pages-count' | 'paging.link.total-number'): Case {
  return property(
    integer({ min: 11, max: 45 }),
    async (context, count) => {
      const { service, expect, profile } = context;
      // beside another long array every second time, whose link tells of that one alone
      const beside = profile.primary.secondArrayPort === undefined || count % 2 === 0 ? 0 : longBeside(count);
      // and what some entries hold inside counts for none
      const isFilled = profile.port.nested !== undefined && count % 3 === 0;
      const owner = await makeIfSoManyTaken(context, count, {
        ...(beside > 0 && { second: beside }),
        ...(isFilled && { nested: (index: number) => (index % 5 === 1 ? 3 : 0) }),
      });
      if (owner === undefined) return;
      const scope = { rules: [rule], of: `${count} entries` };
      const both = () => [
        { port: owner.port, count },
        { port: profile.secondPort, count: beside },
      ];
      const known = beside === 0 ? arraysOf(owner) : { arrays: both() };
      // who reads and by which route change places from length to length
      for (const [index, as] of readersOf(profile).entries()) {
        const isLong = (Math.floor(count / 2) + index) % 2 === 1;
        const instance = isLong ? await service.readLong(owner, { as }) : await service.read(owner, { as });
        // which of two links is meant does not show everywhere
        if (beside > 0 && pageLinksOf(instance, owner.port, false).length === 0) continue;
        expect.asKnown({ instance }, known, scope);
      }
      const member = rule === 'paging.link.pages-count' ? 'pages' : 'totalNumber';
      if (count === 11 || count === 20) await expectReferencesCounted(context, member, count);
      if (count === 11) {
        await expectInnerCounted(context, member);
        await expectAlikeReferencesCounted(context, member);
      }
    },
    { always: [11, 18, 20, 21, 30, 31, 100, 101, 257], share: 0.5 },
  );
}

function expectTemplate({ expect }: CaseContext, href: unknown, by: string, seenIn: Reply): void {
  expect(href, `href of a page link by ${by}`, seenIn).toBeAString();
  expect(String(href), `href of a page link by ${by}`, seenIn).toSatisfy(`a text with ${pageNumberTemplate}`, (text) =>
    text.includes(pageNumberTemplate),
  );
}

/** A length above ten that is another one. */
function longBeside(count: number): number {
  return count === 15 ? 12 : 15;
}

/** How long the array is, beside which no other one is long. */
export function arraysOf({ port, texts }: Owner): Known {
  return { arrays: [{ port, count: texts.length, isOnlyLong: true }] };
}

/** So many entries fill three pages: of an array that takes no more, the rest is not judged. */
const enough = 21;

/** As `given.objectWithEntries`; undefined where an array takes no such number: how many it does is configured. */
export async function makeIfSoManyTaken(
  { given, notes }: CaseContext,
  ...[count, options]: Parameters<CaseContext['given']['objectWithEntries']>
): Promise<Owner | undefined> {
  try {
    return await given.objectWithEntries(count, options);
  } catch (error) {
    const reply = error instanceof PreconditionFailed ? error.reply : undefined;
    const isRefused = reply?.exchange.request.method === 'POST' && reply.status >= 400 && reply.status < 500;
    if (count <= enough || !isRefused) throw error;
    notes.observe('status of a create with more entries than fill three pages', reply.status, reply);
    return undefined;
  }
}

/** The page link of a long array; where it is missing the rule about its presence judges that. */
export function theLinkOf(reply: Reply, port: Port): LinkRead {
  const [link] = pageLinksOf(reply, port);
  if (link === undefined)
    throw new PreconditionFailed(`a page link for ${port.member}`, reply, ['paging.link.present-above-ten']);
  return link;
}

/** Texts of the entries that the object was created with. */
function sentTexts({ body }: Owner, port: Port): readonly unknown[] {
  const entries: unknown = body[port.member];
  return Array.isArray(entries)
    ? entries.map((entry: unknown) => (isObject(entry) ? entry[port.text] : undefined))
    : [];
}

function isFilledWith(belongs: (text: unknown) => boolean): (texts: readonly unknown[]) => boolean {
  return (texts) => texts.length > 0 && texts.every(belongs);
}
