/** What went wrong, in the words of whoever threw it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Code of an error of the system, as ENOENT; its text where it has none. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** The same with where it was thrown from, where that is known. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
