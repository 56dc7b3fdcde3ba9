import { mediaTypes } from '../../contract/names.ts';
import type { SchemaView, SoftType } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Content, StoredObject, Writing } from '../store/store.ts';
import { inputRules } from './content.ts';
import type { Operation } from './operation-list.ts';
import { pointerBelow } from './pointer.ts';
import type { Row } from './target.ts';
import type { InputRules } from './values.ts';

/** An operations PATCH under way. Entries are written as operations meet them, the object once at the end. */
export interface OperationsRun {
  readonly call: SpaceCall;
  readonly writing: Writing;
  readonly object: StoredObject;
  readonly softType: SoftType;
  /** The schema whose names the paths use. */
  readonly view: SchemaView;
  readonly rules: InputRules;
  /** Content of the object after the operations so far. */
  root: Content;
}

/** Operations PATCH: all operations of the list or none. Source: core, Operations-based PATCH rules. */
export async function operateObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  const object = await behaviours.locateObject(service, call, writing);
  const softType = behaviours.softTypeOf(service, call.space, object.softType);
  behaviours.requireMediaType(service, call, [mediaTypes.operations]);
  behaviours.informationFilterOf(service, call);
  const operations = behaviours.operationsOf(service, behaviours.jsonBodyOf(service, call));
  behaviours.assertUnlocked(call, object);
  behaviours.assertVersion(service, call, object);
  const run: OperationsRun = {
    call,
    writing,
    object,
    softType,
    view: behaviours.pathViewOf(softType),
    rules: inputRules(service, call, 'refuse'),
    root: object.content,
  };
  await behaviours.applyOperations(service, run, operations);
  const version = behaviours.versionAfterOperations(service, object, operations);
  await behaviours.storeEdit(service, writing, object, version, run.root);
  return behaviours.editedAnswer(version);
}

/** Schema whose names a path uses: the first input schema. Source: core, Patch operation, path. */
export function pathViewOf(softType: SoftType): SchemaView {
  return softType.inputs.values().next().value ?? { id: softType.id, names: new Map<string, string>() };
}

/** One after the other, so that each sees the result of those before it. */
export async function applyOperations(
  service: Service,
  run: OperationsRun,
  operations: readonly Operation[],
): Promise<void> {
  for (const [index, operation] of operations.entries()) {
    const at = pointerBelow('', index);
    try {
      await service.behaviours.applyOperation(service, run, operation, at);
    } catch (error) {
      throw error instanceof Refusal ? placed(error, operation, index, at) : error;
    }
  }
}

/** @param at pointer to the operation in the body */
export async function applyOperation(
  service: Service,
  run: OperationsRun,
  operation: Operation,
  at: string,
): Promise<void> {
  const { behaviours } = service;
  const target = await behaviours.targetOf(service, run, operation);
  if (operation.op === 'remove') return behaviours.removeTarget(service, run, target);
  const valueAt = pointerBelow(at, 'value');
  if (operation.op === 'add') return behaviours.addValue(service, run, target, operation.value, valueAt);
  return behaviours.replaceValue(service, run, target, operation.value, valueAt);
}

function placed(refusal: Refusal, { op, path }: Operation, index: number, at: string): Refusal {
  const detail = `Operation ${index} (${op} ${path.slice(0, 200)}): ${refusal.message}`;
  return new Refusal(refusal.status, detail, {
    pointer: refusal.pointer ?? pointerBelow(at, 'path'),
    headers: refusal.headers,
  });
}

/** Writes the changed content of a row: an entry at once, the object at the end of the run. */
export async function storeRow(service: Service, run: OperationsRun, row: Row, content: Content): Promise<void> {
  if (row.entry === undefined) {
    run.root = content;
    return;
  }
  const { port, array, entryId } = row.entry;
  if (array.kind === 'references') await service.behaviours.assertReference(run.call, run.writing, array.to, content);
  await run.writing.updateEntry(run.object.oid, port, entryId, content);
}
