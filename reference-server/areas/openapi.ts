import { Area } from '../area.ts';
import { mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';
import type { Configuration, SoftType, Space } from '../configuration.ts';
import type { Answer, Call, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type Route, readingRoute } from '../http/route.ts';
import type { Caching } from './caching.ts';
import { type DocsPage, docsPages } from './openapi/docs-page.ts';
import * as shared from './openapi/components.ts';
import { type JsonObject, type Paths, documentOf } from './openapi/document.ts';
import { deleteOperation, filterParameters, readOperation } from './openapi/operations.ts';
import { type Described, rootOf, softTypeOperations, softTypeSchemas, viewReference } from './openapi/soft-types.ts';
import { staticCategories, staticDocument } from './openapi/static.ts';

interface Needs {
  readonly configuration: Configuration;
  readonly caching: Caching;
}

/** The OpenAPI documents, of a space and of the service. */
export class OpenApi extends Area<Needs> {
  private readonly texts = new Map<Space, string>();

  routes(): readonly Route[] {
    return [
      readingRoute({
        method: 'GET',
        path: routes.openApiDynamic,
        access: 'space',
        effect: 'read',
        needs: {},
        handle: (call) => this.readDynamicOpenApi(call),
      }),
      readingRoute({
        method: 'GET',
        path: '/api/openApi/{category}',
        access: 'user',
        effect: 'read',
        needs: {},
        handle: (call) => this.readStaticOpenApi(call),
      }),
    ];
  }

  /** OpenAPI of the SoftTypes configured in the space. Source: core, Endpoint table */
  async readDynamicOpenApi(call: SpaceCall): Promise<Answer> {
    return this.needs.caching.conditional(call, json(this.dynamicText(call.space)));
  }

  /** OpenAPI of what depends on no template: system, collection or space. @throws {Refusal} 404 for another category */
  async readStaticOpenApi(call: Call): Promise<Answer> {
    const category = call.params['category'] ?? '';
    const document = staticDocument(category);
    if (document === undefined)
      throw new Refusal(404, `There are definitions of system, collection and space, none of ${category}.`, {
        pointer: 'category',
      });
    return this.needs.caching.conditional(call, json(JSON.stringify(document)));
  }

  /** Templates do not change while a server runs, so neither does the text. */
  private dynamicText(space: Space): string {
    const text = this.texts.get(space) ?? JSON.stringify(this.dynamicDocument(space));
    this.texts.set(space, text);
    return text;
  }

  /**
   * Swagger UI at /docs, over the static definitions and those of every space. The page itself is open; the documents
   * stay behind their own access, so that a browser asks for user name and personal access token.
   */
  docsPages(): readonly DocsPage[] {
    return docsPages(this.documentUrls());
  }

  private documentUrls(): { readonly url: string; readonly name: string }[] {
    const spaces = [...this.needs.configuration.spaces.values()].map(({ id, name }) => ({
      url: `/space/${encodeURIComponent(id)}/SoftType/dynamic/softtype.openApi`,
      name,
    }));
    const categories = staticCategories.map((category) => ({
      url: `/api/openApi/${category}`,
      name: `${category} (static)`,
    }));
    return [...spaces, ...categories];
  }

  /**
   * OpenAPI 3.1 of the SoftTypes configured in the space, with the ids of definitions and schemas in its paths.
   * Source: core, What the service does
   */
  dynamicDocument(space: Space): JsonObject {
    const softTypes = [...space.template.softTypes.values()];
    const operations = softTypes.flatMap((softType) => softTypeOperations(space, softType));
    const paths = pathsOf([...anyInstance(space, softTypes), ...operations]);
    const { parameters, headers, responses, securitySchemes } = shared;
    const schemas = { ...shared.schemas, ...softTypeSchemas(space) };
    const components = { schemas, parameters, headers, responses, securitySchemes };
    const description = `What the template ${space.template.name} makes of the space ${space.id}.`;
    return documentOf(`SoftTypes of ${space.name}`, description, paths, components);
  }
}

function json(raw: string): Answer {
  return { status: 200, headers: { 'Content-Type': mediaTypes.json }, raw };
}

/** The two operations whose path names no definition. */
function anyInstance(space: Space, softTypes: readonly SoftType[]): readonly Described[] {
  const path = `${rootOf(space)}/{objectId}`;
  const about = { tag: 'instance', names: ['instance'] };
  const reading = { ...about, action: 'read', summary: 'Read an instance of any SoftType' };
  const deleting = { ...about, action: 'delete', summary: 'Delete an instance of any SoftType' };
  const query = filterParameters('softTypeFilterId', [...space.template.filters.values()]);
  return [
    { path, method: 'get', operation: readOperation(reading, { anyOf: defaultInstances(softTypes) }, query) },
    { path, method: 'delete', operation: deleteOperation(deleting) },
  ];
}

/** The first output schema is the one that the short route applies. */
function defaultInstances(softTypes: readonly SoftType[]): readonly JsonObject[] {
  return softTypes.flatMap((softType) =>
    [...softType.outputs.values()].slice(0, 1).map((view) => viewReference('instance', softType, view)),
  );
}

/** An input and an output schema with one id share a path, so operations are gathered by it. */
function pathsOf(described: readonly Described[]): Paths {
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, operation } of described) paths[path] = { ...paths[path], [method]: operation };
  return paths;
}
