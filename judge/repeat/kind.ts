import { calleePath } from '../../contract/names.ts';
import type { Sent, WireRequest } from '../client/wire.ts';

/**
 * What a step of a script is: a request to the target, or what stands among requests as if it were one. That states whom the service may call,
 * gets a call of it, does something to files on its disk, looks at them or at a token, lets time pass, or restarts it.
 */
export type Kind = 'request' | 'stage' | 'call' | 'file' | 'look' | 'token' | 'pass' | 'restart';

export const fileScheme = 'file://';

export function kindOf({ method, url, passMs, restarts, isOfToken }: WireRequest): Kind {
  if (isOfToken === true) return 'token';
  if (passMs !== undefined) return 'pass';
  if (restarts === true) return 'restart';
  if (url.startsWith(fileScheme)) return method === 'GET' ? 'look' : 'file';
  if (!url.includes(`${calleePath}/`) && !url.endsWith(calleePath)) return 'request';
  return method === 'GET' ? 'call' : 'stage';
}

export interface TimedSent {
  /** In ms of `performance.now`. */
  readonly at: number;
  readonly sent: Sent;
}

/** A request of a script that is none of the case, as if it had been answered so. */
export function answered(
  request: WireRequest,
  { status, headers = [], body = '' }: Pick<Answer, 'status'> & Partial<Answer>,
): Sent {
  const { exchange } = unansweredYet(request, 0);
  return { request, exchange: { ...exchange, response: { status, headers, body } } };
}

/** A request as nobody has answered it yet. */
export function unansweredYet(asked: WireRequest, sentAt: number): Sent {
  const { method, url, headers, body } = asked;
  const shown = { method, url, headers, ...(body !== undefined && { body: Buffer.from(body).toString() }) };
  return { request: { ...asked, unanswered: true }, exchange: { request: shown, sentAt, durationMs: 0 } };
}

type Answer = NonNullable<Sent['exchange']['response']>;
