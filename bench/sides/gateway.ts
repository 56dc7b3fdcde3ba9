import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { settingsOf } from '../harness/parent.ts';

/** Passes bytes on in both directions, on as many ports as it has ways, until it is killed. */
export interface GatewaySettings {
  readonly ways: readonly Way[];
}

export interface Way {
  /** Of the gateway; 0: one that is free. */
  readonly port: number;
  readonly to: number;
}

const { ways } = settingsOf<GatewaySettings>();
process.once('message', () => void serve());
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function serve(): Promise<void> {
  process.send?.(await Promise.all(ways.map(listenFor)));
}

async function listenFor({ port, to }: Way): Promise<number> {
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ port: to, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    splice(near, far);
    splice(far, near);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function splice(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => to.destroy());
}
