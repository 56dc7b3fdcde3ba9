import { integer } from 'fast-check';
import { entriesPerPage } from '../../contract/limits.ts';
import {
  dataOf,
  entriesOf,
  entriesOfPage,
  expandLink,
  idsOf,
  innerPageLink,
  memberOf,
  onlyPageLink,
  textsOf,
  versionOf,
} from '../../judge/service/answers.ts';
import { ownTexts } from '../../judge/service/texts.ts';
import { isObject, objectsIn, pointer, valueAt } from '../../judge/json.ts';
import { type CaseContext, onEverySpace, onEveryType, property, scenario } from '../../judge/case.ts';
import { makeFilterable, withFilterOnPage } from '../../judge/service/queries.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import type { Read } from '../../contract/judge-read.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { lookAfterEachChange } from './checks/each-change.ts';
import { portsOf } from './checks/member-kinds.ts';
import { entryPath, remove } from './checks/operation-steps.ts';
import { readersOf } from './checks/readers.ts';
import { expectAppendedShown, expectReplacedShown } from './checks/replaced-on-pages.ts';
import { makeReferrer } from '../../judge/service/referrers.ts';
import { editRoutes } from '../../judge/service/writes.ts';
import { expectInnerHundredPaged } from './checks/inner-hundred.ts';
import { expectThousandPaged } from './checks/thousand-entries.ts';
import { expectReferencePagesLimited, readReferencePages } from './checks/reference-pages.ts';
import { arraysOf, makeIfSoManyTaken, theLinkOf } from './paging.ts';

/** Ten of them make a page of 60 kB. */
const longEntryChars = 6000;

