import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';

/** Answers every request alike. */
export function answeringAlike(status: number, contentType: string, body: string): Promise<Listening> {
  return listen(
    createServer((_incoming, outgoing) => void outgoing.writeHead(status, { 'content-type': contentType }).end(body)),
  );
}

/** Takes every request and never answers. */
export function hanging(): Promise<Listening> {
  return listen(createServer(() => undefined));
}

/** What becomes of a server: only a gateway before it answers when it is hidden. */
export type Departure = 'dies' | 'hangs' | 'is hidden';

/** Passes `count` requests on to another server; what it does with later ones is up to `then`. */
export async function failingAfter(count: number, behind: string, then: Departure): Promise<Listening> {
  let left = count;
  const server = createServer((incoming, outgoing) => {
    left -= 1;
    if (left < 0 && then === 'hangs') return;
    if (left < 0 && then === 'is hidden') {
      outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return;
    }
    if (left < 0) {
      server.close();
      server.closeAllConnections();
      return;
    }
    passOn(incoming, outgoing, behind, []);
  });
  return listen(server);
}

/** Passes every request on to another server and takes headers out of its answers. */
export function losingHeaders(names: readonly string[], behind: string): Promise<Listening> {
  return listen(createServer((incoming, outgoing) => passOn(incoming, outgoing, behind, names)));
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
