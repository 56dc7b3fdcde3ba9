import { breaks } from '../../variants/breaks.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headerNames } from '../../contract/names.ts';
import { batchSample, createDocument, read, types, type BatchSample, type Received } from './batch-sample.fixture.ts';

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

interface Graph {
  readonly softTypes: readonly Kind[];
  /** From item to item; those between items of one SoftType are left out. */
  readonly edges: readonly (readonly [number, number])[];
}

type Kind = keyof typeof ports;
const ports = {
  Document: { name: 'title', port: 'describes', to: 'Part' },
  Part: { name: 'name', port: 'describedBy', to: 'Document' },
} as const;

const graph: fc.Arbitrary<Graph> = fc
  .array(fc.constantFrom<Kind>('Document', 'Part'), { minLength: 1, maxLength: 50 })
  .chain((softTypes) => {
    const item = fc.nat({ max: softTypes.length - 1 });
    const edges = fc.uniqueArray(fc.tuple(item, item), { maxLength: 80, selector: String });
    return edges.map((all) => ({ softTypes, edges: all.filter(([from, to]) => softTypes[from] !== softTypes[to]) }));
  });

function itemsOf({ softTypes, edges }: Graph): readonly object[] {
  return softTypes.map((softType, index) => {
    const { name, port, to } = ports[softType];
    const references = edges
      .filter(([from]) => from === index)
      .map(([, target]) => ({ id: `${target}`, ...reference(`item ${target}`, { softTypeId: to }) }));
    return { $id: `item ${index}`, $softType: softType, data: { [name]: `made ${index}`, [port]: references } };
  });
}

test('creates whatever graph the items make, in item order, and keeps no $id', async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (given) => {
      const answer = await multiCreate(itemsOf(given));
      const { status, headers, json } = answer;
      expect([status, headers.get(headerNames.version), headers.get('location')]).toEqual([201, '1', null]);
      expect(json).toEqual(
        given.softTypes.map((_, index) => ({ $id: `item ${index}`, href: expect.stringContaining(types), version: 1 })),
      );
      const hrefs = created(answer).map(({ href }) => href);
      for (const [index, softType] of given.softTypes.entries()) {
        const { name, port } = ports[softType];
        const expected = given.edges
          .filter(([from]) => from === index)
          .map(([, target]) => ({ id: `${target}`, value: { href: hrefs[target] } }));
        const data = await dataAt(hrefs[index] ?? '');
        expect(data).toMatchObject({
          $softType: softType,
          $version: 1,
          [name]: `made ${index}`,
          [port]: expected.slice(0, 10),
        });
        expect(JSON.stringify(data)).not.toContain('item ');
      }
    }),
    { numRuns: 20 },
  );
});

test('is served with and without the prefix, in either spelling', async () => {
  for (const href of [path, `/api${path}`, '/space/main/SoftType', '/api/space/main/SoftType'])
    expect((await multiCreate([part()], href)).status).toBe(201);
});

test('an item without $id or data is one, a system member in data is passed over', async () => {
  const answer = await multiCreate([{ $softType: 'Part', data: { name: 'p', $oid: 'mine' } }, part({ $id: '' })]);
  expect(answer.json).toEqual([
    { href: expect.not.stringContaining('mine'), version: 1 },
    { $id: '', href: expect.any(String), version: 1 },
  ]);
  expect(await multiCreate([{ $softType: 'Part' }])).toMatchObject({ status: 422, json: { pointer: '/0/data/name' } });
});

test('an $id means nothing after its request', async () => {
  expect((await multiCreate([part({ $id: 'telling' })])).status).toBe(201);
  expect((await multiCreate([part({ $id: 'telling' })])).status).toBe(201);
  expect((await at.send(read('telling'))).status).toBe(404);
  expect(
    (await multiCreate([{ $softType: 'Document', data: { title: 'd', describes: [reference('telling')] } }])).status,
  ).toBe(422);
});

test('a reference by $oid leads to an object that exists', async () => {
  const [{ href } = { href: '' }] = created(await multiCreate([part()]));
  const $oid = href.split('/').at(-1);
  const [made] = created(
    await multiCreate([{ $softType: 'Document', data: { title: 'd', describes: [{ value: { $oid } }] } }]),
  );
  expect(await dataAt(made?.href ?? '')).toMatchObject({ describes: [{ value: { $oid, href } }] });
});

test('an item may refer to itself where the port takes its SoftType', async () => {
  const own = await batchSample(
    breaks(
      'multiCreate',
      'itemTypeOf',
      (right) =>
        (...args) =>
          selfReferring(right(...args)),
    ),
  );
  const { status, json } = await own.send({
    method: 'POST',
    href: path,
    body: [part({ $id: 'self', data: { name: 'p', describedBy: [reference('self', { softTypeId: 'Part' })] } })],
  });
  const [{ href }] = Object(json);
  expect(status).toBe(201);
  expect((await own.send({ method: 'GET', href })).json).toMatchObject({
    data: { describedBy: [{ value: { href } }] },
  });
  await own.close();
});

/** The definition with its port leading to itself. */
function selfReferring<T extends { readonly id: string; readonly members: ReadonlyMap<string, object> }>(
  softType: T,
): T {
  const members = new Map(
    [...softType.members].map(([name, member]) => [name, 'to' in member ? { ...member, to: softType.id } : member]),
  );
  return { ...softType, members };
}

describe('the limit', () => {
  test.each([1, 49, 50])('%d items are created', async (count) => {
    expect(created(await multiCreate(Array.from({ length: count }, () => part())))).toHaveLength(count);
  });

  test.each([0, 51, 200])('%d items are refused', async (count) => {
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

test('asks for the media type, the information filter and a role that may POST', async () => {
  const sent = { method: 'POST', href: path, body: [part()] };
  expect((await at.send({ ...sent, headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  expect((await at.send({ ...sent, headers: { [headerNames.informationFilter]: '!' } })).status).toBe(400);
  expect((await at.send({ ...sent, user: 'rita' })).status).toBe(403);
  expect((await at.send({ ...sent, user: 'nobody' })).status).toBe(401);
});
