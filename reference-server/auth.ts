import {
  authenticate,
  missingToken,
  unusableToken,
  userOfBasic,
  userOfCredentials,
  userOfPassword,
  userOfPat,
  userOfToken,
} from './auth/authentication.ts';
import { authorize, mayAdministrate, mayUse, roleAllows, rolesOf, spaceOf } from './auth/authorization.ts';
import { credentialsOf } from './auth/credentials.ts';
import {
  checkClient,
  claimsOfIdToken,
  grantErrorAnswer,
  grantFormOf,
  grantToken,
  tokenAnswer,
  userOfGrant,
} from './auth/token-endpoint.ts';
import { acceptedAlgorithms, checkExpiry, issueToken, signClaims, verifySignature, verifyToken } from './auth/token.ts';
import type { Route } from './route.ts';

export const authBehaviours = {
  authenticate,
  credentialsOf,
  userOfCredentials,
  userOfToken,
  userOfPat,
  userOfBasic,
  userOfPassword,
  missingToken,
  unusableToken,
  authorize,
  spaceOf,
  mayUse,
  rolesOf,
  roleAllows,
  mayAdministrate,
  issueToken,
  signClaims,
  verifyToken,
  verifySignature,
  acceptedAlgorithms,
  checkExpiry,
  grantToken,
  checkClient,
  grantFormOf,
  userOfGrant,
  claimsOfIdToken,
  tokenAnswer,
  grantErrorAnswer,
};

export const authRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/auth/token',
    access: 'public',
    effect: 'read',
    handle: (service, call) => service.behaviours.grantToken(service, call),
  },
];
