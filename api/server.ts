import { assertOptions, OptionError, type Options } from '../contract/option.ts';
import { type Service, type ServiceOptions, serviceOptions } from './service.ts';

/** A service that listens on a port. */
export interface Server extends Service {
  readonly port: number;
}

/** What a server is, and where it listens. */
export interface ServerOptions extends ServiceOptions {
  /** A free one unless given. */
  readonly port?: number;
  /** The loopback interface unless given. */
  readonly host?: string;
  /** Origins whose pages may read answers in a browser, as `http://localhost:5173`; `*` for any; none unless given. */
  readonly allowOrigins?: readonly string[];
}

const known: Options<ServerOptions> = { ...serviceOptions, port: 'number', host: 'string', allowOrigins: 'list' };

/**
 * Starts the reference server in this process: stateful, as the documents say, with faults and in a dialect where you ask for them.
 * @throws {ConfigurationError | OptionError | StoreError} an option that is not right; the error of the system where it cannot listen
 */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  assertOptions('startServer', options, known);
  const { port = 0, host = '127.0.0.1', allowOrigins, ...rest } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OptionError(`Expected a whole number from 0 to 65535 as port of startServer, found ${port}.`);
  // what only a server needs is loaded for one
  const { openService } = await import('./open-service.ts');
  const { server, at, close } = await openService(rest, allowOrigins);
  const url = await server.listen({ port, host }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return Object.assign(at(url), { port: server.port });
}
