import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends bytes as they are and returns all that comes back until the connection ends. For tests of what no HTTP client would send. */
export async function rawExchange(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(request, 'latin1');
  return text(socket);
}
