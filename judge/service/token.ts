import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Profile } from '../../contract/profile.ts';
import type { Changes, Reply, RequestSpec } from '../exchange.ts';
import type { CaseContext } from '../case.ts';
import type { Call } from '../extension/call.ts';
import { isObject } from '../json.ts';
import { wallNowOf } from '../time/wall.ts';
import { UnfitProfile } from '../violation.ts';

const hourSeconds = 3600;

export type Claims = Readonly<Record<string, unknown>>;

/** A personal access token may hold what Basic carries and a header does not. */
export function isBearable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

/** @throws {UnfitProfile} */
export function assumeBearable(token: string): void {
  if (!isBearable(token))
    throw new UnfitProfile('a personal access token without blanks and of ASCII, as a bearer token has to be');
}

/** Sends this text as bearer token instead of that of an identity. */
export function withBearer(token: string): Changes {
  return { as: null, headers: { Authorization: `Bearer ${token}` } };
}

/** The request with this text as bearer token, and its other headers. */
export function bearing(request: RequestSpec, token: string): RequestSpec {
  const { headers, ...changes } = withBearer(token);
  return { ...request, ...changes, headers: { ...request.headers, ...headers } };
}

async function editorToken({ service, given }: CaseContext): Promise<string> {
  return given.present(await service.token('editor'), 'an access token of the editor', [
    'auth.grant.returns-access-token',
  ]);
}

/**
 * Does the work with a token of the editor, and again with another one where it has ended meanwhile: each grant may end the one before.
 * @param work answers with a reply to that token, asked for last
 * @param what it shows by succeeding
 */
export async function withLastingToken(
  context: CaseContext,
  work: (token: string) => Promise<Reply>,
  what: string,
): Promise<Reply> {
  const reply = await underLastingToken(context, work);
  context.given.succeeded(reply, what);
  return reply;
}

/** As `withLastingToken`, whatever the answer is in the end. */
export async function underLastingToken(context: CaseContext, work: (token: string) => Promise<Reply>): Promise<Reply> {
  for (let left = 9; ; left -= 1) {
    // whatever the editor asks for renews a token that has ended
    await context.given.object();
    const reply = await work(await editorToken(context));
    if (reply.status !== 401 || left === 0) return reply;
  }
}

export function partsOf(token: string): readonly [string, string, string] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return [header, payload, signature];
}

/** A base64url part that holds a JSON object, or undefined. */
export function decodePart(part: string): Claims | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Parameters of the query of a call that hold the token of its envelope, or another one that impersonates the same user: whether it is issued once or twice is not said. */
export function tokensInQuery({ query, envelope: { accessToken = '' } }: Call): readonly (readonly [string, string])[] {
  return accessToken === '' ? [] : query.filter(([, value]) => saysTheSame(value, accessToken));
}

/** Whether both are one token, or two that say the same and live as long, give or take a second, be they issued at different times. */
function saysTheSame(one: string, other: string): boolean {
  if (one === other) return true;
  const [claims, others] = [one, other].map((token) => decodePart(partsOf(token)[1]));
  if (claims === undefined || others === undefined) return false;
  const apart = Math.abs(lifeOf(claims) - lifeOf(others));
  return !(apart > 1) && isDeepStrictEqual(withoutTimes(claims), withoutTimes(others));
}

/** In seconds; NaN where it is not told. */
function lifeOf({ iat, exp }: Claims): number {
  return Number(exp) - Number(iat);
}

function withoutTimes({ iat: _, nbf: __, exp: ___, jti: ____, ...claims }: Claims): Claims {
  return claims;
}

export function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

type HmacName = 'HS256' | 'HS384' | 'HS512';

const digests = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const;

/** HMAC of the first two parts, as base64url. */
export function signatureOf(signed: string, key: Buffer, algorithm: HmacName = 'HS512'): string {
  return createHmac(digests[algorithm], key).update(signed).digest('base64url');
}

/** A token with these claims, signed. @param header that of a token like it, which may name the key */
export function mintToken(
  claims: Claims,
  key: Buffer,
  algorithm: HmacName = 'HS512',
  header: Claims = { alg: algorithm, typ: 'JWT' },
): string {
  const signed = `${encodePart({ ...header, alg: algorithm })}.${encodePart(claims)}`;
  return `${signed}.${signatureOf(signed, key, algorithm)}`;
}

/** The token with other claims, under another algorithm or another key. */
export function remintToken(token: string, key: Buffer, algorithm: HmacName, changes: Claims = {}): string {
  const [header, payload] = partsOf(token);
  return mintToken({ ...decodePart(payload), ...changes }, key, algorithm, decodePart(header));
}

/** The disclosed key in the form that verifies a token: decoded from Base64, or the text itself. */
export function keysOf({ profile, given }: CaseContext): readonly Buffer[] {
  const { auth = {} } = profile.all;
  given.present(auth.signingKey, 'auth.signingKey in the profile');
  return keysIn(auth);
}

/** What the key of tokens may be; none where it is not disclosed. */
export function keysIn({ signingKey, signingKeyForm }: NonNullable<Profile['auth']>): readonly Buffer[] {
  if (signingKey === undefined) return [];
  const forms = { base64: Buffer.from(signingKey, 'base64'), text: Buffer.from(signingKey, 'utf8') };
  return signingKeyForm === undefined ? [forms.base64, forms.text] : [forms[signingKeyForm]];
}

export function keyFor(context: CaseContext, token: string): Buffer {
  const key = verifyingKey(context, token);
  return context.given.present(key, 'a signing key under which the token verifies', ['auth.jwt.signature-verifies']);
}

function verifyingKey(context: CaseContext, token: string): Buffer | undefined {
  const [header, payload, signature] = partsOf(token);
  return keysOf(context).find((candidate) => signatureOf(`${header}.${payload}`, candidate) === signature);
}

/** The text with the character at that place changed to another one of base64url. */
export function alterAt(text: string, index: number): string {
  const other = text[index] === 'A' ? 'B' : 'A';
  return text.slice(0, index) + other + text.slice(index + 1);
}

/** The token with an expiry that many seconds before that answer, or before it was granted, under the disclosed key. */
export function expiredBy(context: CaseContext, token: string, seconds: number, answer: Reply): string {
  const claims = decodePart(partsOf(token)[1]) ?? {};
  const now = secondsAt(claims, answer);
  const ended = { iat: now - 2 * hourSeconds, exp: now - seconds };
  return remintToken(token, keyFor(context, token), 'HS512', ended);
}

/** An expired token: that of the profile, or this one an hour past its end, where the profile discloses a key under which it verifies. */
export function expiredLike(context: CaseContext, token: string, answer: Reply): string | undefined {
  const { expiredToken, signingKey } = context.profile.all.auth ?? {};
  if (expiredToken !== undefined || signingKey === undefined) return expiredToken;
  if (decodePart(partsOf(token)[1]) === undefined || verifyingKey(context, token) === undefined) return undefined;
  return expiredBy(context, token, hourSeconds, answer);
}

/** When the token was used, by the clocks of the service: never later than that answer, nor than the token was granted. */
export function secondsAt({ iat }: Readonly<Record<string, unknown>>, answer: Reply): number {
  const answered = Math.floor(wallNowOf(answer.exchange) / 1000);
  return typeof iat === 'number' ? Math.min(iat, answered) : answered;
}
