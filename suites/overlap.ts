import type { Reply } from './engine/exchange.ts';

/** Why a race decides nothing: for `given.inconclusive`. */
export const tooFewAtOnce =
  'In most rounds the writers were not under way at the same time: limits.concurrency of the profile, or answers 429, let too few requests through at once.';

/** Whether all requests were under way at one moment. */
export function overlapped(replies: readonly Reply[]): boolean {
  const ends = replies.map(({ exchange }) => exchange.sentAt + exchange.durationMs);
  return Math.max(...replies.map(({ exchange }) => exchange.sentAt)) < Math.min(...ends);
}
