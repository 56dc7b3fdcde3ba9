import { describe, expect, test } from 'vitest';
import { envelopeIn, onStage, record, hostKey, type Arrived, type Stage } from './calls-host.fixture.ts';
import { createHmac } from 'node:crypto';
import { smallest } from './metadata-sample.fixture.ts';

describe('a task', () => {
  const job = { recordId: 'task', inputPath: 'in/list é.csv', taskSettings: { depth: 2 } };
  const capabilities = [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }];

  test('has 600 seconds, and is not given a file of another type', () =>
    onStage(async ({ register, ask, calls, arrived }) => {
      await register([record('task', 'ExternalTask', { capabilities })]);
      for (const wrong of [
        { inputPath: 'in/list.xml' },
        { timeout: 0 },
        { timeout: '5' },
        { taskSettings: 1 },
        { recordId: 'none' },
      ])
        expect((await ask('edda', 'POST', '/api/space/main/dx', { ...job, ...wrong })).status).toBe(422);
      expect(arrived).toEqual([]);
      await ask('edda', 'POST', '/api/space/main/dx', job);
      expect(envelopeIn((await calls(1))[0]).payload['timeout']).toBe(600);
    }));

  test.each([
    [200, 'Running'],
    [400, 'Failed'],
  ] as const)('answered %i leaves its job %s', (status, state) =>
    onStage(async (stage) => {
      stage.answer = () => ({ status });
      await stage.register([record('task', 'ExternalTask')]);
      const location = (await stage.ask('edda', 'POST', '/api/space/main/dx', job)).headers.get('location') ?? '';
      await expect
        .poll(async () => ((await (await stage.ask('edda', 'GET', location)).json()) as { state: string }).state)
        .toBe(state);
    }),
  );
});

describe('an action', () => {
  test('that does not exist, is off, or selects nothing that there is, is refused', () =>
    onStage(async ({ register, ask, arrived }) => {
      await register([record('off', 'ExternalAction')], { active: false });
      await register([record('on', 'ExternalAction'), record('event', 'ExternalEvent')]);
      const run = async (recordId: string, body: object) =>
        (await ask('edda', 'POST', `/api/space/main/externalAction/${recordId}`, body)).status;
      expect(await run('nobody', { kind: 'ribbon' })).toBe(404);
      expect(await run('event', { kind: 'ribbon' })).toBe(404);
      expect(await run('off', { kind: 'ribbon' })).toBe(409);
      expect(await run('on', { kind: 'ribbon', objectId: 'nothing' })).toBe(422);
      expect(await run('on', { kind: 'menu' })).toBe(422);
      expect(await run('on', { kind: 'form', requestedRoute: '/a', httpVerb: 'POST' })).toBe(422);
      expect(arrived).toEqual([]);
    }));

  test('of two hosts with the record goes to the one that is named, else to the one registered last', () =>
    onStage(async ({ register, ask, arrived }) => {
      const first = await register([record('twice', 'ExternalAction', { endpoint: 'first' })]);
      await register([record('twice', 'ExternalAction', { endpoint: 'last' })]);
      const path = '/api/space/main/externalAction/twice';
      await ask('edda', 'POST', path, { kind: 'ribbon', registrationId: first });
      await ask('edda', 'POST', path, { kind: 'ribbon' });
      expect(arrived.map(({ target }) => target)).toEqual(['/first', '/last']);
      expect((await ask('edda', 'POST', path, { kind: 'ribbon', registrationId: 'nobody' })).status).toBe(422);
    }));
});

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

const validator = {
  ...smallest,
  id: 'check',
  extensionType: 'ExternalValidation',
  endpoint: 'check',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
};

test('a host that is not allowed is never called: not when it is registered, and not later', async () => {
  const allowed: string[] = ['extensions.example'];
  await onStage(
    async (stage) => {
      const { host, port } = new URL(stage.hostUrl);
      expect(await registered(stage)).toContain(`this server may not call ${host}`);
      // the name alone is that of its usual port
      allowed.push('127.0.0.1', `127.0.0.1:${Number(port) + 1}`, `localhost:${port}`);
      expect(await registered(stage)).toContain('may not call');
      allowed.push(host);
      await stage.register([validator]);
      stage.answer = () => ({ status: 200, body: '{"isValid":true,"message":""}' });
      expect(await promoted(stage)).toBe(204);
      expect(stage.arrived).toHaveLength(1);
      allowed.pop();
      // and nothing is tried again, which would take 14 s
      expect(await promoted(stage)).toBe(502);
      expect(stage.arrived).toHaveLength(1);
    },
    { allowCallees: allowed },
  );
});

async function registered({ ask, hostUrl }: Stage): Promise<string> {
  const registration = { hostUri: hostUrl, apiKey: Buffer.alloc(64, 3).toString('base64'), tokenLifeTime: 5 };
  return (await ask('cora', 'POST', '/api/admin/svcExtension', registration)).text();
}

async function promoted({ ask }: Stage): Promise<number> {
  const made = await ask('edda', 'POST', '/api/space/main/softtype/Document/documentInput', { title: 't' });
  const oid = made.headers.get('location')?.split('/').at(-1) ?? '';
  const path = `/api/space/main/maturityAction/promote/${oid}/release/engineering`;
  return (await ask('edda', 'PUT', path, undefined, { 'svc-uoiversion': '1' })).status;
}
