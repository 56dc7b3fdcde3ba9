import { mediaTypes } from '../../contract/names.ts';
import type { User } from '../configuration.ts';
import type { Answer, Call, Service } from '../service.ts';
import { sameSecret } from './secret.ts';
import { secondsNow, signingKeysOf, type Claims } from './token.ts';

type GrantError = 'invalid_client' | 'invalid_grant' | 'invalid_request' | 'invalid_scope' | 'unsupported_grant_type';

/** Fields of the form; none of them twice. */
export type GrantForm = ReadonlyMap<string, string>;

/** A grant that yields no token, as RFC 6749 section 5.2 words it: not a problem document. */
export class GrantRefusal extends Error {
  readonly code: GrantError;

  constructor(code: GrantError, description: string) {
    super(description);
    this.code = code;
  }
}

const idTokenType = 'urn:ietf:params:oauth:token-type:id_token';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** RFC 6749 section 5.1: no answer of the token endpoint may be kept. */
const notKept = { 'Content-Type': mediaTypes.json, 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/**
 * The token endpoint: password grant (RFC 6749 section 4.3) and id token exchange (RFC 8693).
 * Source: core, Authentication 3 and 4
 */
export async function grantToken(service: Service, call: Call): Promise<Answer> {
  try {
    service.behaviours.checkClient(service, call);
    const form = service.behaviours.grantFormOf(call);
    const user = await service.behaviours.userOfGrant(service, form);
    return service.behaviours.tokenAnswer(service, form, await service.behaviours.issueToken(service, user));
  } catch (error) {
    if (error instanceof GrantRefusal) return service.behaviours.grantErrorAnswer(error);
    throw error;
  }
}

/** @throws {GrantRefusal} invalid_client */
export function checkClient(service: Service, call: Call): void {
  const { clientId, clientSecret } = service.configuration.auth;
  const given = service.behaviours.credentialsOf(call.headers);
  if (given?.scheme !== 'basic')
    throw new GrantRefusal('invalid_client', 'Expected Basic authentication with client id and client secret.');
  const idIsRight = sameSecret(given.name, clientId);
  const secretIsRight = sameSecret(given.secret, clientSecret);
  if (!idIsRight || !secretIsRight)
    throw new GrantRefusal('invalid_client', 'The client id or the client secret is wrong.');
}

/** @throws {GrantRefusal} invalid_request for another media type and for a field given twice (RFC 6749 section 3.2) */
export function grantFormOf(call: Call): GrantForm {
  const mediaType = call.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== mediaTypes.form)
    throw new GrantRefusal('invalid_request', `Expected a body of ${mediaTypes.form}.`);
  const fields = [...new URLSearchParams(call.body?.toString('utf8') ?? '')];
  const form = new Map(fields);
  if (form.size < fields.length) throw new GrantRefusal('invalid_request', 'A form field is given more than once.');
  return form;
}

/** @throws {GrantRefusal} */
export async function userOfGrant(service: Service, form: GrantForm): Promise<User> {
  const grantType = requiredField(form, 'grant_type');
  if (grantType === 'password') return userOfPasswordGrant(service, form);
  if (grantType === exchangeGrant) return userOfExchange(service, form);
  throw new GrantRefusal('unsupported_grant_type', `Expected grant_type password or ${exchangeGrant}.`);
}

function userOfPasswordGrant(service: Service, form: GrantForm): User {
  const name = requiredField(form, 'username');
  const password = requiredField(form, 'password');
  checkScope(form);
  const user = service.behaviours.userOfPassword(service, name, password);
  if (user === undefined) throw new GrantRefusal('invalid_grant', 'The user name or the password is wrong.');
  return user;
}

async function userOfExchange(service: Service, form: GrantForm): Promise<User> {
  const token = requiredField(form, 'subject_token');
  if (requiredField(form, 'subject_token_type') !== idTokenType)
    throw new GrantRefusal('invalid_request', `Expected subject_token_type ${idTokenType}.`);
  checkScope(form);
  const claims = await service.behaviours.claimsOfIdToken(service, token);
  const user = claims && service.configuration.users.get(claims.sub);
  if (user === undefined)
    throw new GrantRefusal(
      'invalid_request',
      'The subject token is no valid id token of the trusted provider for a user of this collection.',
    );
  return user;
}

/**
 * Claims of an unexpired id token of the trusted provider, meant for this service; undefined for any other.
 * Source: core, Authentication 4
 */
export async function claimsOfIdToken(service: Service, token: string): Promise<Claims | undefined> {
  const { idTokenIssuer, idTokenAudience } = service.configuration.auth;
  const claims = await service.behaviours
    .verifySignature(service, token, signingKeysOf(service).idToken)
    .catch(() => undefined);
  if (claims?.iss !== idTokenIssuer || !audienceOf(claims).includes(idTokenAudience)) return undefined;
  return secondsNow(service) < claims.exp ? claims : undefined;
}

function audienceOf({ aud = [] }: Claims): readonly string[] {
  return typeof aud === 'string' ? [aud] : aud;
}

function requiredField(form: GrantForm, name: string): string {
  const value = form.get(name);
  if (value === undefined || value === '')
    throw new GrantRefusal('invalid_request', `The form field ${name} is missing or empty.`);
  return value;
}

function checkScope(form: GrantForm): void {
  const scope = form.get('scope') ?? 'All';
  if (scope !== 'All') throw new GrantRefusal('invalid_scope', 'The only scope is All.');
}

export function tokenAnswer(service: Service, form: GrantForm, token: string): Answer {
  const body = {
    access_token: token,
    token_type: 'Bearer',
    expires_in: service.configuration.auth.tokenLifetimeSeconds,
  };
  const exchanged = form.get('grant_type') === exchangeGrant;
  return { status: 200, headers: notKept, body: exchanged ? { ...body, issued_token_type: accessTokenType } : body };
}

export function grantErrorAnswer({ code, message }: GrantRefusal): Answer {
  const body = { error: code, error_description: message };
  if (code !== 'invalid_client') return { status: 400, headers: notKept, body };
  return {
    status: 401,
    headers: { ...notKept, 'WWW-Authenticate': 'Basic realm="svc token endpoint", charset="UTF-8"' },
    body,
  };
}
