import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Answer, judgeRead, type Known, type KnownArray, pageLinksOf, type Read } from './judge-read.ts';
import { entriesPerPage } from './limits.ts';

type Json = Readonly<Record<string, unknown>>;

const port = { member: 'files', portId: 'attachments', text: 'comment' };

/** An object as it is shown, whole; the changes of a test are made to these parts. */
interface Shown {
  readonly instance: Json;
  readonly data: Json;
  readonly link: Json | null;
  readonly files: readonly Json[];
  /** Changes of one page by its number. */
  readonly pages: Readonly<Record<number, Json>>;
}

const entriesFrom = (from: number, to: number): readonly Json[] =>
  Array.from({ length: to - from }, (_, index) => ({
    $entryId: from + index + 1,
    comment: `entry ${from + index}`,
    name: 'same',
  }));

function readOf(count: number, { instance, data, link, files, pages = {} }: Partial<Shown> = {}): Read<Answer> {
  const all = entriesFrom(0, count);
  const pageLink = {
    rel: 'page',
    sectionPath: 'files',
    pages: Math.ceil(count / 10),
    totalNumber: count,
    href: '/page/{pageNumber}',
    ...link,
  };
  return {
    instance: answer({
      version: 4,
      schema: {},
      links: [{ rel: 'self' }, ...(count > 10 && link !== null ? [pageLink] : [])],
      data: {
        $oid: 'one',
        $version: 4,
        note: 'mine',
        more: { inner: 'text' },
        files: files ?? all.slice(0, 10),
        ...data,
      },
      ...instance,
    }),
    pages: Array.from({ length: Math.ceil(count / 10) }, (_, number) => ({
      member: 'files',
      number,
      answer: answer({
        version: instance?.['version'] ?? 4,
        data: pageOf(number === 0 ? (files ?? all) : all, number),
        ...pages[number],
      }),
    })),
  };
}

const pageOf = (all: readonly Json[], number: number): readonly Json[] =>
  all.slice(number * entriesPerPage, (number + 1) * entriesPerPage);
const answer = (json: unknown, status = 200): Answer => ({ status, json });

function knownOf(count: number, array: Partial<KnownArray> = {}): Known {
  return {
    oid: 'one',
    version: 4,
    texts: { note: 'mine', gone: null },
    inner: { member: 'more', texts: { inner: 'text', absent: null } },
    arrays: [{ port, count, entries: entriesFrom(0, count), ...array }],
    envelope: true,
  };
}

const counted = (count: number): KnownArray => ({ port, count });
const unordered = (count: number): KnownArray => ({
  ...counted(count),
  entries: entriesFrom(0, count),
  inAnyOrder: true,
});

/** Rules that do not hold, in order, with what the writes made where it is that. */
function wrongIn(read: Read<Answer>, known: Known): readonly string[] {
  const wrong = judgeRead(read, known).filter(({ holds }) => !holds);
  return [...new Set(wrong.map(({ rule, written }) => (written === undefined ? rule : `written: ${written}`)))];
}

