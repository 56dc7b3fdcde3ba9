/** Files that are no segments of one run: says what was expected and found, and what to do. */
export class MergeError extends Error {
  readonly code = 'MERGE';
  override readonly name = 'MergeError';
}
