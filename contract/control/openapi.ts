import type { TSchema } from 'typebox';
import { extensionHostControl } from './extension-host.ts';
import type { ControlRoute } from './route.ts';
import { serviceControl } from './service.ts';

type Json = Readonly<Record<string, unknown>>;

const problem: Json = {
  type: 'object',
  required: ['title', 'status', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was expected, what was found, what to do.' },
    pointer: {
      type: 'string',
      description: 'JSON Pointer to the culprit in the body, or the name of a parameter.',
    },
  },
};

const common = `Served where it is asked for by \`--control\`, to this machine only unless \`--control any\` was said. The token is announced as \`controlToken\`, or comes from the variable SVC_CONTROL_TOKEN.`;

/** The control routes of the reference server in OpenAPI 3.1. */
export const serviceControlDocument = (): Json =>
  documentOf(
    'Control of the reference server',
    `What a test asks of \`svc-conformance serve --control\` besides the service itself. ${common}`,
    serviceControl,
  );

/** The control routes of the fake extension host in OpenAPI 3.1. */
export const extensionHostControlDocument = (): Json =>
  documentOf(
    'Control of the fake extension host',
    `What a test asks of \`svc-conformance simulate extension --control\` besides the calls themselves. ${common}`,
    extensionHostControl,
  );

function documentOf(title: string, description: string, routes: Readonly<Record<string, ControlRoute>>): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries(routes))
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(name, route) };
  return {
    openapi: '3.1.0',
    info: { title, description, version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: problem },
    },
  };
}

function operationOf(operationId: string, route: ControlRoute): Json {
  const { summary, description, open, query = {}, body } = route;
  const parameters = Object.entries(query).map(([name, schema]) => ({
    name,
    in: 'query',
    schema: plain(schema),
    ...describing(schema),
  }));
  return {
    operationId,
    summary,
    description,
    ...(open !== undefined && { security: open === 'everybody' ? [] : [{}, { token: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: responsesOf(route),
  };
}

function contentOf({ schema, example, yaml }: NonNullable<ControlRoute['body']>): Json {
  const media = { schema: plain(schema), example };
  return { 'application/json': media, ...(yaml && { 'application/yaml': media }) };
}

function responsesOf({ answer, refusals = {}, body, query, open }: ControlRoute): Json {
  const { status, description, schema } = answer;
  const type = answer.type ?? 'application/json';
  const content =
    status === 204 ? {} : { content: { [type]: { schema: schema ? plain(schema) : { type: 'string' } } } };
  const all = {
    ...(body || query ? { 400: 'The request is not as described.' } : {}),
    ...(open === 'everybody' ? {} : { 401: 'The token is missing or is another one.' }),
    403: 'The request comes from another machine.',
    ...refusals,
  };
  return {
    [status]: { description, ...content },
    ...Object.fromEntries(Object.entries(all).map(([status, text]) => [status, problemResponse(text)])),
  };
}

function problemResponse(description: string): Json {
  return {
    description,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

function describing(schema: TSchema): Json {
  const description: unknown = Reflect.get(schema, 'description');
  return typeof description === 'string' ? { description } : {};
}

/** Without what typebox notes beside the schema. */
function plain(schema: TSchema): Json {
  const copy: Json = JSON.parse(JSON.stringify(schema));
  return copy;
}
