import autocannon from 'autocannon';
import type { Figure } from '../harness/load.ts';
import { byHand } from './by-hand.ts';
import { connections } from './ground.ts';

/** autocannon with requests of its own, with the CPU of this process. */
export async function handWritten(url: string, seconds: number): Promise<Figure> {
  let user = 0;
  const before = process.cpuUsage();
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: 100,
    setupClient: (client) => client.setRequests(byHand(user++)),
  });
  const { user: own, system } = process.cpuUsage(before);
  const answers = result['2xx'] + result.non2xx;
  return {
    perSecond: answers / result.duration,
    cpuUs: (own + system) / answers,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
