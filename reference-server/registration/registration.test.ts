import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { smallest } from '../metadata/sample.ts';
import type { RegistrationKind } from './model.ts';
import { answering, bodies, endpoint, extension, key, sample, trusted } from './sample.ts';

const kinds: readonly RegistrationKind[] = ['externalEndpoint', 'trustedExternalEndpoint', 'svcExtension'];
const endpointKinds = ['externalEndpoint', 'trustedExternalEndpoint'] as const;
const defaults = { active: true, requestTimeout: 100, retryForever: false, rateLimitNumberOfExecutions: 5 };

function idOf({ body }: { readonly body?: unknown }): string {
  return typeof body === 'object' && body !== null && 'id' in body ? String(body.id) : '';
}

describe.each(kinds)('%s', (kind) => {
  test('is created, read, listed, replaced, removed', async () => {
    const { create, read, list, put, remove } = sample();
    const made = await create(kind, bodies[kind]);
    const id = idOf(made);
    expect(made).toEqual({ status: 201, location: `/api/admin/${kind}/${id}`, body: { id } });
    const { apiKey: _secret, ...shown } = { apiKey: '', ...bodies[kind] };
    expect(await read(kind, id)).toMatchObject({ status: 200, body: { ...shown, id, active: true } });
    expect(await list(kind)).toMatchObject({ status: 200, body: { href: `/api/admin/${kind}`, data: [{ id }] } });
    expect(await put(kind, id, { ...bodies[kind], active: false })).toMatchObject({ status: 200, body: { id } });
    expect(await read(kind, id)).toMatchObject({ body: { ...shown, id, active: false } });
    for (const other of kinds.filter((each) => each !== kind)) expect(await read(other, id)).toMatchObject({ status: 404 });
    expect(await remove(kind, id)).toMatchObject({ status: 204 });
    for (const again of [remove(kind, id), read(kind, id), put(kind, id, bodies[kind])]) expect(await again).toMatchObject({ status: 404 });
    expect(await list(kind)).toMatchObject({ body: { data: [] } });
  });

  test('lacks none of its fields, has none of another type, and is not empty, an array or no JSON', async () => {
    const { create, list, sent } = sample();
    for (const member of Object.keys(bodies[kind])) {
      const { [member]: _left, ...rest } = bodies[kind] as Record<string, unknown>;
      expect(await create(kind, rest)).toMatchObject({ status: 400, pointer: `/${member}` });
      for (const wrong of [null, true, {}]) expect(await create(kind, { ...rest, [member]: wrong })).toMatchObject({ status: 400, pointer: `/${member}` });
    }
    for (const body of ['', '[]', '{"', '"text"', 'null', undefined]) expect(await create(kind, body)).toMatchObject({ status: 400, pointer: '' });
    expect(await list(kind)).toMatchObject({ body: { data: [] } });
    expect(sent).toEqual([]);
  });

  test('may have members that nobody knows; they are not kept', async () => {
    const { create, read } = sample();
    const id = idOf(await create(kind, { ...bodies[kind], colour: 'green' }));
    expect(id).not.toBe('');
    expect((await read(kind, id)).body).not.toHaveProperty('colour');
  });
});

