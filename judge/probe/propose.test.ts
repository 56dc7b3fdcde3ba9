import { describe, expect, test } from 'vitest';
import { operationsOf, routesIn, typesIn } from './described.ts';
import { candidatesOf, type Candidate } from './propose.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more });
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});

/** One SoftType in the words of OpenAPI 3. */
function documentWith(input: Schema, output: Schema = input, root = '/api/space/main/softtype'): Schema {
  const json = (schema: Schema): Schema => ({ content: { 'application/json': { schema } } });
  return {
    openapi: '3.1.0',
    paths: {
      [`${root}/Thing/in`]: { post: { requestBody: json(input) } },
      [`${root}/Thing/out/{id}`]: { get: { responses: { 200: json(object({ data: output })) } } },
    },
  };
}

function proposed(document: Schema): Candidate | undefined {
  return candidatesOf(typesIn(operationsOf(document, 'http://localhost')))[0];
}

describe('a SoftType is proposed from its schemas', () => {
  test('with a body of what is required, each value of its type', () => {
    const members = {
      title: text,
      kind: { enum: ['a', 'b'] },
      count: { type: 'integer', minimum: 3 },
      when: { type: 'string', format: 'date' },
      inner: object({ on: { type: 'boolean' } }, ['on']),
      free: text,
    };
    expect(proposed(documentWith(object(members, ['title', 'kind', 'count', 'when', 'inner'])))?.type.body).toEqual({
      title: 'Thing {{unique}}',
      kind: 'a',
      count: 3,
      when: '2030-01-01',
      inner: { on: false },
    });
  });

  test('without what only answers have, or only requests, required or not', () => {
    const members = {
      title: text,
      stamp: { ...text, readOnly: true },
      madeBy: { $ref: '#/components/schemas/Own' },
      reason: { ...text, writeOnly: true },
      a: text,
    };
    const document = {
      ...documentWith(object(members, ['title', 'stamp', 'madeBy'])),
      components: { schemas: { Own: { ...text, readOnly: true } } },
    };
    const { type, parts } = proposed(document) ?? {};
    expect([type?.body, parts?.texts]).toEqual([{ title: 'Thing {{unique}}' }, ['a']]);
  });

  test('with scalars that take any text and stand in both schemas', () => {
    const input = object({ a: text, b: { ...text, maxLength: 5 }, c: { ...text, pattern: '^x' }, d: text, e: text }, [
      'a',
    ]);
    const { e: _e, ...shown } = input['properties'] as Record<string, Schema>;
    expect(proposed(documentWith(input, object(shown)))?.parts.texts).toEqual(['d']);
    expect(proposed(documentWith(input))?.parts.texts).toEqual(['d', 'e']);
  });

  test('with the array port that has most to test, unless it is too short', () => {
    const plain = list(object({ note: text }));
    const rich = list(object({ name: text, note: text, parts: list(object({ remark: text })) }, ['name']));
    const ports = { plain, short: { ...rich, maxItems: 49 }, rich: { ...rich, maxItems: 50 } };
    const [forms, second] = proposed(documentWith(object(ports)))?.parts.ports ?? [];
    expect(forms).toEqual([
      {
        member: 'rich',
        entry: { name: 'rich {{unique}}' },
        text: 'note',
        mandatory: 'name',
        nested: { member: 'parts', entry: {}, text: 'remark' },
      },
    ]);
    expect(second).toEqual([{ member: 'plain', entry: {}, text: 'note' }]);
  });

  test('with each text of an entry as the mandatory one, where no document says which is', () => {
    const [forms] =
      proposed(documentWith(object({ port: list(object({ name: text, note: text })) })))?.parts.ports ?? [];
    expect(forms).toEqual([
      { member: 'port', entry: {}, text: 'name' },
      { member: 'port', entry: { note: 'port {{unique}}' }, text: 'name', mandatory: 'note' },
      { member: 'port', entry: { name: 'port {{unique}}' }, text: 'note', mandatory: 'name' },
    ]);
  });

  test('with reference ports told by $oid, which are no array ports', () => {
    const port = list(object({ value: object({ $oid: text }, ['$oid']), id: text }, ['value']));
    const candidate = proposed(documentWith(object({ port })));
    expect(candidate?.references).toEqual([{ port: 'port', value: 'value' }]);
    expect(candidate?.parts.ports).toEqual([]);
  });

  test('with references whose value may be any object', () => {
    const port = list(object({ id: text, value: { type: 'object' } }, ['value']));
    expect(proposed(documentWith(object({ port })))?.references).toEqual([{ port: 'port', value: 'value' }]);
  });

  test('with numbers that may be 0 and 1, and flags', () => {
    const number = { type: 'number' };
    const members = {
      free: number,
      some: { type: 'integer', minimum: 0, maximum: 1 },
      positive: { ...number, exclusiveMinimum: 0 },
      chosen: { ...number, enum: [0, 1] },
      flag: { type: 'boolean' },
    };
    expect(proposed(documentWith(object(members)))?.parts).toMatchObject({
      numbers: ['free', 'some'],
      flags: ['flag'],
    });
  });

  test('with numbers and flags below the root, and objects in entries', () => {
    const plain = { count: { type: 'integer' }, done: { type: 'boolean' } };
    const held = object({ place: text, ...plain });
    const inside = list(object({ text, ...plain }, ['done']));
    const parts = proposed(
      documentWith(
        object({
          held: object({ one: text, two: text, ...plain }),
          port: list(object({ text, ...plain, held, inside })),
        }),
      ),
    )?.parts;
    const [numbers, flags] = [{ numbers: ['count'] }, { flags: ['done'] }];
    expect(parts?.richer).toEqual({
      held: [numbers, flags],
      port: [
        numbers,
        flags,
        ...[{}, numbers, flags, { ...numbers, ...flags }].map((each) => ({
          object: { member: 'held', scalars: ['place'], ...each },
        })),
        { nested: { ...parts?.ports[0]?.[0]?.nested, ...numbers } },
      ],
    });
  });

  test('with an object that has mandatory members beside its texts', () => {
    const inner = object({ length: { type: 'number' }, a: text, b: text, kind: text }, ['length', 'kind']);
    expect(proposed(documentWith(object({ inner })))?.parts.objects).toEqual([
      { member: 'inner', scalars: ['a', 'b'], body: { length: 1, kind: 'inner one' } },
    ]);
  });

  test('with dated elements, written alone or whole', () => {
    const element = object({ value: { type: 'number' }, since: { ...text, format: 'date' } }, ['value']);
    const dated = proposed(documentWith(object({ rate: element })))?.dated;
    const place = { path: '/rate', datePath: '/rate/since', replaceWith: 12 };
    expect(dated).toEqual([
      { ...place, value: { rate: 10 } },
      { ...place, value: { rate: { value: 10 } } },
    ]);
  });

  test('when null is allowed in either way of saying so', () => {
    const input = object({ a: { type: ['string', 'null'] }, b: { anyOf: [text, { type: 'null' }] } });
    expect(proposed(documentWith(input))?.parts.texts).toEqual(['a', 'b']);
  });

  test('in the words of OpenAPI 2, with a base path', () => {
    const schema = { $ref: '#/definitions/Thing' };
    const document = {
      swagger: '2.0',
      basePath: '/api',
      definitions: { Thing: object({ a: text, b: text }) },
      paths: {
        '/space/main/softtype/Thing/in': { post: { parameters: [{ in: 'body', name: 'body', schema }] } },
        '/space/main/softtype/Thing/out/{id}': { get: { responses: { 200: { schema: object({ data: schema }) } } } },
        '/space/main/softtype/{id}': { delete: {} },
      },
    };
    const operations = operationsOf(document, 'http://localhost');
    expect(candidatesOf(typesIn(operations))[0]?.type).toMatchObject({
      definitionId: 'Thing',
      inputSchemaId: 'in',
      outputSchemaId: 'out',
    });
    expect(candidatesOf(typesIn(operations))[0]?.parts.texts).toEqual(['a', 'b']);
    expect(routesIn(operations, 'main').softTypeDelete).toBe('/api/space/{spaceId}/softtype/{objectId}');
  });

  test.each<readonly [string, Schema]>([
    ['schemas that lead to themselves', { ...documentWith({ $ref: '#/loop' }), loop: { anyOf: [{ $ref: '#/loop' }] } }],
    ['lists of endless lists', documentWith({ $ref: '#/deep' })],
    ['no paths', { openapi: '3.1.0', paths: null }],
    [
      'members that are no schemas',
      documentWith({ type: 'object', properties: { a: 'text', b: 7, c: null }, required: ['a', 4] }),
    ],
  ])('and %s end', (_what, document) => {
    const deep = { ...document, deep: object({ more: list({ $ref: '#/deep' }, { minItems: 1000 }) }, ['more']) };
    expect(JSON.stringify(proposed(deep) ?? null).length).toBeLessThan(20_000);
  });
});

