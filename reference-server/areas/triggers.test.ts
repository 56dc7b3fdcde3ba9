import { describe, expect, test } from 'vitest';
import { envelopeIn, onStage, record } from './calls-host.fixture.ts';

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
