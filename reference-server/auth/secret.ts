import { createHash, timingSafeEqual } from 'node:crypto';

/** Equality that takes the same time wherever two secrets differ, and whatever their lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
