import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  danglingReferences,
  hasRoutes,
  misfits,
  missingRoutes,
  operationFor,
  requestSchema,
  responseSchema,
} from './openapi.ts';
import { arbitraryOf } from './openapi-values.ts';

const text = { type: 'string' };
const objectWith = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

test('a body made up from a document leads to no object, since no schema says which there are', () => {
  const document = { components: { schemas: { Ref: objectWith({ id: text, value: { type: 'object' } }) } } };
  const schema = objectWith(
    {
      title: text,
      size: objectWith({ width: text }),
      entry: { $ref: '#/components/schemas/Ref' },
      bare: objectWith({ $oid: text, softTypeId: text }),
      anything: { type: 'object' },
    },
    { required: ['title'] },
  );
  const bodies = fc.sample(arbitraryOf(document, schema) ?? fc.constant({}), { seed: 1, numRuns: 50 });
  expect(new Set(bodies.flatMap((body) => Object.keys(Object(body))))).toEqual(new Set(['title', 'size']));
});

test('a body that cannot do without such an object is not made up', () => {
  const schema = objectWith({ owner: objectWith({ id: text, value: text }) }, { required: ['owner'] });
  expect(arbitraryOf({}, schema)).toBeUndefined();
});

test('a member that is left out is made up in no body, nor is a body that cannot do without it', () => {
  const members = { title: text, parent: objectWith({ value: objectWith({ name: text }) }) };
  const bodies = fc.sample(arbitraryOf({}, objectWith(members), ['parent']) ?? fc.constant({}), {
    seed: 1,
    numRuns: 50,
  });
  expect(new Set(bodies.flatMap((body) => Object.keys(Object(body))))).toEqual(new Set(['title']));
  expect(arbitraryOf({}, objectWith(members, { required: ['parent'] }), ['parent'])).toBeUndefined();
});

test('a document that leaves the merge out lists its SoftType nevertheless, and no other one', () => {
  const type = { definitionId: 'Vessel', inputSchemaId: 'in', outputSchemaId: 'out', body: {} };
  const document = { paths: { '/api/space/yard/softtype/Vessel/in': { post: {} } } };
  expect(hasRoutes(document, 'yard', type)).toBe(true);
  expect(missingRoutes(document, 'yard', type)).toHaveLength(2);
  expect(hasRoutes(document, 'yard', { ...type, definitionId: 'Berth' })).toBe(false);
});

test('what a gateway puts before the routes may stand in the paths of the document', () => {
  const document = { paths: { '/gate/way/api/space/yard/softtype/Vessel/in': { post: {} } } };
  expect(operationFor(document, 'POST', '/api/space/yard/softtype/Vessel/in')).toBeDefined();
  expect(operationFor(document, 'POST', '/way/api/space/yard/softtype/Vessel/in')).toBeUndefined();
});

test('a member that is not there fits, whatever its name', () => {
  const schema = objectWith({ constructor: text, valueOf: text });
  expect(misfits({}, schema, {})).toEqual([]);
  expect(misfits({}, schema, { valueOf: 1 })).toHaveLength(1);
});

test.each(['/api/space/yard:7/softtype/a(1)/in~2', '/api/space/yard%3a7/softtype/a%281%29/in%7E2'])(
  'a path is found however it is percent-encoded: %s',
  (path) => {
    for (const base of ['/api/space/yard:7', '/api/space/yard%3A7']) {
      const document = {
        servers: [{ url: `https://x.example${base}` }],
        paths: { '/softtype/a(1)/in~2': { get: {} } },
      };
      expect(operationFor(document, 'GET', path)?.template).toBe('/softtype/a(1)/in~2');
      expect(operationFor(document, 'GET', `${path}0`)).toBeUndefined();
    }
  },
);

test.each([
  ['/api/space/yard', '/softtype/Vessel/in'],
  ['https://{host}/api/space/{space}', '/softtype/Vessel/in'],
  ['{base}/space/yard', '/softtype/Vessel/in'],
  ['{scheme}://host/root/', '/api/space/yard/softtype/Vessel/in'],
])('a path below the server %s is found', (url, path) => {
  const servers = [{ url, variables: { base: { default: 'https://host/api' } } }];
  for (const document of [
    { servers, paths: { [path]: { post: {} } } },
    { paths: { [path]: { servers, post: {} } } },
    { paths: { [path]: { post: { servers } } } },
  ])
    expect(operationFor(document, 'POST', '/api/space/yard/softtype/Vessel/in')?.template).toBe(path);
});

