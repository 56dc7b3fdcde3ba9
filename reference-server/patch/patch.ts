import { routes } from '../../contract/routes.ts';
import type { Route } from '../route.ts';
import { assertComplete, contentFrom, editsFrom, effectivityOf, inputFrom } from './content.ts';
import { deleteObject, eraseObject } from './delete.ts';
import { editedAnswer, inputViewOf, replaceArray, replaceArrays, storeEdit } from './edit.ts';
import { withEntryIds } from './entry-ids.ts';
import { mergeObject, mergePatch } from './merge.ts';
import { addValue, appendToPort, setMember } from './operation-add.ts';
import { operationOf, operationsOf } from './operation-list.ts';
import { cascadeTo, removeTarget } from './operation-remove.ts';
import { replaceValue } from './operation-replace.ts';
import { applyOperation, applyOperations, operateObject, pathViewOf, storeRow } from './operations.ts';
import { pointerTokens } from './pointer.ts';
import { arraysAfterPut, putObject, replaceContent } from './put.ts';
import { assertReference, assertReferences } from './references.ts';
import { complies } from './steps.ts';
import { entryAt, targetOf } from './target.ts';

export const patchBehaviours = {
  inputViewOf,
  contentFrom,
  editsFrom,
  inputFrom,
  assertComplete,
  effectivityOf,
  withEntryIds,
  assertReferences,
  assertReference,
  storeEdit,
  editedAnswer,
  mergeObject,
  mergePatch,
  replaceArrays,
  replaceArray,
  putObject,
  replaceContent,
  arraysAfterPut,
  deleteObject,
  eraseObject,
  operateObject,
  operationsOf,
  operationOf,
  pointerTokens,
  pathViewOf,
  applyOperations,
  applyOperation,
  targetOf,
  entryAt,
  addValue,
  appendToPort,
  setMember,
  replaceValue,
  removeTarget,
  complies,
  cascadeTo,
  storeRow,
};

export const patchRoutes: readonly Route[] = [
  {
    method: 'PATCH',
    path: routes.merge,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.mergeObject(service, call, writing),
  },
  {
    method: 'PATCH',
    path: routes.operations,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.operateObject(service, call, writing),
  },
  {
    method: 'PUT',
    path: routes.merge,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.putObject(service, call, writing),
  },
  {
    method: 'DELETE',
    path: routes.instanceShort,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.deleteObject(service, call, writing),
  },
];
