import { tell } from './outlet.ts';

/** How commands end that do not end well; `help exit-codes` says what each means. */
export const [violatedExitCode, usageExitCode, incompleteExitCode] = [1, 2, 3] as const;

/** Says why, and hands the exit code on. */
export function complain<Code extends number>(sentence: string, exitCode: Code): Code {
  tell(sentence);
  return exitCode;
}

let isSeen = false;

/** From now on this process ends with 1, also where it cannot end as usual. */
export function noteViolation(): void {
  isSeen = true;
}

/** What the run came to as a whole: a rule that failed as it came may stand on a known failure. */
export function settleViolation(isViolated: boolean): void {
  isSeen = isViolated;
}

export function isViolationSeen(): boolean {
  return isSeen;
}
