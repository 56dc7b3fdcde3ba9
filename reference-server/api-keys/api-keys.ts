import type { Route } from '../route.ts';
import { acquireKeys, acquirePath, holdersOpenTo } from './acquire.ts';
import {
  acquiredAdministrationKeys,
  administrationKeys,
  initialAdministrationKeys,
  opensAdministration,
} from './administration.ts';
import { bringKeys, callbackRequest, keyMember, keysBody, requireAbsolute } from './callback.ts';
import { endpointHolders, extensionHolders, keyHoldersOf } from './holder.ts';
import { confirmKeys, isKeyDue, isKeyValid, issueKeys, withdrawKeys } from './issue.ts';
import {
  acquireComplaint,
  acquireRequestFrom,
  excessPermissions,
  grantedPermissions,
  holderGranting,
  isConfiguredCallback,
  isConfiguredPermission,
} from './request.ts';

export const apiKeysBehaviours = {
  acquireKeys,
  holdersOpenTo,
  keyHoldersOf,
  extensionHolders,
  endpointHolders,
  acquireRequestFrom,
  holderGranting,
  acquireComplaint,
  isConfiguredCallback,
  excessPermissions,
  isConfiguredPermission,
  grantedPermissions,
  requireAbsolute,
  issueKeys,
  isKeyDue,
  isKeyValid,
  confirmKeys,
  withdrawKeys,
  bringKeys,
  callbackRequest,
  keysBody,
  keyMember,
  administrationKeys,
  initialAdministrationKeys,
  acquiredAdministrationKeys,
  opensAdministration,
};

export const apiKeysRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: acquirePath,
    access: 'public',
    effect: 'outside',
    handle: (service, call) => service.behaviours.acquireKeys(service, call),
  },
];