describe('a read that shows what is known', () => {
  test('is right at each point, however much of it was read', () => {
    fc.assert(
      fc.property(fc.nat(45), fc.subarray([0, 1, 2, 3, 4]), fc.boolean(), (count, numbers, mayLack) => {
        const { instance, pages = [] } = readOf(count);
        const some = pages.filter(({ number }) => numbers.includes(number));
        for (const read of [{ ...(instance && { instance }), pages: some }, { pages: some }])
          expect(wrongIn(read, { ...knownOf(count), mayLack })).toEqual([]);
      }),
    );
  });

  test('has no points of which nobody knows what they have to be', () => {
    expect(judgeRead(readOf(27), {}).map(({ rule }) => rule)).toEqual([
      'reading.body.data-is-object',
      'reading.system.version-matches-top-level',
    ]);
  });

  test.each<[string, number, Partial<Shown>, Partial<Known>?]>([
    ['a link with a path to the array', 27, { link: { sectionPath: '/data/files' } }],
    ['a link that names the port', 27, { link: { sectionPath: 'data.Attachments' } }],
    ['a link by a name that nobody knows', 27, { link: { sectionPath: 'x', pages: 1 } }],
    ['an empty array left out', 0, { data: { files: undefined } }],
    ['an id in capitals', 3, { data: { $oid: 'ONE' } }],
    ['an id that is a number', 3, { data: { $oid: 17 } }, { oid: '17' }],
    ['no system properties', 3, { data: { $oid: undefined, $version: undefined } }],
    ['a scalar by another name', 3, { data: { note: undefined, anmerkung: 'mine' } }, { mayLack: true }],
    ['a text of entries by another name', 1, { files: [{ $entryId: 'x', kommentar: 'a' }] }, { mayLack: true }],
    ['no ids of entries', 2, { files: [{ comment: 'entry 0' }, { comment: 'entry 1' }] }, { mayLack: true }],
    ['nothing around the content', 3, { instance: { links: undefined, schema: undefined } }, { envelope: false }],
    ['another order where that is open', 3, { files: entriesFrom(0, 3).toReversed() }, { arrays: [unordered(3)] }],
  ])('may have %s', (_what, count, shown, more = {}) => {
    const { instance, pages = [] } = readOf(count, shown);
    const further = pages.filter(({ number }) => number > 0);
    expect(wrongIn({ ...(instance && { instance }), pages: further }, { ...knownOf(count), ...more })).toEqual([]);
  });
});

