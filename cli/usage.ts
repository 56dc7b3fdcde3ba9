/** A command line that cannot be carried out: ends with exit code 2 and its message. */
export class UsageError extends Error {
  readonly code = 'USAGE';
}

type ErrorKind = abstract new (...args: never[]) => Error;

/** What is thrown: an error of one of these kinds is about the command line, any other stays what it is. */
export function asUsage(error: unknown, ...kinds: readonly ErrorKind[]): unknown {
  return error instanceof Error && kinds.some((kind) => error instanceof kind) ? new UsageError(error.message) : error;
}

/** Does the work, which may throw errors of these kinds about the command line. @throws {UsageError} in their place */
export function usable<T>(work: () => T, ...kinds: readonly ErrorKind[]): T {
  try {
    return work();
  } catch (error) {
    throw asUsage(error, ...kinds);
  }
}

/** The same of a promise, for its `catch`. */
export function throwAsUsage(...kinds: readonly ErrorKind[]): (error: unknown) => never {
  return (error) => {
    throw asUsage(error, ...kinds);
  };
}

export function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  why: string,
): UsageError {
  return new UsageError(`Cannot listen on ${host}, port ${port} (${why}); choose another --port or --host.`);
}
