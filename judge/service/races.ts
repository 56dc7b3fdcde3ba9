import type { CaseContext, ServiceCase } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { openQueues } from '../run/turns.ts';
import { sleep } from '../time/real-time.ts';
import { Inconclusive, Undecidable } from '../violation.ts';

/** How often what other requests may hide is tried. */
export const roundsAmongOthers = 6;

/** How often, and after how many ms, who was told to come again does. */
const [mostReturns, returnPauseMs] = [5, 20];

const inTurn = openQueues();

/** A case that uses something which other cases change, so that only one of the same key runs at a time. */
export function runAlone(key: string, inner: ServiceCase): ServiceCase {
  return { ...inner, run: (context, generation) => inTurn(key, () => inner.run(context, generation)) };
}

/** Keeps whether most rounds of a race were one, and ends the case as undecided where they were not. How many is chance, so no note tells it. */
export function assertRaced(
  { notes, profile }: Pick<CaseContext, 'notes' | 'profile'>,
  raced: number,
  rounds: number,
): void {
  if (profile.all.limits?.concurrency === 1)
    throw new Undecidable('No two requests are under way at once, as limits.concurrency of the profile says.');
  const most = raced >= rounds / 2;
  notes.observe('the requests of most rounds were under way at the same time', most);
  if (!most)
    throw new Inconclusive(
      'In most rounds the writers were not under way at the same time: limits.concurrency of the profile, or answers 429, let too few requests through at once.',
    );
}

/** The answers to writes that met each other: one that was told to come again, by 503, is sent again once all are over. */
export async function answersAfterwards(
  writes: readonly (() => Promise<Reply>)[],
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  const answers = [...replies];
  for (const [index, write] of writes.entries())
    for (let again = 0; again < mostReturns && answers[index]?.status === 503; again += 1) {
      await sleep(returnPauseMs);
      answers[index] = await write();
    }
  return answers;
}

/** Whether all requests were under way at one moment. */
export function areSimultaneous(replies: readonly Reply[]): boolean {
  const ends = replies.map(({ exchange }) => exchange.sentAt + exchange.durationMs);
  return Math.max(...replies.map(({ exchange }) => exchange.sentAt)) < Math.min(...ends);
}

/** Runs something beside the work until the work is over, however it ends, and returns what it saw. */
export async function watchDuring<T>(
  beside: (isOver: () => boolean) => Promise<T>,
  work: () => Promise<void>,
): Promise<T> {
  let over = false;
  const [seen, worked] = await Promise.allSettled([beside(() => over), work().finally(() => (over = true))]);
  if (worked.status === 'rejected') throw worked.reason;
  if (seen.status === 'rejected') throw seen.reason;
  return seen.value;
}
