import { mediaTypes } from '../../../contract/names.ts';
import type { Filter, SchemaView, SoftType, Space } from '../../configuration.ts';
import {
  type JsonSchema,
  type Section,
  entryJsonSchema,
  inputJsonSchema,
  outputJsonSchema,
  rootSections,
} from '../soft-type.ts';
import { type JsonObject, componentName, instanceSchemaOf, pageSchemaOf, schemaReference } from './document.ts';
import {
  type About,
  createOperation,
  editOperation,
  filterParameters,
  pageOperation,
  readOperation,
} from './operations.ts';

/** One operation of a document. */
export interface Described {
  readonly path: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly operation: JsonObject;
}

/** Kinds of component schemas; the kind ends the name, so that an input and an output schema may share an id. */
type Kind = 'create' | 'merge' | 'data' | 'instance' | 'page';

type Named = readonly [string, JsonObject];

/** Every operation whose path names the definition. */
export function softTypeOperations(space: Space, softType: SoftType): readonly Described[] {
  const views = [...softType.outputs.values()];
  return [
    ...[...softType.inputs.values()].flatMap((view) => inputOperations(space, softType, view)),
    listOperation(space, softType),
    ...views.map((view) => readingOperation(space, softType, view)),
    ...views.flatMap((view) =>
      rootSections(softType, view).map((section) => pagingOperation(space, softType, view, section)),
    ),
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

/** Reference to a component schema of a view. @param port the array of a page */
export function viewReference(
  kind: Kind,
  softType: SoftType,
  view: SchemaView,
  ...port: readonly string[]
): JsonObject {
  return schemaReference(nameOf(kind, softType, view, ...port));
}

export function softTypeSchemas(space: Space): JsonObject {
  const softTypes = [...space.template.softTypes.values()];
  return Object.fromEntries(softTypes.flatMap((softType) => [...inputSchemas(softType), ...outputSchemas(softType)]));
}

function inputSchemas(softType: SoftType): readonly Named[] {
  return [...softType.inputs.values()].flatMap((view): readonly Named[] => {
    const complete = inDocument(inputJsonSchema(softType, view));
    return [
      [nameOf('create', softType, view), complete],
      [nameOf('merge', softType, view), mergeJsonSchema(complete)],
    ];
  });
}

function outputSchemas(softType: SoftType): readonly Named[] {
  return [...softType.outputs.values()].flatMap((view): readonly Named[] => [
    [nameOf('data', softType, view), inDocument(outputJsonSchema(softType, view))],
    [nameOf('instance', softType, view), instanceSchemaOf(viewReference('data', softType, view))],
    ...rootSections(softType, view).map(({ path, member }): Named => [
      nameOf('page', softType, view, path),
      pageSchemaOf(entryJsonSchema(member)),
    ]),
  ]);
}

function nameOf(kind: Kind, softType: SoftType, view: SchemaView, ...port: readonly string[]): string {
  return componentName(softType.id, view.id, ...port, kind);
}

/** The dialect is that of the document; a schema inside of it names none. */
function inDocument({ $schema: _dialect, ...schema }: JsonSchema): JsonObject {
  return schema;
}

/**
 * What a merge PATCH takes where a PUT takes `complete`: any part of it, at any depth of objects; null removes what is
 * not mandatory. Source: RFC 7386
 */
export function mergeJsonSchema(complete: JsonSchema): JsonSchema {
  const { properties, required, ...rest } = complete;
  if (!isSchema(properties)) return complete;
  const mandatory = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    memberSchema(schema, mandatory.includes(name)),
  ]);
  return { ...rest, properties: Object.fromEntries(members) };
}

function memberSchema(schema: unknown, mandatory: boolean): unknown {
  const merged = isSchema(schema) ? mergeJsonSchema(schema) : schema;
  return mandatory ? merged : { anyOf: [merged, { type: 'null' }] };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
