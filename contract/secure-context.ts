import { createSecureContext, getCACertificates, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { Reach } from './profile/reach.ts';

/** What a client shows and trusts. @throws {Error} what is no certificate or key, or does not belong together */
export function secureContextOf(tls: NonNullable<Reach['tls']>): SecureContext {
  return createSecureContext(secureOptionsOf(tls));
}

/** The same as options, for whoever copies what it is given. */
export function secureOptionsOf({
  issuer,
  certificate,
  key,
  passphrase,
}: NonNullable<Reach['tls']>): SecureContextOptions {
  return {
    ...(issuer !== undefined && { ca: [...getCACertificates('default'), issuer] }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
  };
}
