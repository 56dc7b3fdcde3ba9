import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../http/refusal.ts';
import { create, entriesIn, follow, read, sampleCall, sampleService } from './reading-sample.fixture.ts';

const { paging } = sampleService();

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
});

describe('filters', () => {
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
