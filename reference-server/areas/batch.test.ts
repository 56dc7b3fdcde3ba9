import { replaces } from '../../variants/breaks.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headerNames } from '../../contract/names.ts';
import { failure, requestsOf, steps } from './batch-history.fixture.ts';
import {
  batchPath,
  batchSample,
  createDocument,
  merge,
  read,
  types,
  type BatchSample,
  type Received,
  type Sent,
} from './batch-sample.fixture.ts';

let at: BatchSample;
beforeAll(async () => void (at = await batchSample()));
afterAll(() => at.close());

const files = Array.from({ length: 12 }, (_, index) => ({ name: `n${index}` }));
const documents = async (sample: BatchSample): Promise<readonly string[]> => {
  const oids: string[] = [];
  for (const title of ['a', 'b', 'c']) oids.push(await createDocument(sample, { title, files }));
  return oids;
};

/** What every read route shows of the objects. */
async function views({ send }: BatchSample, oids: readonly string[]): Promise<readonly string[]> {
  const paths = oids.flatMap((oid) => [
    oid,
    `Document/documentFull/${oid}`,
    `Document/documentSummary/${oid}`,
    `${oid}?softTypeFilterId=drawings`,
    ...[0, 1].map((page) => `page/Document/documentFull/files/${oid}/${page}`),
    `page/Document/documentFull/contacts/${oid}/0`,
  ]);
  return Promise.all(paths.map(async (path) => (await send({ method: 'GET', href: `${types}/${path}` })).text));
}

/** The body of the result that a request which was answered so alone has in a batch. */
function resultBody({ json, headers }: Received, { method }: Sent): unknown {
  if (method === 'GET' || Array.isArray(json)) return json;
  const version = headers.get(headerNames.version);
  return {
    href: headers.get('location') ?? expect.stringContaining(types),
    ...(version !== null && { version: Number(version) }),
  };
}

test('a failing operation anywhere leaves everything as it was, byte for byte, ids to come included', async () => {
  const position = fc.nat({ max: 12 });
  await fc.assert(
    fc.asyncProperty(steps, failure, position, async (history, failing, anywhere) => {
      const oids = await documents(at);
      const place = anywhere % (history.length + 1);
      const [rows, seen] = [at.rows(), await views(at, oids)];
      const failed = await at.batch(requestsOf(history, oids, { ...failing, at: place }));
      expect(failed.status).toBe(500);
      expect(failed.results.map(({ statusCode }) => (statusCode < 400 ? 'passed' : statusCode === 424))).toEqual(
        Array.from({ length: history.length + 1 }, (_, index) => index !== place),
      );
      expect(await views(at, oids)).toEqual(seen);
      expect(at.rows()).toBe(rows);
      expect((await at.batch(requestsOf(history, oids))).status).toBe(200);
    }),
    { numRuns: 20 },
  );
});

test('a batch does what its operations do one by one, and says the same of each', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const [one, other] = [await batchSample(), await batchSample()];
      const oids = await documents(one);
      expect(await documents(other)).toEqual(oids);
      const { status, results } = await one.batch(requestsOf(history, oids));
      expect(status).toBe(200);
      const singles: unknown[] = [];
      for (const request of requestsOf(history, oids)) {
        const received = await other.send(Object(request));
        singles.push({ statusCode: received.status, body: resultBody(received, Object(request)) });
      }
      expect(results).toEqual(singles);
      expect(one.rows()).toBe(other.rows());
      expect(await views(one, oids)).toEqual(await views(other, oids));
      await Promise.all([one.close(), other.close()]);
    }),
    { numRuns: 12 },
  );
});

describe('href', () => {
  test('starts with scheme and host or at the root, in either spelling of the segment', async () => {
    const oid = await createDocument(at, { title: 'é' });
    const paths = [
      `${types}/${oid}`,
      `${at.url}${types}/${oid}`,
      `HTTP://${at.url.slice(7)}/api/space/main/SoftType/${oid}`,
      `${types}/${oid}?softTypeFilterId=drawings#part`,
      `${types}/${encodeURIComponent(oid).replace('-', '%2D')}`,
    ];
    const { status, results } = await at.batch(paths.map((href) => ({ method: 'GET', href })));
    expect([status, results.length]).toEqual([200, paths.length]);
  });

  test.each([
    ['GET', 'http://elsewhere.example/api/space/main/softtype/x'],
    ['GET', '//elsewhere.example/api/space/main/softtype/x'],
    ['GET', 'ftp://127.0.0.1/api/space/main/softtype/x'],
    ['GET', 'http://'],
    ['GET', '/api/space/depot/softtype/x'],
    ['GET', '/api/space/nowhere/softtype/x'],
    ['POST', batchPath],
    ['GET', '/api/collection/space'],
    ['POST', '/auth/token'],
    ['GET', '/space/main/SoftType/dynamic/softtype.openApi'],
    ['GET', '/_control/log'],
    ['PUT', `${types}/x`],
    ['GET', `${types}/`],
    ['GET', `${types}/%zz`],
    ['GET', 'api/space/main/softtype/x'],
    ['GET', ' '],
  ])('%s %s is no operation of a batch', async (method, href) => {
    const { status, results } = await at.batch([{ method, href, body: method === 'GET' ? undefined : [] }]);
    expect(status).toBe(500);
    expect(results).toMatchObject([
      { statusCode: 400, body: { pointer: '/0/href', detail: expect.stringContaining('Operation 0') } },
    ]);
  });
});

