import { createHmac } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { envelopeIn, hostKey, onStage, record, type Arrived, type Stage } from './calls-host.fixture.ts';

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const events = '/api/space/main/externalEvent';

function pathOf({ target }: Arrived): string {
  return target.split('?', 1)[0] ?? '';
}

function expectSigned(arrived: Arrived): void {
  const mac = createHmac('sha512', Buffer.from(hostKey, 'base64')).update(pathOf(arrived)).digest('base64url');
  expect(arrived.headers['authorization']).toBe(`Bearer ${mac}`);
}

/** Registers a simple endpoint, or with a tokenLifeTime a trusted one. */
async function registerEndpoint({ ask, hostUrl }: Stage, id: string, path: string, more: object = {}): Promise<void> {
  const kind = 'tokenLifeTime' in more ? 'trustedExternalEndpoint' : 'externalEndpoint';
  const body = {
    id,
    url: hostUrl + path,
    method: 'POST',
    category: 'c',
    headers: [{ name: 'content-type', value: 'text/html' }],
    ...more,
  };
  expect((await ask('cora', 'POST', `/api/admin/${kind}`, body)).status).toBe(201);
}

describe('an event', () => {
  test('reaches its record in a signed envelope, in the name of who caused it', () =>
    onStage(async ({ server, register, ask, calls }) => {
      await register([record('one', 'ExternalEvent'), record('two', 'ExternalEvent')]);
      const contentPayload = { a: [null, 1e21, 'é', {}], ['__proto__']: 1 };
      const filter = btoa('{"time":"2020-01-01T00:00:00Z"}');
      const headers = { 'x-correlation-id': 'conf-42/a.b', 'svc-informationfilter': filter };
      const made = await ask('emil', 'POST', events, { recordId: 'two', contentPayload }, headers);
      expect(made.status).toBe(201);
      const [arrived] = await calls(1);
      const envelope = envelopeIn(arrived);
      const { id } = (await made.json()) as { id: string };
      expect(envelope).toEqual({
        id: 'conf-42/a.b',
        accessToken: expect.any(String),
        baseAddress: server.url,
        informationFilter: filter,
        payload: { contentPayload: JSON.parse(JSON.stringify(contentPayload)), id, spaceId: 'main' },
      });
      expect(arrived).toMatchObject({
        method: 'POST',
        target: '/t/two',
        headers: { 'content-type': 'application/json; charset=utf-8' },
      });
      if (arrived) expectSigned(arrived);
      const claims = decodeJwt(envelope.accessToken);
      expect(claims).toMatchObject({ sub: 'emil', scope: 'impersonation', jti: expect.stringMatching(guid) });
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
      const bearer = { authorization: `Bearer ${envelope.accessToken}` };
      expect((await ask('', 'GET', `${events}/${id}`, undefined, bearer)).status).toBe(200);
      expect((await ask('', 'GET', '/api/admin/svcExtension', undefined, bearer)).status).toBe(403);
    }));

  test('without correlation id and filter has a GUID of its own, and the filter of nothing', () =>
    onStage(async ({ server, register, ask, calls }) => {
      await register([record('one', 'ExternalEvent', { rateLimitNumberOfExecutions: 100 })]);
      for (let count = 0; count < 3; count += 1) {
        const headers = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a', 'content-type': 'application/json' };
        await fetch(server.url + events, { method: 'POST', headers, body: '{"recordId":"one"}' });
      }
      const envelopes = (await calls(3)).map(envelopeIn);
      for (const { id, informationFilter } of envelopes)
        expect([id, informationFilter]).toEqual([expect.stringMatching(guid), 'e30=']);
      expect(new Set(envelopes.map(({ id }) => id)).size).toBe(3);
      expect((await ask('edda', 'POST', events, { recordId: 'one' }, { 'svc-informationfilter': 'no' })).status).toBe(
        400,
      );
    }));

  test.each([
    [{}, 422],
    [{ recordId: 'nobody' }, 422],
    [{ recordId: 'mail' }, 422],
    [{ endpointId: 'nobody' }, 422],
    [{ recordId: 'one', contentPayload: 'text' }, 422],
    [{ recordId: 1 }, 422],
    [[], 422],
  ])('of %j is refused', (body, status) =>
    onStage(async ({ register, ask, arrived }) => {
      await register([record('one', 'ExternalEvent'), record('mail', 'Email')]);
      expect((await ask('edda', 'POST', events, body)).status).toBe(status);
      expect(arrived).toEqual([]);
    }),
  );

  test('is dropped while its extension is off, and goes out to the one that is on', () =>
    onStage(async ({ register, ask, calls, hostUrl }) => {
      const off = await register([record('off', 'ExternalEvent')], { active: false });
      await register([record('on', 'ExternalEvent')]);
      expect(await (await ask('edda', 'POST', events, { recordId: 'off' })).json()).toMatchObject({ state: 'dropped' });
      await ask('edda', 'POST', events, { recordId: 'on' });
      expect((await calls(1)).map(pathOf)).toEqual(['/t/on']);
      const fields = { hostUri: hostUrl, apiKey: hostKey, tokenLifeTime: 5 };
      await ask('cora', 'PUT', `/api/admin/svcExtension/${off}`, fields);
      await ask('edda', 'POST', events, { registrationId: off, recordId: 'on' });
      expect((await calls(2)).map(pathOf)).toEqual(['/t/on', '/t/on']);
    }));

  test('can be read and taken back in its own space only', () =>
    onStage(async ({ register, ask }) => {
      await register([record('one', 'ExternalEvent')], { active: false });
      const location = (await ask('edda', 'POST', events, { recordId: 'one' })).headers.get('location') ?? '';
      expect((await ask('edda', 'GET', location.replace('main', 'depot'))).status).toBe(404);
      expect((await ask('edda', 'DELETE', location.replace('main', 'depot'))).status).toBe(404);
      expect((await ask('edda', 'GET', location)).status).toBe(200);
      expect((await ask('edda', 'DELETE', location)).status).toBe(204);
      expect((await ask('edda', 'GET', location)).status).toBe(404);
    }));
});

