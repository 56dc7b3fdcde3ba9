import { randomUUID } from 'node:crypto';
import { secondsNow } from '../auth/token.ts';
import type { CallKind } from '../delivery/delivery.ts';
import type { Service } from '../service.ts';

/** What marks a token that was issued for a call to the outside. */
const impersonation = 'impersonation';

/**
 * A token that speaks for the user, with the rights of the user. Source: extensions, Authentication 4; ledger token-claims
 * @param lifeTimeMinutes tokenLifeTime of the registration
 */
export function impersonationToken(service: Service, userName: string, lifeTimeMinutes: number): Promise<string> {
  const iat = secondsNow(service);
  const exp = iat + lifeTimeMinutes * 60;
  return service.behaviours.signClaims(service, { sub: userName, iat, exp, jti: randomUUID(), scope: impersonation });
}

/** Calls to extensions whose query has the token as well. Source: extensions, Calls to extensions; ledger token-query-other-types */
export function hasTokenQuery(kind: CallKind): boolean {
  return kind === 'validation' || kind === 'task' || kind === 'email';
}

/** Name of the parameter that holds it. Source: ledger token-query-names */
export function tokenParameter(_kind: CallKind): string {
  return 'access_token';
}
