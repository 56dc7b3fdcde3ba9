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
