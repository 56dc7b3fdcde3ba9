import type { Exchange } from '../exchange.ts';
import { reading } from '../part.ts';
import { readTime } from './part-time.ts';

/** The wall clock of somebody else, going on from an answer, whatever happens to the clock of this machine meanwhile. */
export function wallFrom(exchange: Pick<Exchange, 'response'> | undefined): () => number {
  const [answered, at] = [wallNowOf(exchange), readTime()];
  return () => answered + readTime() - at;
}

/**
 * ms since the epoch by the clock of whoever answered there, to the second; by that of this machine, which may be wrong by days, where the
 * answer does not tell.
 */
export function wallNowOf(exchange: Pick<Exchange, 'response'> | undefined): number {
  const [, date = ''] = exchange?.response?.headers.find(([name]) => name.toLowerCase() === 'date') ?? [];
  return Date.parse(date) || reading('wall', Date.now);
}
