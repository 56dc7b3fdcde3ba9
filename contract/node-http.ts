/**
 * What a server needs of Node's `http`. An import of that module asks it for all that it has, the WebSocket behind `fetch` included, and to load
 * that takes as long as the rest of a start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Path and query of a request target, whose absolute form every server takes as well. Source: RFC 9112, 3.2.2 */
export function originForm(target = '/'): string {
  if (target.startsWith('/')) return target;
  return target.replace(/^https?:\/\/[^/?]*(?=[/?]|$)/i, '').replace(/^(?!\/|\*$)/, '/');
}