describe('a read that differs from what is known', () => {
  const twice = entriesFrom(0, 3).with(2, { ...entriesFrom(2, 3)[0], $entryId: 1 });
  test.each<[string, string, number, Partial<Shown>, Partial<Known>?]>([
    ['reading.body.data-is-object', 'an array as data', 3, { instance: { data: [] } }],
    [
      'reading.body.version-is-integer, written: $version',
      'a text',
      3,
      { instance: { version: '4' }, data: { $version: '4' } },
    ],
    ['reading.body.links-is-array', 'no links', 3, { instance: { links: undefined } }],
    ['reading.body.links-is-array', 'a text among the links', 3, { instance: { links: ['self'] } }],
    ['reading.body.schema-is-object', 'a text as schema', 3, { instance: { schema: 'full' } }],
    ['reading.system.version-matches-top-level', 'two versions', 3, { data: { $version: 3 } }],
    ['reading.system.oid-matches-route', 'another object', 3, { data: { $oid: 'other' } }],
    ['written: $version', 'the version before', 3, { instance: { version: 3 }, data: { $version: 3 } }],
    ['written: note', 'a text of somebody else', 3, { data: { note: 'yours' } }],
    ['written: note', 'no text', 3, { data: { note: undefined } }],
    ['written: gone', 'a text that was removed', 3, { data: { gone: 'still' } }],
    ['written: more', 'another text inside the object', 3, { data: { more: { inner: 'other' } } }],
    ['written: files', 'an entry less', 3, { files: entriesFrom(0, 2) }],
    ['written: files', 'an entry of somebody else', 3, { files: entriesFrom(1, 4) }],
    ['written: files', 'a text of an entry, by its place', 3, { files: entriesFrom(1, 4) }, { mayLack: true }],
    ['written: order of files', 'another order', 3, { files: entriesFrom(0, 3).toReversed() }],
    ['reading.entries.objects-carry-entry-id', 'no ids', 1, { files: [{ comment: 'entry 0' }] }],
    ['reading.entries.ids-unique-in-array', 'an id twice', 3, { files: twice }],
    ['paging.instance-read.at-most-ten', 'eleven entries', 27, { files: entriesFrom(0, 11) }],
    ['paging.instance-read.short-array-complete', 'nine', 27, { files: entriesFrom(0, 9) }, { arrays: [counted(27)] }],
    ['paging.link.present-above-ten', 'no link', 27, { link: null }],
    ['paging.link.total-number', 'another total', 27, { link: { totalNumber: 26 } }],
    ['paging.link.pages-count', 'a page too few', 27, { link: { pages: 2 } }],
    ['paging.link.href-holds-template', 'a whole address', 27, { link: { href: '/page/1' } }],
    ['paging.page-body.version-of-owner', 'a version of its own', 27, { pages: { 1: { version: 3 } } }],
    ['paging.page-body.data-is-array', 'an object as data', 27, { pages: { 1: { data: {} } } }],
    ['paging.page.holds-at-most-ten', 'eleven on a page', 27, { pages: { 1: { data: entriesFrom(10, 21) } } }],
    ['paging.page-zero.equals-first-read', 'others on page 0', 27, { pages: { 0: { data: entriesFrom(10, 20) } } }],
    ['paging.page-one.holds-the-rest', 'entries again', 18, { pages: { 1: { data: entriesFrom(8, 18) } } }],
    ['paging.page-one.holds-the-rest', 'an entry less', 18, { pages: { 1: { data: entriesFrom(11, 18) } } }],
    ['paging.pages.cover-array-once', 'an entry missing', 27, { pages: { 2: { data: entriesFrom(20, 26) } } }],
    ['paging.pages.cover-array-once', 'pages that overlap', 27, { pages: { 2: { data: entriesFrom(19, 26) } } }],
  ])('breaks %s: %s', (wrong, _what, count, shown, more = {}) => {
    expect(wrongIn(readOf(count, shown), { ...knownOf(count), ...more })).toEqual(wrong.split(', '));
  });

  test.each<[string, string, Json, Partial<KnownArray>]>([
    ['written: files', 'entries of another page', { data: entriesFrom(9, 19) }, {}],
    ['paging.pages.cover-array-once', 'an entry less', { data: entriesFrom(10, 19) }, {}],
    ['paging.pages.cover-array-once', 'an entry that another page had', {}, { seenOn: new Map([['14', 0]]) }],
    ['reading.entries.ids-unique-in-array', 'an id twice', { data: entriesFrom(10, 20).with(9, { $entryId: 11 }) }, {}],
    ['paging.page-body.version-of-owner', 'the version before', { version: 3 }, {}],
  ])('breaks %s on a page by itself: %s', (wrong, _what, page, array) => {
    const pages = readOf(27, { pages: { 1: page } }).pages?.slice(1, 2) ?? [];
    expect(wrongIn({ pages }, knownOf(27, array))).toEqual([wrong]);
  });

  test('breaks paging.page.documented-route-served where a page is not there', () => {
    const pages = (readOf(27).pages ?? []).map((page) => ({ ...page, answer: answer({}, 404) }));
    expect(wrongIn({ pages }, knownOf(27))).toEqual(['paging.page.documented-route-served']);
  });

  test('breaks the rule of the link where that counts wrong, and of the pages where it counts right', () => {
    const lost = { pages: { 2: { data: entriesFrom(20, 26) } } };
    expect(wrongIn(readOf(27, lost), knownOf(27))).toEqual(['paging.pages.cover-array-once']);
    expect(wrongIn(readOf(27, { ...lost, link: { totalNumber: 26 } }), knownOf(27))).toEqual(['written: files']);
  });
});

test.each([
  ['files', ['files', 'files/3/revisions']],
  ['/data/files', ['/data/files', '/data/files/3/files', '/data/contacts']],
  ['o-1/Attachments', ['o-1/Attachments', 'o-1/contacts']],
  ['Files', ['Files', 'allFiles']],
  ['files', ['Files', 'files']],
])('the link of %s is one of those of %s', (own, sectionPaths) => {
  const links = sectionPaths.map((sectionPath) => ({ rel: 'page', sectionPath }));
  expect(pageLinksOf(links, port, false).map(({ sectionPath }) => sectionPath)).toEqual([own]);
});

test('a name with a point in it is a whole one', () => {
  const links = ['work.files', 'files'].map((sectionPath) => ({ rel: 'page', sectionPath }));
  const named = (name: string) => pageLinksOf(links, { ...port, member: name, portId: name }, false);
  expect(named('work.files')).toEqual([links[0]]);
  expect(named('files')).toEqual([links[1]]);
});

test('an array inside an entry is not the one that the entry stands in, whatever its name', () => {
  expect(pageLinksOf([{ rel: 'page', sectionPath: 'files/3/files' }], port, false)).toEqual([]);
});
