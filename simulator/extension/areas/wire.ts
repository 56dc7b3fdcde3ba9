import type { IncomingMessage, ServerResponse } from 'node:http';

/** What stands between the host and the network, as a framework or a proxy does. It lets everything through as it is. */
export class Wire {
  /** Sees each request before it is read, and its answer before anything of it is written. */
  pass(_request: IncomingMessage, _response: ServerResponse): void {}
}
