import { expect, test } from 'vitest';
import { Bookings } from './bookings.ts';
import type { Reply } from './exchange.ts';
import { smallProfile } from './small-service.fixture.ts';

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