describe('routes of the ledger are found in paths', () => {
  test('with the names of the profile for their parts', () => {
    const paths = {
      '/api/space/main/softtype/Thing/in/{id}': { put: {} },
      '/api/space/{space}/maturityAction/demote/{o}/{p}/{l}': { put: {} },
      '/api/space/{space}/lock/{o}': { post: {}, delete: {} },
      '/api/space/{space}/instances/{type}': { get: { parameters: [{ in: 'query', name: 'text' }] } },
    };
    expect(routesIn(operationsOf({ paths }, 'http://localhost'), 'main')).toEqual({
      softTypePut: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}',
      demote: '/api/space/{spaceId}/maturityAction/demote/{objectId}/{processId}/{levelId}',
      instanceListing: '/api/space/{spaceId}/instances/{definitionId}?text={text}',
      lockTake: { method: 'POST', path: '/api/space/{spaceId}/lock/{objectId}' },
      lockFree: { method: 'DELETE', path: '/api/space/{spaceId}/lock/{objectId}' },
    });
  });

  test.each<readonly [string, Schema]>([
    ['in the paths', { paths: { '/gateway/svc/api/space/main/softtype/{id}': { delete: {} } } }],
    [
      'in the paths below a server that is the host',
      { servers: [{ url: '/' }], paths: { '/gateway/svc/api/space/main/softtype/{id}': { delete: {} } } },
    ],
    [
      'in the server',
      {
        servers: [{ url: 'https://host.example/gateway/svc/api' }],
        paths: { '/space/main/softtype/{id}': { delete: {} } },
      },
    ],
    ['nowhere', { paths: { '/api/space/main/softtype/{id}': { delete: {} } } }],
  ])('without the path of the base URL, which stands %s', (_where, document) =>
    expect(routesIn(operationsOf(document, 'http://localhost/gateway/svc'), 'main').softTypeDelete).toBe(
      '/api/space/{spaceId}/softtype/{objectId}',
    ),
  );
});
