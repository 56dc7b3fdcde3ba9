import { Area } from '../area.ts';
import type { JWTPayload } from 'jose';
import { compactVerify } from 'jose/jws/compact/verify';
import { type KeyObject, createHash, createHmac, createSecretKey, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Configuration, User } from '../configuration.ts';
import { Refusal } from '../http/refusal.ts';
import type { Clock } from '../../clock/clock.ts';
import { jsonOf } from '../../contract/json.ts';

/** Claims of an access token or of an id token. Times in seconds since the epoch. Source: RFC 7519 section 4.1 */
export interface Claims {
  readonly sub: string;
  readonly exp: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
  readonly iss?: string;
  readonly aud?: string | readonly string[];
}

interface SigningKeys {
  readonly access: KeyObject;
  readonly idToken: KeyObject;
}

/** Tokens remembered per server; at some 500 bytes each that is 2 MB. */
const rememberedTokens = 4096;

/**
 * Claims of tokens whose signature was found right, so that a repeated token costs a lookup.
 * The least recently used one leaves first.
 * Expiry is no part of it: a claim that was right once may be over now.
 */
export class VerifiedTokens {
  readonly #claims = new Map<string, Claims>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#claims.size;
  }

  get(token: string): Claims | undefined {
    const claims = this.#claims.get(token);
    if (claims !== undefined) this.#moveToEnd(token, claims);
    return claims;
  }

  add(token: string, claims: Claims): void {
    this.#moveToEnd(token, claims);
    if (this.#claims.size > this.#capacity) this.#dropOldest();
  }

  #moveToEnd(token: string, claims: Claims): void {
    this.#claims.delete(token);
    this.#claims.set(token, claims);
  }

  #dropOldest(): void {
    const oldest = this.#claims.keys().next();
    if (!oldest.done) this.#claims.delete(oldest.value);
  }
}

interface Needs {
  readonly clock: Clock;
  readonly configuration: Configuration;
}

/** Tokens of the service: issued, signed, verified. */
export class Tokens extends Area<Needs> {
  private readonly keys: SigningKeys;
  /** Of this server alone: two may differ in what they find right. */
  private readonly verified = new VerifiedTokens(rememberedTokens);

  constructor(needs: Needs) {
    super(needs);
    const { signingKey, idTokenKey } = needs.configuration.auth;
    this.keys = { access: createSecretKey(signingKey), idToken: createSecretKey(idTokenKey) };
  }

  /** A fresh access token for the user: sub, iat, exp and jti under HS512. Source: core, Authentication 2 and 3 */
  async issueToken(user: User): Promise<string> {
    const iat = this.secondsNow();
    const exp = iat + this.needs.configuration.auth.tokenLifetimeSeconds;
    return this.signClaims({ sub: user.name, iat, exp, jti: randomUUID() });
  }

  /** Here and at once: to hand it to another thread and back takes longer than to sign. Source: RFC 7515 section 3.1 */
  async signClaims(claims: JWTPayload): Promise<string> {
    const text = `${segmentOf({ alg: 'HS512', typ: 'JWT' })}.${segmentOf(claims)}`;
    return `${text}.${createHmac('sha512', this.signingKeysOf().access).update(text).digest('base64url')}`;
  }

  /** Claims of an access token that this server signed and that has not expired. @throws {Refusal} 401 */
  async verifyToken(token: string): Promise<Claims> {
    const claims = this.verified.get(token) ?? (await this.verifyOnce(token));
    this.checkExpiry(claims);
    this.checkBeginning(claims);
    this.checkParties(claims);
    return claims;
  }

  private async verifyOnce(token: string): Promise<Claims> {
    const claims = await this.verifySignature(token, this.signingKeysOf().access);
    this.verified.add(token, claims);
    return claims;
  }

  /**
   * Claims of a token signed with the key, expired or not. The algorithm is ours to choose, not that of the token header.
   * @throws {Refusal} 401
   */
  async verifySignature(token: string, key: KeyObject): Promise<Claims> {
    if (!isCanonical(token)) throw this.makeRefusal();
    const verified = await compactVerify(token, key, { algorithms: this.acceptedAlgorithms() }).catch(() => undefined);
    const claims = verified && claimsOf(verified.payload);
    if (claims === undefined) throw this.makeRefusal();
    return claims;
  }

  acceptedAlgorithms(): string[] {
    return ['HS512'];
  }

  /** A token lives until the second named by `exp`, without leeway. @throws {Refusal} 401 */
  checkExpiry(claims: Claims): void {
    if (this.needs.clock.now() < claims.exp * 1000) return;
    throw this.unusableToken('The token has expired; get a fresh one from the token endpoint.');
  }

  /** Tokens of ours begin at once; one that says otherwise is taken at its word. Source: RFC 7519 section 4.1.5. @throws {Refusal} 401 */
  private checkBeginning({ nbf }: Claims): void {
    if (nbf === undefined || this.needs.clock.now() >= nbf * 1000) return;
    throw this.unusableToken('The token is not valid yet; get one from the token endpoint.');
  }

  /** Tokens of ours name neither who made them nor for whom: one that does is meant for others. Source: RFC 7519 section 4.1.3. @throws {Refusal} 401 */
  private checkParties({ iss, aud }: Claims): void {
    if (iss === undefined && aud === undefined) return;
    throw this.unusableToken('The token names another issuer or audience; get one from the token endpoint.');
  }

  signingKeysOf(): SigningKeys {
    return this.keys;
  }

  private makeRefusal(): Refusal {
    return this.unusableToken(
      'The token is none that this service has signed with HS512; get one from the token endpoint.',
    );
  }

  secondsNow(): number {
    return Math.floor(this.needs.clock.now() / 1000);
  }

  unusableToken(detail: string): Refusal {
    return challenge(detail, 'Bearer realm="svc", error="invalid_token"');
  }
}

function segmentOf(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Decoders forgive spare bits and foreign alphabets; with them one signature would have several spellings. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** Decoder of the payload: claims of another form are none. */
export function claimsOf(payload: Uint8Array): Claims | undefined {
  const claims = jsonOf(Buffer.from(payload).toString('utf8'));
  return isClaims(claims) ? claims : undefined;
}

function isClaims(value: unknown): value is Claims {
  if (typeof value !== 'object' || value === null || !('sub' in value) || !('exp' in value)) return false;
  if ('nbf' in value && !Number.isFinite(value.nbf)) return false;
  return typeof value.sub === 'string' && Number.isFinite(value.exp);
}

/** Equality that takes the same time wherever two secrets differ, and whatever their lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function missingToken(): Refusal {
  return challenge(
    'Expected an Authorization header with a bearer token, found none; get a token from the token endpoint.',
    'Bearer realm="svc"',
  );
}

function challenge(detail: string, bearer: string): Refusal {
  return new Refusal(401, detail, { headers: { 'WWW-Authenticate': `${bearer}, Basic realm="svc", charset="UTF-8"` } });
}
