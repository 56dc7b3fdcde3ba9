import { createHmac } from 'node:crypto';
import type { Profile } from '../../contract/profile.ts';

const hourSeconds = 3600;
const digests: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

/**
 * A genuine token past its expiry: that of the profile, else this one, an hour old and signed anew with the key that the profile discloses.
 * Undefined where there is neither, or where the token is not signed by that key.
 */
export function expiredTokenFrom({ auth }: Pick<Profile, 'auth'>, token: string | null): string | undefined {
  if (auth?.expiredToken !== undefined) return auth.expiredToken;
  const [header = '', payload = '', signature] = token?.split('.') ?? [];
  const digest = digests[textIn(header, 'alg')];
  if (auth?.signingKey === undefined || digest === undefined) return undefined;
  const sign = (key: Buffer, text: string): string => createHmac(digest, key).update(text).digest('base64url');
  const key = keysIn(auth.signingKey, auth.signingKeyForm).find(
    (one) => sign(one, `${header}.${payload}`) === signature,
  );
  if (key === undefined) return undefined;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const old = { ...jsonIn(payload), iat: nowSeconds - 2 * hourSeconds, exp: nowSeconds - hourSeconds };
  const signed = `${header}.${Buffer.from(JSON.stringify(old)).toString('base64url')}`;
  return `${signed}.${sign(key, signed)}`;
}

function keysIn(text: string, form: 'base64' | 'text' | undefined): readonly Buffer[] {
  return (form === undefined ? (['base64', 'utf8'] as const) : ([form === 'text' ? 'utf8' : form] as const)).map(
    (one) => Buffer.from(text, one),
  );
}

function textIn(part: string, name: string): string {
  return String(Reflect.get(jsonIn(part), name));
}

/** The JSON object of a part; empty where it is none. */
function jsonIn(part: string): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
