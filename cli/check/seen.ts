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
