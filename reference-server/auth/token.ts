import { createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import { compactVerify, SignJWT, type JWTPayload } from 'jose';
import type { AuthSettings, User } from '../configuration.ts';
import type { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import { VerifiedTokens } from './verified-tokens.ts';

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

export interface SigningKeys {
  readonly access: KeyObject;
  readonly idToken: KeyObject;
}

/** Tokens remembered per server; at some 500 bytes each that is 2 MB. */
const rememberedTokens = 4096;
const keysOfSettings = new WeakMap<AuthSettings, SigningKeys>();
const tokensOfService = new WeakMap<Service, VerifiedTokens>();

/** A fresh access token for the user: sub, iat, exp and jti under HS512. Source: core, Authentication 2 and 3 */
export async function issueToken(service: Service, user: User): Promise<string> {
  const iat = secondsNow(service);
  const exp = iat + service.configuration.auth.tokenLifetimeSeconds;
  return service.behaviours.signClaims(service, { sub: user.name, iat, exp, jti: randomUUID() });
}

export async function signClaims(service: Service, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS512', typ: 'JWT' }).sign(signingKeysOf(service).access);
}

/** Claims of an access token that this server signed and that has not expired. @throws {Refusal} 401 */
export async function verifyToken(service: Service, token: string): Promise<Claims> {
  const claims = verifiedTokensOf(service).get(token) ?? (await verifyOnce(service, token));
  service.behaviours.checkExpiry(service, claims);
  checkBeginning(service, claims);
  return claims;
}

async function verifyOnce(service: Service, token: string): Promise<Claims> {
  const claims = await service.behaviours.verifySignature(service, token, signingKeysOf(service).access);
  verifiedTokensOf(service).add(token, claims);
  return claims;
}

/**
 * Claims of a token signed with the key, expired or not. The algorithm is ours to choose, not that of the token header.
 * @throws {Refusal} 401
 */
export async function verifySignature(service: Service, token: string, key: KeyObject): Promise<Claims> {
  if (!isCanonical(token)) throw refused(service);
  const verified = await compactVerify(token, key, { algorithms: service.behaviours.acceptedAlgorithms() }).catch(
    () => undefined,
  );
  const claims = verified && claimsOf(verified.payload);
  if (claims === undefined) throw refused(service);
  return claims;
}

export function acceptedAlgorithms(): string[] {
  return ['HS512'];
}

/** A token lives until the second named by `exp`, without leeway. @throws {Refusal} 401 */
export function checkExpiry(service: Service, claims: Claims): void {
  if (service.clock.now() < claims.exp * 1000) return;
  throw service.behaviours.unusableToken(service, 'The token has expired; get a fresh one from the token endpoint.');
}

/** Tokens of ours begin at once; one that says otherwise is taken at its word. Source: RFC 7519 section 4.1.5. @throws {Refusal} 401 */
function checkBeginning(service: Service, { nbf }: Claims): void {
  if (nbf === undefined || service.clock.now() >= nbf * 1000) return;
  throw service.behaviours.unusableToken(service, 'The token is not valid yet; get one from the token endpoint.');
}

export function signingKeysOf(service: Service): SigningKeys {
  const settings = service.configuration.auth;
  const known = keysOfSettings.get(settings);
  if (known) return known;
  const keys = { access: createSecretKey(settings.signingKey), idToken: createSecretKey(settings.idTokenKey) };
  keysOfSettings.set(settings, keys);
  return keys;
}

/** Kept by service, not by configuration: two servers may differ in what they find right. */
function verifiedTokensOf(service: Service): VerifiedTokens {
  const known = tokensOfService.get(service);
  if (known) return known;
  const tokens = new VerifiedTokens(rememberedTokens);
  tokensOfService.set(service, tokens);
  return tokens;
}

/** Decoders forgive spare bits and foreign alphabets; with them one signature would have several spellings. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** Decoder of the payload: claims of another form are none. */
export function claimsOf(payload: Uint8Array): Claims | undefined {
  const claims = jsonOf(payload);
  return isClaims(claims) ? claims : undefined;
}

function jsonOf(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return undefined;
  }
}

function isClaims(value: unknown): value is Claims {
  if (typeof value !== 'object' || value === null || !('sub' in value) || !('exp' in value)) return false;
  if ('nbf' in value && !Number.isFinite(value.nbf)) return false;
  return typeof value.sub === 'string' && Number.isFinite(value.exp);
}

function refused(service: Service): Refusal {
  return service.behaviours.unusableToken(
    service,
    'The token is none that this service has signed with HS512; get one from the token endpoint.',
  );
}

export function secondsNow(service: Service): number {
  return Math.floor(service.clock.now() / 1000);
}
