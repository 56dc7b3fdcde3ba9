import type { ServiceControl } from '../../contract/control/service.ts';
import type { Order } from '../../contract/control/route.ts';
import { Refusal } from '../http/refusal.ts';
import type { Activity } from '../ports/clock.ts';
import type { ControlledClock, Timer } from '../ports/controlled-clock.ts';

/** The clock of a server and what may keep it from resting. */
export interface Clockwork {
  readonly clock: ControlledClock;
  readonly activity: Activity;
}

type Move = Order<ServiceControl['moveClock']>['body'];

/** `now` in ms since the epoch; `running` until the first move; timers in the order in which they fire; `calls` on their way. */
export function clockState({ clock, activity }: Clockwork): object {
  return { now: clock.now(), running: clock.running, timers: clock.timers(), calls: activity.calls };
}

/**
 * Moves time from timer to timer, never past one, and answers when all that fired, calls to other hosts included, has come to rest. `held`,
 * with a move or alone, is the number of calls that the client keeps open: they are not waited for. A client that does not tell waits a while
 * for each call that it holds. @throws {Refusal} 400
 */
export async function clockMoved(clockwork: Clockwork, { held, ...moves }: Move): Promise<object> {
  const names = Object.keys(moves);
  if (names.length > 1)
    throw new Refusal(400, `Expected one of by, to, next and run, found ${names.join(' and ')}.`, { pointer: '' });
  if (held !== undefined) clockwork.activity.hold(held);
  const fired = await carriedOut(clockwork.clock, moves);
  return { ...clockState(clockwork), fired };
}

async function carriedOut(
  clock: ControlledClock,
  { by, to, next, run }: Omit<Move, 'held'>,
): Promise<readonly Timer[]> {
  try {
    if (by !== undefined) return await clock.advanceBy(by);
    if (to !== undefined) return await clock.advanceTo(to);
    if (next === true) return await clock.advanceNext();
    if (run === false) return await clock.advanceBy(0);
    if (run === true) await clock.run();
    return [];
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(400, error.message, { pointer: '/to' });
    throw error;
  }
}
