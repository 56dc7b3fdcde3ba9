import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EveryAnswer } from './every-answer.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import { smallProfile } from '../small-service.fixture.ts';

const base = 'http://127.0.0.1:1';
const { profile } = smallProfile(base);
const space = `/api/space/${profile.space}/softtype`;

interface Told {
  readonly status?: number;
  readonly json?: unknown;
  readonly version?: string;
  readonly location?: string;
  /** When it was sent and how long it took, in ms. */
  readonly at?: number;
  readonly tookMs?: number;
}

function replyTo(path: string, { status = 200, json, version, location, at = 0, tookMs = 1 }: Told): Reply {
  const url = base + path;
  return {
    status,
    headers: { 'svc-uoiversion': version, location },
    bytes: Buffer.from(''),
    text: '',
    json,
    url,
    exchange: { request: { method: 'GET', url, headers: [] }, sentAt: at, durationMs: tookMs },
  };
}

/** What is wrong with answers to requests of one method, in words. */
function wrongIn(...answers: readonly (readonly [Partial<RequestSpec>, string, Told])[]): readonly string[] {
  const every = new EveryAnswer(profile);
  for (const [spec, path, told] of answers)
    every.note({ method: 'GET', url: path, as: 'editor', ...spec }, replyTo(path, told), 'test');
  expect(every.judged).toBe(answers.length);
  expect(every.count).toBe(every.wrong.length);
  return every.wrong.map(({ rule, what }) => `${rule}: ${what}`);
}

/** A batch of one operation, and its result. */
function batchOf(operation: object, result: unknown): [Partial<RequestSpec>, string, Told] {
  return [{ method: 'POST', body: [operation] }, `/api/space/${profile.space}/batch`, { json: [result] }];
}

const instance = (version: unknown, more: object = {}, data: object = {}): object => ({
  href: `${space}/o`,
  data: { $oid: 'o', $version: version, $softType: 'D', ...data },
  version,
  links: [],
  schema: {},
  ...more,
});

const pageLink = (more: object = {}): object => ({
  links: [{ rel: 'page', method: 'GET', href: '/page/{pageNumber}', pages: 2, totalNumber: 18, ...more }],
});

test('a right read, page, create and edit have nothing wrong', () => {
  const found = wrongIn(
    [{ method: 'POST' }, `${space}/D/I`, { status: 201, version: '1', location: '/o' }],
    [{}, `${space}/o`, { json: instance(1, pageLink()), at: 10 }],
    [{ method: 'PATCH', version: 1 }, `${space}/D/I/o`, { status: 204, version: '2', at: 20 }],
    [{}, `${space}/D/O/o`, { json: instance(2), at: 30 }],
    [
      {},
      `${space}/page/D/O/P/o/0`,
      { json: { href: '/p', data: [{ $entryId: 1 }, { $entryId: 'b' }], version: 2 }, at: 40 },
    ],
  );
  expect(found).toEqual([]);
});

test.each([
  ['reading.body.schema-is-object', instance(1, { schema: 'D' })],
  ['reading.body.links-is-array', instance(1, { links: {} })],
  ['reading.body.version-is-integer', instance('1')],
  ['reading.system.version-matches-top-level', instance(1, {}, { $version: 2 })],
  ['reading.system.oid-matches-route', instance(1, {}, { $oid: 'p' })],
  ['reading.system.soft-type-names-definition', instance(1, {}, { $softType: null })],
  ['reading.body.href-leads-back', instance(1, { href: undefined })],
  ['reading.entries.objects-carry-entry-id', instance(1, {}, { files: [{ $entryId: 1, parts: [{}] }] })],
  ['reading.entries.ids-unique-in-array', instance(1, {}, { files: [{ $entryId: 1 }, { $entryId: '1' }] })],
  ['paging.link.pages-count', instance(1, pageLink({ pages: 1 }))],
  ['paging.link.total-number', instance(1, pageLink({ totalNumber: '18' }))],
  ['paging.link.href-holds-template', instance(1, pageLink({ href: '/page/0' }))],
  ['paging.link.method-is-get', instance(1, pageLink({ method: undefined }))],
])('%s is seen in any read, and in one of a batch', (rule, json) => {
  const inBatch = wrongIn(batchOf({ method: 'GET', href: `${space}/o` }, { statusCode: 200, body: json }));
  expect(wrongIn([{}, `${space}/o`, { json }])).toEqual([expect.stringContaining(rule)]);
  // there the address is not compared
  expect(inBatch).toEqual(rule.endsWith('oid-matches-route') ? [] : [expect.stringContaining(rule)]);
});

