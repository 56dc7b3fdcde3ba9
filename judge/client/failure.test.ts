import { describe, expect, test } from 'vitest';
import { failureOf, TargetUnreachable } from './failure.ts';

const place = { origin: 'https://service.example', request: 'GET /', reused: false, isCrowded: false };

function failureWith(code: string, isCrowded = false): Error {
  return failureOf(Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(code), { code }) }), {
    ...place,
    isCrowded,
  });
}

describe('a connection that cannot be trusted', () => {
  test.each([
    ['CERT_HAS_EXPIRED', 'has a certificate that has expired', 'renew it'],
    ['CERT_NOT_YET_VALID', 'is not valid yet', 'clocks'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'has a certificate for another name', 'use that name'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'of an issuer that is not known', 'NODE_EXTRA_CA_CERTS'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS', 'use http://'],
  ])('%s names the cause and what to change', (code, cause, change) => {
    const failure = failureWith(code);
    expect(failure).toBeInstanceOf(TargetUnreachable);
    for (const words of [place.origin, code, cause, change, 'or correct baseUrl in the profile'])
      expect(failure.message).toContain(words);
  });

  test('nobody who takes it in time is told as one of too many, while others are under way', () => {
    expect(failureWith('UND_ERR_CONNECT_TIMEOUT', true).message).toMatch(
      /^nothing answers at \S+ \(UND_ERR_CONNECT_TIMEOUT\), while .* lower limits\.concurrency .*, or start the service, or correct baseUrl/,
    );
    expect(failureWith('UND_ERR_CONNECT_TIMEOUT').message).toBe(
      'nothing answers at https://service.example (UND_ERR_CONNECT_TIMEOUT): start the service, or correct baseUrl in the profile',
    );
  });

  test('nobody who answers is told as before', () => {
    expect(failureWith('ECONNREFUSED').message).toBe(
      'nothing answers at https://service.example (ECONNREFUSED): start the service, or correct baseUrl in the profile',
    );
  });
});
