import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { dispatcherOf } from '../../judge/client/reach.ts';
import { isGatewayStatus } from '../../judge/every-answer/gateway.ts';

/** Between two looks whether somebody answers, in ms. */
const lookEveryMs = 100;
/** Longest wait for one look, in ms. */
const longestLookMs = 2000;

const straight = dispatcherOf();

/** Whether somebody takes connections there, whatever is spoken. */
export function isTaken(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connectTo(address);
  socket.setTimeout(longestLookMs, () => socket.destroy());
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
  socket.on('close', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Whether HTTP is answered there: what with is for the preflight to judge, a certificate that nobody trusts as well. */
async function isAnswering(address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { statusCode, body } = await request(address, {
      dispatcher: straight,
      signal: AbortSignal.any([signal, AbortSignal.timeout(longestLookMs)]),
    });
    void body.dump().catch(() => undefined);
    return !isGatewayStatus(statusCode);
  } catch (error) {
    return error instanceof Error && 'code' in error && /CERT|SIGNATURE|ERR_TLS|ERR_SSL/.test(String(error.code));
  }
}

/** Resolves with true once HTTP is answered there, with false when the time is over. @throws the reason of the signal */
export async function untilAnswers(address: string, limitMs: number, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + limitMs;
  while (!(await isAnswering(address, signal))) {
    signal.throwIfAborted();
    if (performance.now() >= until) return false;
    await sleep(lookEveryMs, undefined, { signal });
  }
  return true;
}

/** Tells each time that nobody took connections at the address and then somebody did, until disposed. Nothing is asked or held there. */
export function watchReturns(address: string, onBack: () => void): Disposable {
  const stopped = new AbortController();
  void hearReturns(address, onBack, stopped.signal);
  return { [Symbol.dispose]: () => stopped.abort() };
}

async function hearReturns(address: string, onBack: () => void, signal: AbortSignal): Promise<void> {
  for (let wasThere = true; !signal.aborted;) {
    const isThere = await isTaken(address);
    if (isThere && !wasThere && !signal.aborted) onBack();
    wasThere = isThere;
    // it is what keeps a watch waiting where nothing else does
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

function connectTo(address: string): Socket {
  const { protocol, hostname, port } = new URL(address);
  return connect({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  });
}
