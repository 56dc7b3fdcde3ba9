import { routes } from '../../contract/routes.ts';
import { operationRouteOf, rightAreas } from '../areas.ts';
import { carryOut } from './carry-out.fixture.ts';
import { replaces } from '../../variants/breaks.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inputJsonSchema } from './soft-type.ts';
import { create, document, entriesIn, read, sampleCall, sampleService } from './reading-sample.fixture.ts';

const ajv = addFormats.default(new Ajv2020({ strict: true, allowUnionTypes: true }));
const entry = fc.record({
  name: fc.string(),
  category: fc.string(),
  revisions: fc.array(fc.record({ text: fc.string() }), { maxLength: 12 }),
});
const body = fc.record(
  {
    title: fc.string(),
    label: fc.string(),
    keywords: fc.array(fc.string(), { maxLength: 15 }),
    dimensions: fc.record({ width: fc.string(), height: fc.string() }, { requiredKeys: [] }),
    price: fc.oneof(fc.string(), fc.record({ value: fc.string(), effectivity: fc.constant('2024-05-01T00:00:00Z') })),
    files: fc.array(entry, { maxLength: 12 }),
  },
  { requiredKeys: ['title'] },
);

describe('an instance read', () => {
  test('data fits the schema that comes with it, and what was sent fits the input schema', async () => {
    const service = sampleService();
    const input = ajv.compile(inputJsonSchema(document, firstOf(document.inputs)));
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        expect(input(sent), JSON.stringify(input.errors)).toBe(true);
        const { json } = await read(service, await create(service, sent));
        const output = ajv.compile(json.schema);
        expect(output(json.data), JSON.stringify(output.errors)).toBe(true);
        const { displayLabel: _, ...same } = json.data;
        expect([input(same), input({ ...same, unknown: 1 }), input({ ...same, title: undefined })]).toEqual([
          true,
          false,
          false,
        ]);
      }),
      { numRuns: 20 },
    );
  });

  test('empty arrays read as [], at every depth; other members without value are left out', async () => {
    const service = sampleService();
    const { json } = await read(service, await create(service, { title: 't', files: [{ name: 'a' }] }));
    expect(json.data).toMatchObject({
      contacts: [],
      describes: [],
      files: [{ $entryId: 1, name: 'a', revisions: [] }],
    });
    expect(json.data).not.toHaveProperty('price');
    expect(entriesIn(json.data, 'files')[0]).not.toHaveProperty('category');
  });
});

test.each([
  ['an unknown definition', { params: { definitionId: 'Nothing', inputSchemaId: 'documentInput' } }, 404],
  ['another media type', { headers: { 'content-type': 'text/plain' } }, 415],
  ['a reference that leads nowhere', { body: { title: 't', describes: [{ value: { $oid: 'x' } }] } }, 422],
] as const)('a create with %s creates nothing', async (_what, request, status) => {
  const service = sampleService(replaces('editing', 'newOid', () => 'the-only-id')(rightAreas));
  const params = { definitionId: 'Document', inputSchemaId: 'documentInput' };
  const call = sampleCall({ params, body: { title: 't' }, ...request });
  await expect(carryOut(service, 'POST', routes.create, call)).rejects.toMatchObject({ status });
  expect(await service.store.read((reading) => reading.object('main', 'the-only-id'))).toBeUndefined();
});

describe('the memory of reads', () => {
  test('a second read of the same version does not assemble again; another version, view or right does', async () => {
    const assembled: string[] = [];
    const service = sampleService(
      replaces('instances', 'assembleInstance', async (right, ...given) => {
        assembled.push(given[4].id);
        return right(...given);
      })(rightAreas),
    );
    const oid = await create(service, { title: 'before' });
    await read(service, oid);
    const again = await read(service, oid);
    expect([again.json.data.title, assembled]).toEqual(['before', ['documentFull']]);
    await read(service, oid, { user: 'rita' });
    await read(service, oid, { params: { definitionId: 'Document', outputSchemaId: 'documentSummary' } });
    await service.store.change((writing) => writing.updateObject('main', oid, 2, { title: 'after' }));
    expect((await read(service, oid)).json).toMatchObject({ version: 2, data: { title: 'after' } });
    expect((await read(service, oid)).json.version).toBe(2);
    expect(assembled).toEqual(['documentFull', 'documentFull', 'documentSummary', 'documentFull']);
  });

  test('what a change set reads is not kept, since it may be rolled back', async () => {
    const service = sampleService();
    const oid = await create(service, { title: 'first' });
    const call = sampleCall({ params: { objectId: oid } });
    const rolledBack = service.store.change(async (writing) => {
      await writing.updateObject('main', oid, 2, { title: 'rolled back' });
      await service.dispatcher.carryOutWrite(operationRouteOf(service, 'GET', routes.instanceShort), call, writing);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    await service.store.change((writing) => writing.updateObject('main', oid, 2, { title: 'second' }));
    expect((await read(service, oid)).json.data.title).toBe('second');
  });

  test('forgetting an object makes the next read assemble', async () => {
    const service = sampleService();
    const oid = await create(service, { title: 'kept' });
    await read(service, oid);
    await service.store.change((writing) => writing.updateObject('main', oid, 1, { title: 'other' }));
    expect((await read(service, oid)).json.data.title).toBe('kept');
    service.memory.forgetReads('main', oid);
    expect((await read(service, oid)).json.data.title).toBe('other');
  });
});

function firstOf<T>(views: ReadonlyMap<string, T>): T {
  const [first] = views.values();
  if (first === undefined) throw new Error('The sample has no such schema.');
  return first;
}
