import { request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely, type SecureContext } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import type { Reach } from '../../contract/profile/reach.ts';
import { secureContextOf } from '../../contract/secure-context.ts';
import { withoutContinue } from './continue.ts';
import { TargetUnreachable } from './failure.ts';

/** Longest wait for a proxy. */
const tunnelMs = 10_000;

/** How connections to a deployment are opened: what they show of the client, whom they trust, and through which proxy they lead. */
export class Way {
  readonly #secureContext: SecureContext | undefined;
  readonly #proxy: URL | undefined;

  /** @throws {Error} the certificates cannot be used */
  constructor({ tls, proxy }: Reach = {}) {
    this.#secureContext = tls && secureContextOf(tls);
    this.#proxy = proxy === undefined ? undefined : new URL(proxy);
  }

  /** What undici opens its connections with: whatever Host a request names, its certificate is that of the place. */
  connector(): buildConnector.connector {
    const [secureContext, proxy] = [this.#secureContext, this.#proxy];
    const building = buildConnector({ allowH2: false, ...(secureContext && { secureContext }) });
    const connecting: buildConnector.connector = ({ servername: _, ...place }, callback) =>
      building(place, (...[error, socket]) =>
        error ? callback(error, null) : callback(null, withoutContinue(socket)),
      );
    if (proxy === undefined) return connecting;
    return (options, callback) => {
      const { hostname, port, protocol } = options;
      askForTunnel(placeOf({ hostname, port, protocol }), proxy, (answer) => {
        if (answer instanceof Error) callback(answer, null);
        else if (protocol === 'https:') connecting({ ...options, httpSocket: answer }, callback);
        else callback(null, withoutContinue(answer));
      });
    };
  }

  /** A connection of its own to an origin, on which anything may be written at once. */
  async open(origin: string): Promise<Socket> {
    const { protocol, hostname, port } = new URL(origin);
    const place = placeOf({ hostname, port, protocol });
    const socket = this.#proxy && (await tunnelTo(place, this.#proxy));
    if (protocol !== 'https:') return socket ?? connect(place);
    const servername = isIP(place.host) === 0 ? place.host : '';
    const secureContext = this.#secureContext && { secureContext: this.#secureContext };
    return connectSecurely({ ...place, servername, ...secureContext, ...(socket && { socket }) });
  }
}

/** For a request besides those of the client: it goes the same way, whatever proxy the environment names. */
export function dispatcherOf(reach?: Reach): Agent {
  return new Agent({ connect: new Way(reach).connector() });
}

interface Place {
  readonly host: string;
  readonly port: number;
}

function placeOf({ hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>): Place {
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}

function tunnelTo(place: Place, proxy: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    askForTunnel(place, proxy, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
  });
}

/** A connection through the proxy, or why there is none. Source: RFC 9110 section 9.3.6 */
function askForTunnel({ host, port }: Place, proxy: URL, take: (answer: Socket | TargetUnreachable) => void): void {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const credential = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(credential).toString('base64')}` };
  const refuse = (what: string, advice = ''): void =>
    take(new TargetUnreachable(`the proxy ${proxy.host} ${what}: ${advice}correct proxy in the profile`));
  const refuseWith = (statusCode: number): void =>
    refuse(
      `answers ${statusCode} where it is asked for ${authority}`,
      statusCode === 403 ? 'let it open tunnels to that port, as many do to 443 alone, or ' : '',
    );
  const asking = request({
    ...placeOf(proxy),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...(credential === ':' ? {} : authorization) },
    agent: false,
    timeout: tunnelMs,
  });
  asking.on('connect', ({ statusCode = 0 }, socket: Socket) => {
    if (statusCode >= 200 && statusCode < 300) return take(socket);
    socket.destroy();
    refuseWith(statusCode);
  });
  asking.on('timeout', () => asking.destroy(new Error(`no answer within ${tunnelMs / 1000} s`)));
  asking.on('error', (error: NodeJS.ErrnoException) => refuse(`cannot be used (${error.code ?? error.message})`));
  asking.end();
}