test('a result of a batch has the code of its route, and what stands for the headers of an answer', () => {
  const create = { method: 'POST', href: `${base}${space}/D/I` };
  const read = { method: 'GET', href: `${space}/o` };
  expect(wrongIn(batchOf(create, { statusCode: 201, body: { href: '/o', version: 1 } }))).toEqual([]);
  expect(wrongIn(batchOf(read, { statusCode: 304 }))).toEqual([]);
  expect(wrongIn(batchOf(create, { statusCode: '201', body: {} }))).toEqual([
    expect.stringContaining('batch.result.status-code-is-integer'),
    expect.stringContaining('batch.result.create-href'),
    expect.stringContaining('batch.result.version-in-body'),
  ]);
  expect(wrongIn([...batchOf(create, 0).slice(0, 2), { json: [] }] as never)).toEqual([
    expect.stringContaining('batch.result.one-per-operation'),
  ]);
});

test('a batch that passes has no result of an operation that failed, of whatever route', () => {
  const removal = { method: 'DELETE', href: `${space}/o` };
  expect(wrongIn(batchOf(removal, { statusCode: 204 }))).toEqual([]);
  expect(wrongIn(batchOf(removal, { statusCode: 404 }))).toEqual([expect.stringContaining('batch.failure.status-500')]);
});

test('a batch that fails has a result for each operation too, where its body is a list of results', () => {
  const failed = (json: unknown): readonly string[] => {
    const every = new EveryAnswer(profile);
    const path = `/api/space/${profile.space}/batch`;
    const spec = { method: 'POST', url: path, as: 'editor', body: [{}, {}] } as const;
    every.note(spec, replyTo(path, { status: 500, json }), 'test');
    return every.wrong.map(({ rule }) => rule);
  };
  expect(failed([{ statusCode: 404 }])).toEqual(['batch.result.one-per-operation']);
  for (const right of [[{ statusCode: 404 }, { statusCode: 424 }], [{ message: 'no' }], { errors: [] }, undefined])
    expect(failed(right)).toEqual([]);
});

test('a reader sees no link that writes, and an editor may', () => {
  const json = instance(1, { links: [{ rel: 'edit', method: 'PATCH', href: '/o' }] });
  expect(wrongIn([{ as: 'reader' }, `${space}/o`, { json }])).toEqual([
    expect.stringContaining('hypermedia.reader.sees-no-write-links'),
  ]);
  expect(wrongIn([{}, `${space}/o`, { json }])).toEqual([]);
});

test('the code of a success is that of its route', () => {
  expect(wrongIn([{ method: 'PATCH' }, `${space}/D/I/o`, { status: 200 }])).toEqual([
    expect.stringContaining('patch.merge.status-204'),
  ]);
});

test('what comes of a body of another kind than its route takes is not judged', () => {
  const headers = { 'content-type': 'application/json-patch+json' };
  expect(wrongIn([{ method: 'PATCH', headers }, `${space}/D/I/o`, { status: 200 }])).toEqual([]);
  expect(wrongIn([{ method: 'PATCH', body: [] }, `${space}/D/I/o`, { status: 200 }])).toEqual([]);
});

test('an edit tells its own version or the next one, or none', () => {
  const edit = (told: Told) => wrongIn([{ method: 'PATCH', version: 4 }, `${space}/D/I/o`, { status: 204, ...told }]);
  expect([edit({}), edit({ version: '4' }), edit({ version: '5' })]).toEqual([[], [], []]);
  expect(edit({ version: '6' })).toEqual([expect.stringContaining('headers.uoi-version.on-merge')]);
  expect(edit({ version: 'five' })).toHaveLength(1);
});

