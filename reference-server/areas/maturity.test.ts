import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mediaTypes } from '../../contract/names.ts';
import { writers } from './writers.fixture.ts';

const levels = { engineering: ['draft', 'reviewed', 'released'], approval: ['open', 'checked', 'approved'] } as const;
const moves = fc.record({
  level: fc.constantFrom('engineering' as const, 'approval' as const),
  action: fc.constantFrom('promoteObject' as const, 'demoteObject' as const),
  distance: fc.constantFrom(0, 0, 0, -1, 1),
});

test('each level goes its own way, one state and one version a step, and nothing moves that is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(moves, { maxLength: 20 }), async (steps) => {
      const { create, write, standing } = writers();
      const [oid, other] = [await create(), await create()];
      const at = { engineering: 0, approval: 0 };
      let version = 1;
      for (const { level, action, distance } of steps) {
        const next = at[level] + (action === 'promoteObject' ? 1 : -1);
        const leads = next >= 0 && next < levels[level].length;
        const answer = await write(action, oid, { level, version: version + distance });
        if (distance !== 0) expect(answer.status).toBe(409);
        else if (!leads) expect(answer.status).toBe(422);
        else {
          at[level] = next;
          version += 1;
          expect(answer).toEqual({ status: 204, version: String(version) });
        }
        const states = { engineering: levels.engineering[at.engineering], approval: levels.approval[at.approval] };
        expect(await standing(oid)).toEqual({ version, states });
      }
      expect(await standing(other)).toEqual({ version: 1, states: { engineering: 'draft', approval: 'open' } });
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['an unknown process', { process: 'retire' }, 404],
  ['an unknown level', { level: 'legal' }, 404],
  ['a level that is a member of every object', { level: '__proto__' }, 404],
  ['a level inherited from records', { level: 'constructor' }, 404],
  ['no version', { version: null }, 412],
  ['a version that is none', { version: 'abc' }, 400],
] as const)('%s is refused and moves nothing', async (_what, asked, status) => {
  const { create, write, standing } = writers();
  const oid = await create();
  for (const action of ['promoteObject', 'demoteObject'] as const)
    expect((await write(action, oid, asked)).status).toBe(status);
  expect(await standing(oid)).toEqual({ version: 1, states: { engineering: 'draft', approval: 'open' } });
});

test('an unknown object, and one whose SoftType has no process, cannot be promoted', async () => {
  const { create, write, standing } = writers();
  expect((await write('promoteObject', 'nobody')).status).toBe(404);
  const part = await create('Part');
  expect((await write('promoteObject', part)).status).toBe(404);
  expect(await standing(part)).toEqual({ version: 1, states: {} });
});

test.each([
  ['JSON', { body: { state: 'released' } }],
  ['broken JSON', { body: '{"' }],
  ['a text', { body: 'released', contentType: 'text/plain' }],
  ['operations', { body: [], contentType: mediaTypes.operations }],
])('a body is not looked at: %s', async (_what, asked) => {
  const { create, write, standing } = writers();
  const oid = await create();
  expect(await write('promoteObject', oid, asked)).toEqual({ status: 204, version: '2' });
  expect((await standing(oid))?.states).toEqual({ engineering: 'reviewed', approval: 'open' });
});

test('a state keeps its identity, outlives edits, and a read shows it at once', async () => {
  const { service, create, write } = writers();
  const oid = await create();
  const stored = () => service.store.read((reading) => reading.object('main', oid));
  const before = (await stored())?.content['$states'] as Record<string, object>;
  await write('promoteObject', oid);
  const promoted = { ...before, engineering: { ...before['engineering'], state: 'reviewed' } };
  expect((await stored())?.content['$states']).toEqual(promoted);
  await write('putObject', oid, { body: { title: 'u' } });
  await write('mergeObject', oid, { body: { note: 'n', engineering: { state: 'released' } } });
  expect((await stored())?.content['$states']).toEqual(promoted);
});
