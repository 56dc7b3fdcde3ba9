import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { envelopeIn, hostKey, onStage, record, type Arrived } from './calls-host.fixture.ts';

const events = '/api/space/main/externalEvent';

function pathOf({ target }: Arrived): string {
  return target.split('?', 1)[0] ?? '';
}

function expectSigned(arrived: Arrived): void {
  const mac = createHmac('sha512', Buffer.from(hostKey, 'base64')).update(pathOf(arrived)).digest('base64url');
  expect(arrived.headers['authorization']).toBe(`Bearer ${mac}`);
}

describe('an event', () => {
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
