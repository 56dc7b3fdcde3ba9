import { expect, test } from 'vitest';
import type { Sent } from '../client/wire.ts';
import { Part, partHere, runAs } from './part.ts';
import { CaseRecord } from './record.ts';

function sent(method: string, url: string, status: number, location?: string): Sent {
  const headers = location === undefined ? [] : ([['location', location]] as const);
  return {
    request: { method, url, headers: [] },
    exchange: {
      request: { method, url, headers: [] },
      response: { status, headers, body: url },
      sentAt: 0,
      durationMs: 0,
    },
  } as Sent;
}

const urlsOf = (history: readonly Sent[]): readonly string[] => history.map(({ request }) => request.url);

test('a history that is full keeps what made the objects that it is still about', () => {
  const record = new CaseRecord(true);
  record.add(sent('POST', '/make/one', 201, 'http://host/things/one'));
  record.add(sent('POST', '/make/other', 201, '/things/other?x=1'));
  for (let index = 0; index < 100; index += 1) record.add(sent('PUT', `/settings/${index}`, 200));
  expect(urlsOf(record.history())).toEqual(Array.from({ length: 80 }, (_, index) => `/settings/${index + 20}`));
  const last = sent('GET', '/things/other', 404);
  record.add(last);
  expect(urlsOf(record.history(last.exchange))).toEqual([
    '/make/other',
    ...Array.from({ length: 79 }, (_, index) => `/settings/${index + 21}`),
    '/things/other',
  ]);
  record.begin();
  record.add(last);
  expect(urlsOf(record.history())).toEqual(['/things/other']);
  expect(urlsOf(record.prelude).slice(0, 2)).toEqual(['/make/other', '/settings/21']);
});

test('what is done at the end is done by the part that asked for it', async () => {
  const record = new CaseRecord(true);
  const seen: string[] = [];
  runAs(new Part({ name: 'a.b.c#0', stem: 'a' }), () => record.atEnd(async () => void seen.push(partHere().name)));
  await record.end();
  expect(seen).toEqual(['a.b.c#0']);
});
