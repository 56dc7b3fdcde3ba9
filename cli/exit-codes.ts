import { withoutCredentials } from '../contract/credentials.ts';
import { printable } from '../reports/text.ts';

/** How commands end that do not end well; `help exit-codes` says what each means. */
export const [violatedExitCode, usageExitCode, incompleteExitCode] = [1, 2, 3] as const;

/** Says it on standard error, with nothing in it that a terminal would act upon, nor an address with a password in it. */
export function tell(sentence: string): void {
  process.stderr.write(printable(withoutCredentials(`svc-conformance: ${sentence}\n`)));
}

/** Says why, and hands the exit code on. */
export function complain<Code extends number>(sentence: string, exitCode: Code): Code {
  tell(sentence);
  return exitCode;
}
