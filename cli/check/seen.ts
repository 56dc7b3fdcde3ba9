let isSeen = false;

/** From now on this process ends with 1, also where it cannot end as usual. */
export function noteViolation(): void {
  isSeen = true;
}

export function isViolationSeen(): boolean {
  return isSeen;
}
