import type { commonRoutes } from '../contract/control/parts.ts';
import { type Order, OrderError } from '../contract/control/route.ts';
import type { Activity } from './activity.ts';
import type { ControlledClock, Timer } from './controlled.ts';

/** A clock that is moved, and what may keep it from resting. */
export interface Clockwork {
  readonly clock: ControlledClock;
  readonly activity: Activity;
}

type Move = Order<typeof commonRoutes.moveClock>['body'];

/** `now` in ms since the epoch; `running` until the first move; timers in the order in which they fire; `calls` on their way. */
export function clockState({ clock, activity }: Clockwork): object {
  return { now: clock.now(), running: clock.running, timers: clock.timers(), calls: activity.calls };
}

/**
 * Moves time from timer to timer, never past one, and answers when all that fired, calls to other hosts included, has come to rest. `held`,
 * with a move or alone, is the number of calls that the client keeps open: they are not waited for. A client that does not tell waits a while
 * for each call that it holds. @throws {OrderError}
 */
export async function moveClock(clockwork: Clockwork, { held, ...moves }: Move): Promise<object> {
  const names = Object.keys(moves);
  if (names.length > 1) throw new OrderError(`Expected one of by, to, next and run, found ${names.join(' and ')}.`, '');
  if (held !== undefined) clockwork.activity.hold(held);
  const fired = await carryOut(clockwork.clock, moves);
  return { ...clockState(clockwork), fired };
}

async function carryOut(clock: ControlledClock, { by, to, next, run }: Omit<Move, 'held'>): Promise<readonly Timer[]> {
  try {
    if (by !== undefined) return await clock.advanceBy(by);
    if (to !== undefined) return await clock.advanceTo(to);
    if (next === true) return await clock.advanceNext();
    if (run === false) return await clock.advanceBy(0);
    if (run === true) await clock.run();
    return [];
  } catch (error) {
    if (error instanceof RangeError) throw new OrderError(error.message, '/to');
    throw error;
  }
}