export const pageRules = rules('paging', {
  'paging.page.documented-route-served': {
    source: 'core: Endpoint table, GET softtype/page',
    statement:
      'GET `/api/space/{spaceId}/softtype/page/{softTypeId}/{outputSchemaId}/{arrayPortId}/{objectId}/{pageNumber}` answers 200 with a page response.',
    fault: "only the link's own URI form is routed",
    needs: ['soft-type', 'array-port'],
    test: scenario(async ({ given, service, expect }) => {
      const owner = await given.objectWithEntries(18);
      const link = theLinkOf(await service.read(owner), owner.port);
      const isTemplate = String(link['href']).includes('{pageNumber}');
      for (const number of [0, 1]) {
        const page = await service.page(owner, number);
        expect(page).toAnswer(200);
        const linked = isTemplate ? await service.get(expandLink(link, number), { base: page }) : undefined;
        if (linked?.status === 200)
          expect(idsOf(entriesOfPage(page)), `entry ids of page ${number}`, page).toEqual(idsOf(entriesOfPage(linked)));
      }
    }),
  },
  'paging.page-zero.equals-first-read': {
    source: 'core: Server side paging 4',
    statement:
      'Page 0 is the set of entries that the instance read already included, and page 1 the rest, also where a PUT has moved entries that keep their ids, or a removal those inside an entry.',
    fault: 'page 0 holds the entries after the first ten',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      for (const count of [1, 10, 11, 18, 21]) {
        const owner = await given.objectWithEntries(count);
        const [instance, page] = [await service.read(owner), await service.page(owner, 0)];
        const [first, zero] = [idsOf(entriesOf(instance, owner.port)), idsOf(entriesOfPage(page))];
        expect.asKnown(pageBeside(owner, 0, page, instance), arraysOf(owner), {
          rules: ['paging.page-zero.equals-first-read'],
          of: `${count} entries`,
        });
        if (count > 1) notes.observe('page 0 keeps the order of the first read', zero.join() === first.join());
      }
      await expectPagedBehindMove(context);
      await expectNestedCovered(context);
      const empty = await service.page(await given.objectWithEntries(0), 0);
      notes.observe('page 0 of an empty array', empty.status, empty);
    }),
  },
  'paging.page-one.holds-the-rest': {
    source: 'core: Server side paging 4 (example of 18 entries)',
    statement:
      'For 18 entries page 1 holds exactly the 8 entries that the first read left out, told by what they hold and by their `$entryId`, also when one of them has been replaced since the page was read, or one of those inside an entry, or when the page was asked for before it was there. So do the later pages of an array that is taken with a thousand and one, or inside an entry with a hundred and one.',
    fault: 'page 1 of 18 entries is filled up to ten by repeating earlier entries',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
    test: onEveryType(
      scenario(async (context) => {
        const { given, service, expect } = context;
        for (const [count, rest] of [
          [18, 8],
          [11, 1],
          [20, 10],
        ] as const) {
          const owner = await given.objectWithEntries(count);
          const first = entriesOf(await service.read(owner), owner.port);
          const shown = textsOf(first, owner.port);
          const left = owner.texts.filter((text) => !shown.includes(text));
          given.assume(left.length === rest, `the first read of ${count} entries leaves out ${rest}`);
          const page = await service.page(owner, 1);
          const second = entriesOfPage(page);
          expect([...textsOf(second, owner.port)].sort(), `entries of page 1 of ${count}`, page).toEqual(left.sort());
          const known = idsOf(first);
          expect(
            idsOf(second).filter((entryId) => known.includes(entryId)),
            `entry ids on page 1 of ${count} that the first read has`,
            page,
          ).toEqual([]);
          expect(new Set(idsOf(second)).size, `distinct entry ids on page 1 of ${count}`, page).toEqual(rest);
        }
        await expectEqualEntriesApart(context);
        await expectLongEntriesPaged(context);
        await expectReferencesOnPages(context);
        await expectReplacedShown(context);
        await expectAppendedShown(context);
        await expectThousandPaged(context);
        await expectInnerHundredPaged(context);
      }),
    ),
  },
  'paging.pages.cover-array-once': {
    source: 'core: Server side paging 2 and 4',
    statement:
      'The pages 0 to pages - 1 together hold every entry exactly once, with 10 entries on every page but the last.',
    fault: 'the entry on the boundary between pages 2 and 3 appears on both',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
    test: property(
      integer({ min: 1, max: 45 }),
      async (context, count) => {
        const { service, expect, notes, profile } = context;
        const owner = await makeIfSoManyTaken(context, count, { text: await ownTexts(context) });
        if (owner === undefined) return;
        const texts: unknown[] = [];
        for (let number = 0; number < Math.ceil(count / 10); number += 1) {
          const [page, ...others] = await Promise.all(
            readersOf(profile).map((as) => service.page(owner, number, { as })),
          );
          if (page === undefined) return;
          const entries = entriesOfPage(page);
          for (const other of others)
            expect(idsOf(entriesOfPage(other)), `entry ids of page ${number} of ${count} for a reader`, other).toEqual(
              idsOf(entries),
            );
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
      { always: [1, 10, 11, 20, 21, 31, 101, 257], share: 0.5 },
    ),
  },
  'paging.page.holds-at-most-ten': {
    source: 'core: Limits; Server side paging 2',
    statement: 'A page response never holds more than 10 entries, or references.',
    fault: 'page 1 of more than 30 entries holds all after the first ten',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
    test: scenario(async (context) => {
      const { service, expect } = context;
      for (const count of [21, 31, 45]) {
        const owner = await makeIfSoManyTaken(context, count);
        if (owner === undefined) return;
        for (let number = 0; number < Math.ceil(count / entriesPerPage); number += 1) {
          const read = pageBeside(owner, number, await service.page(owner, number));
          expect.asKnown(read, arraysOf(owner), {
            rules: ['paging.page.holds-at-most-ten'],
            of: `${count} entries`,
          });
        }
      }
      await expectReferencePagesLimited(context);
    }),
  },
  'paging.page-body.href-leads-back': {
    source: 'core: Page response, href',
    statement:
      'A page response holds `href`, a string, whose GET returns that same page to whoever read it, in whatever space, and whether or not a filter was passed the time before.',
    fault: 'href of a page is the URI of the instance',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
    test: onEverySpace(
      scenario(async (context) => {
        const { service, expect, profile } = context;
        // so many that the last page has a number of two digits
        for (const [count, numbers] of [
          [18, [0, 1]],
          [101, [1, 10]],
        ] as const) {
          const owner = await makeIfSoManyTaken(context, count);
          if (owner === undefined) continue;
          const hrefs = [];
          const as = count === 18 ? (readersOf(profile).at(-1) ?? 'editor') : 'editor';
          for (const number of numbers) {
            const page = await service.page(owner, number, { as });
            const ids = idsOf(entriesOfPage(page));
            const href = memberOf(page, 'href');
            expect(href, `href of page ${number}`, page).toBeAString();
            expect(String(href), `href of page ${number}`, page).toSatisfy(
              'a URI without template',
              (text) => !/[{}]/.test(text),
            );
            const again = await service.get(String(href), { base: page, as });
            expect(again).toAnswer(200);
            expect(memberOf(again, 'data'), `data behind the href of page ${number}`, again).toBeAnArray();
            expect(idsOf(entriesOfPage(again)), `entry ids behind the href of page ${number}`, again).toEqual(ids);
            hrefs.push(href);
          }
          expect(hrefs[0], `href of page ${numbers[0]}, compared with that of page ${numbers[1]}`).notToEqual(hrefs[1]);
        }
        await expectNestedLeadBack(context);
        await expectLeadsBackBehindFilter(context);
      }),
    ),
  },
  'paging.page-body.data-is-array': {
    source: 'core: Page response, data',
    statement:
      '`data` of a page response is an array of objects, which are entries of the array, each with an `$entryId` that is an integer or a string, also where it holds nothing else.',
    fault: 'page data is an object that holds the array under the port name',
    needs: ['soft-type', 'array-port'],
    after: ['paging.page.documented-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const owner = await given.objectWithEntries(18);
      const page = await service.page(owner, 1);
      expect(page).toAnswer(200);
      const data = memberOf(page, 'data');
      expect(data, 'data of page 1', page).toBeAnArray();
      for (const item of Array.isArray(data) ? data : []) {
        expect(item, 'item of the page', page).toBeAnObject();
        expectEntryId(context, page, item);
      }
      for (const text of textsOf(entriesOfPage(page), owner.port))
        expect(text, 'text of an entry on the page', page).toBeOneOf(owner.texts);
      await expectIdsOfBareEntries(context);
    }),
  },
  'paging.page-body.entry-ids-address-entries': {
    source: 'core: Page response, data; System properties, $entryId',
    statement: 'The `$entryId` of an entry on a later page addresses that entry in an operations PATCH.',
    fault: 'entry ids on later pages start again at the ids of page 0',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations', 'patch.remove.entry-with-trailing-slash'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      for (const [count, number] of [
        [18, 1],
        [101, 10],
      ] as const) {
        const owner = await makeIfSoManyTaken(context, count);
        if (owner === undefined) continue;
        const before = await service.snapshot(owner);
        const target = given.present(
          entriesOfPage(await service.page(owner, number))[0],
          `an entry on page ${number} of ${count}`,
        );
        const removal = await service.operations(owner, [remove(entryPath(owner.port, target.entryId))]);
        expect(removal).toSucceed();
        const after = await service.snapshot(owner);
        const left = (before.arrays[owner.port.member] ?? [])
          .map((entry) => entry.members[owner.port.text])
          .filter((text) => text !== target.members[owner.port.text]);
        const now = (after.arrays[owner.port.member] ?? []).map((entry) => entry.members[owner.port.text]);
        expect(now.sort(), `entries left after the removal of one of page ${number}`, after.reply).toEqual(left.sort());
      }
    }),
  },
  'paging.page-body.version-of-owner': {
    source: 'core: Page response, version',
    statement:
      '`version` of a page response is the integer system version of the object that owns the array, also where its entries lead to objects at another version or stand inside an entry.',
    fault: 'version of a page is the version at which its entries last changed',
    needs: ['soft-type', 'array-port', 'text-member'],
    after: ['paging.page.documented-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const owner = await given.objectWithEntries(11);
      await lookAfterEachChange(context, owner, async (when) => {
        // one page twice: what was kept of an earlier read may come with any of them
        const pages = [];
        for (const number of [1, 0, 1]) pages.push([number, await service.page(owner, number)] as const);
        const read = await service.read(owner);
        const shown = entriesOf(read, owner.port).length;
        const total = theLinkOf(read, owner.port)['totalNumber'];
        given.assume(
          Number.isInteger(versionOf(read)) && shown === 10 && total === 11,
          'a read with an integer version, ten entries and a link that counts eleven',
        );
        for (const [number, page] of pages) {
          expect(page.status, `status of page ${number} ${when}`, page).toEqual(200);
          expect(versionOf(page), `version of page ${number} ${when}`, page).toBeAnInteger();
          expect.asKnown(pageBeside(owner, number, page, read), arraysOf(owner), {
            rules: ['paging.page-body.version-of-owner'],
            of: `an object ${when}`,
          });
        }
      });
      await expectVersionOfWhole(context);
    }),
  },
  'paging.page.outside-range': {
    level: 'observe',
    source: 'core: Server side paging 3 and 4',
    statement:
      'Not described: the answer for page numbers equal to or above pages, negative, fractional, non-numeric or very large, and for unknown array ports.',
    needs: ['soft-type', 'array-port'],
    test: scenario(async ({ given, service, notes }) => {
      const owner = await given.objectWithEntries(18);
      for (const number of ['2', '99']) {
        const reply = await service.page(owner, number);
        notes.bound('pageOutOfRange', `page ${number} of 2`, reply.status, reply);
        notes.remarkServerError(reply);
      }
      for (const number of ['-1', '1.5', 'abc', '01', '2147483648']) {
        const reply = await service.page(owner, number);
        if (number !== '2147483648' && number !== '01')
          notes.bound('pageInvalid', `page ${number}`, reply.status, reply);
        else notes.observe(`page ${number}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
      const unknown = await service.page(owner, 0, { port: { ...owner.port, portId: given.unique('no-port') } });
      notes.observe('a port that does not exist', unknown.status, unknown);
      notes.remarkServerError(unknown);
    }),
  },
});

/** The same of an array inside an entry, where a link tells of its pages: how they are addressed is not said, but that the link leads there. */
async function expectNestedLeadBack(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested } = profile.port;
  if (nested === undefined) return;
  const owner = await given.objectWithEntries(2, { nested: (index) => (index === 1 ? 21 : 0) });
  const read = await service.read(owner);
  const link = innerPageLink(read, profile.primary, 21);
  const page = link && (await service.get(expandLink(link, 1), { base: read }));
  notes.observe('a page of an array inside an entry', page?.status ?? 'no link', page);
  if (link === undefined || page === undefined) return;
  expectOthersInside(context, read, page);
  const zero = await service.get(expandLink(link, 0), { base: read });
  if (zero.status === 200) {
    const textOf = (entry: Readonly<Record<string, unknown>>): string => String(entry[nested.text]);
    const shown = entriesOf(read, profile.port).flatMap(({ members }) => objectsIn(members[nested.member]));
    expect(
      entriesOfPage(zero)
        .map(({ members }) => textOf(members))
        .toSorted(),
      'texts on page 0 of 21 entries inside an entry, which are those that the read shows',
      zero,
    ).toEqual(shown.map(textOf).toSorted());
  }
  const href = memberOf(page, 'href');
  expect(href, 'href of a page of an array inside an entry', page).toBeAString();
  const again = await service.get(String(href), { base: page });
  expect(again).toAnswer(200);
  const toldBy = (reply: Reply) => entriesOfPage(reply).map(({ entryId, members }) => [entryId, members[nested.text]]);
  expect(toldBy(again), 'data behind the href of a page of an array inside an entry', again).toEqual(toldBy(page));
}

/** Page 1 of an array inside an entry, which has 20 or 21, holds ten that the read does not show. */
function expectOthersInside({ expect, profile }: CaseContext, read: Reply, page: Reply): void {
  const { member, text: name } = profile.port.nested ?? { member: '', text: '' };
  expect(page).toAnswer(200);
  const first = entriesOf(read, profile.port).map(({ members }) => members[member]);
  const known = first.flat().map((item) => (isObject(item) ? item[name] : undefined));
  const texts = entriesOfPage(page).map(({ members }) => members[name]);
  expect(texts.length, 'entries on page 1 of an array inside an entry', page).toEqual(10);
  expect(
    texts.filter((text) => typeof text !== 'string' || known.includes(text)),
    'texts on page 1 of an array inside an entry that the first read has, or none',
    page,
  ).toEqual([]);
}

/** Where an entry inside another one can be removed, the first read and the page behind its link hold each of the others once. */
async function expectNestedCovered({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const { port } = profile;
  const { nested } = port;
  if (nested === undefined || !profile.offers('operations')) return;
  const owner = await given.objectWithEntries(2, { nested: (index) => (index === 1 ? 21 : 0) });
  const innerOf = (reply: Reply) =>
    entriesOf(reply, port).flatMap(({ entryId, members }) =>
      objectsIn(members[nested.member]).map((item) => ({ path: [entryId, nested.member, item['$entryId']], item })),
    );
  const [gone] = innerOf(await service.read(owner));
  if (gone === undefined) return;
  const path = `${pointer(port.member, ...gone.path.map(String))}/`;
  const removal = await service.operations(owner, [remove(path)]);
  notes.observe('status of the removal of an entry inside another one', removal.status, removal);
  if (!isSuccess(removal.status)) return;
  const read = await service.read(owner);
  const link = onlyPageLink(read);
  const page = link && (await service.get(expandLink(link, 1), { base: read }));
  const shown = innerOf(read).map(({ item }) => item[nested.text]);
  if (page?.status !== 200 || shown.length !== entriesPerPage) return;
  expect(
    [link?.['totalNumber'], link?.['pages']],
    'totalNumber and pages of an array inside an entry, of whose 21 entries one was removed',
    read,
  ).toEqual([20, 2]);
  const texts = [...shown, ...entriesOfPage(page).map(({ members }) => members[nested.text])];
  const what = 'texts of the 20 entries inside another one that are left by a removal';
  expect(new Set(texts).size, `different ${what}`, page).toEqual(20);
  const removed = gone.item[nested.text];
  expect(texts, what, page).toSatisfy(`without ${String(removed)}, which was removed`, () => !texts.includes(removed));
}

/** Pages hold what the first read holds and what it leaves out, in whatever order entries were sent back by their ids: whether they keep them is not said. */
async function expectPagedBehindMove(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  if (!editRoutes(context).some(({ name }) => name === 'PUT')) return;
  const owner = await given.objectWithEntries(18);
  const { member, text } = owner.port;
  const shown = [dataOf(await service.read(owner))[member], memberOf(await service.page(owner, 1), 'data')];
  const moved = shown
    .flatMap(objectsIn)
    .toReversed()
    .map((entry) => given.entry(String(entry[text]), { $entryId: entry['$entryId'] }, owner.port));
  const reply = await service.put(owner, given.body({ [member]: moved }));
  notes.observe('status of a PUT of entries in another order with their $entryId', reply.status, reply);
  if (moved.length !== owner.texts.length || !isSuccess(reply.status)) return;
  const instance = await service.read(owner);
  const [zero, one] = [await service.page(owner, 0), await service.page(owner, 1)];
  const pages = [zero, one].map((answer, number) => ({ member, number, answer }));
  expect.asKnown({ instance, pages }, arraysOf(owner), {
    rules: ['paging.page-zero.equals-first-read', 'paging.page-one.holds-the-rest'],
    of: 'entries that a PUT has moved',
  });
}

/** Of a page that was read with a filter first. Nothing is asserted where the profile has none. */
async function expectLeadsBackBehindFilter(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  if (profile.all.filters?.fixed === undefined) return;
  const { owner } = await makeFilterable(context, { matching: 13, other: 12 });
  for (const number of [0, 1]) {
    await service.page(owner, number, withFilterOnPage(context, owner, number));
    const page = await service.page(owner, number);
    const again = await service.get(String(memberOf(page, 'href')), { base: page });
    expect(again).toAnswer(200);
    const what = `entry ids behind the href of page ${number}, which was read with a filter before`;
    expect(idsOf(entriesOfPage(again)), what, again).toEqual(idsOf(entriesOfPage(page)));
  }
}

/** The references behind the page link lead to objects that those of the first read do not lead to, where each of twelve leads to another. */
async function expectReferencesOnPages(context: CaseContext): Promise<void> {
  const { expect, profile } = context;
  const pages = await readReferencePages(context);
  if (pages === undefined) return;
  const path = profile.all.references?.readPath ?? '';
  const [first, second] = [pages.first, pages.second].map((entries) => entries.map((entry) => valueAt(entry, path)));
  if (first === undefined || second === undefined || new Set(first).size !== 10 || first.includes(undefined)) return;
  expect(new Set([...first, ...second]).size, 'different objects that twelve references lead to', pages.page).toEqual(
    12,
  );
  const leadingNowhere = second.filter((target) => target === undefined).length;
  expect(leadingNowhere, 'references on a later page that lead nowhere', pages.page).toEqual(0);
}

/** Pages of references, and of an array inside an entry, are those of the object, which has been edited, and not of what they show. */
async function expectVersionOfWhole(context: CaseContext): Promise<void> {
  const { given, profile } = context;
  const { reference } = profile.primary;
  const referrer = reference === undefined || reference.single === true ? undefined : await makeReferrer(context, 12);
  if (referrer !== undefined) await expectVersionAfterEdits(context, referrer.thing, 'references');
  if (profile.port.nested === undefined) return;
  const owner = await given.objectWithEntries(2, { nested: (index) => (index === 1 ? 21 : 0) });
  await expectVersionAfterEdits(context, owner, 'an array inside an entry');
}

/** Of an object with one long array, by the link that a read has; again after a further edit, as what has not changed since may have been kept. */
async function expectVersionAfterEdits(context: CaseContext, thing: Thing, what: string): Promise<void> {
  const { given, service, expect, notes } = context;
  let edited = thing;
  for (const edits of [2, 1]) {
    edited = await given.edited(edited, edits);
    const { version } = edited;
    const read = await service.read(edited);
    const link = onlyPageLink(read);
    notes.observe(`a page link of ${what} after edits`, link !== undefined, read);
    if (link === undefined || versionOf(read) !== version) return;
    for (const number of [0, 1]) {
      const page = await service.get(expandLink(link, number), { base: read });
      if (page.status === 200) expect(versionOf(page), `version of page ${number} of ${what}`, page).toEqual(version);
    }
  }
}

/** Entries that hold the same are entries of their own all the same; a service may refuse to take them. */
async function expectEqualEntriesApart({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const { port } = profile;
  const equal = given.entry(given.unique('equal'), {}, port);
  const body = given.body({ [port.member]: Array.from({ length: 20 }, () => equal) });
  const created = await service.create(body);
  if (created.status >= 400) return notes.observe('entries that hold the same are refused', created.status, created);
  const thing = await given.found(created, body);
  const [instance, page] = [await service.read(thing), await service.page(thing, 1, { port })];
  const [first, second] = [idsOf(entriesOf(instance, port)), idsOf(entriesOfPage(page))];
  notes.observe('equal entries that are kept', first.length + second.length, page);
  if (first.length + second.length !== 20 || [...first, ...second].includes('')) return;
  expect(
    second.filter((entryId) => first.includes(entryId)),
    'entry ids on page 1 of 20 equal entries that the first read has',
    page,
  ).toEqual([]);
}

/** A page is told by the number of its entries, not by their length. */
async function expectLongEntriesPaged({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const { port } = profile;
  const entries = Array.from({ length: 20 }, () =>
    given.entry(given.unique('long').padEnd(longEntryChars, 'x'), {}, port),
  );
  const body = given.body({ [port.member]: entries });
  const created = await service.create(body);
  if (created.status >= 400) return notes.observe('entries with long texts are refused', created.status, created);
  const page = await service.page(await given.found(created, body), 1, { port });
  const shown = entriesOfPage(page);
  expect(shown.length, 'entries on page 1 of 20 with long texts', page).toEqual(entriesPerPage);
  const sent = entries.map((entry) => entry[port.text]);
  const others = textsOf(shown, port).filter((text) => !sent.includes(text));
  expect(others, 'texts on page 1 that none of the 20 entries was given', page).toEqual([]);
}

function pageBeside({ port }: Owner, number: number, answer: Reply, instance?: Reply): Read<Reply> {
  return { ...(instance && { instance }), pages: [{ member: port.member, number, answer }] };
}

function expectEntryId({ expect }: CaseContext, page: Reply, item: unknown): void {
  const entryId: unknown = isObject(item) ? item['$entryId'] : undefined;
  expect(entryId, '$entryId of an entry on the page', page).toSatisfy(
    'an integer or a string',
    (id) => Number.isInteger(id) || typeof id === 'string',
  );
}

/** Entries without any member, in arrays whose entries may be so. */
async function expectIdsOfBareEntries(context: CaseContext): Promise<void> {
  const { given, service, notes } = context;
  for (const port of portsOf(context)) {
    const body = given.body({ [port.member]: Array.from({ length: entriesPerPage + 1 }, () => ({})) });
    const created = await service.create(body);
    notes.observe(`entries of ${port.member} that hold nothing`, created.status, created);
    if (!isSuccess(created.status)) continue;
    const page = await service.page(await given.found(created, body), 1, { port });
    const data = page.status === 200 ? memberOf(page, 'data') : [];
    for (const item of Array.isArray(data) ? data : []) expectEntryId(context, page, item);
  }
}
