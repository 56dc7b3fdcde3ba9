import { routes } from '../../contract/routes.ts';
import type { SchemaView, SoftType, Space } from '../configuration.ts';
import type { SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import type { Reading, StoredObject } from '../ports/store.ts';

export type MaturityAction = 'promote' | 'demote';

/** What of an object a read shows: the output schema that the path names, and its definition. */
export interface OutputView {
  readonly softType: SoftType;
  readonly view: SchemaView;
}

/** Objects, their definitions and views, and where they are. */
export class Objects {
  /** Path of an instance under a view: the short one for the default view. */
  instanceHref(object: StoredObject, softType: SoftType, view: SchemaView): string {
    if (view === this.outputViewOf(softType, undefined)) return this.locationOf(object.spaceId, object.oid);
    return longHref(object, softType, view);
  }

  /** Path by which an object is found. Source: core, Common request headers (Location) */
  locationOf(spaceId: string, oid: string): string {
    return fill(routes.instanceShort, { spaceId, objectId: oid });
  }

  /**
   * The stored object that the route names. Source: core, Errors 404
   * @throws {Refusal} 404, also when the route names another definition than that of the object
   */
  async locateObject(call: SpaceCall, reading: Reading): Promise<StoredObject> {
    const { objectId = '', definitionId, softTypeId } = call.params;
    const object = await reading.object(call.space.id, objectId);
    const named = definitionId ?? softTypeId ?? object?.softType;
    if (object === undefined || object.softType !== named)
      throw new Refusal(404, `Space ${call.space.id} has no ${named ?? 'object'} '${objectId}'.`);
    return object;
  }

  /** @throws {Refusal} 404 for a definition that the template of the space does not have */
  softTypeOf(space: Space, definitionId: string): SoftType {
    const softType = space.template.softTypes.get(definitionId);
    if (softType === undefined) throw new Refusal(404, `Space ${space.id} has no SoftType '${definitionId}'.`);
    return softType;
  }

  /** An output schema of the definition, its first one when none is named. @throws {Refusal} 404 */
  outputViewOf(softType: SoftType, schemaId: string | undefined): SchemaView {
    return viewOf(softType.outputs, schemaId, `output schema of ${softType.id}`);
  }

  /** Definition of the object and the output schema in the path of a read. @throws {Refusal} 404 */
  viewOfRead(call: SpaceCall, object: StoredObject): OutputView {
    const softType = this.softTypeOf(call.space, object.softType);
    return { softType, view: this.outputViewOf(softType, call.params.outputSchemaId) };
  }

  /** The input schema of a create, the first one of the definition when none is named. @throws {Refusal} 404 */
  createViewOf(softType: SoftType, schemaId: string | undefined): SchemaView {
    return viewOf(softType.inputs, schemaId, `input schema of ${softType.id}`);
  }
}

/** Path of an instance with definition and output schema. Source: core, Endpoint table, GET softtype, second form */
export function longHref(
  { spaceId, oid }: Pick<StoredObject, 'spaceId' | 'oid'>,
  softType: SoftType,
  view: SchemaView,
): string {
  return fill(routes.instanceLong, {
    spaceId,
    definitionId: softType.id,
    outputSchemaId: view.id,
    objectId: oid,
  });
}

/** Path template of a maturity action; demote has the segments of promote. Source: core, Endpoint table, PUT promote; ledger demote-segments */
export function maturityPath(action: MaturityAction): string {
  return routes.promote.replace('/promote/', `/${action}/`);
}

/** Path of a maturity action on one level of an object. */
export function maturityHref(action: MaturityAction, object: StoredObject, processId: string, levelId: string): string {
  return fill(maturityPath(action), { spaceId: object.spaceId, objectId: object.oid, processId, levelId });
}

/** Path of the merge PATCH and of PUT, with the first input schema of the definition. */
export function editHref(object: StoredObject, softType: SoftType): string {
  const [inputSchemaId = ''] = softType.inputs.keys();
  return fill(routes.merge, {
    spaceId: object.spaceId,
    definitionId: softType.id,
    inputSchemaId,
    objectId: object.oid,
  });
}

/** Fills the names of a path template that are given; the others stay. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
}

function viewOf(views: ReadonlyMap<string, SchemaView>, schemaId: string | undefined, kind: string): SchemaView {
  const [first] = views.values();
  const view = schemaId === undefined ? first : views.get(schemaId);
  if (view === undefined) throw new Refusal(404, `Expected an ${kind}, found '${schemaId}'.`);
  return view;
}
