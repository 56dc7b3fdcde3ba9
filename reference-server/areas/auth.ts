import { Area } from '../area.ts';
import { createHash } from 'node:crypto';
import type { Configuration, Space, User } from '../configuration.ts';
import type { Call } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import type { Route } from '../http/route.ts';
import { type Tokens, missingToken, sameSecret } from './tokens.ts';

/** What a client shows of itself; `unknown` is a header that names another scheme, or that scheme in no proper form. */
export type Credentials =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly name: string; readonly secret: string }
  | { readonly scheme: 'unknown' };

const unknownCredentials: Credentials = { scheme: 'unknown' };

/** RFC 6750 section 2.1 */
const bearerForm = /^bearer +([\w.~+/-]+=*)$/i;

const basicForm = /^basic +([A-Za-z0-9+/]+=*)$/i;

interface Needs {
  readonly configuration: Configuration;
  readonly tokens: Tokens;
}

/** Who calls, and what they may. */
export class Auth extends Area<Needs> {
  private readonly ownersOfPats: ReadonlyMap<string, string>;

  constructor(needs: Needs) {
    super(needs);
    this.ownersOfPats = ownersOfPats(needs.configuration);
  }

  /**
   * Credentials of the Authorization header, undefined without one. The scheme is read in any letter case.
   * Source: core, Authentication 2 and 5; RFC 9110 section 11.1
   */
  credentialsOf(headers: Call['headers']): Credentials | undefined {
    const header = headers['authorization'];
    if (header === undefined) return undefined;
    const token = bearerForm.exec(header)?.[1];
    return token === undefined ? basicCredentials(header) : { scheme: 'bearer', token };
  }

  /**
   * The user behind a request. Source: core, Authentication 1, 2, 5 and 6.
   * @throws {Refusal} 401 with a challenge (RFC 9110 section 15.5.2)
   */
  async authenticate(call: Call): Promise<User> {
    const credentials = this.credentialsOf(call.headers);
    if (credentials === undefined) throw missingToken();
    const user = await this.userOfCredentials(credentials);
    if (user === undefined)
      throw this.needs.tokens.unusableToken(
        'The credentials are those of no user; get a token from the token endpoint.',
      );
    return user;
  }

  /** The user that credentials name, undefined for those of nobody. @throws {Refusal} 401 for a JWT that is not valid */
  async userOfCredentials(credentials: Credentials): Promise<User | undefined> {
    if (credentials.scheme === 'unknown') return undefined;
    if (credentials.scheme === 'basic') return this.userOfBasic(credentials.name, credentials.secret);
    if (!hasThreeParts(credentials.token)) return this.userOfPat(credentials.token);
    return this.userOfToken(credentials.token);
  }

  async userOfToken(token: string): Promise<User | undefined> {
    const claims = await this.needs.tokens.verifyToken(token);
    return this.needs.configuration.users.get(claims.sub);
  }

  private userOfPat(pat: string): User | undefined {
    const name = this.ownersOfPats.get(digest(pat));
    return name === undefined ? undefined : this.needs.configuration.users.get(name);
  }

  /** A personal access token is the password here, the login password is none. Source: core, Authentication 5 */
  private userOfBasic(name: string, pat: string): User | undefined {
    const user = this.userOfPat(pat);
    return user?.name === name ? user : undefined;
  }

  /** The user with this login password. An unknown name takes as long, so that names cannot be told by time. */
  userOfPassword(name: string, password: string): User | undefined {
    const user = this.needs.configuration.users.get(name);
    return sameSecret(password, user?.password ?? '') && password !== '' ? user : undefined;
  }

  /**
   * Lets the user pass to a route of that access, or does not. Source: core, Authentication 6 and 7.
   * @throws {Refusal} 403; 404 for a space that does not exist
   */
  authorize(user: User, access: Route['access'], call: Call): void {
    if (access === 'collection') return this.authorizeCollection(user);
    if (access === 'space') return this.authorizeSpace(user, call);
    if (access === 'participant') return this.authorizeParticipant(user, call);
  }

  private authorizeCollection(user: User): void {
    if (this.mayAdministrate(user)) return;
    throw new Refusal(403, 'Collection routes are open to Collection Administrators only.');
  }

  private authorizeSpace(user: User, call: Call): void {
    const space = this.spaceOf(call);
    if (this.mayUse(user, space, call.method)) return;
    throw new Refusal(403, `No role of ${user.name} on a participant of the space ${space.id} allows ${call.method}.`);
  }

  private authorizeParticipant(user: User, call: Call): void {
    const space = this.spaceOf(call);
    if (this.rolesOf(user, space).length > 0) return;
    throw new Refusal(403, `${user.name} has no role on a participant of the space ${space.id}.`);
  }

  /** The space that the path names. @throws {Refusal} 404 */
  spaceOf(call: Call): Space {
    const spaceId = call.params['spaceId'] ?? '';
    const space = this.needs.configuration.spaces.get(spaceId);
    if (space === undefined) throw new Refusal(404, `There is no space ${spaceId}.`, { pointer: 'spaceId' });
    return space;
  }

  /** Whether a role of the user in the space allows the method; links are offered by it as well. */
  mayUse(user: User, space: Space, method: string): boolean {
    return this.rolesOf(user, space).some((role) => this.roleAllows(role, method));
  }

  /** Ids of the roles that the user holds on participants of the space, looked up per request. */
  rolesOf(user: User, space: Space): readonly string[] {
    const roles: string[] = [];
    for (const holders of space.participants.values()) {
      const role = holders.get(user.name);
      if (role !== undefined) roles.push(role);
    }
    return roles;
  }

  /** PATCH is allowed where PUT is. */
  private roleAllows(role: string, method: string): boolean {
    const methods = this.needs.configuration.roles.get(role);
    if (methods === undefined) return false;
    return methods.has(method) || (method === 'PATCH' && methods.has('PUT'));
  }

  mayAdministrate(user: User): boolean {
    return user.collectionAdministrator;
  }
}

function basicCredentials(header: string): Credentials {
  const encoded = basicForm.exec(header)?.[1];
  if (encoded === undefined) return unknownCredentials;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0
    ? unknownCredentials
    : { scheme: 'basic', name: pair.slice(0, colon), secret: pair.slice(colon + 1) };
}

/** header.payload.signature; other bearer values are personal access tokens. Done per request, hence no pattern. */
function hasThreeParts(token: string): boolean {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  return first >= 0 && second >= 0 && !token.includes('.', second + 1);
}

/** Looked up by digest, so that the time of a lookup says nothing about the token. */
function ownersOfPats(configuration: Configuration): ReadonlyMap<string, string> {
  return new Map([...configuration.users.values()].map((user) => [digest(user.pat), user.name] as const));
}

function digest(pat: string): string {
  return createHash('sha256').update(pat).digest('base64');
}
