import type { SchemaView, SoftType, Space } from '../configuration.ts';
import { rootSections } from '../soft-type/array-port.ts';
import { entryJsonSchema, inputJsonSchema, outputJsonSchema, type JsonSchema } from '../soft-type/json-schema.ts';
import { componentName, schemaReference, type JsonObject } from './document.ts';
import { mergeJsonSchema } from './merge-schema.ts';
import { instanceSchemaOf, pageSchemaOf } from './responses.ts';

/** Kinds of component schemas; the kind ends the name, so that an input and an output schema may share an id. */
type Kind = 'create' | 'merge' | 'data' | 'instance' | 'page';

/** Reference to a component schema of a view. @param port the array of a page */
export function viewReference(
  kind: Kind,
  softType: SoftType,
  view: SchemaView,
  ...port: readonly string[]
): JsonObject {
  return schemaReference(nameOf(kind, softType, view, ...port));
}

/** Component schemas of every SoftType of the space. */
export function softTypeSchemas(space: Space): JsonObject {
  const softTypes = [...space.template.softTypes.values()];
  return Object.fromEntries(softTypes.flatMap((softType) => [...inputSchemas(softType), ...outputSchemas(softType)]));
}

type Named = readonly [string, JsonObject];

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
