import { mediaTypes } from '../../contract/names.ts';
import type { Filter, SoftType, Space } from '../configuration.ts';
import type { Service } from '../service.ts';
import { rootSections } from '../soft-type/array-port.ts';
import * as shared from './components.ts';
import { documentOf, schemaReference, type JsonObject, type Paths } from './document.ts';
import { createOperation, deleteOperation, editOperation, pageOperation, readOperation } from './operations.ts';
import { softTypeSchemas, viewReference } from './soft-type-schemas.ts';

/** One operation of the document. */
interface Described {
  readonly path: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly operation: JsonObject;
}

/** OpenAPI 3.1 of the SoftTypes configured in the space, with the ids of definitions and schemas in its paths. Source: core, What the service does */
export function dynamicDocument(_service: Service, space: Space): JsonObject {
  const softTypes = [...space.template.softTypes.values()];
  const paths = pathsOf([...anyInstance(space, softTypes), ...softTypes.flatMap((softType) => operationsOf(space, softType))]);
  const { parameters, headers, responses, securitySchemes } = shared;
  const schemas = { ...shared.schemas, ...softTypeSchemas(space) };
  return documentOf(`SoftTypes of ${space.name}`, `What the template ${space.template.name} makes of the space ${space.id}.`, paths, {
    schemas,
    parameters,
    headers,
    responses,
    securitySchemes,
  });
}

function operationsOf(space: Space, softType: SoftType): readonly Described[] {
  return [...inputOperations(space, softType), listOperation(space, softType), ...outputOperations(space, softType)];
}

/** The two operations whose path names no definition. */
function anyInstance(space: Space, softTypes: readonly SoftType[]): readonly Described[] {
  const path = `${rootOf(space)}/{objectId}`;
  const about = (action: string, summary: string) => ({ tag: 'instance', action, summary, names: ['instance'] });
  const instances = softTypes.flatMap((softType) => [...softType.outputs.values()].slice(0, 1).map((view) => viewReference('instance', softType, view)));
  const query = filterParameters('softTypeFilterId', [...space.template.filters.values()]);
  return [
    { path, method: 'get', operation: readOperation(about('read', 'Read an instance of any SoftType'), { anyOf: instances }, query) },
    { path, method: 'delete', operation: deleteOperation(about('delete', 'Delete an instance of any SoftType')) },
  ];
}

function inputOperations(space: Space, softType: SoftType): readonly Described[] {
  return [...softType.inputs.values()].flatMap((view): readonly Described[] => {
    const path = `${rootOf(space)}/${segment(softType.id)}/${segment(view.id)}`;
    const complete = viewReference('create', softType, view);
    const part = viewReference('merge', softType, view);
    const about = (action: string, summary: string) => ({ tag: softType.id, action, summary, names: [softType.id, view.id] });
    return [
      { path, method: 'post', operation: createOperation(about('create', `Create a ${softType.id}`), complete) },
      { path: `${path}/{objectId}`, method: 'put', operation: editOperation(about('replace', `Replace a ${softType.id}`), complete, mediaTypes.json) },
      { path: `${path}/{objectId}`, method: 'patch', operation: editOperation(about('merge', `Edit members of a ${softType.id}`), part, mediaTypes.json) },
    ];
  });
}

function listOperation(space: Space, softType: SoftType): Described {
  const about = { tag: softType.id, action: 'operate', summary: `Apply a list of operations to a ${softType.id}`, names: [softType.id] };
  const path = `${rootOf(space)}/${segment(softType.id)}/{objectId}`;
  return { path, method: 'patch', operation: editOperation(about, schemaReference('PatchOperations'), mediaTypes.operations) };
}

function outputOperations(space: Space, softType: SoftType): readonly Described[] {
  const filters = [...space.template.filters.values()].filter((filter) => filter.softType === softType.id);
  return [...softType.outputs.values()].flatMap((view): readonly Described[] => {
    const about = { tag: softType.id, action: 'read', summary: `Read a ${softType.id} as ${view.id}`, names: [softType.id, view.id] };
    const path = `${rootOf(space)}/${segment(softType.id)}/${segment(view.id)}/{objectId}`;
    const read = readOperation(about, viewReference('instance', softType, view), filterParameters('softTypeFilterId', filters));
    const pages = rootSections(softType, view).map(({ path: member, port }): Described => {
      const aboutPage = { ...about, action: 'page', summary: `Page through ${member} of a ${softType.id}`, names: [...about.names, member] };
      const query = filterParameters('softTypeFilter', filters.filter((filter) => filter.port === port));
      return {
        path: `${rootOf(space)}/page/${segment(softType.id)}/${segment(view.id)}/${segment(member)}/{objectId}/{pageNumber}`,
        method: 'get',
        operation: pageOperation(aboutPage, viewReference('page', softType, view, member), query),
      };
    });
    return [{ path, method: 'get', operation: read }, ...pages];
  });
}

/** The filter id, and the value parameters of those filters that leave their value blank. Source: core, Server side paging 5 */
function filterParameters(name: string, filters: readonly Filter[]): readonly JsonObject[] {
  if (filters.length === 0) return [];
  const ids = { name, in: 'query', required: false, schema: { enum: filters.map(({ id }) => id) }, description: 'A configured filter.' };
  const blank = filters.filter((filter) => filter.equals === undefined);
  return [ids, ...blank.map(valueParameter)];
}

function valueParameter({ id, groupId, criteriaPort }: Filter): JsonObject {
  return { name: `${groupId}.${criteriaPort}`, in: 'query', required: false, schema: { type: 'string' }, description: `Value for the filter ${id}.` };
}

/** An input and an output schema with one id share a path, so operations are gathered by it. */
function pathsOf(described: readonly Described[]): Paths {
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, operation } of described) paths[path] = { ...paths[path], [method]: operation };
  return paths;
}

function rootOf(space: Space): string {
  return `/api/space/${segment(space.id)}/softtype`;
}

function segment(id: string): string {
  return encodeURIComponent(id);
}
