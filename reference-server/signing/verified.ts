import { sameSecret } from '../auth/secret.ts';
import type { Call, Service } from '../service.ts';

/** Whether a text is the signature of the path under the key. @param apiKey Base64 of the symmetric key */
export function isSignatureOf(service: Service, apiKey: string, path: string, given: string): boolean {
  const { expectedSignature, sameSignature } = service.behaviours;
  return sameSignature(given, expectedSignature(service, apiKey, path));
}

/** What the caller has to show. Source: extensions, Authentication 2 */
export function expectedSignature(service: Service, apiKey: string, path: string): string {
  return service.behaviours.signPath(service, apiKey, path);
}

/** Equality that tells nothing by the time it takes. */
export function sameSignature(given: string, expected: string): boolean {
  return sameSecret(given, expected);
}

/** What a caller signs: the path as it stands on the request line. Source: ledger signature-path-query, signature-path-encoding */
export function requestPathOf({ url }: Call): string {
  const [path = ''] = url.split('?', 1);
  return path;
}
