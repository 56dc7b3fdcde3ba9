/** A run that cannot be made elsewhere: says what was expected and found, and what to do. */
export class ExportError extends Error {
  readonly code = 'EXPORT';
  override readonly name = 'ExportError';
}
