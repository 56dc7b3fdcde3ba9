import { connect } from 'node:net';

const patienceMs = 5000;

/** Whether nobody accepts a connection at the address of the URL. */
export function isRefused(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol === 'https:' ? 443 : 80;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname, port: port === '' ? usualPort : Number(port), timeout: patienceMs });
  socket.once('connect', () => resolve(false));
  socket.once('timeout', () => resolve(false));
  socket.once('error', () => resolve(true));
  return promise.finally(() => socket.destroy());
}
