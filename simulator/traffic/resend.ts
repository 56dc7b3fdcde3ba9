import type { HttpStep } from './step.ts';

/** How the connection of a request ended that got no byte of answer. */
export interface ConnectionEnd {
  /** It had answered before, and was kept. */
  readonly wasKept: boolean;
  /** Code of the error; none when it was ended in an orderly way. */
  readonly code?: string;
}

/** A request so short goes out as one packet: nobody can have read a part of it. */
const onePacketBytes = 1024;

/**
 * Whether the request may be sent again on a new connection. A kept connection may end at any time. A read can be repeated; what changes
 * something only when it is certain that nothing of it was read: EPIPE tells that the connection had been ended before the request came
 * to it, while after any other end it may have taken effect. Source: RFC 9110 section 9.2.2, RFC 9112 section 9.3.1
 */
export function mayResend({ method, body }: HttpStep, { wasKept, code }: ConnectionEnd): boolean {
  if (!wasKept) return false;
  if (method === 'GET') return true;
  return code === 'EPIPE' && (body === undefined || (typeof body === 'string' && body.length <= onePacketBytes));
}

/** For the report; none when nothing was sent again. */
export function remarkOnReconnected(count: number): readonly string[] {
  return count === 0
    ? []
    : [`Reconnected ${count} times: a kept connection had ended when the next request came, which was sent again.`];
}

/** For the report; none when nothing was lost. */
export function remarkOnLost(count: number): readonly string[] {
  return count === 0
    ? []
    : [
        `${count} requests were lost with a kept connection that the target ended without a word: they may have taken effect, so they were not sent again, and count as errors.`,
      ];
}
