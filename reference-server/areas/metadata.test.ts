import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sample } from './auth-sample.fixture.ts';
import { Misfit } from './records.ts';
import { recordFrom } from './records.ts';
import { recordArbitrary, smallest } from './metadata-sample.fixture.ts';

const { service } = sample();

describe('a record', () => {
  test('that fits is taken as it is', () => {
    fc.assert(
      fc.property(recordArbitrary, (record) => {
        expect(recordFrom(structuredClone(record))).toEqual(record);
      }),
    );
  });

  test('without one of the six, or with one of another type, or with one more, is told by that member', () => {
    fc.assert(
      fc.property(
        recordArbitrary,
        fc.constantFrom(...Object.keys(smallest)),
        fc.constantFrom(null, 1, [], undefined),
        (record, member, wrong) => {
          const { [member]: _left, ...rest } = record as Record<string, unknown>;
          expect(recordFrom(wrong === undefined ? rest : { ...rest, [member]: wrong })).toMatchObject({
            pointer: `/${member}`,
          });
          expect(recordFrom({ ...record, 'ext/ra': 1 })).toMatchObject({ pointer: '/ext~1ra' });
        },
      ),
    );
  });

  test.each<readonly [object, string]>([
    [{ endpoint: 'http://evil.example/a' }, '/endpoint'],
    [{ endpoint: '//evil.example/a' }, '/endpoint'],
    [{ endpoint: '' }, '/endpoint'],
    [{ requestTimeout: '100' }, '/requestTimeout'],
    [{ requestTimeout: 0 }, '/requestTimeout'],
    [{ retryForever: 'true' }, '/retryForever'],
    [{ rateLimitNumberOfExecutions: 0 }, '/rateLimitNumberOfExecutions'],
    [{ capabilities: {} }, '/capabilities'],
    [{ capabilities: [{ capabilityType: 'SoftType' }] }, '/capabilities/0/capabilities'],
    [{ capabilities: [{ capabilities: [] }] }, '/capabilities/0/capabilityType'],
    [{ capabilities: [{ capabilityType: 'SoftType', capabilities: 'Document' }] }, '/capabilities/0/capabilities'],
    [{ capabilities: [{ capabilityType: '', capabilities: [] }] }, '/capabilities/0/capabilityType'],
    [{ permissions: { permissions: [] } }, '/permissions/tokenCallback'],
    [{ permissions: { tokenCallback: '/t' } }, '/permissions/permissions'],
    [{ permissions: { tokenCallback: '/t', permissions: ['RootAPI'] } }, '/permissions/permissions/0'],
    ...['1.0', 'v1.0.0', '1.0.0-', '1.0.0+', '1.0.0 ', '1.0.0.0', '1.0.0-a..b'].map(
      (version) => [{ version }, '/version'] as const,
    ),
  ])('with %j is none, because of %s', (wrong, pointer) => {
    expect(recordFrom({ ...smallest, ...wrong })).toMatchObject({ pointer });
    expect(recordFrom({ ...smallest, ...wrong })).toBeInstanceOf(Misfit);
  });
});

describe('of the records of a host', () => {
  test('those are used that fit, are of a known type, and come first with their id, wherever the others stand', () => {
    const bad = fc.constantFrom({ ...smallest, version: '1' }, null, 'text', { ...smallest, extra: 1 });
    const unknown = fc.constantFrom(
      { ...smallest, extensionType: 'externalEvent' },
      { ...smallest, extensionType: 'Teleport' },
    );
    const good = fc
      .constantFrom('a', 'b', 'c')
      .chain((id) => fc.nat().map((timeout) => ({ ...smallest, id, requestTimeout: timeout + 1 })));
    const tagged = fc.oneof(
      bad.map((item) => ({ kind: 'bad' as const, item })),
      unknown.map((item) => ({ kind: 'unknown' as const, item })),
      good.map((item) => ({ kind: 'good' as const, item })),
    );
    fc.assert(
      fc.property(fc.array(tagged), (items) => {
        const { records, complaints } = service.metadata.usableRecords(items.map(({ item }) => item));
        const right = items.flatMap((each) => (each.kind === 'good' ? [each.item] : []));
        const first = right.filter(({ id }, index) => right.findIndex((other) => other.id === id) === index);
        expect(records).toEqual(first);
        expect(complaints).toHaveLength(
          items.filter(({ kind }) => kind === 'bad').length + right.length - first.length,
        );
      }),
    );
  });

  test('each complaint says which one and why', () => {
    expect(
      service.metadata.usableRecords([smallest, { ...smallest, id: 'two', version: '1' }, smallest]).complaints,
    ).toEqual([expect.stringMatching(/^Record 1 .*\/version /), expect.stringMatching(/^Record 2 .* event\.$/)]);
  });
});
