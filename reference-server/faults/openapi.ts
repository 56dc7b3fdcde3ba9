import type { Json } from './answer.ts';
import { isJson } from './answer.ts';
import { replacing, type FaultsOf } from './fault.ts';

export const openapiFaults: FaultsOf<'openapi'> = {
  'openapi.dynamic.is-served': replacing('readDynamicOpenApi', () => async () => ({
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    raw: '',
  })),

  'openapi.dynamic.valid-document': replacing('dynamicDocument', (right) => (service, space) => {
    const document = right(service, space);
    const paths = isJson(document['paths']) ? document['paths'] : {};
    const dangling = {
      get: {
        responses: {
          200: {
            description: 'Nobody',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/NoSuchSchema' } } },
          },
        },
      },
    };
    return { ...document, paths: { ...paths, '/api/nobody': dangling } };
  }),

  'openapi.dynamic.lists-every-soft-type': replacing('dynamicDocument', (right) => (service, space) => {
    const softTypes = new Map(space.template.softTypes.entries().filter(([id]) => id !== 'Part'));
    return right(service, { ...space, template: { ...space.template, softTypes } });
  }),

  'openapi.dynamic.follows-template': replacing('dynamicDocument', (right) => (service, space) => {
    const templates = [...service.configuration.templates.values()];
    const softTypes = new Map(templates.flatMap((template) => [...template.softTypes]));
    return right(service, { ...space, template: { ...space.template, softTypes } });
  }),

  'openapi.dynamic.describes-live-traffic': replacing(
    'dynamicDocument',
    (right) => (service, space) => withTextVersion(right(service, space)),
  ),
};

/** The document with `version` of read responses and pages declared as a string. */
function withTextVersion(document: Json): Json {
  const changed: unknown = JSON.parse(JSON.stringify(document), (name, value: unknown) =>
    name === 'version' && isJson(value) && value['type'] === 'integer' ? { type: 'string' } : value,
  );
  return isJson(changed) ? changed : document;
}
