import { expect, test } from 'vitest';
import type { Reply } from './exchange.ts';
import { KnownTags } from './known-tags.ts';

const url = 'http://127.0.0.1:1/api/space/main/dx/1';
const made = 'text-0a1b2c3d-7';

function read(json: unknown, etag = '"t"', type = 'application/json'): Reply {
  return {
    status: 200,
    headers: { etag, 'content-type': type },
    bytes: Buffer.from(JSON.stringify(json)),
    text: JSON.stringify(json),
    json,
    url,
    exchange: { request: { method: 'GET', url, headers: [] }, sentAt: 0, durationMs: 1 },
  };
}

function seen(...replies: readonly Reply[]): readonly boolean[] {
  const tags = new KnownTags();
  return replies.map((reply) => tags.isOfFormerData({ method: 'GET', url, as: 'editor' }, reply));
}

test('an ETag that stood for data without a text of the run is not that of data with it', () => {
  expect(seen(read({ at: 1 }), read({ at: 2 }), read({ progress: made }))).toEqual([false, false, true]);
});

test('what the run has not written may differ, as may data under another tag and SoftTypes', () => {
  expect(seen(read({ id: '0a1b2c3d-1234-4abc' }), read({ id: 'of-0a1b2c3d-1234-4abc' }))).toEqual([false, false]);
  expect(seen(read({ progress: made }), read({ progress: 'text-0a1b2c3d-8' }, '"u"'))).toEqual([false, false]);
  expect(seen(read({ $softType: 'D' }), read({ $softType: 'D', note: made }))).toEqual([false, false]);
});

test('a file of the same length may have the same tag', () => {
  const file = (text: string): Reply => read(text, '"t"', 'text/plain');
  expect(seen(file(made), file('text-0a1b2c3d-8'))).toEqual([false, false]);
  expect(seen(file(made), file('text-0a1b2c3d-10'))).toEqual([false, true]);
});

test('data are the same however they are escaped', () => {
  const data = { progress: made };
  const escaped = { ...read(data), bytes: Buffer.from(JSON.stringify(data).replaceAll('e', '\\u0065')) };
  expect(seen(read(data), escaped, read(data))).toEqual([false, false, false]);
});
