import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchSample, createDocument, type BatchSample, type Received } from './batch-sample.fixture.ts';

let at: BatchSample;
beforeAll(async () => void (at = await batchSample()));
afterAll(() => at.close());

const path = '/space/main/softtype';
const multiCreate = (body: unknown, href = path): Promise<Received> => at.send({ method: 'POST', href, body });
const created = ({ json }: Received): readonly { readonly href: string; readonly $id?: string }[] =>
  Array.isArray(json) ? json : [];
const dataAt = async (href: string): Promise<Readonly<Record<string, unknown>>> =>
  Object(Object((await at.send({ method: 'GET', href })).json).data);
const reference = (instanceRef: string, more: object = {}): object => ({ value: { instanceRef, ...more } });
const part = (more: object = {}): object => ({ $softType: 'Part', data: { name: 'p' }, ...more });

test('an item without $id or data is one, a system member in data is passed over', async () => {
  const answer = await multiCreate([{ $softType: 'Part', data: { name: 'p', $oid: 'mine' } }, part({ $id: '' })]);
  expect(answer.json).toEqual([
    { href: expect.not.stringContaining('mine'), version: 1 },
    { $id: '', href: expect.any(String), version: 1 },
  ]);
  expect(await multiCreate([{ $softType: 'Part' }])).toMatchObject({ status: 422, json: { pointer: '/0/data/name' } });
});

test('a reference by $oid leads to an object that exists', async () => {
  const [{ href } = { href: '' }] = created(await multiCreate([part()]));
  const $oid = href.split('/').at(-1);
  const [made] = created(
    await multiCreate([{ $softType: 'Document', data: { title: 'd', describes: [{ value: { $oid } }] } }]),
  );
  expect(await dataAt(made?.href ?? '')).toMatchObject({ describes: [{ value: { $oid, href } }] });
});

describe('the limit', () => {
  test.each([0, 51])('%d items are refused', async (count) => {
    const rows = at.rows();
    expect(await multiCreate(Array.from({ length: count }, () => part()))).toMatchObject({
      status: 422,
      json: { pointer: '' },
    });
    expect(at.rows()).toBe(rows);
  });
});

const refusedItems: readonly (readonly [string, string])[] = [
  ['null', ''],
  ['[]', ''],
  ['{}', '/$softType'],
  ['{"$softType":1}', '/$softType'],
  ['{"$softType":"Dossier","data":{"title":"t"}}', '/$softType'],
  ['{"$softType":"__proto__"}', '/$softType'],
  ['{"$softType":"Part","data":{"name":"p"},"$id":1}', '/$id'],
  ['{"$softType":"Part","data":{"name":"p"},"$id":null}', '/$id'],
  ['{"$softType":"Part","data":{"name":"p"},"$id":"same"}', '/$id'],
  ['{"$softType":"Part","data":{"name":"p"},"__proto__":{}}', '/__proto__'],
  ['{"$softType":"Part","data":{"name":"p"},"more/less":{}}', '/more~1less'],
  ['{"$softType":"Part","data":null}', '/data'],
  ['{"$softType":"Part","data":[]}', '/data'],
  ['{"$softType":"Part","data":{}}', '/data/name'],
  ['{"$softType":"Part","data":{"name":1}}', '/data/name'],
  ['{"$softType":"Part","data":{"name":"p","__proto__":1}}', '/data/__proto__'],
  ['{"$softType":"Part","data":{"name":"p","constructor":1}}', '/data/constructor'],
  ['{"$softType":"Part","data":{"name":"p","usages":[{"name":"u"},{}]}}', '/data/usages/1/name'],
  [
    '{"$softType":"Part","data":{"name":"p","describedBy":[{"value":{"instanceRef":"nobody"}}]}}',
    '/data/describedBy/0/value/instanceRef',
  ],
  [
    '{"$softType":"Part","data":{"name":"p","describedBy":[{"value":{"instanceRef":1}}]}}',
    '/data/describedBy/0/value/instanceRef',
  ],
  [
    '{"$softType":"Part","data":{"name":"p","describedBy":[{"value":{"instanceRef":"same"}}]}}',
    '/data/describedBy/0/value/instanceRef',
  ],
  [
    '{"$softType":"Part","data":{"name":"p","describedBy":[{"value":{"instanceRef":"document","softTypeId":"Part"}}]}}',
    '/data/describedBy/0/value/softTypeId',
  ],
  [
    '{"$softType":"Part","data":{"name":"p","describedBy":[{"value":{"$oid":"nowhere"}}]}}',
    '/data/describedBy/0/value/$oid',
  ],
  [
    '{"$softType":"Part","data":{"name":"p","describedBy":[{"id":1,"value":{"instanceRef":"document"}}]}}',
    '/data/describedBy/0/id',
  ],
  ['{"$softType":"Part","data":{"name":"p","describedBy":[{"id":"r"}]}}', '/data/describedBy/0/value'],
];

describe('one item that does not fit', () => {
  const good = [
    part({ $id: 'same', data: { name: 'p', usages: [{ name: 'u' }] } }),
    { $id: 'document', $softType: 'Document', data: { title: 'd' } },
  ];

  test.each(refusedItems)('%s is refused at its place, and nothing is created', async (text, pointer) => {
    const rows = at.rows();
    const item: unknown = JSON.parse(text);
    expect(await multiCreate([...good, item])).toMatchObject({ status: 422, json: { pointer: `/2${pointer}` } });
    expect((await multiCreate([item, ...good])).status).toBe(422);
    expect(at.rows()).toBe(rows);
    expect((await multiCreate(good)).status).toBe(201);
  });

  test('an object that exists is not named by instanceRef', async () => {
    const oid = await createDocument(at);
    const answer = await multiCreate([part({ data: { name: 'p', describedBy: [reference(oid)] } })]);
    expect(answer).toMatchObject({ status: 422, json: { pointer: '/0/data/describedBy/0/value/instanceRef' } });
  });

  test.each(['{}', '"a"', 'null'])('a body that is %s is refused', async (text) => {
    expect(await multiCreate(JSON.parse(text))).toMatchObject({ status: 422, json: { pointer: '' } });
  });
});
