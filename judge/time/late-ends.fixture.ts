import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** Passes connections on to the port that the path of their first request begins with; their ends come later by so many ms. */
export interface LateEnds {
  /** For `listener.publicUrl`. */
  readonly publicUrl: string;
  close(): Promise<void>;
}

export async function passOnLateEnds(lateMs: number): Promise<LateEnds> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    open.add(near);
    near.on('error', () => undefined);
    near.once('data', (first: Buffer) => {
      const [, port] = /^\S+ \/(\d+)\//.exec(first.toString('latin1')) ?? [];
      const far = connect({ host: '127.0.0.1', port: Number(port) });
      open.add(far);
      far.on('error', () => near.destroy());
      far.write(first);
      near.pipe(far, { end: false });
      far.pipe(near, { end: false });
      far.on('close', () => near.destroy());
      near.on('end', () => setTimeout(() => far.destroy(), lateMs));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    publicUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/{port}`,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
