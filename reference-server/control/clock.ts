import type { Activity } from '../clock/activity.ts';
import type { ControlledClock, Timer } from '../clock/controlled.ts';
import { JsonTextError, parseJsonText } from '../http/json-text.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Call } from '../service.ts';

/** The clock of a server and what may keep it from resting. */
export interface Clockwork {
  readonly clock: ControlledClock;
  readonly activity: Activity;
}

/** What a client asks of the clock: one move at most, and how many calls of the service it keeps open meanwhile. */
interface Order {
  readonly move?: (clock: ControlledClock) => Promise<readonly Timer[]>;
  readonly held?: number;
}

/** `now` in ms since the epoch; `running` until the first move; timers in the order in which they fire; `calls` on their way. */
export function clockState({ clock, activity }: Clockwork): Answer {
  return answerOf({ now: clock.now(), running: clock.running, timers: clock.timers(), calls: activity.calls });
}

/**
 * `{ by: ms }`, `{ to: ms since the epoch }` or `{ next: true }` moves time from timer to timer, never past one, and answers when all that
 * fired, calls to other hosts included, has come to rest. `held`, with a move or alone, is the number of calls that the client keeps open:
 * they are not waited for. A client that does not tell waits a while for each call that it holds.
 * @throws {Refusal} 400
 */
export async function moveClock(clockwork: Clockwork, call: Call): Promise<Answer> {
  const { move, held } = orderOf(call);
  if (held !== undefined) clockwork.activity.hold(held);
  const fired = move === undefined ? [] : await moved(clockwork.clock, move);
  const { clock, activity } = clockwork;
  return answerOf({ now: clock.now(), running: clock.running, fired, timers: clock.timers(), calls: activity.calls });
}

async function moved(clock: ControlledClock, move: NonNullable<Order['move']>): Promise<readonly Timer[]> {
  try {
    return await move(clock);
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(400, error.message);
    throw error;
  }
}

/** @throws {Refusal} 400 */
function orderOf(call: Call): Order {
  const { held, ...moves } = bodyOf(call);
  const names = Object.keys(moves);
  if (names.length > 1) throw new Refusal(400, `Expected one of by, to and next, found ${names.join(', ')}.`);
  if (held !== undefined && !isCount(held))
    throw new Refusal(400, 'Expected held to be a number of calls.', { pointer: '/held' });
  const [name] = names;
  return {
    ...(name !== undefined && { move: moveOf(name, moves[name]) }),
    ...(held !== undefined && { held }),
  };
}

function moveOf(name: string, value: unknown): NonNullable<Order['move']> {
  if (name === 'next' && value === true) return (clock) => clock.advanceNext();
  if (name === 'by' && typeof value === 'number') return (clock) => clock.advanceBy(value);
  if (name === 'to' && typeof value === 'number') return (clock) => clock.advanceTo(value);
  throw new Refusal(400, 'Expected { "by": ms }, { "to": ms since the epoch } or { "next": true }.', {
    pointer: `/${name}`,
  });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function bodyOf(call: Call): Readonly<Record<string, unknown>> {
  const body = parsed(call.body?.toString() ?? '');
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'Expected a JSON object.');
  return { ...body };
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw new Refusal(400, `Expected a JSON object: ${error.message}`);
    throw error;
  }
}

function answerOf(body: object): Answer {
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body };
}
