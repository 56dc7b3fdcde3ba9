import { createHash } from 'node:crypto';
import type { Configuration, User } from '../configuration.ts';
import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';
import type { Credentials } from './credentials.ts';
import { sameSecret } from './secret.ts';

const ownersOfConfiguration = new WeakMap<Configuration, ReadonlyMap<string, string>>();

/**
 * The user behind a request. Source: core, Authentication 1, 2, 5 and 6.
 * @throws {Refusal} 401 with a challenge (RFC 9110 section 15.5.2)
 */
export async function authenticate(service: Service, call: Call): Promise<User> {
  const credentials = service.behaviours.credentialsOf(call.headers);
  if (credentials === undefined) throw service.behaviours.missingToken();
  const user = await service.behaviours.userOfCredentials(service, credentials);
  if (user === undefined)
    throw service.behaviours.unusableToken(
      service,
      'The credentials are those of no user; get a token from the token endpoint.',
    );
  return user;
}

/** The user that credentials name, undefined for those of nobody. @throws {Refusal} 401 for a JWT that is not valid */
export async function userOfCredentials(service: Service, credentials: Credentials): Promise<User | undefined> {
  if (credentials.scheme === 'unknown') return undefined;
  if (credentials.scheme === 'basic')
    return service.behaviours.userOfBasic(service, credentials.name, credentials.secret);
  if (!hasThreeParts(credentials.token)) return service.behaviours.userOfPat(service, credentials.token);
  return service.behaviours.userOfToken(service, credentials.token);
}

/** header.payload.signature; other bearer values are personal access tokens. Done per request, hence no pattern. */
function hasThreeParts(token: string): boolean {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  return first >= 0 && second >= 0 && !token.includes('.', second + 1);
}

export async function userOfToken(service: Service, token: string): Promise<User | undefined> {
  const claims = await service.behaviours.verifyToken(service, token);
  return service.configuration.users.get(claims.sub);
}

export function userOfPat(service: Service, pat: string): User | undefined {
  const name = ownersOfPats(service.configuration).get(digest(pat));
  return name === undefined ? undefined : service.configuration.users.get(name);
}

/** A personal access token is the password here, the login password is none. Source: core, Authentication 5 */
export function userOfBasic(service: Service, name: string, pat: string): User | undefined {
  const user = service.behaviours.userOfPat(service, pat);
  return user?.name === name ? user : undefined;
}

/** The user with this login password. An unknown name takes as long, so that names cannot be told by time. */
export function userOfPassword(service: Service, name: string, password: string): User | undefined {
  const user = service.configuration.users.get(name);
  return sameSecret(password, user?.password ?? '') && password !== '' ? user : undefined;
}

export function missingToken(): Refusal {
  return challenge(
    'Expected an Authorization header with a bearer token, found none; get a token from the token endpoint.',
    'Bearer realm="svc"',
  );
}

export function unusableToken(_service: Service, detail: string): Refusal {
  return challenge(detail, 'Bearer realm="svc", error="invalid_token"');
}

function challenge(detail: string, bearer: string): Refusal {
  return new Refusal(401, detail, { headers: { 'WWW-Authenticate': `${bearer}, Basic realm="svc", charset="UTF-8"` } });
}

/** Looked up by digest, so that the time of a lookup says nothing about the token. */
function ownersOfPats(configuration: Configuration): ReadonlyMap<string, string> {
  const known = ownersOfConfiguration.get(configuration);
  if (known) return known;
  const owners = new Map([...configuration.users.values()].map((user) => [digest(user.pat), user.name] as const));
  ownersOfConfiguration.set(configuration, owners);
  return owners;
}

function digest(pat: string): string {
  return createHash('sha256').update(pat).digest('base64');
}
