import {
  createServer,
  request,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of the test's own on a free port of the loopback interface. */
export interface BadTarget extends AsyncDisposable {
  readonly url: string;
}

/** Answers every request alike. */
export function answeringAlike(status: number, contentType: string, body: string): Promise<BadTarget> {
  return listening((_incoming, outgoing) => {
    outgoing.writeHead(status, { 'content-type': contentType });
    outgoing.end(body);
  });
}

/** Takes every request and never answers. */
export function hanging(): Promise<BadTarget> {
  return listening(() => undefined);
}

/** Passes `count` requests on to another server; what it does with later ones is up to `then`. */
export async function failingAfter(count: number, behind: string, then: 'dies' | 'hangs'): Promise<BadTarget> {
  let left = count;
  const target = await listening((incoming, outgoing) => {
    left -= 1;
    if (left < 0 && then === 'hangs') return;
    if (left < 0) {
      target.die();
      return;
    }
    passOn(incoming, outgoing, behind, []);
  });
  return target;
}

/** Passes every request on to another server and takes headers out of its answers. */
export function losingHeaders(names: readonly string[], behind: string): Promise<BadTarget> {
  return listening((incoming, outgoing) => passOn(incoming, outgoing, behind, names));
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, behind: string, lost: readonly string[]): void {
  const { method = 'GET', headers, url = '/' } = incoming;
  const onward = request(
    new URL(url, behind),
    { method, headers: { ...headers, host: new URL(behind).host } },
    (answer) => {
      const kept = Object.entries(answer.headers).filter(([name]) => !lost.includes(name));
      outgoing.writeHead(answer.statusCode ?? 500, Object.fromEntries(kept));
      answer.pipe(outgoing);
    },
  );
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

async function listening(listener: RequestListener): Promise<BadTarget & { die(): void }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, die: () => end(server), [Symbol.asyncDispose]: async () => end(server) };
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}
