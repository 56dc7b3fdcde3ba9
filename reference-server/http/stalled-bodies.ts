import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** How long a caller may send nothing of a body that it has begun. */
const longestPauseMs = 65_000;

/**
 * Watches bodies until they are whole: one that stalls would keep what it opened for ever. A long one may take as long as it needs, and a
 * request whose body is whole may wait for its answer. Returns what is told of each request as it comes.
 */
export function watchBodies(
  server: Server,
  onStalled: (socket: Socket) => void,
  pauseMs = longestPauseMs,
): (request: IncomingMessage, response: ServerResponse) => void {
  const underWay = new WeakMap<Socket, IncomingMessage>();
  // with a listener Node leaves every such connection to it, kept ones that nobody uses as well
  server.on('timeout', (socket: Socket) => {
    const request = underWay.get(socket);
    if (request === undefined) socket.destroy();
    else if (!request.complete && !isFull(request)) onStalled(socket);
  });
  return (request, response) => {
    const { socket } = request;
    // a server without a port is reached over streams in memory, whose other end is the caller's own
    if (!hasBody(request) || !(socket instanceof Socket)) return;
    underWay.set(socket, request);
    socket.setTimeout(pauseMs);
    request.once('close', () => {
      underWay.delete(socket);
      // afterwards the connection is kept as long as any other
      if (!response.writableFinished) socket.setTimeout(0);
    });
  };
}

/** Whether it is for the server to go on. */
function isFull({ readableLength, readableHighWaterMark }: IncomingMessage): boolean {
  return readableLength >= readableHighWaterMark;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
