import { mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Store } from '../../../reference-server/ports/store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { at } from '../service.ts';
import { changes } from '../variant-parts.ts';

const openApiOf = (space: string): string => `/space/${space}/SoftType/dynamic/softtype.openApi`;

const openApi = '/space/main/SoftType/dynamic/softtype.openApi';

/** Definitions with an object, by where they are kept. */
const inUse = new WeakMap<Store, Set<string>>();

export const openapiMistakes: Mistakes = {
  'openapi.fourth-soft-type': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition tells of every SoftType that is configured.',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].slice(0, 3));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('ChangeRequest');
    },
  },
  'openapi.what-the-process-reaches': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition covers all SoftTypes, also one that no object in a maturity process refers to.',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const all = [...space.template.softTypes];
      const targetsOf = (id: string): readonly string[] =>
        [...(space.template.softTypes.get(id)?.members.values() ?? [])].flatMap((member) =>
          member.kind === 'references' ? [member.to] : [],
        );
      const reached = new Set(all.filter(([, { maturity }]) => maturity !== undefined).map(([id]) => id));
      for (const id of reached) for (const target of targetsOf(id)) reached.add(target);
      if (reached.size === 0) return right(areas, space);
      const softTypes = new Map(all.filter(([id]) => reached.has(id)));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { json } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !Object.keys(Object(at(json, '/paths'))).some((path) => path.includes('/Requirement/'));
    },
  },
  'openapi.input-with-the-id-of-an-output': {
    source: 'core: What the service does',
    breaks: 'The definitions tell of every route, also where an input and an output schema share their id.',
    survives:
      'core: What the service does: the definitions are those of all configured SoftTypes; which of their routes a definition tells of is not said.',
    variant: changes('openApi', 'dynamicDocument', (document) => {
      const paths = Object.entries(Object(document['paths'])).map(([path, item]) => {
        const { get: _lost, ...edits } = Object(item);
        return [path, 'patch' in edits ? edits : item];
      });
      return { ...document, paths: Object.fromEntries(paths) };
    }),
    async shows({ edda }) {
      const { json } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      const path = '/api/space/main/softtype/Requirement/requirementText/{objectId}';
      return at(at(json, '/paths'), `/${path.replaceAll('/', '~1')}/get`) === undefined;
    },
  },
  'openapi.path-parameters-optional': {
    source: 'core: What the service does (OpenAPI definitions)',
    breaks: 'The definitions are OpenAPI, where each parameter of a path is required.',
    museum: true,
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const loosen = (_name: string, value: unknown): unknown =>
        isContent(value) && value['in'] === 'path' ? { ...value, required: undefined } : value;
      return JSON.parse(JSON.stringify(right(areas, space), loosen)) as ReturnType<typeof right>;
    }),
    async shows({ edda }) {
      const { json } = await edda.get(openApi);
      const parameters = Object.values(at(json, '/components/parameters') ?? {});
      return parameters.some((parameter) => at(parameter, '/in') === 'path' && at(parameter, '/required') !== true);
    },
  },
  'openapi.required-members-lost': {
    source: 'core: What the service does (OpenAPI definitions)',
    breaks: 'The dynamic definitions are those of the configured SoftTypes, mandatory members included.',
    museum: true,
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const loosen = (_name: string, value: unknown): unknown =>
        isContent(value) && value['type'] === 'object' ? { ...value, required: undefined } : value;
      return JSON.parse(JSON.stringify(right(areas, space), loosen)) as ReturnType<typeof right>;
    }),
    async shows({ edda }) {
      const { text } = await edda.get(openApi);
      return !text.includes('"required":["title"]');
    },
  },
  'openapi.wrong-under-any-type': {
    source: 'core: What the service does (OpenAPI definitions)',
    breaks: 'The definitions are those of what the routes answer, also where they leave the media type open.',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const mistake = (name: string, value: unknown): unknown => {
        if (name === 'version' && at(value, '/type') === 'integer') return { type: 'string' };
        if (name !== 'content' || !isContent(value)) return value;
        const { 'application/json': json, ...others } = value;
        return json === undefined ? value : { ...others, '*/*': json };
      };
      return JSON.parse(JSON.stringify(right(areas, space), mistake)) as ReturnType<typeof right>;
    }),
    async shows({ edda }) {
      const { text } = await edda.get(openApi);
      return text.includes('"version":{"type":"string"}');
    },
  },
  'openapi.types-without-a-process': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition is of all configured SoftTypes, those without maturity included.',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].filter(([, { maturity }]) => maturity !== undefined));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('/Requirement/');
    },
  },
  'openapi.paths-of-the-first-space': {
    source: 'core: What the service does, dynamic routes',
    breaks: 'The definitions of a space are those of its template, also after those of another one were asked for.',
    survives: 'That a document holds paths of its own space alone is not said; its own SoftTypes are all in it here.',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let paths: object = {};
      return (areas, space) => {
        const document = right(areas, space);
        paths = { ...paths, ...Object(document['paths']) };
        return { ...document, paths };
      };
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      const { text } = await edda.get('/space/depot/SoftType/dynamic/softtype.openApi');
      return text.includes('Requirement');
    },
  },
  'openapi.the-first-to-ask-misses-a-definition': {
    source: 'core: What the service does',
    breaks: 'The dynamic definitions are those of all configured SoftTypes, from the first request on.',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let isFirst = true;
      return (areas, call) => {
        if (!isFirst) return right(areas, call);
        isFirst = false;
        const { template } = call.space;
        const softTypes = new Map([...template.softTypes].slice(0, -1));
        return right(areas, { ...call, space: { ...call.space, template: { ...template, softTypes } } });
      };
    }),
    async shows({ edda }) {
      return !(await edda.get(openApi)).text.includes('changeRequestInput');
    },
  },
  'openapi.document-of-the-first-space': {
    source: 'core: Endpoint table, GET softtype.openApi',
    breaks: 'The dynamic definitions are those of the SoftTypes of the space that is asked for.',
    variant: breaks('openApi', 'dynamicDocument', (right) => {
      let first: ReturnType<typeof right> | undefined;
      return (areas, space) => (first ??= right(areas, space));
    }),
    async shows({ edda }) {
      await edda.get(openApiOf('main'));
      return !(await edda.get(openApiOf('depot'))).text.includes('Dossier');
    },
  },
  'openapi.definition-of-the-space-asked-for-first': {
    source: 'core: Endpoint table, GET softtype.openApi',
    breaks: 'The definitions are those of the space in the path, whichever space was asked about before.',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let space: Parameters<typeof right>[1]['space'] | undefined;
      return (areas, call) => {
        space ??= call.space;
        return right(areas, { ...call, space });
      };
    }),
    async shows({ edda }) {
      await edda.get(openApiOf('main'));
      return !(await edda.get(openApiOf('depot'))).text.includes('dossierInput');
    },
  },
  'openapi.what-nobody-made-yet': {
    source: 'core: Endpoint table',
    breaks: 'The dynamic definitions are of all configured SoftTypes, also before the first object of one is made.',
    variant: together(
      replaces('objects', 'createViewOf', (right, areas, softType, schemaId) => {
        const known = inUse.get(areas.store) ?? new Set();
        inUse.set(areas.store, known.add(softType.id));
        return right(areas, softType, schemaId);
      }),
      replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
        const whole = await right(areas, { ...call, headers: {} });
        const document: unknown = JSON.parse(String(whole.raw));
        const known = inUse.get(areas.store) ?? new Set();
        const unused = [...call.space.template.softTypes.keys()].filter((id) => !known.has(id));
        const paths = at(document, '/paths');
        const kept = Object.entries(isContent(paths) ? paths : {}).filter(
          ([path]) => !path.split('/').some((segment) => unused.includes(segment)),
        );
        const raw = JSON.stringify({ ...(document as object), paths: Object.fromEntries(kept) });
        return areas.caching.conditional(call, { status: 200, headers: { 'Content-Type': mediaTypes.json }, raw });
      }),
    ),
    async shows({ edda }) {
      const { json } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !Object.keys(at(json, '/paths') ?? {}).some((path) => path.includes('/Requirement/'));
    },
  },
  'openapi.pages-from-one-on': {
    source: 'core: Endpoint table, page route',
    breaks: 'The first page is 0, in the definition too.',
    variant: changes('openApi', 'dynamicDocument', (document) => {
      const changed = structuredClone(document);
      const schema = at(changed, '/components/parameters/pageNumber/schema');
      if (isContent(schema)) Object.assign(schema, { minimum: 1 });
      return changed;
    }),
    async shows({ edda }) {
      return at((await edda.get(openApi)).json, '/components/parameters/pageNumber/schema/minimum') === 1;
    },
  },
  'openapi.merges-answer-200': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge answers 204, in the definition too.',
    variant: changes('openApi', 'dynamicDocument', (document) =>
      withOperations(document, 'patch', ({ responses, ...operation }) => {
        const { 204: changed, ...others } = Object(responses);
        return { ...operation, responses: changed === undefined ? others : { ...others, 200: changed } };
      }),
    ),
    async shows({ edda }) {
      const paths = Object.values(Object(at((await edda.get(openApi)).json, '/paths')));
      return paths.every((item) => at(item, '/patch/responses/204') === undefined);
    },
  },
  'openapi.version-not-required': {
    source: 'core: Common request headers',
    breaks: 'The version header is required on PUT and PATCH, in the definition too.',
    variant: changes('openApi', 'dynamicDocument', (document) => {
      const changed = structuredClone(document);
      const parameter = at(changed, '/components/parameters/version');
      if (isContent(parameter)) Object.assign(parameter, { required: false });
      return changed;
    }),
    async shows({ edda }) {
      return at((await edda.get(openApi)).json, '/components/parameters/version/required') === false;
    },
  },
};

/** The document with something else in the place of its operations of a method. */
function withOperations(
  document: object,
  method: string,
  change: (operation: Readonly<Record<string, unknown>>) => object,
): Readonly<Record<string, unknown>> {
  const paths = Object.entries(Object(at(document, '/paths'))).map(([path, item]) => {
    const operation = at(item, `/${method}`);
    return [path, isContent(operation) ? { ...Object(item), [method]: change(operation) } : item] as const;
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
