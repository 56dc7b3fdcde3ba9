import { mediaTypes } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import type { Space } from './configuration.ts';
import { dynamicDocument } from './openapi/dynamic.ts';
import { staticDocument } from './openapi/static.ts';
import { Refusal } from './problem.ts';
import type { Route } from './route.ts';
import type { Answer, Call, Service, SpaceCall } from './service.ts';

export { registerDocs } from './openapi/docs.ts';
export const openApiBehaviours = { readDynamicOpenApi, readStaticOpenApi, dynamicDocument, staticDocument };

const textsOfService = new WeakMap<Service, Map<Space, string>>();

/** OpenAPI of the SoftTypes configured in the space. Source: core, Endpoint table */
async function readDynamicOpenApi(service: Service, call: SpaceCall): Promise<Answer> {
  return service.behaviours.conditional(service, call, json(dynamicText(service, call.space)));
}

/** OpenAPI of what depends on no template: system, collection or space. @throws {Refusal} 404 for another category */
async function readStaticOpenApi(service: Service, call: Call): Promise<Answer> {
  const category = call.params['category'] ?? '';
  const document = service.behaviours.staticDocument(category);
  if (document === undefined)
    throw new Refusal(404, `There are definitions of system, collection and space, none of ${category}.`, {
      pointer: 'category',
    });
  return service.behaviours.conditional(service, call, json(JSON.stringify(document)));
}

/** Templates do not change while a server runs, so neither does the text. */
function dynamicText(service: Service, space: Space): string {
  const texts = textsOfService.get(service) ?? new Map<Space, string>();
  const text = texts.get(space) ?? JSON.stringify(service.behaviours.dynamicDocument(service, space));
  textsOfService.set(service, texts.set(space, text));
  return text;
}

function json(raw: string): Answer {
  return { status: 200, headers: { 'Content-Type': mediaTypes.json }, raw };
}

export const openApiRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: routes.openApiDynamic,
    access: 'space',
    effect: 'read',
    handle: (service, call) => service.behaviours.readDynamicOpenApi(service, call),
  },
  {
    method: 'GET',
    path: '/api/openApi/{category}',
    access: 'user',
    effect: 'read',
    handle: (service, call) => service.behaviours.readStaticOpenApi(service, call),
  },
];
