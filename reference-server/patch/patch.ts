import { routes } from '../../contract/routes.ts';
import type { Route } from '../route.ts';
import { assertComplete, contentFrom, editsFrom, effectivityOf, inputFrom } from './content.ts';
import { deleteObject } from './delete.ts';
import { definitionOf, editedAnswer, inputViewOf, replaceArray, replaceArrays } from './edit.ts';
import { withEntryIds } from './entry-ids.ts';
import { mergeObject, mergePatch } from './merge.ts';
import { pointerTokens } from './pointer.ts';
import { arraysAfterPut, putObject, replaceContent } from './put.ts';
import { assertReference, assertReferences } from './references.ts';

export const patchBehaviours = {
  definitionOf,
  inputViewOf,
  contentFrom,
  editsFrom,
  inputFrom,
  assertComplete,
  effectivityOf,
  withEntryIds,
  assertReferences,
  assertReference,
  editedAnswer,
  mergeObject,
  mergePatch,
  replaceArrays,
  replaceArray,
  putObject,
  replaceContent,
  arraysAfterPut,
  deleteObject,
  pointerTokens,
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