describe('an endpoint', () => {
  test.each(['POST', 'put', 'PATCH'])('of method %s gets the content as it is, its headers, and no token', (method) =>
    onStage(async (stage) => {
      const headers = [
        { name: 'content-type', value: 'text/plain; charset=utf-8' },
        { name: 'Authorization', value: 'Key k' },
        { name: 'X-Api-Key', value: 'secret' },
      ];
      await registerEndpoint(stage, 'hook', '/hook?a=1&b=x%20y&a=2', { method, headers });
      await stage.ask('edda', 'POST', events, { endpointId: 'hook', contentPayload: '<b>é</b>' });
      const [arrived] = await stage.calls(1);
      expect(arrived).toMatchObject({
        method: method.toUpperCase(),
        target: '/hook?a=1&b=x%20y&a=2',
        headers: { 'content-type': 'text/plain; charset=utf-8', authorization: 'Key k', 'x-api-key': 'secret' },
        body: '<b>é</b>',
      });
      expect(JSON.stringify(arrived)).not.toMatch(/eyJ/);
    }),
  );

  test('of a method without body gets none', () =>
    onStage(async (stage) => {
      await registerEndpoint(stage, 'get', '/get', { method: 'GET' });
      await registerEndpoint(stage, 'delete', '/delete', { method: 'DELETE' });
      for (const endpointId of ['get', 'delete'])
        await stage.ask('edda', 'POST', events, { endpointId, contentPayload: { a: 1 } });
      const arrived = await stage.calls(2);
      expect(arrived.map(({ method, body }) => [method, body]).sort()).toEqual([
        ['DELETE', ''],
        ['GET', ''],
      ]);
    }));

  test.each([
    ['/hook', /^\/hook\?access_token=([^&]+)$/],
    ['/hook?a=1&b=x%20y', /^\/hook\?a=1&b=x%20y&access_token=([^&]+)$/],
    ['/hook?#part', /^\/hook\?access_token=([^&]+)$/],
  ])('that is trusted gets a token behind %s', (path, form) =>
    onStage(async (stage) => {
      await registerEndpoint(stage, 'hook', path, { tokenLifeTime: 9 });
      await stage.ask('emil', 'POST', events, { endpointId: 'hook', contentPayload: { a: [1] } });
      const [arrived] = await stage.calls(1);
      const claims = decodeJwt(form.exec(arrived?.target ?? '')?.[1] ?? '');
      expect([claims.sub, (claims.exp ?? 0) - (claims.iat ?? 0)]).toEqual(['emil', 540]);
      expect(arrived).toMatchObject({ body: '{"a":[1]}', headers: { 'content-type': 'text/html' } });
    }),
  );
});

describe('mail', () => {
  const mail = { to: 'a@b.example', subject: 'S', body: '<p>Grüße & mehr</p>' };

  test('goes to the extension registered last, as it was composed, with the token in the query', () =>
    onStage(async ({ register, ask, calls }) => {
      await register([record('first', 'Email')]);
      await register([record('last', 'Email')]);
      expect((await ask('edda', 'POST', '/api/space/main/externalEmail', mail)).status).toBe(202);
      const [arrived] = await calls(1);
      const { payload, accessToken } = envelopeIn(arrived);
      expect(payload).toEqual({ ...mail, from: 'no-reply@demonstration.example' });
      expect(arrived?.target).toBe(`/t/last?access_token=${accessToken}`);
      if (arrived) expectSigned(arrived);
    }));

  test.each(['to', 'subject', 'body'])('without %s is refused', (member) =>
    onStage(async ({ register, ask }) => {
      await register([record('mail', 'Email')]);
      expect(
        (await ask('edda', 'POST', '/api/space/main/externalEmail', { ...mail, [member]: undefined })).status,
      ).toBe(422);
    }),
  );

  test('without anybody to send it is refused', () =>
    onStage(async ({ ask }) => {
      expect((await ask('edda', 'POST', '/api/space/main/externalEmail', mail)).status).toBe(422);
    }));
});
