import { createHmac, createSecretKey } from 'node:crypto';
import type { Service } from '../service.ts';

/**
 * The signature over a path: HMAC SHA512 of its UTF-8 bytes, written as text.
 * Source: extensions, Authentication 2 and 3
 * @param apiKey Base64 of the symmetric key
 * @param path as it stands on the request line, without query
 */
export function signPath(service: Service, apiKey: string, path: string): string {
  const { signatureKey, signatureText } = service.behaviours;
  // a key object saves 25 us of looking whether the bytes are one
  const key = createSecretKey(signatureKey(apiKey));
  return signatureText(createHmac('sha512', key).update(path, 'utf8').digest());
}

/** The bytes that a key stands for. */
export function signatureKey(apiKey: string): Buffer {
  return Buffer.from(apiKey, 'base64');
}

/** Base64 up to its first equals sign, with the two characters replaced that a URL would not take. */
export function signatureText(mac: Buffer): string {
  const [unpadded = ''] = mac.toString('base64').split('=', 1);
  return unpadded.replaceAll('+', '-').replaceAll('/', '_');
}

/** The part of a URL that is signed: its path, encoded as it is sent. Source: ledger signature-path-query, signature-host-base-path, signature-path-encoding */
export function signedPath(url: string): string {
  return new URL(url).pathname;
}

/** The header by which an extension knows who calls. Source: extensions, Authentication 3 */
export function signatureHeaders(service: Service, apiKey: string, url: string): { readonly Authorization: string } {
  const { signPath, signedPath } = service.behaviours;
  return { Authorization: `Bearer ${signPath(service, apiKey, signedPath(url))}` };
}
