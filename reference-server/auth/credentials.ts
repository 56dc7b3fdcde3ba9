import type { Call } from '../service.ts';

/** What a client shows of itself; `unknown` is a header that names another scheme, or that scheme in no proper form. */
export type Credentials =
  | { readonly scheme: 'bearer'; readonly token: string }
  | { readonly scheme: 'basic'; readonly name: string; readonly secret: string }
  | { readonly scheme: 'unknown' };

const unknownCredentials: Credentials = { scheme: 'unknown' };
/** RFC 6750 section 2.1 */
const bearerForm = /^bearer +([\w.~+/-]+=*)$/i;
const basicForm = /^basic +([A-Za-z0-9+/]+=*)$/i;

/**
 * Credentials of the Authorization header, undefined without one. The scheme is read in any letter case.
 * Source: core, Authentication 2 and 5; RFC 9110 section 11.1
 */
export function credentialsOf(headers: Call['headers']): Credentials | undefined {
  const header = headers['authorization'];
  if (header === undefined) return undefined;
  const token = bearerForm.exec(header)?.[1];
  return token === undefined ? basicCredentials(header) : { scheme: 'bearer', token };
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
