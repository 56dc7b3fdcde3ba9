import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RequestSpec } from '../exchange.ts';
import { describedMembers, describedPart, OtherReader } from './other-reader.ts';
import { smallProfile } from '../small-service.fixture.ts';

const { profile: small } = smallProfile('http://127.0.0.1:1');
const profile = {
  ...small,
  identities: {
    editor: { token: 'a' },
    reader: { token: 'b' },
    secondEditor: { token: 'c', methods: ['POST'] },
    noRole: { token: 'd' },
  },
} as typeof small;
const read: RequestSpec = { method: 'GET', url: '/o', as: 'editor' };

/** Who asks again in a row of requests. */
function drawn(seed: number, spec: RequestSpec): readonly unknown[] {
  const other = new OtherReader(profile, seed, 'rule');
  return Array.from({ length: 40 }, () => other.drawFor(spec));
}

test('some reads are asked for by somebody else who may read, the same for the same seed', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const lots = drawn(seed, read);
      expect(drawn(seed, read)).toEqual(lots);
      expect(new Set(lots).difference(new Set([undefined, 'reader'])).size).toBe(0);
    }),
  );
  const often = Array.from({ length: 50 }, (_, seed) => drawn(seed, read)).flat();
  const share = often.filter((one) => one !== undefined).length / often.length;
  expect(share).toBeGreaterThan(0.1);
  expect(share).toBeLessThan(0.3);
});

test.each<[string, Partial<RequestSpec>]>([
  ['a write', { method: 'PATCH' }],
  ['what nobody asks for', { as: null }],
  ['what somebody without a role asks for', { as: 'noRole' }],
  ['what shows a credential itself', { headers: { AUTHORIZATION: 'Basic x' } }],
  ['what names a tag', { headers: { 'if-none-match': '"x"' } }],
])('%s is not asked again', (_what, changes) => {
  expect(new Set(drawn(1, { ...read, ...changes }))).toEqual(new Set([undefined]));
});

test('what the profile describes is compared in whichever order, and nothing else', () => {
  const members = describedMembers(profile);
  const of = (data: object): string => JSON.stringify(describedPart(data, members));
  expect(of({ note: 'a', files: [{ comment: 'b', $entryId: 1, mine: true }], seen: 3 })).toBe(
    of({ files: [{ $entryId: 1, comment: 'b' }], note: 'a', seen: 4 }),
  );
  expect(of({ note: 'a' })).not.toBe(of({ note: 'b' }));
});
