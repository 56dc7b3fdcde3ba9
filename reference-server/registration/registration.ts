import type { Route } from '../route.ts';
import {
  assertFreeId,
  createEndpoint,
  deleteRegistration,
  listRegistrations,
  putEndpoint,
  readRegistration,
  registrationPath,
  type EndpointKind,
} from './endpoints.ts';
import { createExtension, putExtension } from './extensions.ts';
import {
  activeByDefault,
  endpointFrom,
  extensionFrom,
  requireHeaders,
  requireKey,
  requireMethod,
  trustedEndpointFrom,
} from './fields.ts';
import { registrationOf } from './kept.ts';
import type { RegistrationKind } from './model.ts';
import { registrationOut } from './out.ts';
import { recordsNamed, recordsOfType, validatorsOf } from './record-index.ts';

export const registrationBehaviours = {
  createEndpoint,
  putEndpoint,
  assertFreeId,
  endpointFrom,
  trustedEndpointFrom,
  requireHeaders,
  requireMethod,
  createExtension,
  putExtension,
  extensionFrom,
  requireKey,
  activeByDefault,
  readRegistration,
  listRegistrations,
  deleteRegistration,
  registrationOut,
  registrationOf,
  recordsNamed,
  recordsOfType,
  validatorsOf,
};

export const registrationRoutes: readonly Route[] = [
  ...routesOfEndpoints('externalEndpoint'),
  ...routesOfEndpoints('trustedExternalEndpoint'),
  ...routesOfAll('svcExtension'),
  {
    method: 'POST',
    path: registrationPath('svcExtension'),
    access: 'collection',
    effect: 'outside',
    handle: (service, call) => service.behaviours.createExtension(service, call),
  },
  {
    method: 'PUT',
    path: `${registrationPath('svcExtension')}/{id}`,
    access: 'collection',
    effect: 'outside',
    handle: (service, call) => service.behaviours.putExtension(service, call),
  },
];

function routesOfEndpoints(kind: EndpointKind): readonly Route[] {
  return [
    ...routesOfAll(kind),
    {
      method: 'POST',
      path: registrationPath(kind),
      access: 'collection',
      effect: 'write',
      handle: (service, call, writing) => service.behaviours.createEndpoint(service, call, writing, kind),
    },
    {
      method: 'PUT',
      path: `${registrationPath(kind)}/{id}`,
      access: 'collection',
      effect: 'write',
      handle: (service, call, writing) => service.behaviours.putEndpoint(service, call, writing, kind),
    },
  ];
}

function routesOfAll(kind: RegistrationKind): readonly Route[] {
  return [
    {
      method: 'GET',
      path: registrationPath(kind),
      access: 'collection',
      effect: 'read',
      handle: (service, call, reading) => service.behaviours.listRegistrations(service, call, reading, kind),
    },
    {
      method: 'GET',
      path: `${registrationPath(kind)}/{id}`,
      access: 'collection',
      effect: 'read',
      handle: (service, call, reading) => service.behaviours.readRegistration(service, call, reading, kind),
    },
    {
      method: 'DELETE',
      path: `${registrationPath(kind)}/{id}`,
      access: 'collection',
      effect: 'write',
      handle: (service, call, writing) => service.behaviours.deleteRegistration(service, call, writing, kind),
    },
  ];
}
