import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mediaTypes } from '../../contract/names.ts';
import { writers, type Action, type Asked, type Editor } from './writers.fixture.ts';
import { createServer, type Server } from '../server.ts';

const edits: readonly (readonly [Action, Asked])[] = [
  ['mergeObject', { body: { note: 'n' } }],
  [
    'operateObject',
    { body: [{ op: 'add', path: '/contacts', value: { name: 'c' } }], contentType: mediaTypes.operations },
  ],
  ['putObject', { body: { title: 'u' } }],
  ['promoteObject', {}],
];
const editAt = (index: number): readonly [Action, Asked] => edits[index % edits.length] ?? ['mergeObject', {}];
const editors = fc.constantFrom<Editor>('edda', 'emil');
const commands = fc.oneof(
  fc.record({ by: editors, action: fc.constantFrom<Action>('lockObject', 'unlockObject') }),
  fc.record({ by: editors, edit: fc.nat({ max: edits.length - 2 }) }),
);

test('while one holds the lock, the other can neither write nor take nor free it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { maxLength: 15 }), async (history) => {
      const { create, write, standing } = writers();
      const oid = await create();
      let [holder, version]: [Editor | undefined, number] = [undefined, 1];
      for (const command of history) {
        const [action, asked] = 'edit' in command ? editAt(command.edit) : ([command.action, {}] as const);
        const { status } = await write(action, oid, { ...asked, by: command.by });
        const free = holder === undefined || holder === command.by;
        expect(status).toBe(free ? 204 : 423);
        if (free && action === 'lockObject') holder = command.by;
        if (free && action === 'unlockObject') holder = undefined;
        if (free && 'edit' in command) version += 1;
        expect((await standing(oid))?.version).toBe(version);
      }
    }),
    { numRuns: 60 },
  );
});

describe('a locked object', () => {
  test.each(edits)('refuses %s of others, whatever the version, and nothing changes', async (action, asked) => {
    const { service, create, write } = writers();
    const oid = await create();
    const stored = () => service.store.read((reading) => reading.object('main', oid));
    expect(await write('lockObject', oid, { version: null })).toEqual({ status: 204, version: '1' });
    const before = await stored();
    for (const version of [1, 7, null])
      expect((await write(action, oid, { ...asked, by: 'emil', version })).status).toBe(423);
    expect(await stored()).toEqual(before);
    expect(await write(action, oid, asked)).toEqual({ status: 204, version: '2' });
    expect((await write(action, oid, { ...asked, by: 'emil' })).status).toBe(423);
  });

  test('is deleted by who locked it only, and the lock goes with it', async () => {
    const { create, write, standing } = writers();
    const oid = await create();
    await write('lockObject', oid);
    expect((await write('deleteObject', oid, { by: 'emil', version: null })).status).toBe(423);
    expect(await standing(oid)).toBeDefined();
    expect((await write('deleteObject', oid, { version: null })).status).toBe(204);
    expect((await write('unlockObject', oid)).status).toBe(404);
  });

  test('is not locked by a change set that fails', async () => {
    const { service, create, write } = writers();
    const oid = await create();
    const failing = service.store.change(async (writing) => {
      const object = await writing.object('main', oid);
      if (object !== undefined)
        await service.versioning.storeEdit(writing, object, object.version, {
          ...object.content,
          $lockedBy: 'edda',
        });
      throw new Error('the batch fails');
    });
    await expect(failing).rejects.toThrow('the batch fails');
    expect((await write('mergeObject', oid, { by: 'emil', body: { note: 'n' } })).status).toBe(204);
  });
});

describe('over HTTP', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer();
    await server.listen();
  });
  afterAll(() => server.close());

  const pats = { edda: 'svcpat-edda-7d1c0b9e5a', emil: 'svcpat-emil-2f8a6c4d1b', rita: 'svcpat-rita-9b3e7f5a2c' };
  const send = (method: string, path: string, by: keyof typeof pats, body?: object, headers = {}): Promise<Response> =>
    fetch(server.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${pats[by]}`,
        'Svc-InformationFilter': 'e30=',
        ...(body && { 'Content-Type': mediaTypes.json }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const created = async (): Promise<string> => {
    const { headers } = await send('POST', '/api/space/main/softtype/Document/documentInput', 'edda', { title: 't' });
    return headers.get('location')?.split('/').at(-1) ?? '';
  };

  test('a lock is taken and freed by its routes and shows in no read', async () => {
    const oid = await created();
    const [lock, instance] = [`/api/space/main/lock/${oid}`, `/api/space/main/softtype/${oid}`];
    const before = await (await send('GET', instance, 'emil')).json();
    expect((await send('POST', lock, 'rita')).status).toBe(403);
    const taken = await send('POST', lock, 'edda');
    expect([taken.status, taken.headers.get('svc-uoiversion')]).toEqual([204, '1']);
    const edit = await send(
      'PATCH',
      `/api/space/main/softtype/Document/documentInput/${oid}`,
      'emil',
      { note: 'n' },
      { 'Svc-UOIVersion': '1' },
    );
    expect([edit.status, (await edit.json()) as unknown]).toEqual([
      423,
      expect.objectContaining({ status: 423, detail: expect.stringContaining('edda') }),
    ]);
    expect(await (await send('GET', instance, 'emil')).json()).toEqual(before);
    expect((await send('DELETE', lock, 'emil')).status).toBe(423);
    expect((await send('DELETE', lock, 'edda')).status).toBe(204);
    expect((await send('DELETE', lock, 'emil')).status).toBe(204);
    expect((await send('POST', lock, 'emil')).status).toBe(204);
  });

  test('a lock asks for the information filter and for an object that is there', async () => {
    const lock = `/api/space/main/lock/${await created()}`;
    expect(
      (await fetch(server.url + lock, { method: 'POST', headers: { Authorization: `Bearer ${pats.edda}` } })).status,
    ).toBe(400);
    expect((await send('POST', '/api/space/main/lock/nobody', 'edda')).status).toBe(404);
    expect((await send('PUT', lock, 'edda')).status).toBe(405);
  });
});
