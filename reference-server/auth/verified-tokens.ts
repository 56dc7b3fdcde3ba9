import type { Claims } from './token.ts';

/**
 * Claims of tokens whose signature was found right, so that a repeated token costs a lookup.
 * The least recently used one leaves first.
 * Expiry is no part of it: a claim that was right once may be over now.
 */
export class VerifiedTokens {
  readonly #claims = new Map<string, Claims>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#claims.size;
  }

  get(token: string): Claims | undefined {
    const claims = this.#claims.get(token);
    if (claims !== undefined) this.#moveToEnd(token, claims);
    return claims;
  }

  add(token: string, claims: Claims): void {
    this.#moveToEnd(token, claims);
    if (this.#claims.size > this.#capacity) this.#dropOldest();
  }

  #moveToEnd(token: string, claims: Claims): void {
    this.#claims.delete(token);
    this.#claims.set(token, claims);
  }

  #dropOldest(): void {
    const oldest = this.#claims.keys().next();
    if (!oldest.done) this.#claims.delete(oldest.value);
  }
}
