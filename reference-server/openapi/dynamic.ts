import type { SoftType, Space } from '../configuration.ts';
import type { Service } from '../service.ts';
import * as shared from './components.ts';
import { documentOf, type JsonObject, type Paths } from './document.ts';
import { filterParameters } from './filter-parameters.ts';
import { deleteOperation, readOperation } from './operations.ts';
import { rootOf, softTypeOperations, type Described } from './soft-type-operations.ts';
import { softTypeSchemas, viewReference } from './soft-type-schemas.ts';

/**
 * OpenAPI 3.1 of the SoftTypes configured in the space, with the ids of definitions and schemas in its paths.
 * Source: core, What the service does
 */
export function dynamicDocument(_service: Service, space: Space): JsonObject {
  const softTypes = [...space.template.softTypes.values()];
  const operations = softTypes.flatMap((softType) => softTypeOperations(space, softType));
  const paths = pathsOf([...anyInstance(space, softTypes), ...operations]);
  const { parameters, headers, responses, securitySchemes } = shared;
  const schemas = { ...shared.schemas, ...softTypeSchemas(space) };
  const components = { schemas, parameters, headers, responses, securitySchemes };
  const description = `What the template ${space.template.name} makes of the space ${space.id}.`;
  return documentOf(`SoftTypes of ${space.name}`, description, paths, components);
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
