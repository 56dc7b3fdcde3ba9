import { randomUUID } from 'node:crypto';
import { isJson } from '../answer.ts';
import { replacing, together, type FaultsOf } from '../fault.ts';
import { inExtensionCalls } from './requests.ts';

/** A user of the bundled configuration without any role. */
const technicalUser = 'nora';
const powerful = 'powerful';

function claimsIn(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

export const tokenFaults = {
  'calls.token.jwt-form': inExtensionCalls(() => ({ impersonationToken: async () => randomUUID() })),
  'calls.token.accepted-by-api': inExtensionCalls(({ impersonationToken }) => ({
    impersonationToken: (service, _userName, lifeTimeMinutes) =>
      impersonationToken(service, technicalUser, lifeTimeMinutes),
  })),
  'calls.token.no-more-rights': together(
    inExtensionCalls(({ signClaims }) => ({
      signClaims: (service, claims) => signClaims(service, { ...claims, [powerful]: true }),
    })),
    replacing('userOfToken', (right) => async (service, token) => {
      const user = await right(service, token);
      const claims = claimsIn(token);
      return user !== undefined && isJson(claims) && claims[powerful] === true
        ? { ...user, collectionAdministrator: true }
        : user;
    }),
  ),
  'calls.token.life-time-claim': inExtensionCalls(({ impersonationToken }) => ({
    impersonationToken: (service, userName, lifeTimeMinutes) =>
      impersonationToken(service, userName, lifeTimeMinutes / 60),
  })),
  'calls.token.expires': replacing('checkExpiry', (right) => (service, claims) => {
    if (!('scope' in claims && claims.scope === 'impersonation')) right(service, claims);
  }),
  'calls.query-token.validation': replacing('hasTokenQuery', (right) => (kind) => kind !== 'validation' && right(kind)),
  'calls.query-token.task': replacing('hasTokenQuery', (right) => (kind) => kind !== 'task' && right(kind)),
  'calls.query-token.email': replacing('hasTokenQuery', (right) => (kind) => kind !== 'email' && right(kind)),
} satisfies Partial<FaultsOf<'calls'>>;
