import { createServer, connect, type Socket } from 'node:net';
import { endWithTest } from '../../fixtures/end-with-test.fixture.ts';
import { listen } from '../../fixtures/listening.fixture.ts';

/**
 * Passes connections on to the port that the path of their first request begins with; their ends come later by so many ms. Returns what
 * goes into `listener.publicUrl`; ends with its test.
 */
export async function passOnLateEnds(lateMs: number): Promise<string> {
  const calls = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    near.on('error', () => undefined);
    near.once('data', (first: Buffer) => {
      const [, port] = /^\S+ \/(\d+)\//.exec(first.toString('latin1')) ?? [];
      const far = connect({ host: '127.0.0.1', port: Number(port) });
      calls.add(far);
      far.on('error', () => near.destroy());
      far.write(first);
      near.pipe(far, { end: false });
      far.pipe(near, { end: false });
      far.on('close', () => near.destroy());
      near.on('end', () => setTimeout(() => far.destroy(), lateMs));
    });
  });
  const listening = await listen(server);
  endWithTest(async () => {
    for (const call of calls) call.destroy();
    await listening[Symbol.asyncDispose]();
  });
  return `${listening.url}/{port}`;
}
