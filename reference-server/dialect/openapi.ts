import { replacing, together, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import type { Answer } from '../service.ts';
import { isObject, mapped, type Json } from './json.ts';

/** The document of a space lies below the API root only. */
export const openApiBelowRoot: Fault = replacing('readDynamicOpenApi', (right) => async (service, call) => {
  if (call.url.startsWith('/api/')) return right(service, call);
  throw new Refusal(404, 'The document lies below /api.');
});

/** The document goes by its own media type. */
export const openApiMediaType: Fault = together(
  replacing(
    'readDynamicOpenApi',
    (right) =>
      async (...args) =>
        named(await right(...args)),
  ),
  replacing(
    'readStaticOpenApi',
    (right) =>
      async (...args) =>
        named(await right(...args)),
  ),
);

function named(answer: Answer): Answer {
  if (answer.status !== 200) return answer;
  return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/vnd.oai.openapi+json;version=3.1' } };
}

/** Members that are in every answer, and never null. */
const firm = new Set([
  'href',
  'data',
  'version',
  'links',
  'schema',
  'rel',
  'method',
  '$version',
  '$oid',
  '$softType',
  '$entryId',
]);

/** The OpenAPI document of a space tells of nulls, of arrays left out, and of the statuses and types that there are. */
export const describesItself: Fault = replacing('dynamicDocument', (right) => (service, space) => {
  const document = right(service, space);
  const { components, paths } = document;
  const { schemas, ...others } = isObject(components) ? components : {};
  return {
    ...document,
    paths: mapped(paths, (object) =>
      isObject(object['responses']) ? { ...object, responses: answersOf(object['responses']) } : object,
    ),
    components: {
      ...others,
      schemas: isObject(schemas) ? Object.fromEntries(Object.entries(schemas).map(described)) : {},
    },
  };
});

/** What clients send is described as before. */
function described([name, schema]: [string, unknown]): [string, unknown] {
  return [name, /\.(create|merge)$|^PatchOperations$/.test(name) ? schema : mapped(schema, relaxed)];
}

function relaxed(schema: Json): Json {
  const { properties, required } = schema;
  if (!isObject(properties)) return schema;
  const loose = Object.entries(properties).map(
    ([name, inner]) => [name, firm.has(name) || !isObject(inner) ? inner : nullable(inner)] as const,
  );
  const left = Array.isArray(required) ? required.filter((name) => firm.has(String(name))) : [];
  return { ...schema, properties: Object.fromEntries(loose), required: left };
}

function nullable(schema: Json): Json {
  return typeof schema['type'] === 'string' && !('const' in schema) && !('enum' in schema)
    ? { ...schema, type: [schema['type'], 'null'] }
    : schema;
}

function answersOf(responses: Json): Json {
  const successes = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  const named = successes.map(([status, response]) => [status === '204' ? '2XX' : status, typed(response)]);
  return { ...Object.fromEntries(named), '4XX': { description: 'Refused, in one of many forms.' } };
}

function typed(response: unknown): unknown {
  if (!isObject(response) || !isObject(response['content'])) return response;
  const [content] = Object.values(response['content']);
  return { ...response, content: { 'application/vnd.strange+json': content } };
}
