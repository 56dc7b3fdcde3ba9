import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { TooLate } from '../violation.ts';
import { listenAgain } from './extension.ts';

test('a port that another program took meanwhile has the case begin once more', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const own = createServer();
  const listen = async () => {
    own.listen(port, '127.0.0.1');
    await once(own, 'listening');
  };
  await expect(listenAgain(listen)).rejects.toThrow(TooLate);
  other.close();
  await once(other, 'close');
  await listenAgain(listen);
  own.close();
});

test('what else keeps a listener from listening is the fault of the suite', async () => {
  const listen = () => Promise.reject(new TypeError('no address'));
  await expect(listenAgain(listen)).rejects.toThrow(TypeError);
});
