import { describe, expect, test } from 'vitest';
import { envelopeIn, onStage, record, type Stage } from './calls-host.fixture.ts';

async function madeObject({ ask }: Stage): Promise<string> {
  const made = await ask('edda', 'POST', '/api/space/main/softtype/Document/documentInput', { title: 't' });
  return made.headers.get('location')?.split('/').at(-1) ?? '';
}

describe('a task', () => {
  const job = { recordId: 'task', inputPath: 'in/list é.csv', taskSettings: { depth: 2 } };
  const capabilities = [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }];

  test('is called in an envelope of its job, with links that lead there', () =>
    onStage(async ({ server, register, ask, calls }) => {
      await register([record('task', 'ExternalTask', { capabilities })]);
      const made = await ask(
        'edda',
        'POST',
        '/api/space/main/dx',
        { ...job, timeout: 5 },
        { 'x-correlation-id': 'mine' },
      );
      const { id } = (await made.json()) as { id: string };
      expect([made.status, made.headers.get('location')]).toEqual([201, `/api/space/main/dx/${id}`]);
      const [arrived] = await calls(1);
      const { payload, accessToken, ...envelope } = envelopeIn(arrived);
      expect(envelope.id).toBe(id);
      expect(arrived?.target).toBe(`/t/task?access_token=${accessToken}`);
      const space = `${server.url}/api/space/main`;
      expect(payload).toEqual({
        timeout: 5,
        jobSettings: {
          timeZone: expect.any(String),
          language: expect.any(String),
          culture: expect.any(String),
          effectivityMode: expect.any(String),
        },
        taskSettings: { depth: 2 },
        links: [
          { id: 'inputDir', method: 'GET', url: `${space}/fs/dir/in` },
          { id: 'inputFile', method: 'GET', url: `${space}/fs/file/in/list%20%C3%A9.csv?token=${accessToken}` },
          { id: 'taskStatus', method: 'PUT', url: `${space}/dx/${id}/status/{status}` },
          { id: 'taskProgress', method: 'PUT', url: `${space}/dx/${id}/progress` },
          { id: 'uploadFileStream', method: 'POST', url: `${space}/fs/file/stream/in` },
          { id: 'uploadFile', method: 'POST', url: `${space}/fs/file` },
          { id: 'content', method: 'GET', url: `${space}/fs/file/{path}` },
          { id: 'downloadFile', method: 'GET', url: `${space}/fs/file/{path}?token=` },
        ],
      });
    }));

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
  test('of a form carries the request that it stands for, a batch too, and its answer comes through', () =>
    onStage(async (stage) => {
      const { register, ask, arrived } = stage;
      await register([record('form', 'ExternalAction')]);
      const oid = await madeObject(stage);
      const form = {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET' }, { method: 'PUT' }],
      };
      stage.answer = () => ({ status: 500, body: '{"errors":[{"message":"no"}]}' });
      const answer = await ask('emil', 'POST', '/api/space/main/externalAction/form', { ...form, objectId: oid });
      expect([answer.status, await answer.json()]).toEqual([500, { errors: [{ message: 'no' }] }]);
      const { kind: _kind, ...request } = form;
      expect(arrived).toHaveLength(1);
      expect(arrived[0]?.target).toBe('/t/form');
      expect(envelopeIn(arrived[0]).payload).toEqual({
        ...request,
        objectId: oid,
        svcUOIVersion: 1,
        spaceId: 'main',
        informationFilter: btoa('{}'),
        email: 'emil@demonstration.example',
      });
    }));

  test.each([
    [true, false],
    [true, true],
    [false, true],
    [false, false],
  ])('of the ribbon names what is selected (%s) and the module that it is run from (%s)', (selects, inModule) =>
    onStage(async (stage) => {
      await stage.register([record('ribbon', 'ExternalAction')]);
      const [selected, context] = [await madeObject(stage), await madeObject(stage)];
      const body = {
        kind: 'ribbon',
        ...(selects ? { objectId: selected } : {}),
        ...(inModule ? { contextObjectId: context } : {}),
      };
      const answer = await stage.ask('edda', 'POST', '/api/space/main/externalAction/ribbon', body);
      expect([answer.status, await answer.text()]).toEqual([200, '']);
      const { contentPayload, ...payload } = envelopeIn(stage.arrived[0]).payload;
      expect(contentPayload).toEqual({
        ...(selects ? { selectedObject: { $oid: selected } } : {}),
        ...(inModule ? { contextObject: { $oid: context } } : {}),
      });
      expect(Object.keys(payload).sort()).toEqual(
        ['email', 'informationFilter', 'spaceId', ...(selects ? ['objectId', 'svcUOIVersion'] : [])].sort(),
      );
    }),
  );

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
