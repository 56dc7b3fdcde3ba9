import type { Route } from '../route.ts';
import { deliveryEnded } from './ended.ts';
import { baseAddressOf, envelopeOf } from './envelope.ts';
import { hasTokenQuery, impersonationToken, tokenParameter } from './impersonation.ts';
import {
  endpointBody,
  endpointHeaders,
  endpointRequest,
  endpointUrl,
  extensionRequest,
  requestFor,
} from './request.ts';
import { isActive, requestTimeoutOf, calleeOf } from './callee.ts';
import { payloadOf, taskLinks } from './task-links.ts';
import {
  actionAnswer,
  actionPath,
  actionPayload,
  emailOf,
  formPayload,
  ribbonPayload,
  runAction,
  selectionPayload,
} from './triggers/action.ts';
import { deliveryOf, envelopeIdOf, passedFilter, subjectOf } from './triggers/dispatch.ts';
import { emailPath, emailPayload, sendEmail } from './triggers/email.ts';
import { createEvent, deleteEvent, eventErrand, eventPayload, eventsPath, readEvent } from './triggers/event.ts';
import { jobsPath } from '../tasks/job.ts';
import { assertManages, scheduleTask, taskEnvelopeId, taskPayload } from './triggers/task.ts';
import { validatedBatch } from './validation/batch.ts';
import { assertValidated, validatedPromote } from './validation/promote.ts';
import { sharePath, validateShare } from './validation/share.ts';
import { askValidator, requireValid, validationPayload, validatorsFor, verdictOn } from './validation/validate.ts';
import { combinedVerdict, verdictOf } from './validation/verdict.ts';

export const callsBehaviours = {
  calleeOf,
  isActive,
  requestTimeoutOf,
  requestFor,
  extensionRequest,
  endpointRequest,
  endpointUrl,
  endpointHeaders,
  endpointBody,
  envelopeOf,
  baseAddressOf,
  payloadOf,
  taskLinks,
  impersonationToken,
  hasTokenQuery,
  tokenParameter,
  deliveryOf,
  envelopeIdOf,
  subjectOf,
  passedFilter,
  deliveryEnded,
  createEvent,
  eventErrand,
  eventPayload,
  readEvent,
  deleteEvent,
  sendEmail,
  emailPayload,
  scheduleTask,
  taskEnvelopeId,
  taskPayload,
  assertManages,
  runAction,
  actionPayload,
  selectionPayload,
  formPayload,
  ribbonPayload,
  emailOf,
  actionAnswer,
  validatedPromote,
  validatedBatch,
  assertValidated,
  validateShare,
  validatorsFor,
  verdictOn,
  askValidator,
  validationPayload,
  verdictOf,
  combinedVerdict,
  requireValid,
};

export const callsRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: eventsPath,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.createEvent(service, call, writing),
  },
  {
    method: 'GET',
    path: `${eventsPath}/{eventId}`,
    access: 'space',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.readEvent(service, call, reading),
  },
  {
    method: 'DELETE',
    path: `${eventsPath}/{eventId}`,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.deleteEvent(service, call, writing),
  },
  {
    method: 'POST',
    path: emailPath,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.sendEmail(service, call, writing),
  },
  {
    method: 'POST',
    path: jobsPath,
    access: 'space',
    effect: 'write',
    handle: (service, call, writing) => service.behaviours.scheduleTask(service, call, writing),
  },
  {
    method: 'POST',
    path: actionPath,
    access: 'space',
    effect: 'outside',
    handle: (service, call) => service.behaviours.runAction(service, call),
  },
  {
    method: 'POST',
    path: sharePath,
    access: 'space',
    effect: 'outside',
    handle: (service, call) => service.behaviours.validateShare(service, call),
  },
];