test('a version falls where a later request shows an older one, and not where both were under way together', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 1, max: 50 }), fc.boolean(), (at, tookMs, isLater) => {
      const second = isLater ? at + tookMs + 1 : at + tookMs;
      const found = wrongIn(
        [{}, `${space}/o`, { json: instance(3), at, tookMs }],
        [{}, `${space}/o`, { json: instance(2), at: second }],
      );
      expect(found).toHaveLength(isLater ? 1 : 0);
    }),
  );
});

test('entries may lack their ids, and the version be another, where a filter shapes the read', () => {
  const page = [
    { filter: { a: 1 } },
    `${space}/page/D/O/P/o/0`,
    { json: { href: '/p', data: [{}], version: 2 } },
  ] as const;
  expect(wrongIn([...page])).toEqual([]);
  expect(wrongIn([{}, page[1], page[2]])).toEqual([expect.stringContaining('reading.entries.objects-carry-entry-id')]);
});

test('what no route of the documents leads to is not looked at', () => {
  const every = new EveryAnswer(profile);
  every.note({ method: 'GET', url: '/elsewhere', as: 'editor' }, replyTo('/elsewhere', { json: {} }), 'test');
  expect(every.judged).toBe(0);
});

test('what two users read of one version is the same, as far as the profile describes it', () => {
  const spec: RequestSpec = { method: 'GET', url: '/o', as: 'editor' };
  const told = (version: number, data: object): Reply => replyTo(`${space}/o`, { json: instance(version, {}, data) });
  const wrong = (one: Reply, other: Reply): number => {
    const every = new EveryAnswer(profile);
    expect(every.isRead(spec, one)).toBe(true);
    every.noteAgain(spec, one, other, 'test');
    return every.count;
  };
  expect(wrong(told(1, { note: 'a', own: 1 }), told(1, { own: 2, note: 'a' }))).toBe(0);
  expect(wrong(told(1, { note: 'a' }), told(2, { note: 'b' }))).toBe(0);
  expect(wrong(told(1, { note: 'a' }), { ...told(1, {}), status: 403 })).toBe(0);
  expect(wrong(told(1, { note: 'a' }), told(1, { note: 'b' }))).toBe(1);
  expect(wrong(told(1, {}), told(1, { note: 'b' }))).toBe(1);
});

test('an object that is made again under the id of a deleted one begins anew', () => {
  const found = wrongIn(
    [{}, `${space}/o`, { json: instance(3), at: 10 }],
    [{ method: 'DELETE' }, `${space}/o`, { status: 204, at: 20 }],
    [{}, `${space}/o`, { json: instance(1), at: 30 }],
  );
  expect(found).toEqual([]);
});

test('a read by an id in Base64 may be asked for with more than its bytes', () => {
  const id = Buffer.from('Document:163').toString('base64');
  const read = (asked: string, $oid: string): [object, string, Told] => [
    {},
    `${space}/${encodeURIComponent(asked)}`,
    { json: instance(1, {}, { $oid }) },
  ];
  expect(wrongIn(read(`${id}0`, id), read('12', '120'))).toEqual(['reading.system.oid-matches-route: $oid']);
});

test.each([
  ['a page', `${space}/page/D/O/P/o/0`, (entry: object) => ({ href: '/', data: [entry], version: 1 })],
  ['a read', `${space}/o`, (entry: object) => instance(1, {}, { files: [entry] })],
])('%s shows no text in an entry that was written into another object alone', (_what, path, showing) => {
  const [own, other] = ['text-0a0a0a0a-1', 'text-0a0a0a0a-2'];
  const written = (oid: string, comment: string): [Partial<RequestSpec>, string, Told] => [
    { method: 'PATCH', version: 1, body: { files: [{ comment }] } },
    `${space}/D/I/${oid}`,
    { status: 204, version: '2' },
  ];
  const filter = { a: 1 };
  const wrong = (comment: unknown): readonly string[] =>
    wrongIn(written('o', own), written('p', other), [{ filter }, path, { json: showing({ id: '1', comment }) }]);
  expect(wrong(own)).toEqual([]);
  expect(wrong(other)).toEqual(['versioning.history.matches-model: text of another object in an entry']);
  // what a reference leads to may be shown with it
  expect(wrong({ $oid: 'p', title: other })).toEqual([]);
});