describe.each(endpointKinds)('%s', (kind) => {
  const right = bodies[kind];

  test('has the defaults of the document', async () => {
    const { create, read } = sample();
    const id = idOf(await create(kind, right));
    expect((await read(kind, id)).body).toEqual({ ...right, ...defaults });
  });

  test('has what it is given instead', async () => {
    const given = { active: false, requestTimeout: 7, retryForever: true, rateLimitNumberOfExecutions: 60, name: 'n', description: 'd' };
    const { create, read } = sample();
    const id = idOf(await create(kind, { ...right, ...given }));
    expect((await read(kind, id)).body).toEqual({ ...right, ...given });
  });

  test.each([
    [{ url: 'host/hook' }, '/url'],
    [{ url: 'ftp://host/hook' }, '/url'],
    [{ url: 'http://user:secret@host/hook' }, '/url'],
    [{ method: 'FETCH' }, '/method'],
    [{ requestTimeout: 0 }, '/requestTimeout'],
    [{ requestTimeout: 1.5 }, '/requestTimeout'],
    [{ rateLimitNumberOfExecutions: -1 }, '/rateLimitNumberOfExecutions'],
    [{ retryForever: 'yes' }, '/retryForever'],
    [{ active: 'true' }, '/active'],
    [{ headers: [] }, '/headers'],
    [{ headers: [{ name: 'X-Api-Key', value: 'k' }] }, '/headers'],
    [{ headers: [{ name: 'content-type' }] }, '/headers/0/value'],
    [{ headers: [{ name: 'content-type', value: 'a' }, { name: 'Content-Type', value: 'b' }] }, '/headers'],
    [{ headers: [{ name: 'content-type', value: 'a\nb' }] }, '/headers/0/value'],
    [{ headers: [{ name: 'content-type', value: 'a' }, { name: 'Content-Length', value: '1' }] }, '/headers/1/name'],
  ])('with %j is refused for %s', async (wrong, pointer) => {
    const { create, put } = sample();
    expect(await create(kind, { ...right, ...wrong })).toMatchObject({ status: 400, pointer });
    const id = idOf(await create(kind, right));
    expect(await put(kind, id, { ...right, ...wrong })).toMatchObject({ status: 400, pointer });
  });

  test('has an id of its own among all endpoints, which it keeps', async () => {
    const { create, put, read } = sample();
    await create('externalEndpoint', { ...endpoint, id: 'taken' });
    expect(await create(kind, { ...right, id: 'taken', url: 'http://other.example' })).toMatchObject({ status: 409, pointer: '/id' });
    expect(await read('externalEndpoint', 'taken')).toMatchObject({ body: { url: endpoint.url } });
    const id = idOf(await create(kind, right));
    expect(await put(kind, id, { ...right, id: 'moved' })).toMatchObject({ status: 400, pointer: '/id' });
  });

  test('shows headers, but no value of one that may be a key', async () => {
    const secrets = ['Authorization', 'X-Api-Key', 'cookie', 'Some-Token'].map((name) => ({ name, value: 'do-not-tell' }));
    const open = [{ name: 'content-type', value: 'text/html' }, { name: 'Accept', value: 'text/*' }];
    const { create, read, list } = sample();
    const id = idOf(await create(kind, { ...right, headers: [...open, ...secrets] }));
    expect(await read(kind, id)).toMatchObject({ body: { headers: [...open, ...secrets.map(({ name }) => ({ name }))] } });
    expect(JSON.stringify(await list(kind))).not.toContain('do-not-tell');
  });
});

