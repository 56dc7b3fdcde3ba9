import { gated } from '../outlet.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { messageOf } from '../../contract/thrown.ts';
import { type Measured, trafficOpenMetrics } from '../../reports/traffic-openmetrics.ts';
import { UsageError } from '../usage.ts';

const mediaType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const path = '/metrics';

/** Figures of a load while it is made, for whoever asks this machine. */
export interface LiveMetrics extends AsyncDisposable {
  readonly url: string;
  /** From now on these are told. */
  show(measured: () => Measured): void;
}

/** @param port 0 for a free one. @throws {UsageError} it cannot be listened on */
export async function openMetrics(port: number): Promise<LiveMetrics> {
  let measured: (() => Measured) | undefined;
  const server = createServer((request, response) => {
    if (request.url !== path || (request.method !== 'GET' && request.method !== 'HEAD'))
      return response.writeHead(404).end();
    if (measured === undefined) return response.writeHead(503, { 'Retry-After': '1' }).end();
    return response.writeHead(200, { 'Content-Type': mediaType }).end(gated(trafficOpenMetrics(measured())));
  });
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new UsageError(
      `Cannot tell metrics on port ${port} (${messageOf(error)}); choose another --metrics-port, 0 for a free one.`,
    );
  }
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}${path}`,
    show: (told) => {
      measured = told;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
