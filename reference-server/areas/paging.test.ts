import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../http/refusal.ts';
import { create, entriesIn, follow, pageLinks, read, sampleCall, sampleService } from './reading-sample.fixture.ts';
import type { Areas } from '../areas.ts';

const { paging } = sampleService();
const categories = fc.array(fc.constantFrom('drawing', 'letter', 'a b&c=d'), { maxLength: 45, size: 'max' });
const runs = { numRuns: 30 };

function files(kinds: readonly string[]): object {
  return { title: 't', files: kinds.map((category, index) => ({ name: String(index), category })) };
}

function names(entries: readonly object[]): unknown[] {
  return entries.map((entry) => ('name' in entry ? entry.name : undefined));
}

function refused(pageNumber: string): number | undefined {
  try {
    paging.pageNumberOf(sampleCall({ params: { pageNumber } }));
  } catch (reason) {
    if (reason instanceof Refusal) return reason.status;
    throw reason;
  }
  return undefined;
}

describe('page arithmetic', () => {
  test('the ranges of the pages of an array hold every ordinal once, in order', () => {
    fc.assert(
      fc.property(fc.nat(2000), (total) => {
        const ordinals = Array.from({ length: paging.pagesOf(total) }, (_, page) => paging.pageRange(page)).flatMap(
          ({ from, to }) => Array.from({ length: Math.min(to, total) - from }, (_, index) => from + index),
        );
        expect(ordinals).toEqual(Array.from({ length: total }, (_, index) => index));
      }),
    );
  });

  test.each([
    [0, 0],
    [1, 1],
    [10, 1],
    [11, 2],
    [18, 2],
    [20, 2],
    [21, 3],
  ])('%i entries make %i pages', (total, pages) => {
    expect(paging.pagesOf(total)).toBe(pages);
  });

  test('natural numbers are page numbers', () => {
    fc.assert(
      fc.property(fc.nat(), (page) => {
        expect(paging.pageNumberOf(sampleCall({ params: { pageNumber: String(page) } }))).toBe(page);
      }),
    );
  });

  test.each(['', '-1', '-0', '+1', '01', '00', '1.5', '1.0', '1e3', 'abc', '0x1', ' 1', '１', 'NaN', 'Infinity'])(
    '%j is refused with 400',
    (text) => {
      expect(refused(text)).toBe(400);
    },
  );

  test('any text is a page number or refused with 400, and no range leaves the safe integers', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.bigInt().map(String)), (text) => {
        const status = refused(text);
        expect(status ?? 400).toBe(400);
        if (status !== undefined) return;
        expect(paging.pageRange(paging.pageNumberOf(sampleCall({ params: { pageNumber: text } }))).to).toSatisfy(
          Number.isSafeInteger,
        );
      }),
    );
  });
});

describe('pages of a stored array', () => {
  test('the link counts the array, and its pages hold every entry once in order of creation', async () => {
    const service = sampleService();
    await fc.assert(
      fc.asyncProperty(categories, async (kinds) => {
        const { json } = await read(service, await create(service, files(kinds)));
        const link = pageLinks(json.links).get('files');
        expect(link === undefined).toBe(kinds.length <= 10);
        expect(link?.totalNumber ?? kinds.length).toBe(kinds.length);
        const pages = await Promise.all(
          Array.from({ length: link?.pages ?? 0 }, (_, page) =>
            follow(service, (link?.href ?? '').replace('{pageNumber}', String(page))),
          ),
        );
        const seen = link === undefined ? entriesIn(json.data, 'files') : pages.flatMap((page) => page.json.data);
        expect(names(seen)).toEqual(kinds.map((_, index) => String(index)));
        expect(pages[0]?.json.data ?? seen).toEqual(entriesIn(json.data, 'files'));
      }),
      runs,
    );
  });

  test('page 0 of an empty array is empty, a page beyond the end is not there', async () => {
    const service = sampleService();
    const oid = await create(service, { title: 't' });
    const base = `/api/space/main/softtype/page/Document/documentFull/files/${oid}`;
    expect((await follow(service, `${base}/0`)).json.data).toEqual([]);
    for (const page of ['1', '2147483648', '9'.repeat(400)])
      await expect(follow(service, `${base}/${page}`)).rejects.toMatchObject({ status: 404 });
  });

  test.each([
    'page/Document/documentFull/drawers/OID/0',
    'page/Document/documentSummary/files/OID/0',
    'page/Document/documentOther/files/OID/0',
    'page/Part/partFull/files/OID/0',
    'page/Document/documentFull/title/OID/0',
    'page/Document/documentFull/files/unknown/0',
    'page/Document/documentFull/files%2F99%2Frevisions/OID/0',
    'page/Document/documentFull/files%2F01%2Frevisions/OID/0',
    'page/Document/documentFull/files%2F1%2Fname/OID/0',
    'page/Document/documentFull/files%2F1%2Frevisions%2F1%2Ftext/OID/0',
    'page/Document/documentFull/files%2F1%2F/OID/0',
    'page/Document/documentFull/__proto__/OID/0',
  ])('%s is not there', async (path) => {
    const service = sampleService();
    const oid = await create(service, { title: 't', files: [{ name: 'a', revisions: [{ text: 'x' }] }] });
    const href = `/api/space/main/softtype/${path.replace('OID', oid)}`;
    await expect(follow(service, href)).rejects.toMatchObject({ status: 404 });
  });

  test('a page carries its own address and the version of its owner', async () => {
    const service = sampleService();
    const oid = await create(service, files(Array.from({ length: 18 }, () => 'letter')));
    const href = `/api/space/main/softtype/page/Document/documentFull/files/${oid}/1`;
    const { json, headers } = await follow(service, href);
    expect({ href: json.href, version: json.version, count: json.data.length }).toEqual({ href, version: 1, count: 8 });
    expect(headers?.['Cache-Control']).toBe('no-store');
  });
});

