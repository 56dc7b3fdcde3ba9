import { describe, expect, test } from 'vitest';
import type { RegistrationKind } from './model.ts';
import { bodies, endpoint, idOf, sample, trusted } from './sample.ts';

const kinds: readonly RegistrationKind[] = ['externalEndpoint', 'trustedExternalEndpoint', 'svcExtension'];
const endpointKinds = ['externalEndpoint', 'trustedExternalEndpoint'] as const;
const defaults = { active: true, requestTimeout: 100, retryForever: false, rateLimitNumberOfExecutions: 5 };

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
    for (const other of kinds.filter((each) => each !== kind)) {
      expect(await read(other, id)).toMatchObject({ status: 404 });
      expect(await list(other)).toMatchObject({ body: { data: [] } });
    }
    expect(await remove(kind, id)).toMatchObject({ status: 204 });
    for (const again of [remove(kind, id), read(kind, id), put(kind, id, bodies[kind])])
      expect(await again).toMatchObject({ status: 404 });
    expect(await list(kind)).toMatchObject({ body: { data: [] } });
  });

  test('lacks none of its fields, has none of another type, and is not empty, an array or no JSON', async () => {
    const { create, list, sent } = sample();
    for (const member of Object.keys(bodies[kind])) {
      const { [member]: _left, ...rest } = bodies[kind] as Record<string, unknown>;
      expect(await create(kind, rest)).toMatchObject({ status: 400, pointer: `/${member}` });
      for (const wrong of [null, true, {}])
        expect(await create(kind, { ...rest, [member]: wrong })).toMatchObject({ status: 400, pointer: `/${member}` });
    }
    for (const body of ['', '[]', '{"', '"text"', 'null', undefined])
      expect(await create(kind, body)).toMatchObject({ status: 400, pointer: '' });
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
    const given = {
      active: false,
      requestTimeout: 7,
      retryForever: true,
      rateLimitNumberOfExecutions: 60,
      name: 'n',
      description: 'd',
    };
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
    [
      {
        headers: [
          { name: 'content-type', value: 'a' },
          { name: 'Content-Type', value: 'b' },
        ],
      },
      '/headers',
    ],
    [{ headers: [{ name: 'content-type', value: 'a\nb' }] }, '/headers/0/value'],
    [
      {
        headers: [
          { name: 'content-type', value: 'a' },
          { name: 'Content-Length', value: '1' },
        ],
      },
      '/headers/1/name',
    ],
  ])('with %j is refused for %s', async (wrong, pointer) => {
    const { create, put } = sample();
    expect(await create(kind, { ...right, ...wrong })).toMatchObject({ status: 400, pointer });
    const id = idOf(await create(kind, right));
    expect(await put(kind, id, { ...right, ...wrong })).toMatchObject({ status: 400, pointer });
  });

  test('has an id of its own among all endpoints, which it keeps', async () => {
    const { create, put, read } = sample();
    await create('externalEndpoint', { ...endpoint, id: 'taken' });
    expect(await create(kind, { ...right, id: 'taken', url: 'http://other.example' })).toMatchObject({
      status: 409,
      pointer: '/id',
    });
    expect(await read('externalEndpoint', 'taken')).toMatchObject({ body: { url: endpoint.url } });
    const id = idOf(await create(kind, right));
    expect(await put(kind, id, { ...right, id: 'moved' })).toMatchObject({ status: 400, pointer: '/id' });
  });

  test('shows headers, but no value of one that may be a key', async () => {
    const secrets = ['Authorization', 'X-Api-Key', 'cookie', 'Some-Token'].map((name) => ({
      name,
      value: 'do-not-tell',
    }));
    const open = [
      { name: 'content-type', value: 'text/html' },
      { name: 'Accept', value: 'text/*' },
    ];
    const { create, read, list } = sample();
    const id = idOf(await create(kind, { ...right, headers: [...open, ...secrets] }));
    expect(await read(kind, id)).toMatchObject({
      body: { headers: [...open, ...secrets.map(({ name }) => ({ name }))] },
    });
    expect(JSON.stringify(await list(kind))).not.toContain('do-not-tell');
  });
});

describe('a trusted endpoint', () => {
  test.each([0, -1, 1.5, '5', null])('with the tokenLifeTime %j is refused', async (tokenLifeTime) => {
    expect(await sample().create('trustedExternalEndpoint', { ...trusted, tokenLifeTime })).toMatchObject({
      status: 400,
      pointer: '/tokenLifeTime',
    });
  });

  test('may ask for keys that there are', async () => {
    const { create, read } = sample();
    const permissions = {
      permissions: ['AdministrationAPI', 'LicenseCommunicationAPI'],
      tokenCallback: 'https://host/token',
    };
    expect(await create('trustedExternalEndpoint', { ...trusted, permissions })).toMatchObject({ status: 201 });
    expect(await read('trustedExternalEndpoint', 'trusted')).toMatchObject({ body: { permissions, tokenLifeTime: 9 } });
    const unknown = { ...permissions, permissions: ['AdministrationAPI', 'RootAPI'] };
    const refusal = { status: 400, pointer: '/permissions/permissions/1' };
    expect(await create('trustedExternalEndpoint', { ...trusted, id: 'other', permissions: unknown })).toMatchObject(
      refusal,
    );
  });
});
