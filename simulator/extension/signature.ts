import { type KeyObject, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** What a presented signature was made over: the path as received, the path below the registered base, the path with its query. */
export type SignedOver = 'path' | 'below-base' | 'target';

/** What the Authorization header of a request shows. */
export interface SignatureCheck {
  /** Bearer value, where there is exactly one header of that scheme. */
  readonly presented?: string;
  /** Every form over which it verifies; several where they are the same text. */
  readonly over: readonly SignedOver[];
  /** Whether it verifies over the route path, with or without the base. */
  readonly ok: boolean;
}

/** Bearer value of a call: HMAC SHA512 of the path under the decoded key, Base64 in the URL alphabet without padding. Source: extensions, Authentication 2 and 3 */
export function signatureOf(apiKey: string, path: string): string {
  const base64 = createHmac('sha512', keyOf(apiKey)).update(path, 'utf8').digest('base64');
  const [unpadded = ''] = base64.split('=');
  return unpadded.replaceAll('+', '-').replaceAll('/', '_');
}

/** The keys in use, by their text: to make one costs more than to sign with it. */
const keys = new Map<string, KeyObject>();
const mostKeys = 100;

function keyOf(apiKey: string): KeyObject {
  const known = keys.get(apiKey);
  if (known !== undefined) return known;
  const key = createSecretKey(Buffer.from(apiKey, 'base64'));
  if (keys.size >= mostKeys) keys.clear();
  keys.set(apiKey, key);
  return key;
}

/** @param target path and query as on the request line; @param base path of hostUri, empty where it has none */
export function checkSignature(
  apiKey: string,
  target: string,
  base: string,
  authorization: readonly string[],
): SignatureCheck {
  const [only, ...others] = authorization;
  const presented = others.length === 0 ? /^Bearer +(\S+)$/i.exec(only ?? '')?.[1] : undefined;
  if (presented === undefined) return { over: [], ok: false };
  const path = target.split('?')[0] ?? '';
  const forms: Readonly<Record<SignedOver, string>> = { path, 'below-base': path.slice(base.length), target };
  // mostly they are one text
  const right = new Set(
    [...new Set(Object.values(forms))].filter((text) => isSame(presented, signatureOf(apiKey, text))),
  );
  const over = (Object.keys(forms) as SignedOver[]).filter((form) => right.has(forms[form]));
  return { presented, over, ok: over.includes('path') || over.includes('below-base') };
}

function isSame(presented: string, right: string): boolean {
  const [a, b] = [Buffer.from(presented), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
