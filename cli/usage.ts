/** A command line that cannot be carried out: ends with exit code 2 and its message. */
export class UsageError extends Error {
  readonly code = 'USAGE';
}
