import { breaks, type Variants, replaces } from '../breaks.ts';
import { type Json, isJson } from './answers.ts';

export const openapiFaults = {
  'openapi.static.valid-documents': replaces('openApi', 'readStaticOpenApi', async (right, areas, call) => {
    const answer = await right(areas, call);
    if (answer.status !== 200 || !call.url.endsWith('/collection')) return answer;
    return { ...answer, raw: String(answer.raw).replace('"responses"', '"answers"') };
  }),

  'openapi.restart.same-paths': breaks('openApi', 'readDynamicOpenApi', (right) => {
    let isFirst = true;
    return async (areas, call) => {
      const { space } = call;
      const softTypes = new Map([...space.template.softTypes].slice(0, isFirst ? -1 : undefined));
      isFirst = false;
      const raw = JSON.stringify(
        areas.openApi.dynamicDocument({ ...space, template: { ...space.template, softTypes } }),
      );
      return { ...(await right(areas, call)), raw };
    };
  }),

  'openapi.dynamic.is-served': replaces('openApi', 'readDynamicOpenApi', async () => ({
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    raw: '',
  })),

  'openapi.dynamic.valid-document': replaces('openApi', 'dynamicDocument', (right, areas, space) => {
    const document = right(areas, space);
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

  'openapi.dynamic.lists-every-soft-type': replaces('openApi', 'dynamicDocument', (right, areas, space) => {
    const softTypes = new Map(space.template.softTypes.entries().filter(([id]) => id !== 'Part'));
    return right(areas, { ...space, template: { ...space.template, softTypes } });
  }),

  'openapi.dynamic.follows-template': replaces('openApi', 'dynamicDocument', (right, areas, space) => {
    const templates = [...areas.configuration.templates.values()];
    const softTypes = new Map(templates.flatMap((template) => [...template.softTypes]));
    return right(areas, { ...space, template: { ...space.template, softTypes } });
  }),

  'openapi.dynamic.describes-live-traffic': replaces('openApi', 'dynamicDocument', (right, areas, space) =>
    withTextVersion(right(areas, space)),
  ),
} satisfies Variants;

/** The document with `version` of read responses and pages declared as a string. */
function withTextVersion(document: Json): Json {
  const changed: unknown = JSON.parse(JSON.stringify(document), (name, value: unknown) =>
    name === 'version' && isJson(value) && value['type'] === 'integer' ? { type: 'string' } : value,
  );
  return isJson(changed) ? changed : document;
}
