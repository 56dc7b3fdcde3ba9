import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Activity } from './activity.ts';
import type { ControlledClock, Timer } from './controlled.ts';
import { isObject, jsonOf } from '../envelope.ts';
import { textOf } from '../entry.ts';
import { bodyOf } from '../receive.ts';

/** The clock of a host and what keeps it from resting. */
export interface Clockwork {
  readonly clock: ControlledClock;
  readonly activity: Activity;
  /** Bearer value that opens the routes. */
  readonly token: string;
}

/** Path of the clock of a host that can be controlled. */
export const clockPath = '/_control/clock';

/** An order that cannot be followed. */
class OrderError extends Error {
  readonly code = 'ORDER';
}

/**
 * Serves the clock: GET tells `now` (ms since the epoch), `running`, the `timers` and the `calls` on their way; POST takes
 * `{ by: ms }`, `{ to: ms since the epoch }` or `{ next: true }`, and `held`, the number of calls of the host that the client keeps open.
 * Returns whether the request was for it.
 */
export function clockRoute(clockwork: Clockwork, request: IncomingMessage, response: ServerResponse): boolean {
  if ((request.url ?? '').split('?')[0] !== clockPath) return false;
  void serve(clockwork, request, response);
  return true;
}

async function serve(clockwork: Clockwork, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await answerTo(clockwork, request);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}

async function answerTo(clockwork: Clockwork, request: IncomingMessage): Promise<{ status: number; body: object }> {
  if (!isAdmitted(clockwork, request))
    return { status: 401, body: { message: 'Expected the control token of the host as bearer.' } };
  if (request.method === 'GET') return { status: 200, body: stateOf(clockwork) };
  if (request.method !== 'POST') return { status: 405, body: { message: 'Expected GET or POST.' } };
  try {
    const { bytes } = await bodyOf(request);
    return { status: 200, body: await obey(clockwork, jsonOf(textOf(bytes) ?? '')) };
  } catch (error) {
    return { status: 400, body: { message: error instanceof Error ? error.message : String(error) } };
  }
}

function isAdmitted({ token }: Clockwork, request: IncomingMessage): boolean {
  const [presented, right] = [Buffer.from(request.headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  return presented.length === right.length && timingSafeEqual(presented, right);
}

function stateOf({ clock, activity }: Clockwork): object {
  return { now: clock.now(), running: clock.running, timers: clock.timers(), calls: activity.calls };
}

/** @throws {OrderError | RangeError} */
async function obey(clockwork: Clockwork, order: unknown): Promise<object> {
  if (!isObject(order)) throw new OrderError('Expected a JSON object.');
  const { held, ...moves } = order;
  const [move, ...others] = Object.entries(moves);
  if (others.length > 0) throw new OrderError('Expected one of by, to and next.');
  const walk = move === undefined ? undefined : moveOf(clockwork.clock, ...move);
  if (held !== undefined) hold(clockwork.activity, held);
  const fired = await walk?.();
  return { ...stateOf(clockwork), fired: fired ?? [] };
}

function hold(activity: Activity, held: unknown): void {
  if (!Number.isSafeInteger(held) || Number(held) < 0) throw new OrderError('Expected held to be a number of calls.');
  activity.hold(Number(held));
}

function moveOf(clock: ControlledClock, name: string, value: unknown): () => Promise<readonly Timer[]> {
  if (name === 'next' && value === true) return () => clock.advanceNext();
  if (name === 'by' && typeof value === 'number') return () => clock.advanceBy(value);
  if (name === 'to' && typeof value === 'number') return () => clock.advanceTo(value);
  throw new OrderError('Expected { "by": ms }, { "to": ms since the epoch } or { "next": true }.');
}
