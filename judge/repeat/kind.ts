import { calleePath } from '../../contract/names.ts';
import type { Sent, WireRequest } from '../client/wire.ts';

/** What a step of a script is: a request to the target, or what stands among requests as if it were one. */
export type Kind =
  | 'request'
  /** States whom the service may call. */
  | 'stage'
  /** Gets a call of the service. */
  | 'call'
  /** Does something to files on the disk of the service. */
  | 'file'
  /** Looks at them. */
  | 'look'
  /** Lets time pass. */
  | 'pass'
  | 'restart';

export const fileScheme = 'file://';

export function kindOf({ method, url, passMs, restarts }: WireRequest): Kind {
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
  const { method, url, headers: asked, body: sent } = request;
  const shown = { method, url, headers: asked, ...(sent !== undefined && { body: Buffer.from(sent).toString() }) };
  return { request, exchange: { request: shown, response: { status, headers, body }, sentAt: 0, durationMs: 0 } };
}

type Answer = NonNullable<Sent['exchange']['response']>;
