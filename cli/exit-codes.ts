import { tell } from './outlet.ts';

/** How commands end that do not end well; `help exit-codes` says what each means. */
export const [violatedExitCode, usageExitCode, incompleteExitCode] = [1, 2, 3] as const;

/** Says why, and hands the exit code on. */
export function complain<Code extends number>(sentence: string, exitCode: Code): Code {
  tell(sentence);
  return exitCode;
}
