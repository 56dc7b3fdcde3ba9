import { createHmac, randomBytes } from 'node:crypto';

const signingKey = randomBytes(32);
const lifetimeSeconds = 3600;

/** A JWT of the service that the suite plays, for one call. @param id that nothing else has; @param now ms since the epoch */
export function newToken(id: string, now: number, seconds: number = lifetimeSeconds): string {
  const at = Math.floor(now / 1000);
  const claims = { jti: id, sub: 'conformance', unique_name: 'conformance', nbf: at - 60, iat: at, exp: at + seconds };
  const content = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${content}.${createHmac('sha256', signingKey).update(content).digest('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
