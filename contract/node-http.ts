/**
 * What a server needs of Node's `http`. An import of that module asks it for all that it has, the WebSocket behind `fetch` included, and to load
 * that takes as long as the rest of a start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