describe('a trusted endpoint', () => {
  test.each([0, -1, 1.5, '5', null])('with the tokenLifeTime %j is refused', async (tokenLifeTime) => {
    expect(await sample().create('trustedExternalEndpoint', { ...trusted, tokenLifeTime })).toMatchObject({ status: 400, pointer: '/tokenLifeTime' });
  });

  test('may ask for keys that there are', async () => {
    const { create, read } = sample();
    const permissions = { permissions: ['AdministrationAPI', 'LicenseCommunicationAPI'], tokenCallback: 'https://host/token' };
    expect(await create('trustedExternalEndpoint', { ...trusted, permissions })).toMatchObject({ status: 201 });
    expect(await read('trustedExternalEndpoint', 'trusted')).toMatchObject({ body: { permissions, tokenLifeTime: 9 } });
    const unknown = { ...permissions, permissions: ['AdministrationAPI', 'RootAPI'] };
    const refusal = { status: 400, pointer: '/permissions/permissions/1' };
    expect(await create('trustedExternalEndpoint', { ...trusted, id: 'other', permissions: unknown })).toMatchObject(refusal);
  });
});

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
    expect([(await create('svcExtension', extension)).status, (await create('svcExtension', extension)).status]).toEqual([201, 201]);
    const { body } = await list('svcExtension');
    expect(body).toMatchObject({ data: [{ hostUri: extension.hostUri }, { hostUri: extension.hostUri }] });
    expect(JSON.stringify(body)).not.toContain(key);
  });

  test('is asked for its metadata when it is added and when it is changed, on or off, once each, signed with the key in force', async () => {
    const { service, create, put, read, list, sent } = sample();
    const id = idOf(await create('svcExtension', { ...extension, hostUri: 'http://host.example/base/', active: false }));
    const other = Buffer.alloc(33, 1).toString('base64');
    await put('svcExtension', id, { ...extension, apiKey: other });
    await read('svcExtension', id);
    await list('svcExtension');
    const { signPath } = service.behaviours;
    expect(sent.map(({ method, url, timeoutMs, headers, body }) => ({ method, url, timeoutMs, bearer: headers['Authorization'], body }))).toEqual([
      { method: 'GET', url: 'http://host.example/base/svc/extension', timeoutMs: 10_000, bearer: `Bearer ${signPath(service, key, '/base/svc/extension')}` },
      { method: 'GET', url: 'http://host.example/svc/extension', timeoutMs: 10_000, bearer: `Bearer ${signPath(service, other, '/svc/extension')}` },
    ]);
  });

  test('has the records that its host gave last', async () => {
    const from = sample();
    from.answer = answering([smallest, { ...smallest, id: 'two' }]);
    const id = idOf(await from.create('svcExtension', extension));
    expect(await from.read('svcExtension', id)).toMatchObject({ body: { records: [smallest, { id: 'two' }] } });
    from.answer = answering([{ ...smallest, id: 'two', endpoint: 'moved' }, { ...smallest, version: '1' }]);
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
  ])('whose host gives %s is kept with the records that it had, and its administrator is told', async (_what, wrong) => {
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
    expect(await from.read('svcExtension', idOf(made))).toMatchObject({ body: { records: [smallest], tokenLifeTime: 6 } });
    expect(await from.logged()).toHaveLength(2);
  });
});

test('records are found by id, type and SoftType, in the order of registration, whatever was changed and removed', async () => {
  const step = fc.record({ at: fc.nat(2), ids: fc.subarray(['a', 'b', 'c']), softTypes: fc.subarray(['Document', 'Part']), removes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const from = sample();
      const { service } = from;
      const live: { id: string; records: readonly string[]; softTypes: readonly string[] }[] = [];
      for (const { at, ids, softTypes, removes } of steps) {
        const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
        from.answer = answering(ids.map((id) => ({ ...smallest, id, extensionType: 'ExternalValidation', capabilities })));
        const known = live[at];
        if (known === undefined) live.push({ id: idOf(await from.create('svcExtension', extension)), records: ids, softTypes });
        else if (removes) {
          await from.remove('svcExtension', known.id);
          live.splice(at, 1);
        } else {
          await from.put('svcExtension', known.id, extension);
          Object.assign(known, { records: ids, softTypes });
        }
      }
      const { recordsNamed, recordsOfType, validatorsOf } = service.behaviours;
      const expected = live.flatMap(({ id, records, softTypes }) => records.map((recordId) => ({ registrationId: id, recordId, softTypes })));
      await service.store.read(async (reading) => {
        for (const recordId of ['a', 'b', 'c', 'd'])
          expect(sorted(await recordsNamed(reading, recordId))).toEqual(sorted(expected.filter((each) => each.recordId === recordId)));
        expect(sorted(await recordsOfType(reading, 'ExternalValidation'))).toEqual(sorted(expected));
        for (const softType of ['Document', 'Part', 'Other'])
          expect(sorted(await validatorsOf(reading, softType))).toEqual(sorted(expected.filter(({ softTypes }) => softTypes.includes(softType))));
      });
    }),
    { numRuns: 40 },
  );
});

function sorted(addresses: readonly { readonly registrationId: string; readonly recordId: string }[]): readonly string[] {
  return addresses.map(({ registrationId, recordId }) => `${registrationId} ${recordId}`).sort();
}
