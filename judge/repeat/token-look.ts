import type { Profile } from '../../contract/profile.ts';
import type { Sent } from '../client/wire.ts';
import { keysIn, partsOf, signatureOf } from '../service/token.ts';
import type { Claim } from '../violation.ts';
import { answered } from './kind.ts';

/** What a token says of itself, told as if a request for it had been answered: its first part, decoded, is the body. */
export function tokenLook(token: string, auth: Profile['auth'] = {}): Sent {
  const [header, payload, signature] = partsOf(token);
  const isSigned = keysIn(auth).some((key) => signatureOf(`${header}.${payload}`, key) === signature);
  const { signingKey } = auth;
  const headers: readonly (readonly [string, string])[] = [
    ['x-token-parts', String(token.split('.').length)],
    ['x-signature-bytes', String(Buffer.from(signature, 'base64url').byteLength)],
    ...(signingKey === undefined ? [] : [['x-signed', isSigned ? 'under the key' : 'otherwise'] as const]),
  ];
  const key = signingKey === undefined ? [] : [['key', signingKey] as const];
  const body = Buffer.from(header, 'base64url').toString();
  return answered({ method: 'GET', url: token, headers: key, isOfToken: true }, { status: 200, headers, body });
}

/** How cases name what a token itself shows, and the line that is right. */
const shownByToken: readonly (readonly [name: string, line: string])[] = [
  ['parts of the access token', 'x-token-parts: 3'],
  ['alg of the access token', '/alg = "HS512"'],
  ['bytes of the signature', 'x-signature-bytes: 64'],
  ['the signature is the HMAC SHA-512 of the first two parts under the disclosed key', 'x-signed: under the key'],
];

/** The line that is right where a token itself shows what was found. */
export function lineOfToken(claim: Claim | undefined): string | undefined {
  return claim?.about === 'value' ? shownByToken.find(([name]) => name === claim.name)?.[1] : undefined;
}
