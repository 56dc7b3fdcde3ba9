import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callOf, sample } from './patch-sample.fixture.ts';

const service = sample().service;

const callWith = (version: string | null) => callOf(service, '', undefined, { version });

test('reads every integer that is written in its one plain form', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (version) => {
      expect(service.versioning.versionHeaderOf(callWith(String(version)))).toBe(version);
    }),
  );
});

test.each([
  '',
  ' ',
  'abc',
  'NaN',
  'null',
  '*',
  '1.5',
  '1.0',
  '01',
  '-01',
  '+1',
  '"1"',
  '1, 1',
  '1,1',
  '0x1',
  '1e0',
  '١',
  '1 ',
  '--1',
])('refuses %j with 400', (text) => {
  expect(() => service.versioning.versionHeaderOf(callWith(text))).toThrow(expect.objectContaining({ status: 400 }));
});

test('refuses an absent header with 412', () => {
  expect(() => service.versioning.versionHeaderOf(callWith(null))).toThrow(expect.objectContaining({ status: 412 }));
});

test('is equal to the version of the object, or 409', () => {
  const object = (version: number) => ({ spaceId: 'main', oid: 'o', softType: 'Document', version, content: {} });
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 1 }), (sent, version) => {
      const compared = (text: string) => service.versioning.assertVersion(callWith(text), object(version));
      expect(compared(String(version))).toBe(version);
      if (sent !== BigInt(version))
        expect(() => compared(String(sent))).toThrow(expect.objectContaining({ status: 409 }));
    }),
  );
});

test('counts only accepted writes, one each', async () => {
  const { create, merge, put, operate, stored } = sample();
  const write = { merge: merge, put, operate } as const;
  const body = { merge: { note: 'x', remark: 'y' }, put: { title: 't' }, operate: [] } as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('merge', 'put', 'operate'), fc.constantFrom(-1, 0, 1, null))),
      async (writes) => {
        const oid = await create({ title: 't' });
        let version = 1;
        for (const [kind, offset] of writes) {
          const outcome = await write[kind](oid, body[kind], { version: offset === null ? null : version + offset });
          expect(outcome.status).toBe(offset === null ? 412 : { '-1': 409, 0: 204, 1: 409 }[offset]);
          if (offset === 0) version += 1;
          expect((await stored(oid))?.version).toBe(version);
        }
      },
    ),
    { numRuns: 40 },
  );
});
