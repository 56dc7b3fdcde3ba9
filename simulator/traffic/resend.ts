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

/** For the report. Each begins with its number, by which those of several workers are added up. */
export function remarksOnEnds({
  reconnected,
  lost = 0,
}: {
  readonly reconnected: number;
  readonly lost?: number;
}): readonly string[] {
  const met =
    'came to a kept connection that had ended, and were sent again on a new one, as nobody had read them or they could be repeated.';
  const gone =
    'ended with a kept connection that the target closed without a word: they may have taken effect, so they were not sent again, and count as errors.';
  return [
    ...(reconnected > 0 ? [`${reconnected} of the requests ${met}`] : []),
    ...(lost > 0 ? [`${lost} of the requests ${gone}`] : []),
  ];
}
