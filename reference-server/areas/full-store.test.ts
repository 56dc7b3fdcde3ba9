import { afterAll, beforeAll, expect, test } from 'vitest';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import {
  type BatchSample,
  batchPath,
  batchSample,
  createDocument,
  merge,
  read,
  type Sent,
  types,
} from './batch-sample.fixture.ts';

/** Longer each time: pages that an earlier write has left free are taken first. */
const long = (): string => 'x'.repeat((size += 200_000));
let size = 0;
let sample: BatchSample;
let oid: string;

beforeAll(async () => {
  sample = await batchSample();
  oid = await createDocument(sample);
});
afterAll(() => sample.close());

const create = (title: string): Sent => ({ method: 'POST', href: `${types}/Document/documentInput`, body: { title } });
const versioned =
  (method: string, href: string, body: unknown, more: Record<string, string> = {}) =>
  async (): Promise<Sent> => ({
    method,
    href,
    body,
    headers: { [headerNames.version]: await versionOf(oid), ...more },
  });
const kinds: Readonly<Record<string, () => Promise<Sent>>> = {
  'a PUT': () => versioned('PUT', `${types}/Document/documentInput/${oid}`, { title: long() })(),
  'a create': async () => create(long()),
  'a merge': async () => merge(oid, await versionOf(oid), { note: long() }),
  'a merge of entries': async () => merge(oid, await versionOf(oid), { files: [{ name: long() }, { name: 'small' }] }),
  operations: () =>
    versioned('PATCH', `${types}/Document/${oid}`, [{ op: 'replace', path: '/note', value: long() }], {
      'content-type': mediaTypes.operations,
    })(),
  'several at once': async () => ({
    method: 'POST',
    href: '/space/main/softtype',
    body: [1, 2].map((number) => ({ $id: `i${number}`, $softType: 'Document', data: { title: long() } })),
  }),
};

test.each(Object.entries(kinds))(
  '%s is refused with 507, leaves no row changed, and is taken later',
  async (_name, kind) => {
    const request = await kind();
    const before = sample.rows();
    sample.limit(true);
    const refused = await sample.send(request);
    sample.limit(false);
    expect(refused.status, refused.text).toBe(507);
    expect(refused.json).toMatchObject({ status: 507, detail: expect.stringContaining('nothing of it was kept') });
    expect(sample.rows()).toBe(before);
    expect((await sample.send(request)).status).toBeLessThan(300);
  },
);

test('a batch keeps none of its operations, the last that would have had room neither', async () => {
  const operations = [
    { method: 'POST', href: create('').href, body: { title: 'small' } },
    { method: 'POST', href: create('').href, body: { title: long() } },
    { method: 'POST', href: create('').href, body: { title: 'small again' } },
  ];
  const before = sample.rows();
  sample.limit(true);
  const { status, text } = await sample.send({ method: 'POST', href: batchPath, body: operations });
  sample.limit(false);
  expect(status, text).toBe(507);
  expect(sample.rows()).toBe(before);
  expect((await sample.batch(operations)).status).toBe(200);
});

test('reads are answered meanwhile', async () => {
  sample.limit(true);
  expect((await sample.send(read(oid))).status).toBe(200);
  sample.limit(false);
});

async function versionOf(id: string): Promise<string> {
  return (
    (await sample.send(read(id))).headers.get(headerNames.version) ??
    String(versionIn((await sample.send(read(id))).json))
  );
}

function versionIn(json: unknown): unknown {
  return typeof json === 'object' && json !== null ? Reflect.get(json, 'version') : undefined;
}
