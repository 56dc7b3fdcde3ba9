import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { smallest } from '../metadata/sample.ts';
import { answering, extension, idOf, key, sample } from './sample.ts';

describe('an extension', () => {
  test.each([
    [{ hostUri: 'host' }, '/hostUri'],
    [{ hostUri: 'http://host?a=1' }, '/hostUri'],
    [{ apiKey: 'not Base64!' }, '/apiKey'],
    [{ apiKey: Buffer.alloc(15).toString('base64') }, '/apiKey'],
    [{ tokenLifeTime: 0 }, '/tokenLifeTime'],
  ])('with %j is refused for %s, and its host hears nothing', async (wrong, pointer) => {
    const { create, sent } = sample();
    expect(await create('svcExtension', { ...extension, ...wrong })).toMatchObject({ status: 400, pointer });
    expect(sent).toEqual([]);
  });

  test('may share its host with another one, and never shows its key', async () => {
    const { create, list } = sample();
    expect([
      (await create('svcExtension', extension)).status,
      (await create('svcExtension', extension)).status,
    ]).toEqual([201, 201]);
    const { body } = await list('svcExtension');
    expect(body).toMatchObject({ data: [{ hostUri: extension.hostUri }, { hostUri: extension.hostUri }] });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test('is asked for its metadata when it is added and when it is changed, on or off, once each, signed with the key in force', async () => {
    const { service, create, put, read, list, sent } = sample();
    const id = idOf(
      await create('svcExtension', { ...extension, hostUri: 'http://host.example/base/', active: false }),
    );
    const other = Buffer.alloc(33, 1).toString('base64');
    await put('svcExtension', id, { ...extension, apiKey: other });
    await read('svcExtension', id);
    await list('svcExtension');
    const { signPath } = service.behaviours;
    expect(
      sent.map(({ method, url, timeoutMs, headers, body }) => ({
        method,
        url,
        timeoutMs,
        bearer: headers['Authorization'],
        body,
      })),
    ).toEqual([
      {
        method: 'GET',
        url: 'http://host.example/base/svc/extension',
        timeoutMs: 10_000,
        bearer: `Bearer ${signPath(service, key, '/base/svc/extension')}`,
      },
      {
        method: 'GET',
        url: 'http://host.example/svc/extension',
        timeoutMs: 10_000,
        bearer: `Bearer ${signPath(service, other, '/svc/extension')}`,
      },
    ]);
  });

  test('has the records that its host gave last', async () => {
    const from = sample();
    from.answer = answering([smallest, { ...smallest, id: 'two' }]);
    const id = idOf(await from.create('svcExtension', extension));
    expect(await from.read('svcExtension', id)).toMatchObject({ body: { records: [smallest, { id: 'two' }] } });
    from.answer = answering([
      { ...smallest, id: 'two', endpoint: 'moved' },
      { ...smallest, version: '1' },
    ]);
    expect(await from.put('svcExtension', id, extension)).toEqual({ status: 200, location: undefined, body: { id } });
    expect((await from.read('svcExtension', id)).body).toMatchObject({ records: [{ id: 'two', endpoint: 'moved' }] });
    expect(await from.logged()).toEqual([expect.stringContaining('Record 1 is left out')]);
    const { service } = from;
    expect(await service.store.read((reading) => service.behaviours.recordsNamed(reading, 'event'))).toEqual([]);
  });

  test.each([
    ['no JSON', answering('<html>')],
    ['no array', answering({ records: [] })],
    ['a status of failure', answering([smallest], 404)],
    ['a redirect', answering('', 302)],
    ['no answer in time', { kind: 'timeout', waitedMs: 10_000 } as const],
    ['no connection', { kind: 'failed', reason: 'connection refused' } as const],
  ])(
    'whose host gives %s is kept with the records that it had, and its administrator is told',
    async (_what, wrong) => {
      const from = sample();
      from.answer = wrong;
      const made = await from.create('svcExtension', extension);
      expect(made).toMatchObject({ status: 201, body: { warning: expect.stringContaining('metadata') } });
      expect(await from.read('svcExtension', idOf(made))).toMatchObject({ body: { records: [] } });
      from.answer = answering([smallest]);
      await from.put('svcExtension', idOf(made), extension);
      from.answer = wrong;
      const put = await from.put('svcExtension', idOf(made), { ...extension, tokenLifeTime: 6 });
      expect(put).toMatchObject({ status: 200, body: { warning: expect.any(String) } });
      expect(await from.read('svcExtension', idOf(made))).toMatchObject({
        body: { records: [smallest], tokenLifeTime: 6 },
      });
      expect(await from.logged()).toHaveLength(2);
    },
  );
});

test('records are found by id, type and SoftType, whatever was changed and removed', async () => {
  const step = fc.record({
    at: fc.nat(2),
    ids: fc.subarray(['a', 'b', 'c']),
    softTypes: fc.subarray(['Document', 'Part']),
    removes: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const from = sample();
      const { service } = from;
      const live: { id: string; records: readonly string[]; softTypes: readonly string[] }[] = [];
      for (const { at, ids, softTypes, removes } of steps) {
        const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
        from.answer = answering(
          ids.map((id) => ({ ...smallest, id, extensionType: 'ExternalValidation', capabilities })),
        );
        const known = live[at];
        if (known === undefined)
          live.push({ id: idOf(await from.create('svcExtension', extension)), records: ids, softTypes });
        else if (removes) {
          await from.remove('svcExtension', known.id);
          live.splice(at, 1);
        } else {
          await from.put('svcExtension', known.id, extension);
          Object.assign(known, { records: ids, softTypes });
        }
      }
      const { recordsNamed, recordsOfType, validatorsOf } = service.behaviours;
      const expected = live.flatMap(({ id, records, softTypes }) =>
        records.map((recordId) => ({ registrationId: id, recordId, softTypes })),
      );
      await service.store.read(async (reading) => {
        for (const recordId of ['a', 'b', 'c', 'd'])
          expect(sorted(await recordsNamed(reading, recordId))).toEqual(
            sorted(expected.filter((each) => each.recordId === recordId)),
          );
        expect(sorted(await recordsOfType(reading, 'ExternalValidation'))).toEqual(sorted(expected));
        for (const softType of ['Document', 'Part', 'Other'])
          expect(sorted(await validatorsOf(reading, softType))).toEqual(
            sorted(expected.filter(({ softTypes }) => softTypes.includes(softType))),
          );
      });
    }),
    { numRuns: 40 },
  );
});

function sorted(
  addresses: readonly { readonly registrationId: string; readonly recordId: string }[],
): readonly string[] {
  return addresses.map(({ registrationId, recordId }) => `${registrationId} ${recordId}`).sort();
}
