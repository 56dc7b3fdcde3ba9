import { isObject } from '../json.ts';

/** What an access token says of itself; nothing where it is none that can be read. */
export function claimsOf(token: string | null): Readonly<Record<string, unknown>> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
}
