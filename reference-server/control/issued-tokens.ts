import { closest } from 'fastest-levenshtein';
import { SignJWT } from 'jose';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Order } from '../../contract/control/route.ts';
import type { ServiceControl } from '../../contract/control/service.ts';
import { OptionError } from '../../contract/option.ts';
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

const profileFile = new URL('../../fixtures/profile.yaml', import.meta.url);

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
  const accessToken =
    kind === 'foreign'
      ? await new SignJWT(claims).setProtectedHeader({ alg: 'HS512', typ: 'JWT' }).sign(randomBytes(64))
      : await tokens.signClaims(claims);
  return { accessToken, user, expiresAt };
}

/** An expired one is over by a second, and one that is not valid yet begins when a valid one would end. */
function beginOf(kind: TokenOrder['kind'], now: number, lifetimeSeconds: number): number {
  if (kind === 'expired') return now - lifetimeSeconds - 1;
  return kind === 'not-yet-valid' ? now + lifetimeSeconds : now;
}

function userOf({ users }: Configuration, identity: string): User {
  const named = identityNames();
  const user = users.get(named.get(identity) ?? identity) ?? users.get(identity);
  if (user !== undefined) return user;
  const known = [...named.keys(), ...users.keys()];
  throw new OptionError(
    `Expected an identity of the profile or a user, found "${identity}"; did you mean "${closest(identity, known)}"?`,
  );
}

let names: ReadonlyMap<string, string> | undefined;

/** Users of the bundled profile by the name of their identity. */
function identityNames(): ReadonlyMap<string, string> {
  if (names !== undefined) return names;
  const profile: { readonly identities: Readonly<Record<string, { readonly username: string }>> } = parse(
    // what the server fills in could not be read as it stands
    readFileSync(profileFile, 'utf8').replaceAll(/\$\{\w+\}/g, 'x'),
  );
  names = new Map(Object.entries(profile.identities).map(([identity, { username }]) => [identity, username]));
  return names;
}
