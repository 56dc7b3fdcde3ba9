import autocannon from 'autocannon';
import type { Side } from './side.ts';

/** What one round of load found. */
export interface Figure {
  readonly perSecond: number;
  /** CPU of the server process a request, user and system, in microseconds. */
  readonly cpuUs: number;
  /** Answers other than 2xx, and requests without an answer. */
  readonly failures: number;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** Requests of one connection, in turn; called once a connection, so that each may have a state of its own. */
  readonly requests: (connection: number) => autocannon.Request[];
}

/** Requests in a closed loop: each connection sends its next one when the last is answered. */
export async function loaded(side: Side, { connections, seconds, requests }: Load): Promise<Figure> {
  let connection = 0;
  const cpuBeforeUs = await side.cpuUs();
  const result = await autocannon({
    url: side.url,
    connections,
    duration: seconds,
    sampleInt: 100,
    setupClient: (client) => client.setRequests(requests(connection++)),
  });
  const cpuUs = (await side.cpuUs()) - cpuBeforeUs;
  const answers = result['2xx'] + result.non2xx;
  return {
    perSecond: result['2xx'] / result.duration,
    cpuUs: cpuUs / answers,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}

/** The figure of the items in requests that each hold so many. */
export function perItem({ perSecond, cpuUs, failures }: Figure, items: number): Figure {
  return { perSecond: perSecond * items, cpuUs: cpuUs / items, failures };
}
