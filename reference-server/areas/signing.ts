import { type KeyObject, createHmac, createSecretKey } from 'node:crypto';
import type { Call } from '../http/call.ts';
import { sameSecret } from './tokens.ts';

/** Keys that are kept, the oldest of which goes first. */
const keptKeys = 1024;

/** Signatures of calls, made and verified. */
export class Signing {
  private readonly keys = new Map<string, KeyObject>();

  /**
   * The signature over a path: HMAC SHA512 of its UTF-8 bytes, written as text.
   * Source: extensions, Authentication 2 and 3
   * @param apiKey Base64 of the symmetric key
   * @param path as it stands on the request line, without query
   */
  signPath(apiKey: string, path: string): string {
    return signatureText(createHmac('sha512', this.keyOf(apiKey)).update(path, 'utf8').digest());
  }

  /** To make a key takes longer than to sign with it. */
  private keyOf(apiKey: string): KeyObject {
    const known = this.keys.get(apiKey);
    if (known !== undefined) return known;
    const key = createSecretKey(Buffer.from(apiKey, 'base64'));
    const [oldest] = this.keys.keys();
    if (oldest !== undefined && this.keys.size >= keptKeys) this.keys.delete(oldest);
    this.keys.set(apiKey, key);
    return key;
  }

  /** The part of a URL that is signed: its path, encoded as it is sent. Source: ledger signature-path-query, signature-host-base-path, signature-path-encoding */
  signedPath(url: string): string {
    return new URL(url).pathname;
  }

  /** The header by which an extension knows who calls. Source: extensions, Authentication 3 */
  signatureHeaders(apiKey: string, url: string): { readonly Authorization: string } {
    return { Authorization: `Bearer ${this.signPath(apiKey, this.signedPath(url))}` };
  }

  /** Whether a text is the signature of the path under the key. @param apiKey Base64 of the symmetric key */
  isSignatureOf(apiKey: string, path: string, given: string): boolean {
    return this.sameSignature(given, this.expectedSignature(apiKey, path));
  }

  /** What the caller has to show. Source: extensions, Authentication 2 */
  expectedSignature(apiKey: string, path: string): string {
    return this.signPath(apiKey, path);
  }

  /** Equality that tells nothing by the time it takes. */
  sameSignature(given: string, expected: string): boolean {
    return sameSecret(given, expected);
  }
}

/** Base64 up to its first equals sign, with the two characters replaced that a URL would not take. */
export function signatureText(mac: Buffer): string {
  const [unpadded = ''] = mac.toString('base64').split('=', 1);
  return unpadded.replaceAll('+', '-').replaceAll('/', '_');
}

/** What a caller signs: the path as it stands on the request line. Source: ledger signature-path-query, signature-path-encoding */
export function requestPathOf({ url }: Call): string {
  const [path = ''] = url.split('?', 1);
  return path;
}