describe('an operation that is none', () => {
  test.each([
    ['null', '/1'],
    ['[]', '/1'],
    ['"GET"', '/1'],
    ['{}', '/1/method'],
    ['{"href":"/x"}', '/1/method'],
    ['{"method":"get","href":"/x"}', '/1/method'],
    ['{"method":"HEAD","href":"/x"}', '/1/method'],
    ['{"method":1,"href":"/x"}', '/1/method'],
    ['{"method":"GET"}', '/1/href'],
    ['{"method":"GET","href":1}', '/1/href'],
    ['{"method":"GET","href":""}', '/1/href'],
    ['{"method":"GET","href":"/x","headers":null}', '/1/headers'],
    ['{"method":"GET","href":"/x","headers":[]}', '/1/headers'],
    ['{"method":"GET","href":"/x","headers":{"a":null}}', '/1/headers/a'],
    ['{"method":"GET","href":"/x","headers":{"a":["b"]}}', '/1/headers/a'],
    ['{"method":"GET","href":"/x","headers":{"a":"b\\r\\nc: d"}}', '/1/headers/a'],
    ['{"method":"GET","href":"/x","headers":{"a b":"c"}}', '/1/headers/a b'],
    ['{"method":"GET","href":"/x","headers":{"":"c"}}', '/1/headers/'],
    ['{"method":"GET","href":"/x","headers":{"__proto__":"c"}}', '/1/headers/__proto__'],
    ['{"__proto__":{"method":"GET","href":"/x"}}', '/1/__proto__'],
    ['{"method":"GET","href":"/x","constructor":{}}', '/1/constructor'],
  ])('%s is refused with its index, and what stands before it is undone', async (text, pointer) => {
    const oid = await createDocument(at);
    const { status, results } = await at.batch([merge(oid, 1), JSON.parse(text)]);
    expect(status).toBe(500);
    expect(results).toMatchObject([
      { statusCode: 424 },
      { statusCode: 400, body: { pointer, detail: expect.stringContaining('operation 1') } },
    ]);
    expect((await at.send(read(oid))).json).toMatchObject({ version: 1 });
  });

  test.each(['{}', 'null', '1', '"a"'])('a body that is %s is refused as a whole', async (text) => {
    expect(await at.batch(JSON.parse(text))).toMatchObject({ status: 400, json: { pointer: '' } });
  });

  test('members that nobody knows are passed over, those of a body are not', async () => {
    const oid = await createDocument(at);
    expect((await at.batch([{ ...read(oid), comment: 1 }])).status).toBe(200);
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const body: unknown = JSON.parse(`{"${name}":1}`);
      expect((await at.batch([{ ...merge(oid, 1), body }])).results).toMatchObject([
        { statusCode: 422, body: { pointer: `/${name}` } },
      ]);
    }
  });
});

describe('relations between operations', () => {
  const part = { method: 'POST', href: `${types}/Part/partInput`, body: { name: 'p' } };
  const document = (value: object): object => ({
    method: 'POST',
    href: `${types}/Document/documentInput`,
    body: { title: 'd', describes: [{ value }] },
  });

  test('are refused, even for a client that guesses the identifier', async () => {
    const own = await batchSample();
    const guessed = document({ $oid: 'id-1' });
    expect((await own.batch([part, guessed])).results).toMatchObject([{ statusCode: 424 }, { statusCode: 422 }]);
    expect((await own.batch([part])).results).toMatchObject([{ statusCode: 201, body: { href: `${types}/id-2` } }]);
    expect((await own.batch([document({ $oid: 'id-2' })])).status).toBe(200);
    await own.close();
  });
});

test('an operation that meets a defect is a 500 of its own and undoes the rest', async () => {
  const own = await batchSample(replaces('editing', 'replaceContent', () => undefinedContent()));
  const oid = await createDocument(own);
  const rows = own.rows();
  const { status, results } = await own.batch([
    merge(oid, 1),
    { ...merge(oid, 2, { title: 'u' }), method: 'PUT' },
    read(oid),
  ]);
  expect([status, results.map(({ statusCode }) => statusCode)]).toEqual([500, [424, 500, 424]]);
  expect(own.rows()).toBe(rows);
  await own.close();
});

function undefinedContent(): never {
  throw new TypeError('a defect');
}
