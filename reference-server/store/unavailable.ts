/** The store cannot be asked at the moment. What was under way did not happen, or it cannot be told whether it did. */
export class StoreUnavailableError extends Error {
  readonly code = 'STORE_UNAVAILABLE';
  override readonly name = 'StoreUnavailableError';
}
