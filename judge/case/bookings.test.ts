import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bookings } from './bookings.ts';
import type { Reply } from '../exchange.ts';
import { smallProfile } from '../small-service.fixture.ts';

const base = 'http://127.0.0.1:1';
const space = `${base}/api/space/main`;
const lockFree = { method: 'DELETE', path: '/api/space/{spaceId}/lockobject/{objectId}' };
const routes = { lockTake: { method: 'POST', path: '/api/space/{spaceId}/lockobject' }, lockFree };

function created(url: string, location: string | undefined, json?: unknown): Reply {
  const headers = location === undefined ? {} : { location };
  const exchange = { request: { method: 'POST', url, headers: [] }, sentAt: 0, durationMs: 0 };
  return {
    status: location === undefined ? 200 : 201,
    headers,
    bytes: new Uint8Array(),
    text: '',
    json,
    url,
    exchange,
  };
}

test('a lock that was taken, by itself or in a batch, is no object that a clean-up could delete', () => {
  const bookings = new Bookings({ ...smallProfile(base).profile, routes });
  const url = `${space}/lockobject`;
  bookings.note({ method: 'POST', url, as: 'editor' }, created(url, `${url}/o-1`), 'a case');
  const results = [`${url}/o-2`, `${space}/softtype/o-3`].map((href) => ({
    statusCode: 201,
    body: { href, version: 1 },
  }));
  const batch = `${space}/batch`;
  bookings.note({ method: 'POST', url: batch, as: 'editor' }, created(batch, undefined, results), 'a case');
  expect(bookings.booked().map(({ uri }) => uri)).toEqual([`${space}/softtype/o-3`]);
});

describe('what a multi-create made is told by its answer', () => {
  const items = ['a', 'b'].map(($id) => ({ $id, $softType: 'Document', data: {} }));
  const hrefs = ['o-1', 'o-2'].map((oid) => `${space}/softtype/${oid}`);
  const made = (url: string, body: unknown, reply: Reply, multiCreate = { resultHref: '/created/{index}/href' }) => {
    const bookings = new Bookings({ ...smallProfile(base).profile, multiCreate });
    bookings.note({ method: 'POST', url, as: 'editor', body }, reply, 'a case');
    return bookings.booked().map(({ uri }) => uri);
  };
  const url = `${base}/space/main/softtype`;

  test('where a Location names the first alone', () => {
    const results = hrefs.map((href) => ({ href }));
    expect(made(url, items, created(url, hrefs[0], results))).toEqual(hrefs);
  });

  test('where the results stand in an object, by themselves or in a batch', () => {
    const answer = { created: hrefs.map((href) => ({ href })) };
    expect(made(url, items, created(url, hrefs[0], answer))).toEqual(hrefs);
    const batch = `${space}/batch`;
    const results = [{ statusCode: 200, body: answer }];
    expect(made(batch, [{ method: 'POST', body: items }], created(batch, undefined, results))).toEqual(hrefs);
  });

  test('where two items have one $id, and where there are none', () => {
    const alike = items.map((item) => ({ ...item, $id: 'a' }));
    const results = hrefs.map((href) => ({ href, temp: 'a' }));
    const bound = { resultHref: '/{index}/href', resultId: '/{index}/temp' };
    expect(made(url, alike, created(url, hrefs[0], results), bound)).toEqual(hrefs);
    expect(made(url, [], created(url, `${space}/find/Document`, []))).toEqual([]);
  });

  test('where they are ids', () => {
    const answer = { ids: { a: 'o-1', b: 'o-2' } };
    expect(made(url, items, created(url, undefined, answer), { resultHref: '/ids/{id}' })).toEqual(hrefs);
    const elsewhere = url.replace('main', 'other');
    const there = hrefs.map((href) => href.replace('main', 'other'));
    expect(made(elsewhere, items, created(elsewhere, undefined, answer), { resultHref: '/ids/{id}' })).toEqual(there);
  });
});

test('what one case made is told apart, be it noted or booked', () => {
  const bookings = new Bookings(smallProfile(base).profile);
  const url = `${space}/softtype/Document/in`;
  for (const madeBy of ['a case', 'another'] as const) {
    bookings.note({ method: 'POST', url, as: 'editor' }, created(url, `${space}/softtype/of-${madeBy.length}`), madeBy);
    bookings.book({ uri: `${base}/booked/${madeBy.length}`, madeBy });
  }
  expect(bookings.booked('a case').map(({ uri }) => uri)).toEqual([`${space}/softtype/of-6`, `${base}/booked/6`]);
  expect(bookings.booked()).toHaveLength(4);
});

test('news of what is made and gone tell, whenever they end, whatever is there', () => {
  const uri = fc.nat(5).map((id) => `${space}/softtype/o-${id}`);
  const as = fc.constantFrom('editor', 'reader', 'administrator');
  const step = fc.oneof(
    fc.record({ deed: fc.constant('create'), uri, as }),
    fc.record({ deed: fc.constantFrom('book', 'drop', 'drop all'), uri: uri.map((one) => `${one}/file`), as }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const there = new Set<string>();
      const bookings = new Bookings(smallProfile(base).profile, (news) =>
        'made' in news ? there.add(news.made) : there.delete(news.gone),
      );
      for (const { deed, uri, as } of steps) {
        const request = { method: 'POST', url: `${space}/softtype`, as } as const;
        if (deed === 'create') bookings.note(request, created(request.url, uri), 'a case');
        else if (deed === 'book') bookings.book({ uri, madeBy: 'a case', remove: { ...request, method: 'DELETE' } });
        else bookings.drop(uri, deed === 'drop' ? as : undefined);
        expect(there).toEqual(new Set(bookings.booked().map((booking) => booking.uri)));
      }
    }),
  );
});