describe('arrays inside entries', () => {
  test('each is limited on its own and has pages of its own', async () => {
    const service = sampleService();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(25), { minLength: 1, maxLength: 4 }), async (counts) => {
        const body = {
          title: 't',
          files: counts.map((count, index) => ({ name: String(index), revisions: revisions(count) })),
        };
        const { json } = await read(service, await create(service, body));
        const links = pageLinks(json.links);
        for (const [index, count] of counts.entries()) {
          const link = links.get(`files/${index + 1}/revisions`);
          expect(entriesIn(json.data, 'files')[index]?.revisions).toHaveLength(Math.min(count, 10));
          expect([link?.pages, link?.totalNumber]).toEqual(
            count > 10 ? [paging.pagesOf(count), count] : [undefined, undefined],
          );
          expect(await revisionsBehind(service, link?.href, paging.pagesOf(count))).toEqual(
            count > 10 ? texts(count) : [],
          );
        }
      }),
      runs,
    );
  });
});

describe('filters', () => {
  test('a filtered read, its link and its pages hold what the filter admits, and nothing else changes', async () => {
    const service = sampleService();
    await fc.assert(
      fc.asyncProperty(categories, fc.constantFrom('drawing', 'a b&c=d', 'nobody'), async (kinds, value) => {
        const oid = await create(service, { ...files(kinds), contacts: kinds.map(() => ({ name: 'c' })) });
        const query = String(new URLSearchParams({ softTypeFilterId: 'byCategory', 'group.category': value }));
        const { json } = await read(service, oid, { query });
        const admitted = kinds.flatMap((kind, index) => (kind === value ? [String(index)] : []));
        expect(names(entriesIn(json.data, 'files'))).toEqual(admitted.slice(0, 10));
        const link = pageLinks(json.links).get('files');
        expect(link?.totalNumber).toBe(admitted.length > 10 ? admitted.length : undefined);
        expect(pageLinks(json.links).get('contacts')?.totalNumber).toBe(kinds.length > 10 ? kinds.length : undefined);
        if (link === undefined) return;
        const second = await follow(service, link.href.replace('{pageNumber}', '1'));
        expect(names(second.json.data)).toEqual(admitted.slice(10, 20));
        expect((await follow(service, second.json.href)).json).toEqual(second.json);
      }),
      runs,
    );
  });

  test('a fixed value ignores the value parameter, and no filter outlives its request', async () => {
    const service = sampleService();
    const oid = await create(service, files(['drawing', 'letter', 'drawing']));
    const filtered = await read(service, oid, { query: 'softTypeFilterId=drawings&group.category=letter' });
    expect(names(entriesIn(filtered.json.data, 'files'))).toEqual(['0', '2']);
    expect(names(entriesIn((await read(service, oid)).json.data, 'files'))).toEqual(['0', '1', '2']);
  });

  test.each([
    'softTypeFilterId=other',
    'softTypeFilterId=',
    'softTypeFilterId=byCategory',
    'softTypeFilterId=byCategory&category=a',
  ])('%s is refused with 400', async (query) => {
    const service = sampleService();
    const oid = await create(service, files(['drawing']));
    await expect(read(service, oid, { query })).rejects.toMatchObject({ status: 400 });
  });

  test('a filter of another SoftType is unknown, and the parameter of the other route is ignored', async () => {
    const service = sampleService();
    const partOid = await create(service, { name: 'p' }, 'Part', 'partInput');
    await expect(read(service, partOid, { query: 'softTypeFilterId=drawings' })).rejects.toMatchObject({ status: 400 });
    const oid = await create(service, files(['letter']));
    expect(
      names(entriesIn((await read(service, oid, { query: 'softTypeFilter=drawings' })).json.data, 'files')),
    ).toEqual(['0']);
  });
});

async function revisionsBehind(service: Areas, href = '', pages = 0): Promise<unknown[]> {
  if (href === '') return [];
  const answers = await Promise.all(
    Array.from({ length: pages }, (_, page) => follow(service, href.replace('{pageNumber}', String(page)))),
  );
  return answers.flatMap(({ json }) => json.data).map((entry) => ('text' in entry ? entry.text : undefined));
}

function texts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `text ${index}`);
}

function revisions(count: number): object[] {
  return texts(count).map((text) => ({ text }));
}
