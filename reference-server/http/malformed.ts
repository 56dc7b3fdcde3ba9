import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { mediaTypes } from '../../contract/names.ts';

/** Answers bytes that are no HTTP request: there is no call, so there is nothing that a behaviour could be asked. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = statusOf(error);
  const title = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail: 'Expected a request that HTTP/1.1 knows.',
  });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${mediaTypes.problem}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function statusOf(error: NodeJS.ErrnoException): number {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 431;
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}