test('a reference leads from the schema with an $id that it stands in, and none leads anywhere from an extension', () => {
  const named = (target: string): object => ({ $id: 'https://own', $defs: { a: text }, items: { $ref: target } });
  const documentOf = (target: string) => ({
    'x-note': { $ref: '#/nowhere' },
    components: { schemas: { A: named(target) } },
  });
  expect(danglingReferences(documentOf('#/$defs/a'))).toEqual([]);
  expect(danglingReferences(documentOf('#/$defs/b'))).toEqual(['#/$defs/b']);
});

test('what requests alone have is missed in no answer, and what answers alone have is made up for no request', () => {
  const schema = objectWith(
    { title: text, secret: { ...text, writeOnly: true }, stamp: { ...text, readOnly: true } },
    { required: ['title', 'secret', 'stamp'] },
  );
  expect(misfits({}, schema, { title: 'a', stamp: 'b' })).toEqual([]);
  expect(misfits({}, schema, { title: 'a' })).toHaveLength(1);
  const [body] = fc.sample(arbitraryOf({}, schema) ?? fc.constant({}), { seed: 1, numRuns: 1 });
  expect(Object.keys(Object(body)).toSorted()).toEqual(['secret', 'title']);
});

test('a document of 2.0 keeps bodies among the parameters, has no word for null and excludes bounds by a flag', () => {
  const Leaf = objectWith({
    title: text,
    kind: { ...text, enum: ['a'] },
    size: { type: 'number', minimum: 0, exclusiveMinimum: true },
  });
  const body = { name: 'content', in: 'body', schema: { $ref: '#/definitions/Leaf' } };
  const path = { name: 'id', in: 'path', required: true, type: 'string' };
  const document = {
    swagger: '2.0',
    basePath: '/api',
    paths: { '/leaf/{id}': { put: { parameters: [path, body], responses: {} } } },
    definitions: { Leaf },
  };
  const operation = operationFor(document, 'PUT', '/api/leaf/1');
  expect(operation && requestSchema(document, operation)).toEqual(body.schema);
  expect(misfits(document, body.schema, { title: null, kind: null, size: 1 })).toEqual([]);
  expect(misfits(document, body.schema, { title: 1, kind: 'b', size: 'much' })).toHaveLength(3);
});

test('examples with an $id are no schemas', () => {
  const item = objectWith({ $id: text }, { example: { $id: 'one' } });
  const document = { components: { schemas: { One: item, Other: item } } };
  expect(misfits(document, { $ref: '#/components/schemas/One' }, { $id: 1 })).toHaveLength(1);
});

test.each([
  ['3.0.3', 1],
  ['3.1.0', 0],
])('two schemas of one $id break no run of a document of %s', (openapi, found) => {
  const schemas = { One: objectWith({ a: text }, { $id: 'same' }), Two: objectWith({ $id: text }, { $id: 'same' }) };
  const document = { openapi, components: { schemas } };
  expect(misfits(document, { $ref: '#/components/schemas/One' }, { a: 1 })).toHaveLength(found);
  expect(misfits(document, { $ref: '#/components/schemas/Two' }, { $id: 1 })).toHaveLength(found);
});

test('numbers made up have two places at most, and nothing is made up of what is not looked at', () => {
  const schema = objectWith({
    price: { type: 'number', minimum: 0.5, maximum: 9 },
    narrow: { type: 'number', minimum: 0.001, maximum: 0.002 },
    dozens: { type: 'integer', multipleOf: 12 },
    weight: { type: 'number', exclusiveMinimum: 0 },
  });
  const bodies = fc.sample(arbitraryOf({}, schema) ?? fc.constant({}), { seed: 1, numRuns: 50 });
  expect(new Set(bodies.flatMap((body) => Object.keys(Object(body))))).toEqual(new Set(['price', 'narrow']));
  for (const { price = 1 } of bodies as readonly { readonly price?: number }[])
    expect([Number(price.toFixed(2)), price >= 0.5 && price <= 9]).toEqual([price, true]);
});

test('a schema may stand under a range of media types, which one of JSON precedes', () => {
  const answers = (content: object) => {
    const document = { openapi: '3.0.1', paths: { '/leaf': { get: { responses: { 200: { content } } } } } };
    const operation = operationFor(document, 'GET', '/leaf');
    return operation && responseSchema(document, operation, 200);
  };
  expect(answers({ '*/*': { schema: text } })).toEqual(text);
  expect(answers({ 'application/*; charset=utf-8': { schema: text } })).toEqual(text);
  expect(answers({ '*/*': { schema: {} }, 'application/json': { schema: text } })).toEqual(text);
  expect(answers({ 'text/*': { schema: text } })).toBeUndefined();
});
