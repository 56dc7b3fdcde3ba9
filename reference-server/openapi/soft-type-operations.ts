import { mediaTypes } from '../../contract/names.ts';
import type { Filter, SchemaView, SoftType, Space } from '../configuration.ts';
import { rootSections, type Section } from '../soft-type/array-port.ts';
import { schemaReference, type JsonObject } from './document.ts';
import { filterParameters } from './filter-parameters.ts';
import { createOperation, editOperation, pageOperation, readOperation, type About } from './operations.ts';
import { viewReference } from './soft-type-schemas.ts';

/** One operation of a document. */
export interface Described {
  readonly path: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly operation: JsonObject;
}

/** Every operation whose path names the definition. */
export function softTypeOperations(space: Space, softType: SoftType): readonly Described[] {
  const views = [...softType.outputs.values()];
  return [
    ...[...softType.inputs.values()].flatMap((view) => inputOperations(space, softType, view)),
    listOperation(space, softType),
    ...views.map((view) => readingOperation(space, softType, view)),
    ...views.flatMap((view) => pageOperations(space, softType, view)),
  ];
}

function inputOperations(space: Space, softType: SoftType, view: SchemaView): readonly Described[] {
  const path = `${rootOf(space)}/${segment(softType.id)}/${segment(view.id)}`;
  const instance = `${path}/{objectId}`;
  const complete = viewReference('create', softType, view);
  const part = viewReference('merge', softType, view);
  const creating = aboutOf(softType, 'create', `Create a ${softType.id}`, view.id);
  const replacing = aboutOf(softType, 'replace', `Replace a ${softType.id}`, view.id);
  const merging = aboutOf(softType, 'merge', `Edit members of a ${softType.id}`, view.id);
  return [
    { path, method: 'post', operation: createOperation(creating, complete) },
    { path: instance, method: 'put', operation: editOperation(replacing, complete, mediaTypes.json) },
    { path: instance, method: 'patch', operation: editOperation(merging, part, mediaTypes.json) },
  ];
}

function listOperation(space: Space, softType: SoftType): Described {
  const about = aboutOf(softType, 'operate', `Apply a list of operations to a ${softType.id}`);
  const path = `${rootOf(space)}/${segment(softType.id)}/{objectId}`;
  const operation = editOperation(about, schemaReference('PatchOperations'), mediaTypes.operations);
  return { path, method: 'patch', operation };
}

function readingOperation(space: Space, softType: SoftType, view: SchemaView): Described {
  const about = aboutOf(softType, 'read', `Read a ${softType.id} as ${view.id}`, view.id);
  const path = `${rootOf(space)}/${segment(softType.id)}/${segment(view.id)}/{objectId}`;
  const query = filterParameters('softTypeFilterId', filtersOf(space, softType));
  return { path, method: 'get', operation: readOperation(about, viewReference('instance', softType, view), query) };
}

function pageOperations(space: Space, softType: SoftType, view: SchemaView): readonly Described[] {
  return rootSections(softType, view).map((section) => pagingOperation(space, softType, view, section));
}

function pagingOperation(
  space: Space,
  softType: SoftType,
  view: SchemaView,
  { path: array, port }: Section,
): Described {
  const about = aboutOf(softType, 'page', `Page through ${array} of a ${softType.id}`, view.id, array);
  const ids = [softType.id, view.id, array].map(segment).join('/');
  const filters = filtersOf(space, softType).filter((filter) => filter.port === port);
  const schema = viewReference('page', softType, view, array);
  const operation = pageOperation(about, schema, filterParameters('softTypeFilter', filters));
  return { path: `${rootOf(space)}/page/${ids}/{objectId}/{pageNumber}`, method: 'get', operation };
}

/** @param names of the view and the array, where the operation is about one */
function aboutOf(softType: SoftType, action: string, summary: string, ...names: readonly string[]): About {
  return { tag: softType.id, action, summary, names: [softType.id, ...names] };
}

function filtersOf(space: Space, softType: SoftType): readonly Filter[] {
  return [...space.template.filters.values()].filter((filter) => filter.softType === softType.id);
}

/** Path of the SoftTypes of the space. */
export function rootOf(space: Space): string {
  return `/api/space/${segment(space.id)}/softtype`;
}

function segment(id: string): string {
  return encodeURIComponent(id);
}
