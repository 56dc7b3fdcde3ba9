/** A command line that cannot be carried out: ends with exit code 2 and its message. */
export class UsageError extends Error {
  readonly code = 'USAGE';
}

type ErrorKind = abstract new (...args: never[]) => Error;

/** What is thrown: an error of one of these kinds is about the command line, any other stays what it is. */
export function asUsage(error: unknown, ...kinds: readonly ErrorKind[]): unknown {
  return error instanceof Error && kinds.some((kind) => error instanceof kind) ? new UsageError(error.message) : error;
}
