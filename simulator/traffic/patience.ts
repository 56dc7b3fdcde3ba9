import { setTimeout as sleep } from 'node:timers/promises';
import { waitMsOf } from '../../contract/patience.ts';
import type { Send, Sent } from './drive.ts';
import type { HttpStep } from './step.ts';

const mostAttempts = 4;

/**
 * A sender for what is made around a load, which nobody measures: it waits where the target asks for patience, and sends again what got no
 * answer, as a kept connection may end at any time. The signal ends its waits.
 */
export function patiently(send: Send, signal: AbortSignal): Send {
  return async (step) => {
    for (let repeated = 0; ; repeated += 1) {
      const sent = await sendUntilAnswered(send, step);
      const { status, headers } = sent.result;
      const answeredAt = Date.parse(headers['date'] ?? '');
      const waitMs = waitMsOf({ status, retryAfter: headers['retry-after'], answeredAt, now: Date.now }, repeated);
      if (waitMs === undefined) return sent;
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return sent;
    }
  };
}

async function sendUntilAnswered(send: Send, step: HttpStep): Promise<Sent> {
  for (let attempt = 1; attempt < mostAttempts; attempt += 1) {
    const sent = await send(step);
    if (sent.error === undefined || sent.error === 'ECONNREFUSED') return sent;
  }
  return send(step);
}
