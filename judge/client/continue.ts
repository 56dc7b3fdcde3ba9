import type { Socket } from 'node:net';

const beginning = 'HTTP/1.1 100';
const mostHeadBytes = 8192;

/** The socket without each `100 Continue` before an answer: undici ends the connection where one comes unasked. Source: RFC 9110 section 15.2 */
export function withoutContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket);
  // an answer begins with what is read first after something was written
  let isAwaited = false;
  let held: Buffer = Buffer.alloc(0);
  socket.write = (...sent: unknown[]): boolean => {
    isAwaited = true;
    return Reflect.apply(write, socket, sent) as boolean;
  };
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size) as Buffer | null;
      if (chunk === null || !isAwaited) return chunk;
      const bytes = held.byteLength === 0 ? chunk : Buffer.concat([held, chunk]);
      held = behindContinue(bytes);
      if (mayContinue(held)) continue;
      const answer = held;
      held = Buffer.alloc(0);
      isAwaited = false;
      return answer;
    }
  };
  return socket;
}

/** Whether all bytes so far are of a `100` that has not come to its end. */
function mayContinue(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, beginning.length);
  return bytes.byteLength < mostHeadBytes && beginning.startsWith(text) && !bytes.includes('\r\n\r\n');
}

function behindContinue(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 0, beginning.length) !== beginning) return bytes;
  const end = bytes.indexOf('\r\n\r\n');
  return end === -1 ? bytes : behindContinue(bytes.subarray(end + 4));
}
