import type { JWTPayload } from 'jose';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Order } from '../../contract/control/route.ts';
import type { ServiceControl } from '../../contract/control/service.ts';
import { OptionError } from '../../contract/option.ts';
import { ended, hintAt } from '../../contract/spelling.ts';
import bundled from '../../fixtures/bundled.json' with { type: 'json' };
import type { Areas } from '../areas.ts';
import type { Configuration, User } from '../configuration.ts';

export type TokenOrder = Order<ServiceControl['tokens']>['body'];

export interface IssuedToken {
  readonly accessToken: string;
  /** Whom it names. */
  readonly user: string;
  /** In s since the epoch. */
  readonly expiresAt: number;
}

/** Users of the bundled profile by the name of their identity. */
const usernames: ReadonlyMap<string, string> = new Map(Object.entries(bundled.usernames));

/** A token as the order describes it, right or to be refused. @throws {OptionError} there is nobody of that name */
export async function issueToken(
  { tokens }: Pick<Areas, 'tokens'>,
  configuration: Configuration,
  { identity, kind = 'valid', lifetimeSeconds = configuration.auth.tokenLifetimeSeconds }: TokenOrder,
): Promise<IssuedToken> {
  const now = tokens.secondsNow();
  const { name } = userOf(configuration, identity);
  const user = kind === 'unknown-user' ? `nobody-${randomBytes(4).toString('hex')}` : name;
  const begins = beginOf(kind, now, lifetimeSeconds);
  const expiresAt = begins + lifetimeSeconds;
  const claims = {
    sub: user,
    iat: Math.min(begins, now),
    exp: expiresAt,
    jti: randomUUID(),
    ...(kind === 'not-yet-valid' && { nbf: begins }),
  };
  const accessToken = kind === 'foreign' ? await signElsewhere(claims) : await tokens.signClaims(claims);
  return { accessToken, user, expiresAt };
}

/** With a key that no server has. */
async function signElsewhere(claims: JWTPayload): Promise<string> {
  const { SignJWT } = await import('jose/jwt/sign');
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS512', typ: 'JWT' }).sign(randomBytes(64));
}

/** An expired one is over by a second, and one that is not valid yet begins when a valid one would end. */
function beginOf(kind: TokenOrder['kind'], now: number, lifetimeSeconds: number): number {
  if (kind === 'expired') return now - lifetimeSeconds - 1;
  return kind === 'not-yet-valid' ? now + lifetimeSeconds : now;
}

function userOf({ users }: Configuration, identity: string): User {
  const user = users.get(usernames.get(identity) ?? identity) ?? users.get(identity);
  if (user !== undefined) return user;
  const known = [...usernames.keys(), ...users.keys()];
  throw new OptionError(
    ended(`Expected an identity of the profile or a user, found "${identity}"${hintAt(identity, known)}`),
  );
}
