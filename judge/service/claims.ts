import { isObject, memberIn } from '../json.ts';

/** What an access token says of itself; nothing where it is none that can be read. */
export function claimsOf(token: string | null): Readonly<Record<string, unknown>> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}

/** How long a token lives, in s, as it says itself. */
export function lifetimeSecondsOf(token: string): number | undefined {
  const claims = claimsOf(token);
  const [issued, expires] = [numberAt(claims, 'iat'), numberAt(claims, 'exp')];
  return issued === undefined || expires === undefined ? undefined : expires - issued;
}

export function numberAt(value: unknown, name: string): number | undefined {
  const number = memberIn(value, name);
  return typeof number === 'number' ? number : undefined;
}
