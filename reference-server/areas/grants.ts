import { Area } from '../area.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { Configuration, User } from '../configuration.ts';
import type { Answer, Call } from '../http/call.ts';
import { type Route, readingRoute } from '../http/route.ts';
import type { Auth } from './auth.ts';
import { type Claims, type Tokens, sameSecret } from './tokens.ts';

type GrantError = 'invalid_client' | 'invalid_grant' | 'invalid_request' | 'invalid_scope' | 'unsupported_grant_type';

/** Fields of the form; none of them twice. */
type GrantForm = ReadonlyMap<string, string>;

/** A grant that yields no token, as RFC 6749 section 5.2 words it: not a problem document. */
class GrantRefusal extends Error {
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

interface Needs {
  readonly configuration: Configuration;
  readonly auth: Auth;
  readonly tokens: Tokens;
}

/** The token endpoint. */
export class Grants extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      readingRoute({
        method: 'POST',
        path: '/auth/token',
        access: 'public',
        effect: 'read',
        needs: {},
        handle: (call) => this.grantToken(call),
      }),
    ];
  }

  /**
   * The token endpoint: password grant (RFC 6749 section 4.3) and id token exchange (RFC 8693).
   * Source: core, Authentication 3 and 4
   */
  private async grantToken(call: Call): Promise<Answer> {
    try {
      this.checkClient(call);
      const form = this.grantFormOf(call);
      const user = await this.userOfGrant(form);
      return this.tokenAnswer(form, await this.needs.tokens.issueToken(user));
    } catch (error) {
      if (error instanceof GrantRefusal) return this.grantErrorAnswer(error);
      throw error;
    }
  }

  /** @throws {GrantRefusal} invalid_client */
  checkClient(call: Call): void {
    const { clientId, clientSecret } = this.needs.configuration.auth;
    const given = this.needs.auth.credentialsOf(call.headers);
    if (given?.scheme !== 'basic')
      throw new GrantRefusal('invalid_client', 'Expected Basic authentication with client id and client secret.');
    const idIsRight = sameSecret(given.name, clientId);
    const secretIsRight = sameSecret(given.secret, clientSecret);
    if (!idIsRight || !secretIsRight)
      throw new GrantRefusal('invalid_client', 'The client id or the client secret is wrong.');
  }

  /** @throws {GrantRefusal} invalid_request for another media type and for a field given twice (RFC 6749 section 3.2) */
  grantFormOf(call: Call): GrantForm {
    const mediaType = call.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (mediaType !== mediaTypes.form)
      throw new GrantRefusal('invalid_request', `Expected a body of ${mediaTypes.form}.`);
    const fields = [...new URLSearchParams(call.body?.toString('utf8') ?? '')];
    const form = new Map(fields);
    if (form.size < fields.length) throw new GrantRefusal('invalid_request', 'A form field is given more than once.');
    return form;
  }

  /** @throws {GrantRefusal} */
  private async userOfGrant(form: GrantForm): Promise<User> {
    const grantType = requiredField(form, 'grant_type');
    if (grantType === 'password') return this.userOfPasswordGrant(form);
    if (grantType === exchangeGrant) return this.userOfExchange(form);
    throw new GrantRefusal('unsupported_grant_type', `Expected grant_type password or ${exchangeGrant}.`);
  }

  private userOfPasswordGrant(form: GrantForm): User {
    const name = requiredField(form, 'username');
    const password = requiredField(form, 'password');
    checkScope(form);
    const user = this.needs.auth.userOfPassword(name, password);
    if (user === undefined) throw new GrantRefusal('invalid_grant', 'The user name or the password is wrong.');
    return user;
  }

  private async userOfExchange(form: GrantForm): Promise<User> {
    const token = requiredField(form, 'subject_token');
    if (requiredField(form, 'subject_token_type') !== idTokenType)
      throw new GrantRefusal('invalid_request', `Expected subject_token_type ${idTokenType}.`);
    checkScope(form);
    const claims = await this.claimsOfIdToken(token);
    const user = claims && this.needs.configuration.users.get(claims.sub);
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
  private async claimsOfIdToken(token: string): Promise<Claims | undefined> {
    const { idTokenIssuer, idTokenAudience } = this.needs.configuration.auth;
    const claims = await this.needs.tokens
      .verifySignature(token, this.needs.tokens.signingKeysOf().idToken)
      .catch(() => undefined);
    if (claims?.iss !== idTokenIssuer || !audienceOf(claims).includes(idTokenAudience)) return undefined;
    return this.needs.tokens.secondsNow() < claims.exp ? claims : undefined;
  }

  tokenAnswer(form: GrantForm, token: string): Answer {
    const body = {
      access_token: token,
      token_type: 'Bearer',
      expires_in: this.needs.configuration.auth.tokenLifetimeSeconds,
    };
    const exchanged = form.get('grant_type') === exchangeGrant;
    return { status: 200, headers: notKept, body: exchanged ? { ...body, issued_token_type: accessTokenType } : body };
  }

  grantErrorAnswer({ code, message }: GrantRefusal): Answer {
    const body = { error: code, error_description: message };
    if (code !== 'invalid_client') return { status: 400, headers: notKept, body };
    return {
      status: 401,
      headers: { ...notKept, 'WWW-Authenticate': 'Basic realm="svc token endpoint", charset="UTF-8"' },
      body,
    };
  }
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
